/* SPDX-License-Identifier: MIT */
/* What a session was given and has not settled: delivery tag -> message of a queue, in the order
 * of tags. Every member keeps the same (0-9-1 section 1.8.3.13: tags are the channel's own). */
#pragma once

#include "core/broker/queue.h"

typedef struct Subscription Subscription;

typedef struct UnackedEntry
{
  guint64 delivery_tag;
  guint64 position;
  Queue *queue;               /* a reference; NULL: settled, a hole */
  Subscription *subscription; /* borrowed; NULL: given by basic.get, or cancelled since */
  gboolean of_consumer;       /* given to a consumer, which may be cancelled since */
} UnackedEntry;

typedef struct Unacked
{
  UnackedEntry *entries;
  gsize first; /* the first that is not a hole, or end */
  gsize end;
  gsize room;
  guint count;          /* without holes */
  guint n_of_consumers; /* of them, those given to consumers */
  guint64 digest;       /* sum over them */
} Unacked;

/* Gives up the references, settles nothing. */
void unacked_clear (Unacked *unacked);
/* Tags only grow. Takes a reference of the queue. `subscription` NULL: of basic.get. */
void unacked_add (Unacked *unacked, guint64 delivery_tag, Queue *queue, guint64 position,
                  Subscription *subscription);
/* As above, to a consumer that was cancelled since. */
void unacked_add_of_cancelled (Unacked *unacked, guint64 delivery_tag, Queue *queue,
                               guint64 position);
/* NULL: not there. Valid until the next call that changes something. */
UnackedEntry *unacked_find (Unacked *unacked, guint64 delivery_tag);
/* The first one, if its tag is not above `delivery_tag`; NULL: none. */
UnackedEntry *unacked_first (Unacked *unacked, guint64 delivery_tag);
/* Out of the record; gives up its reference. `entry` is of unacked_find or unacked_first. */
void unacked_remove (Unacked *unacked, UnackedEntry *entry);
/* In the order of tags, holes left out. */
UnackedEntry *unacked_next (Unacked *unacked, UnackedEntry *entry);
/* The subscription is gone; what it was given stays unacked. */
void unacked_forget_subscription (Unacked *unacked, const Subscription *subscription);
guint64 unacked_digest_in_full (const Unacked *unacked);
