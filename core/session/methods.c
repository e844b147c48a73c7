/* SPDX-License-Identifier: MIT */
#include "core/session/methods.h"
#include "core/broker/vhost.h"

/* One row a method that clients send on a channel; the class functions know their own. */
static const MethodFunction functions[N_METHODS] = {
  [METHOD_CHANNEL_OPEN] = methods_channel,      [METHOD_CHANNEL_FLOW] = methods_channel,
  [METHOD_CHANNEL_FLOW_OK] = methods_channel,   [METHOD_CHANNEL_CLOSE] = methods_channel,
  [METHOD_CHANNEL_CLOSE_OK] = methods_channel,  [METHOD_ACCESS_REQUEST] = methods_access,
  [METHOD_EXCHANGE_DECLARE] = methods_exchange, [METHOD_EXCHANGE_DELETE] = methods_exchange,
  [METHOD_QUEUE_DECLARE] = methods_queue,       [METHOD_QUEUE_BIND] = methods_queue,
  [METHOD_QUEUE_UNBIND] = methods_queue,        [METHOD_QUEUE_PURGE] = methods_queue,
  [METHOD_QUEUE_DELETE] = methods_queue,        [METHOD_BASIC_QOS] = methods_basic,
  [METHOD_BASIC_CONSUME] = methods_basic,       [METHOD_BASIC_CANCEL] = methods_basic,
  [METHOD_BASIC_CANCEL_OK] = methods_basic,     [METHOD_BASIC_PUBLISH] = methods_basic,
  [METHOD_BASIC_GET] = methods_basic,           [METHOD_BASIC_ACK] = methods_basic,
  [METHOD_BASIC_REJECT] = methods_basic,        [METHOD_BASIC_NACK] = methods_basic,
  [METHOD_BASIC_RECOVER] = methods_basic,       [METHOD_BASIC_RECOVER_ASYNC] = methods_basic,
  [METHOD_CONFIRM_SELECT] = methods_confirm,
};

gboolean
methods_refuse (const Method *method, GError **error)
{
  return reply_error (error, REPLY_NOT_IMPLEMENTED, "%s is not implemented",
                      method_name (method->id));
}

gboolean
methods_apply (Session *session, const Method *method, Message *content, GError **error)
{
  MethodFunction function = functions[method->id];

  if (session->state == SESSION_OPENING && method->id != METHOD_CHANNEL_OPEN)
    return reply_error (error, REPLY_CHANNEL_ERROR, "%s on a channel that is not open",
                        method_name (method->id));
  if (function == NULL)
    return methods_refuse (method, error);
  if (content != NULL)
    return methods_basic_publish (session, &method->basic_publish, content, error);
  return function (session, method, error);
}

void
methods_reply_about (Session *session, const Method *reply, gboolean no_wait, gboolean is_durable)
{
  if (no_wait)
    return;
  if (is_durable)
    session_send_safe (session, reply);
  else
    session_send (session, reply);
}

void
methods_reply (Session *session, MethodId id, gboolean no_wait)
{
  Method method = { .id = id };

  if (!no_wait)
    session_send (session, &method);
}

gboolean
methods_queue_name (const Session *session, Slice name, Slice *ret_name, GError **error)
{
  if (name.length == 0 && session->last_queue == NULL)
    return reply_error (error, REPLY_NOT_FOUND, "no previously declared queue");
  *ret_name = name.length == 0 ? slice_of_text (session->last_queue) : name;
  return TRUE;
}

Queue *
methods_require_queue (const Session *session, Slice name, GError **error)
{
  const Connection *connection = session->connection;
  Slice resolved;

  if (!methods_queue_name (session, name, &resolved, error))
    return NULL;
  return vhost_require_queue (connection->vhost, resolved, connection->id, error);
}
