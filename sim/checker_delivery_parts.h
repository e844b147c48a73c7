/* SPDX-License-Identifier: MIT */
/* The inside of a CheckerDelivery, for checker_delivery.c and checker_delivery_end.c. */
#pragma once

#include "core/base/id_map.h"
#include "sim/checker_delivery.h"

typedef struct Publish
{
  guint32 tape;
  gint64 at_us;
  guint16 reaches; /* a bit for each queue, here and below */
  guint16 seen;
  guint16 seen_new;  /* without the redelivered flag */
  guint16 settled;   /* acked or dropped, whether that was heard or not */
  guint16 forgotten; /* seen, but only one that was lost knew of it */
  guint16 at_member; /* where it was seen last, plus one */
  guint16 gone;      /* and known to have been heard */
  gint64 gone_us;    /* since when, for the latest of them */
  gboolean mandatory;
  gboolean returned;
  gboolean confirmed;
} Publish;

struct CheckerDelivery
{
  Findings *findings;
  DeliveryQueue queues[DELIVERY_QUEUES_MAX];
  guint n_queues;
  gint64 way_us;
  GArray *publishes; /* of Publish, by number - 1 */
  GPtrArray *tapes;
  IdMap *loses; /* members that may lose what only they know */
};

typedef struct Consumer
{
  guint queue;
  gboolean no_ack;
  gboolean cancelled;
  guint prefetch; /* 0: no bound */
  guint n_unsettled;
} Consumer;

typedef struct Unsettled
{
  guint64 tag;
  guint32 number;
  guint queue;
  guint consumer; /* NO_CONSUMER: of basic.get */
} Unsettled;

#define NO_CONSUMER G_MAXUINT

struct ChannelTape
{
  CheckerDelivery *checker;
  guint32 index;
  const char *client;
  guint member; /* that its client is connected to */
  /* publishing */
  GArray *published; /* of guint32: publish numbers, by confirm tag - 1 */
  GArray *resolved;  /* of gboolean, alike */
  guint n_unconfirmed;
  guint first_unresolved;
  /* consuming */
  GArray *consumers; /* of Consumer */
  guint prefetch;    /* of consumers to come */
  guint window;      /* of all consumers together; 0: no bound */
  guint64 last_tag;
  GArray *unsettled; /* of Unsettled, oldest first */
  IdMap *last_first; /* {queue, publisher's tape} -> number of the last first delivery */
  GArray *settled;   /* of Unsettled: acked or dropped, perhaps not heard yet */
  guint n_asked;     /* so many of `settled` are heard when the answer comes */
  GArray *fresh;     /* of Unsettled: came since the last such answer, settled or not */
  guint n_fresh_asked;
  gboolean suffix_is_lost;
  gboolean is_closing;
};

static inline Publish *
publish_at (const CheckerDelivery *checker, guint32 number)
{
  return &g_array_index (checker->publishes, Publish, number - 1);
}
