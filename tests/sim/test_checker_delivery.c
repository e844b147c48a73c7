/* SPDX-License-Identifier: MIT */
/* Histories that break the promises about messages, and the same ones unbroken. */
#include "sim/checker_delivery.h"
#include "tests/sim/checker_cases.h"

#define KEPT  0
#define LOSSY 1

/* --- messages ------------------------------------------------------------------------------------
 */

typedef struct Stage
{
  CheckerDelivery *checker;
  ChannelTape *publisher;
  ChannelTape *consumer;
  guint kept; /* consumers */
  guint lossy;
} Stage;

static Stage
stage_new (Findings *findings)
{
  static const DeliveryQueue queues[] = { { "kept", TRUE }, { "lossy", FALSE } };
  Stage stage = { .checker = checker_delivery_new (findings, queues, G_N_ELEMENTS (queues), 5) };

  stage.publisher = channel_tape_new (stage.checker, "publisher", 0);
  stage.consumer = channel_tape_new (stage.checker, "consumer", 1);
  stage.kept = channel_tape_consume (stage.consumer, KEPT, FALSE);
  stage.lossy = channel_tape_consume (stage.consumer, LOSSY, TRUE);
  return stage;
}

static guint32
publish (Stage *stage)
{
  return channel_tape_publish (stage->publisher, 10, 1u << KEPT | 1u << LOSSY, FALSE);
}

static Arrival
arrival (guint64 tag, guint32 number, gboolean redelivered)
{
  return (Arrival){ tag, number, redelivered, TRUE };
}

static void
stage_end (Stage *stage)
{
  checker_delivery_end (stage->checker, 9000);
  checker_delivery_free (stage->checker);
}

static void
history_nothing_lost (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  guint32 number = publish (&stage);

  channel_tape_confirmed (stage.publisher, 20, 1, FALSE, FALSE);
  if (!broken)
    {
      channel_tape_delivered (stage.consumer, 30, stage.kept, arrival (1, number, FALSE));
      channel_tape_settle (stage.consumer, 1, FALSE, SETTLED_ACKED);
    }
  stage_end (&stage);
}

static void
history_never_settled (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  guint32 number = publish (&stage);

  channel_tape_confirmed (stage.publisher, 20, 1, FALSE, FALSE);
  channel_tape_delivered (stage.consumer, 30, stage.kept, arrival (1, number, FALSE));
  channel_tape_settle (stage.consumer, 1, FALSE, broken ? SETTLED_REQUEUED : SETTLED_DROPPED);
  stage_end (&stage);
}

static void
history_routed_rightly (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  guint32 number
      = channel_tape_publish (stage.publisher, 10, broken ? 1u << LOSSY : 1u << KEPT, FALSE);

  channel_tape_delivered (stage.consumer, 30, stage.kept, arrival (1, number, FALSE));
  stage_end (&stage);
}

static void
history_delivered_once (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  guint32 number = publish (&stage);

  channel_tape_delivered (stage.consumer, 30, stage.kept, arrival (1, number, FALSE));
  channel_tape_settle (stage.consumer, 1, FALSE, SETTLED_REQUEUED);
  channel_tape_delivered (stage.consumer, 40, stage.kept, arrival (2, number, !broken));
  stage_end (&stage);
}

static void
history_acked_is_gone (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  guint32 number = publish (&stage);
  ChannelTape *other = channel_tape_new (stage.checker, "other", 1);
  guint consumer = channel_tape_consume (other, KEPT, FALSE);

  channel_tape_delivered (stage.consumer, 30, stage.kept, arrival (1, number, FALSE));
  channel_tape_settle (stage.consumer, 1, FALSE, SETTLED_ACKED);
  channel_tape_asks (stage.consumer);
  if (broken)
    channel_tape_answered (stage.consumer, 50);
  channel_tape_over (stage.consumer);
  channel_tape_delivered (other, 60, consumer, arrival (1, number, TRUE));
  stage_end (&stage);
}

