/* SPDX-License-Identifier: MIT */
/* Each checker is given a history that breaks its promise, and has to say which, when and why; and
 * the same history unbroken, about which it must say nothing. */
#include "sim/checker_agreement.h"
#include "sim/checker_delivery.h"
#include "sim/checker_liveness.h"
#include "sim/checker_view.h"

#define KEPT  0
#define LOSSY 1

typedef void (*History) (Findings *findings, gboolean broken);

/* --- agreement ------------------------------------------------------------------------------ */

static void
history_equal_state (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerAgreement) checker = checker_agreement_new (findings);

  checker_agreement_state (checker, 1000, "A", 7, 0xaaaa);
  checker_agreement_state (checker, 1100, "A", 8, 0xbbbb);
  checker_agreement_state (checker, 1200, "B", 8, broken ? 0xcccc : 0xbbbb);
  g_assert_cmpuint (checker_agreement_compared (checker), ==, 1);
}

static void
history_true_digest (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerAgreement) checker = checker_agreement_new (findings);

  checker_agreement_in_full (checker, 1300, "B", 9, 0x1234, broken ? 0x4321 : 0x1234);
}

/* --- views --------------------------------------------------------------------------------------
 */

static const MemberId ann = { 1, 1 };
static const MemberId bob = { 2, 1 };

static void
tell_view (ViewTape *tape, gint64 now_us, guint64 sequence, gboolean with_ann, gboolean with_bob,
           const ViewChange *left, const ViewChange *joined)
{
  const MemberId members[] = { ann, bob };
  View view = {
    .members = with_ann ? members : members + 1,
    .n_members = (guint) (with_ann + with_bob),
    .left = left,
    .n_left = left != NULL,
    .joined = joined,
    .n_joined = joined != NULL,
    .ring = { 1, sequence },
  };

  view_tape_view (tape, now_us, &view);
}

static void
tell_message (ViewTape *tape, gint64 now_us, MemberId sender, const char *text)
{
  g_autoptr (Buffer) bytes = buffer_new_copy (text, strlen (text));
  MessageCache cache = { 0 };
  TransportMessage message = { .sender = sender, .bytes = bytes, .cache = &cache };

  view_tape_message (tape, now_us, &message);
}

static void
multicast (ViewTape *tape, const char *text)
{
  g_autoptr (Buffer) bytes = buffer_new_copy (text, strlen (text));

  view_tape_sent (tape, bytes);
}

/* Ann is there, Bob comes. */
static ViewTape *
two_members (CheckerView *checker, ViewTape **ret_bob)
{
  ViewTape *tape = checker_view_joins (checker, "A", ann);
  ViewChange joined = { ann, VIEW_REASON_JOIN };

  *ret_bob = checker_view_joins (checker, "B", bob);
  tell_view (tape, 100, 1, TRUE, FALSE, NULL, &joined);
  joined.member = bob;
  tell_view (tape, 200, 2, TRUE, TRUE, NULL, &joined);
  tell_view (*ret_bob, 210, 2, TRUE, TRUE, NULL, &joined);
  return tape;
}

static void
history_view_holds_self (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerView) checker = checker_view_new (findings);
  ViewTape *tape = checker_view_joins (checker, "B", bob);
  ViewChange joined = { bob, VIEW_REASON_JOIN };

  tell_view (tape, 100, 1, TRUE, !broken, NULL, &joined);
}

static void
history_view_follows (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerView) checker = checker_view_new (findings);
  ViewTape *b;
  ViewTape *a = two_members (checker, &b);
  ViewChange left = { bob, VIEW_REASON_PROCESS_DOWN };

  tell_view (a, 300, 3, TRUE, broken, &left, NULL);
}

static void
history_view_skipped (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerView) checker = checker_view_new (findings);
  ViewTape *b;
  ViewTape *a = two_members (checker, &b);
  ViewChange left = { bob, VIEW_REASON_PROCESS_DOWN };

  tell_view (a, 300, broken ? 4 : 3, TRUE, FALSE, &left, NULL);
}

static void
history_same_messages (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerView) checker = checker_view_new (findings);
  ViewTape *b;
  ViewTape *a = two_members (checker, &b);
  const MemberId cat = { 3, 1 };
  const MemberId members[] = { ann, bob, cat };
  ViewChange joined = { cat, VIEW_REASON_JOIN };
  View third
      = { .members = members, .n_members = 3, .joined = &joined, .n_joined = 1, .ring = { 1, 3 } };

  multicast (a, "one");
  multicast (b, "two");
  tell_message (a, 300, ann, "one");
  tell_message (a, 310, bob, "two");
  tell_message (b, 320, broken ? bob : ann, broken ? "two" : "one");
  tell_message (b, 330, broken ? ann : bob, broken ? "one" : "two");
  view_tape_view (a, 400, &third);
  view_tape_view (b, 410, &third);
}

static void
history_sender_in_view (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerView) checker = checker_view_new (findings);
  ViewTape *b;
  ViewTape *a = two_members (checker, &b);

  tell_message (a, 300, broken ? (MemberId){ 9, 1 } : bob, "one");
}

static void
history_self_delivery (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerView) checker = checker_view_new (findings);
  ViewTape *b;
  ViewTape *a = two_members (checker, &b);

  multicast (a, "one");
  multicast (a, "two");
  if (!broken)
    tell_message (a, 300, ann, "one");
  tell_message (a, 310, ann, "two");
}

