/* SPDX-License-Identifier: MIT */
/* An exchange: where publishers send, and the rule by which it finds queues. One file per rule
 * (exchange_direct.c, exchange_fanout.c, exchange_topic.c). */
#pragma once

#include "core/base/name_map.h"
#include "core/base/slice.h"

typedef struct Exchange Exchange;
typedef struct Queue Queue;
typedef struct Vhost Vhost;
typedef struct Message Message;

typedef struct Binding
{
  Exchange *exchange; /* borrowed */
  Queue *queue;       /* borrowed */
  char *routing_key;
  Slice arguments; /* the table of queue.bind, held */
  guint64 digest;  /* of the names of virtual host, exchange and queue, the key and the table */
} Binding;

typedef struct ExchangeType
{
  const char *name; /* as in exchange.declare */
  gpointer (*index_new) (void);
  void (*index_free) (gpointer index);
  void (*bind) (gpointer index, Binding *binding);
  void (*unbind) (gpointer index, Binding *binding);
  /* Appends each queue to `queues` (borrowed) at least once; vhost_publish drops repetitions. The
   * order follows from the set of bindings alone, not from their history: it is the same on a
   * member that was given the state. */
  void (*route) (gpointer index, const Message *message, GPtrArray *queues);
} ExchangeType;

struct Exchange
{
  const ExchangeType *type;
  Vhost *vhost; /* borrowed */
  char *name;   /* "" is the default exchange */
  gboolean durable;
  gboolean auto_delete;
  gboolean internal;
  gboolean predeclared;
  Slice arguments;
  NameMap *bindings; /* by queue, routing key and arguments; owned */
  gpointer index;    /* of the type */
};

/* NULL: no such type. */
const ExchangeType *exchange_type_lookup (Slice name);
