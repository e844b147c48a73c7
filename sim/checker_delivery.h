/* SPDX-License-Identifier: MIT */
/* The promises to clients about messages: nothing confirmed is lost, nothing comes twice unmarked,
 * queues keep their order, tags count up, confirms come once.
 *
 * A ChannelTape is what one client saw and did on one life of one channel; clients tell their
 * tapes. Each publish has a number of its own, also one that sends an unconfirmed message again:
 * so "twice" is decided by number alone. Queues are numbered below DELIVERY_QUEUES_MAX; which of
 * them a publish must reach is told with it. */
#pragma once

#include "core/base/slice.h"
#include "sim/findings.h"

#define DELIVERY_QUEUES_MAX 16

typedef struct CheckerDelivery CheckerDelivery;
typedef struct ChannelTape ChannelTape;

typedef enum Settlement
{
  SETTLED_ACKED,
  SETTLED_DROPPED, /* rejected, not to be queued again */
  SETTLED_REQUEUED
} Settlement;

typedef struct DeliveryQueue
{
  const char *name; /* borrowed */
  gboolean kept;    /* consumed with acknowledgements only: nothing confirmed may be lost */
} DeliveryQueue;

/* A delivery is on its way to its client for at most `way_us`: what arrives later than that was
 * sent later. */
CheckerDelivery *checker_delivery_new (Findings *findings, const DeliveryQueue *queues,
                                       guint n_queues, gint64 way_us);
void checker_delivery_free (CheckerDelivery *checker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CheckerDelivery, checker_delivery_free)

/* Confirmed messages that some kept queue still owes. */
guint checker_delivery_missing (const CheckerDelivery *checker);
/* All queues are empty: a finding for each that is missing. */
void checker_delivery_end (CheckerDelivery *checker, gint64 now_us);

/* Publishes that a queue was to be given, and those of them that were confirmed. */
void checker_delivery_count (const CheckerDelivery *checker, guint queue, guint64 *ret_sent,
                             guint64 *ret_confirmed);

/* Owned by the checker. `client` is a name, borrowed for its life. */
ChannelTape *channel_tape_new (CheckerDelivery *checker, const char *client, guint member);
/* Its client asked for its end, or provokes it. What it was given goes to others once that is
 * ordered; its member, which may be behind, gives it more until it is there itself. */
void channel_tape_closing (ChannelTape *tape);
/* Nothing is outstanding any more: the channel or its connection is gone. */
void channel_tape_over (ChannelTape *tape);

/* --- publishing ------------------------------------------------------------------------- */

/* The number of the publish that is about to be sent; `reaches` has a bit for each queue. */
guint32 channel_tape_publish (ChannelTape *tape, gint64 now_us, guint32 reaches,
                              gboolean mandatory);
/* basic.ack, or basic.nack, from the broker. */
void channel_tape_confirmed (ChannelTape *tape, gint64 now_us, guint64 tag, gboolean multiple,
                             gboolean refused);
void channel_tape_returned (ChannelTape *tape, gint64 now_us, guint32 number);
/* Publishes that were neither confirmed nor refused. */
guint channel_tape_unconfirmed (const ChannelTape *tape);
/* The oldest of them is not confirmed for longer than `patience_us`: a finding. */
void channel_tape_look (ChannelTape *tape, gint64 now_us, gint64 patience_us);

/* --- consuming ------------------------------------------------------------------------------ */

/* basic.qos is about to be sent: consumers that come after it have so many unsettled at the most.
 */
void channel_tape_qos (ChannelTape *tape, guint prefetch);
/* The same for all consumers together, before there are any. */
void channel_tape_window (ChannelTape *tape, guint window);
/* basic.consume is about to be sent; consumers of one tape have numbers from 0. */
guint channel_tape_consume (ChannelTape *tape, guint queue, gboolean no_ack);
/* basic.cancel-ok came: nothing more for it. */
void channel_tape_cancelled (ChannelTape *tape, guint consumer);

typedef struct Arrival
{
  guint64 tag;
  guint32 number; /* what it says of itself */
  gboolean redelivered;
  gboolean unaltered;
} Arrival;

void channel_tape_delivered (ChannelTape *tape, gint64 now_us, guint consumer, Arrival arrival);
/* basic.get-ok. */
void channel_tape_got (ChannelTape *tape, gint64 now_us, guint queue, gboolean no_ack,
                       Arrival arrival);
/* Deliveries that the client has not settled. */
guint channel_tape_unsettled (const ChannelTape *tape);
/* The oldest `index`-th of them. */
guint64 channel_tape_unsettled_tag (const ChannelTape *tape, guint index);
/* An ack, nack or reject is about to be sent. */
void channel_tape_settle (ChannelTape *tape, guint64 tag, gboolean multiple, Settlement how);
/* A member ends and takes with it what only it has seen: what it told its clients and was not safe
 * yet, no other member knows. So messages may come as new again (deliveries are not held until a
 * majority has their cause; confirms are). */
void checker_delivery_suffix_lost (CheckerDelivery *checker, guint member);
/* What was sent to that client (NULL: to those of that member) may come to it at any time later. */
void checker_delivery_late (CheckerDelivery *checker, const char *client, guint member);
/* From here on a delivery may be on its way for as long as that. */
void checker_delivery_longer_way (CheckerDelivery *checker, gint64 way_us);
/* It is one of those again that know the same: that ends here, for who comes to it from now on. */
void checker_delivery_suffix_kept (CheckerDelivery *checker, guint member);
/* A request is about to be sent whose answer shows that all settled before was heard. */
void channel_tape_asks (ChannelTape *tape);
/* That answer. One at a time. */
void channel_tape_answered (ChannelTape *tape, gint64 now_us);