static void
history_posthumous (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerView) checker = checker_view_new (findings);
  ViewTape *b;
  ViewTape *a = two_members (checker, &b);

  if (broken)
    view_tape_over (a);
  tell_message (a, 300, bob, "one");
}

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

  stage.publisher = channel_tape_new (stage.checker, "publisher");
  stage.consumer = channel_tape_new (stage.checker, "consumer");
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
  ChannelTape *other = channel_tape_new (stage.checker, "other");
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

/* --- liveness --------------------------------------------------------------------------------- */

static void
history_becomes_active (Findings *findings, gboolean broken)
{
  static const char *const names[] = { "A", "B" };
  g_autoptr (CheckerLiveness) checker = checker_liveness_new (findings, 2);

  checker_liveness_started (checker, 0, 100);
  checker_liveness_started (checker, 1, 200);
  checker_liveness_at_rest (checker, 0);
  if (!broken)
    checker_liveness_at_rest (checker, 1);
  checker_liveness_look (checker, 200 + LIVENESS_ACTIVE_US, names);
  g_assert_cmpuint (findings_count (findings), ==, 0);
  checker_liveness_look (checker, 201 + LIVENESS_ACTIVE_US, names);
}

static void
history_stalled (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerLiveness) checker = checker_liveness_new (findings, 1);

  if (broken)
    checker_liveness_stalled (checker, 300, "drained-at-last", "there are messages in queues");
}

/* --- the list ------------------------------------------------------------------------------------
 */

static const struct
{
  const char *name;
  History history;
  const char *rule;
  Verdict verdict;
  const char *says[3]; /* who, when and why, in the words of the finding */
} cases[] = {
  { "different-states",
    history_equal_state,
    "equal-state",
    VERDICT_VIOLATION,
    { "position 8", "A (at 1100us)", "B (at 1200us)" } },
  { "digest-not-told",
    history_true_digest,
    "true-digest",
    VERDICT_VIOLATION,
    { "B at position 9", "1300us", "not told to the digest" } },
  { "view-without-self",
    history_view_holds_self,
    "view-holds-self",
    VERDICT_VIOLATION,
    { "B", "view 1", "100us" } },
  { "view-does-not-add-up",
    history_view_follows,
    "view-follows",
    VERDICT_VIOLATION,
    { "A is told view 3", "300us", "does not add up" } },
  { "view-skipped",
    history_view_skipped,
    "view-follows",
    VERDICT_VIOLATION,
    { "view 4 after view 2", "300us", "missing" } },
  { "other-order",
    history_same_messages,
    "same-messages",
    VERDICT_VIOLATION,
    { "A and B", "view 2", "410us" } },
  { "stranger",
    history_sender_in_view,
    "sender-in-view",
    VERDICT_VIOLATION,
    { "300us", "9.1", "view 2" } },
  { "own-message-overtaken",
    history_self_delivery,
    "self-delivery",
    VERDICT_VIOLATION,
    { "310us", "A", "overtaken" } },
  { "posthumous",
    history_posthumous,
    "nothing-posthumous",
    VERDICT_VIOLATION,
    { "A", "300us", "over" } },
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
  { "never-active",
    history_becomes_active,
    "becomes-active",
    VERDICT_LIVENESS,
    { "B started at 200us", "5000201us", "not active" } },
  { "stalled",
    history_stalled,
    "drained-at-last",
    VERDICT_LIVENESS,
    { "300us", "messages in queues", "" } },
};

static void
test_broken (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autoptr (Findings) findings = findings_new ();
  const char *text;

  cases[i].history (findings, TRUE);
  g_assert_cmpuint (findings_count (findings), ==, 1);
  g_assert_cmpint (findings_verdict (findings), ==, cases[i].verdict);
  text = findings_text (findings, 0);
  g_test_message ("%s", text);
  g_assert_true (g_str_has_prefix (text, cases[i].rule));
  for (guint j = 0; j < G_N_ELEMENTS (cases[i].says); j++)
    g_assert_nonnull (strstr (text, cases[i].says[j]));
}

static void
test_kept (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autoptr (Findings) findings = findings_new ();

  cases[i].history (findings, FALSE);
  if (findings_count (findings) > 0)
    g_test_message ("%s", findings_text (findings, 0));
  g_assert_cmpuint (findings_count (findings), ==, 0);
  g_assert_cmpint (findings_verdict (findings), ==, VERDICT_PASS);
}

static void
test_only_the_first_findings_are_kept (void)
{
  g_autoptr (Findings) findings = findings_new ();

  for (guint i = 0; i < 3 * FINDINGS_KEPT; i++)
    findings_add (findings, "equal-state", "%u", i);
  g_assert_cmpuint (findings_count (findings), ==, 3 * FINDINGS_KEPT);
  g_assert_cmpstr (findings_text (findings, 0), ==, "equal-state: 0");
  g_assert_cmpstr (findings_text (findings, FINDINGS_KEPT - 1), ==, "equal-state: 9");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *broken = g_strdup_printf ("/sim/checkers/finds/%s", cases[i].name);
      g_autofree char *kept = g_strdup_printf ("/sim/checkers/takes/not-%s", cases[i].name);

      g_test_add_data_func (broken, GSIZE_TO_POINTER (i), test_broken);
      g_test_add_data_func (kept, GSIZE_TO_POINTER (i), test_kept);
    }
  g_test_add_func ("/sim/checkers/only-the-first-findings-are-kept",
                   test_only_the_first_findings_are_kept);
  return g_test_run ();
}