static void
history_window (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  ChannelTape *other = channel_tape_new (stage.checker, "other", 1);
  guint consumer;

  channel_tape_qos (other, 2);
  consumer = channel_tape_consume (other, KEPT, FALSE);
  for (guint64 tag = 1; tag <= 3; tag++)
    {
      channel_tape_delivered (other, 60 + (gint64) tag, consumer,
                              arrival (tag, publish (&stage), FALSE));
      if (tag == 1 && !broken)
        channel_tape_settle (other, tag, FALSE, SETTLED_ACKED);
    }
  stage_end (&stage);
}

static void
history_channel_window (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  ChannelTape *other = channel_tape_new (stage.checker, "other", 1);
  guint consumers[2];

  channel_tape_window (other, broken ? 1 : 2);
  for (guint i = 0; i < 2; i++)
    consumers[i] = channel_tape_consume (other, KEPT, FALSE);
  for (guint i = 0; i < 2; i++)
    channel_tape_delivered (other, 61 + i, consumers[i], arrival (1 + i, publish (&stage), FALSE));
  stage_end (&stage);
}

/* What a channel is given before its end is ordered may come late, and be another's by then. */
static void
history_closing (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  guint32 number = publish (&stage);
  ChannelTape *other = channel_tape_new (stage.checker, "other", 1);
  guint consumer = channel_tape_consume (other, KEPT, FALSE);

  channel_tape_delivered (stage.consumer, 30, stage.kept, arrival (1, number, FALSE));
  channel_tape_settle (stage.consumer, 1, FALSE, SETTLED_ACKED);
  channel_tape_asks (stage.consumer);
  channel_tape_answered (stage.consumer, 50);
  if (!broken)
    channel_tape_closing (other);
  channel_tape_delivered (other, 60, consumer, arrival (1, number, TRUE));
  stage_end (&stage);
}

static void
history_auto_acked_once (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  guint32 number = publish (&stage);

  channel_tape_delivered (stage.consumer, 30, stage.lossy, arrival (1, number, broken));
  stage_end (&stage);
}

static void
history_queue_fifo (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  guint32 first = publish (&stage);
  guint32 second = publish (&stage);

  channel_tape_delivered (stage.consumer, 30, stage.kept,
                          arrival (1, broken ? second : first, FALSE));
  channel_tape_delivered (stage.consumer, 40, stage.kept,
                          arrival (2, broken ? first : second, FALSE));
  stage_end (&stage);
}

static void
history_unaltered (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  Arrival altered = arrival (1, publish (&stage), FALSE);

  altered.unaltered = !broken;
  channel_tape_delivered (stage.consumer, 30, stage.kept, altered);
  stage_end (&stage);
}

static void
history_tags_count_up (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);

  channel_tape_delivered (stage.consumer, 30, stage.kept, arrival (1, publish (&stage), FALSE));
  channel_tape_got (stage.consumer, 40, KEPT, FALSE,
                    arrival (broken ? 3 : 2, publish (&stage), FALSE));
  stage_end (&stage);
}

static void
history_known_consumer (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);

  if (broken)
    channel_tape_cancelled (stage.consumer, stage.kept);
  channel_tape_delivered (stage.consumer, 30, stage.kept, arrival (1, publish (&stage), FALSE));
  stage_end (&stage);
}

static void
history_confirmed_once (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);

  channel_tape_publish (stage.publisher, 10, 0, FALSE);
  channel_tape_publish (stage.publisher, 11, 0, FALSE);
  channel_tape_confirmed (stage.publisher, 20, 2, FALSE, FALSE);
  channel_tape_confirmed (stage.publisher, 30, broken ? 2 : 1, FALSE, FALSE);
  g_assert_cmpuint (channel_tape_unconfirmed (stage.publisher), ==, broken ? 1 : 0);
  stage_end (&stage);
}

static void
history_confirmed_nothing (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);

  channel_tape_publish (stage.publisher, 10, 0, FALSE);
  channel_tape_confirmed (stage.publisher, 20, broken ? 2 : 1, TRUE, FALSE);
  stage_end (&stage);
}

static void
history_not_confirmed (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);

  channel_tape_publish (stage.publisher, 10, 0, FALSE);
  channel_tape_publish (stage.publisher, 20, 0, FALSE);
  channel_tape_confirmed (stage.publisher, 30, 2, FALSE, FALSE);
  channel_tape_look (stage.publisher, broken ? 111 : 110, 100);
  stage_end (&stage);
}

