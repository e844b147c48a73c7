/* SPDX-License-Identifier: MIT */
/* Class exchange (0-9-1 section 1.6). */
#include "core/broker/vhost.h"
#include "core/session/methods.h"

static gboolean
exchange_declare (Session *session, const ExchangeDeclare *declare, GError **error)
{
  Vhost *vhost = session->connection->vhost;
  const Method reply = { .id = METHOD_EXCHANGE_DECLARE_OK };
  const ExchangeDeclaration declaration = {
    .name = declare->exchange,
    .type = declare->type,
    .durable = declare->durable,
    .auto_delete = declare->auto_delete,
    .internal = declare->internal,
    .arguments = declare->arguments,
  };
  const Exchange *exchange = declare->passive
                                 ? vhost_require_exchange (vhost, declare->exchange, error)
                                 : vhost_declare_exchange (vhost, &declaration, error);

  if (exchange == NULL)
    return FALSE;
  methods_reply_about (session, &reply, declare->no_wait, exchange->durable && !declare->passive);
  return TRUE;
}

static gboolean
exchange_delete (Session *session, const ExchangeDelete *delete, GError **error)
{
  Vhost *vhost = session->connection->vhost;
  const Method reply = { .id = METHOD_EXCHANGE_DELETE_OK };
  const Exchange *exchange = vhost_lookup_exchange (vhost, delete->exchange);
  gboolean is_durable = exchange != NULL && exchange->durable;

  if (!vhost_delete_exchange (vhost, delete->exchange, delete->if_unused, error))
    return FALSE;
  methods_reply_about (session, &reply, delete->no_wait, is_durable);
  return TRUE;
}

gboolean
methods_exchange (Session *session, const Method *method, GError **error)
{
  if (method->id == METHOD_EXCHANGE_DECLARE)
    return exchange_declare (session, &method->exchange_declare, error);
  return exchange_delete (session, &method->exchange_delete, error);
}
