/* SPDX-License-Identifier: MIT */
/* Each checker is given a history that breaks its promise, and has to say which, when and why; and
 * the same history unbroken, about which it must say nothing. Here: states, views, liveness. */
#include "sim/checker_agreement.h"
#include "sim/checker_liveness.h"
#include "sim/checker_view.h"
#include "tests/sim/checker_cases.h"

/* --- agreement ------------------------------------------------------------------------------ */

static void
history_equal_state (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerAgreement) checker = checker_agreement_new (findings);

  checker_agreement_state (checker, 1000, "A", 7, 7, 0xaaaa);
  checker_agreement_state (checker, 1100, "A", 8, 8, 0xbbbb);
  checker_agreement_state (checker, 1150, "C", 8, 7, 0xdddd); /* not released, and then lost */
  checker_agreement_ended (checker, "C");
  checker_agreement_state (checker, 1200, "B", 8, 7, broken ? 0xcccc : 0xbbbb);
  checker_agreement_state (checker, 1250, "B", 9, 8, 0xeeee);
  g_assert_cmpuint (checker_agreement_compared (checker), ==, 1);
}

static void
history_true_digest (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerAgreement) checker = checker_agreement_new (findings);

  checker_agreement_in_full (checker, 1300, "B", 9, 0x1234, broken ? 0x4321 : 0x1234);
}

static void
history_converged (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerAgreement) checker = checker_agreement_new (findings);

  checker_agreement_at_rest (checker, 900, "A", 9, 0xaaaa);
  checker_agreement_at_rest (checker, 900, "B", 9, 0xaaaa);
  checker_agreement_at_rest (checker, 900, "C", 9, broken ? 0xbbbb : 0xaaaa);
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
    .number = sequence,
  };

  view_tape_view (tape, now_us, &view);
}

static guint64
hash_of (const char *text)
{
  g_autoptr (Buffer) bytes = buffer_new_copy (text, strlen (text));

  return told_hash (bytes);
}

static void
tell_message (ViewTape *tape, gint64 now_us, MemberId sender, const char *text)
{
  view_tape_message (tape, now_us, (Told){ sender, hash_of (text), 0 });
}

static void
multicast (ViewTape *tape, const char *text)
{
  view_tape_sent (tape, hash_of (text));
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
history_view_again (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerView) checker = checker_view_new (findings);
  ViewTape *b;
  ViewTape *a = two_members (checker, &b);
  ViewChange left = { bob, VIEW_REASON_PROCESS_DOWN };

  tell_view (a, 300, broken ? 1 : 3, TRUE, FALSE, &left, NULL);
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
      = { .members = members, .n_members = 3, .joined = &joined, .n_joined = 1, .number = 3 };

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
  g_assert_false (checker_liveness_is_late (checker, 200 + LIVENESS_ACTIVE_US));
  checker_liveness_look (checker, 200 + LIVENESS_ACTIVE_US, names, "");
  g_assert_cmpuint (findings_count (findings), ==, 0);
  g_assert_cmpint (checker_liveness_is_late (checker, 201 + LIVENESS_ACTIVE_US), ==, broken);
  checker_liveness_look (checker, 201 + LIVENESS_ACTIVE_US, names, "1 of 2 voters");
}

static void
history_stalled (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerLiveness) checker = checker_liveness_new (findings, 1);

  if (broken)
    checker_liveness_stalled (checker, 300, "drained-at-last", "there are messages in queues",
                              "1 of 3 voters hears a majority");
}

/* --- the list ------------------------------------------------------------------------------------
 */

static const CheckerCase cases[] = {
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
  { "not-the-same-at-rest",
    history_converged,
    "converged",
    VERDICT_VIOLATION,
    { "A is at position 9", "C at 9", "900us" } },
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
  { "view-comes-again",
    history_view_again,
    "view-follows",
    VERDICT_VIOLATION,
    { "view 1 of", "300us", "since view 2" } },
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
  { "never-active",
    history_becomes_active,
    "becomes-active",
    VERDICT_LIVENESS,
    { "B started at 200us", "5000201us", "1 of 2 voters" } },
  { "stalled",
    history_stalled,
    "drained-at-last",
    VERDICT_LIVENESS,
    { "300us", "messages in queues", "1 of 3 voters" } },
};

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
  checker_cases_add (cases, G_N_ELEMENTS (cases));
  g_test_add_func ("/sim/checkers/only-the-first-findings-are-kept",
                   test_only_the_first_findings_are_kept);
  return g_test_run ();
}
