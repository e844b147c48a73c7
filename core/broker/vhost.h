/* SPDX-License-Identifier: MIT */
/* A virtual host: one namespace of exchanges and queues. */
#pragma once

#include "core/broker/broker.h"

struct Vhost
{
  Broker *broker; /* borrowed */
  char *name;
  NameMap *exchanges; /* owned */
  NameMap *queues;    /* owned */
};

typedef struct ExchangeDeclaration
{
  Slice name;
  Slice type;
  gboolean durable;
  gboolean auto_delete;
  gboolean internal;
  Slice arguments;
} ExchangeDeclaration;

/* With the predeclared exchanges; broker_add_vhost is who makes one. */
Vhost *vhost_new (Broker *broker, Slice name);
void vhost_free (Vhost *vhost);

/* NULL: none. Borrowed. */
Exchange *vhost_lookup_exchange (Vhost *vhost, Slice name);
/* 404 "no exchange 'x' in vhost '/'" where there is none. */
Exchange *vhost_require_exchange (Vhost *vhost, Slice name, GError **error);
/* The same, where a message is to be published. */
Exchange *vhost_require_exchange_of (Vhost *vhost, const Message *message, GError **error);
/* Makes it, or checks that it is there with the same properties (406 PRECONDITION_FAILED with
 * RabbitMQ's text). 403 for a name that begins with "amq." and is not there; 503 for an unknown
 * type. */
Exchange *vhost_declare_exchange (Vhost *vhost, const ExchangeDeclaration *declaration,
                                  GError **error);
/* One that is not there: nothing happens. 403 for a predeclared one; 406 with if_unused and
 * bindings. */
gboolean vhost_delete_exchange (Vhost *vhost, Slice name, gboolean if_unused, GError **error);

typedef struct QueueDeclaration
{
  Slice name; /* not empty: a server-named queue was named by the caller */
  gboolean durable;
  gboolean auto_delete;
  gboolean exclusive;
  gboolean server_named; /* may begin with "amq." */
  Slice arguments;
} QueueDeclaration;

Queue *vhost_lookup_queue (Vhost *vhost, Slice name);
/* 404 "no queue 'q' in vhost '/'"; 405 if it is exclusive to another connection. */
Queue *vhost_require_queue (Vhost *vhost, Slice name, ConnectionId connection, GError **error);
Queue *vhost_declare_queue (Vhost *vhost, const QueueDeclaration *declaration,
                            ConnectionId connection, GError **error);
/* 406 where a condition does not hold. Its consumers are cancelled, its bindings go, and
 * auto-delete exchanges that lose their last binding. *ret_n_messages: those that were ready. */
gboolean vhost_delete_queue (Vhost *vhost, Queue *queue, gboolean if_unused, gboolean if_empty,
                             guint64 *ret_n_messages, GError **error);

/* Binding twice is binding once; unbinding what is not bound does nothing, nor does unbinding
 * from an exchange that is not there. 403 for the default exchange. An auto-delete exchange goes
 * with its last binding. */
gboolean vhost_bind_queue (Vhost *vhost, Queue *queue, Slice exchange, Slice routing_key,
                           Slice arguments, GError **error);
gboolean vhost_unbind_queue (Vhost *vhost, Queue *queue, Slice exchange, Slice routing_key,
                             Slice arguments, GError **error);

/* Puts the message into every queue that the exchange finds (each once, in the order in which
 * the routing rule finds them) and dispatches each. FALSE: it found none. */
gboolean vhost_publish (Vhost *vhost, Exchange *exchange, Message *message);