static void
history_not_returned (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  guint32 number = channel_tape_publish (stage.publisher, 10, 0, TRUE);

  if (!broken)
    channel_tape_returned (stage.publisher, 15, number);
  channel_tape_confirmed (stage.publisher, 20, 1, FALSE, FALSE);
  stage_end (&stage);
}

static void
history_returned_wrongly (Findings *findings, gboolean broken)
{
  Stage stage = stage_new (findings);
  guint32 number = channel_tape_publish (stage.publisher, 10, 0, !broken);

  channel_tape_returned (stage.publisher, 15, number);
  stage_end (&stage);
}

/* --- the list ------------------------------------------------------------------------------------
 */

static const CheckerCase cases[] = {
  { "confirmed-and-lost",
    history_nothing_lost,
    "nothing-lost",
    VERDICT_VIOLATION,
    { "message 1, published by publisher at 10us", "queue 'kept'", "never came" } },
  { "never-settled",
    history_never_settled,
    "nothing-lost",
    VERDICT_VIOLATION,
    { "message 1", "queue 'kept'", "never settled" } },
  { "wrong-queue",
    history_routed_rightly,
    "routed-rightly",
    VERDICT_VIOLATION,
    { "message 1", "consumer at 30us", "nothing routes it" } },
  { "duplicate",
    history_delivered_once,
    "delivered-once",
    VERDICT_VIOLATION,
    { "message 1", "consumer at 40us", "flag lies" } },
  { "back-after-its-ack",
    history_acked_is_gone,
    "acked-is-gone",
    VERDICT_VIOLATION,
    { "message 1", "other at 60us", "acknowledged before" } },
  { "window-overrun",
    history_window,
    "window-kept",
    VERDICT_VIOLATION,
    { "63us consumer 0 of other", "3 unsettled", "2 at the most" } },
  { "channel-window-overrun",
    history_channel_window,
    "window-kept",
    VERDICT_VIOLATION,
    { "62us the channel of other", "2 unsettled", "1 at the most" } },
  { "back-on-a-channel-that-does-not-close",
    history_closing,
    "acked-is-gone",
    VERDICT_VIOLATION,
    { "message 1", "other at 60us", "acknowledged before" } },
  { "auto-acked-again",
    history_auto_acked_once,
    "auto-acked-once",
    VERDICT_VIOLATION,
    { "message 1", "30us", "without acknowledgement" } },
  { "overtaken-in-its-queue",
    history_queue_fifo,
    "queue-fifo",
    VERDICT_VIOLATION,
    { "message 1", "after message 2", "on the same channel" } },
  { "altered",
    history_unaltered,
    "unaltered",
    VERDICT_VIOLATION,
    { "consumer at 30us", "tag 1", "not what anybody published" } },
  { "tag-skipped",
    history_tags_count_up,
    "tags-count-up",
    VERDICT_VIOLATION,
    { "tag 3", "40us", "before was 1" } },
  { "cancelled-consumer",
    history_known_consumer,
    "known-consumer",
    VERDICT_VIOLATION,
    { "consumer", "30us", "has cancelled" } },
  { "confirmed-twice",
    history_confirmed_once,
    "confirmed-once",
    VERDICT_VIOLATION,
    { "publisher", "30us", "already" } },
  { "confirmed-what-was-not-published",
    history_confirmed_nothing,
    "confirmed-once",
    VERDICT_VIOLATION,
    { "publisher", "20us", "only 1" } },
  { "not-confirmed-in-time",
    history_not_confirmed,
    "confirmed-at-last",
    VERDICT_LIVENESS,
    { "message 1, published by publisher at 10us", "still open", "111us" } },
  { "mandatory-not-returned",
    history_not_returned,
    "returned-rightly",
    VERDICT_VIOLATION,
    { "message 1", "10us", "not returned" } },
  { "returned-though-not-mandatory",
    history_returned_wrongly,
    "returned-rightly",
    VERDICT_VIOLATION,
    { "message 1", "15us", "not mandatory" } },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  checker_cases_add (cases, G_N_ELEMENTS (cases));
  return g_test_run ();
}
