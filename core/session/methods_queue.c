/* SPDX-License-Identifier: MIT */
/* Class queue (0-9-1 section 1.7). */
#include "core/broker/vhost.h"
#include "core/session/methods.h"

static Queue *
declare_queue (Session *session, const QueueDeclare *declare, GError **error)
{
  const Connection *connection = session->connection;
  g_autofree char *drawn = NULL;
  QueueDeclaration declaration = {
    .name = declare->queue,
    .durable = declare->durable,
    .auto_delete = declare->auto_delete,
    .exclusive = declare->exclusive,
    .arguments = declare->arguments,
  };

  if (declare->queue.length == 0)
    {
      drawn = session_draw_name (session, "amq.gen-");
      declaration.name = slice_of_text (drawn);
      declaration.server_named = TRUE;
    }
  return vhost_declare_queue (connection->vhost, &declaration, connection->id, error);
}

static gboolean
queue_declare (Session *session, const QueueDeclare *declare, GError **error)
{
  Method reply = { .id = METHOD_QUEUE_DECLARE_OK };
  const Queue *queue = declare->passive ? methods_require_queue (session, declare->queue, error)
                                        : declare_queue (session, declare, error);

  if (queue == NULL)
    return FALSE;
  session_touch (session);
  g_free (session->last_queue);
  session->last_queue = g_strdup (queue->name);
  reply.queue_declare_ok.queue = slice_of_text (queue->name);
  reply.queue_declare_ok.message_count = (guint32) MIN (queue->n_ready, G_MAXUINT32);
  reply.queue_declare_ok.consumer_count = queue->consumers->len;
  methods_reply_about (session, &reply, declare->no_wait, queue->durable && !declare->passive);
  return TRUE;
}

static gboolean
queue_bind (Session *session, const QueueBind *bind, GError **error)
{
  const Method reply = { .id = METHOD_QUEUE_BIND_OK };
  Queue *queue = methods_require_queue (session, bind->queue, error);
  Slice key = bind->routing_key;

  if (queue == NULL)
    return FALSE;
  /* Both empty: the queue's name is the key (section 1.7.2.3.5). */
  if (bind->queue.length == 0 && key.length == 0)
    key = slice_of_text (queue->name);
  if (!vhost_bind_queue (queue->vhost, queue, bind->exchange, key, bind->arguments, error))
    return FALSE;
  methods_reply_about (session, &reply, bind->no_wait, queue->durable);
  return TRUE;
}

static gboolean
queue_unbind (Session *session, const QueueUnbind *unbind, GError **error)
{
  const Method reply = { .id = METHOD_QUEUE_UNBIND_OK };
  Queue *queue = methods_require_queue (session, unbind->queue, error);

  if (queue == NULL
      || !vhost_unbind_queue (queue->vhost, queue, unbind->exchange, unbind->routing_key,
                              unbind->arguments, error))
    return FALSE;
  methods_reply_about (session, &reply, FALSE, queue->durable);
  return TRUE;
}

static gboolean
queue_purge_method (Session *session, const QueuePurge *purge, GError **error)
{
  Method reply = { .id = METHOD_QUEUE_PURGE_OK };
  Queue *queue = methods_require_queue (session, purge->queue, error);
  guint64 n_messages;

  if (queue == NULL)
    return FALSE;
  n_messages = queue_purge (queue);
  reply.queue_purge_ok.message_count = (guint32) MIN (n_messages, G_MAXUINT32);
  if (!purge->no_wait)
    session_send (session, &reply);
  return TRUE;
}

/* Deleting what is not there is no error: as RabbitMQ, which clients rely on. */
static gboolean
queue_delete (Session *session, const QueueDelete *delete, GError **error)
{
  const Connection *connection = session->connection;
  Method reply = { .id = METHOD_QUEUE_DELETE_OK };
  guint64 n_messages = 0;
  gboolean is_durable;
  Slice name;
  Queue *queue;

  if (!methods_queue_name (session, delete->queue, &name, error))
    return FALSE;
  queue = vhost_lookup_queue (connection->vhost, name);
  is_durable = queue != NULL && queue->durable;
  if (queue != NULL
      && (!queue_check_access (queue, connection->id, error)
          || !vhost_delete_queue (connection->vhost, queue, delete->if_unused, delete->if_empty,
                                  &n_messages, error)))
    return FALSE;
  reply.queue_delete_ok.message_count = (guint32) MIN (n_messages, G_MAXUINT32);
  methods_reply_about (session, &reply, delete->no_wait, is_durable);
  return TRUE;
}

gboolean
methods_queue (Session *session, const Method *method, GError **error)
{
  if (method->id == METHOD_QUEUE_DECLARE)
    return queue_declare (session, &method->queue_declare, error);
  if (method->id == METHOD_QUEUE_BIND)
    return queue_bind (session, &method->queue_bind, error);
  if (method->id == METHOD_QUEUE_UNBIND)
    return queue_unbind (session, &method->queue_unbind, error);
  if (method->id == METHOD_QUEUE_PURGE)
    return queue_purge_method (session, &method->queue_purge, error);
  return queue_delete (session, &method->queue_delete, error);
}
