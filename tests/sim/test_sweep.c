/* SPDX-License-Identifier: MIT */
/* Which runs a sweep has, and what its table makes of them. */
#include "sim/arguments.h"
#include "sim/sweep.h"

#include <string.h>

typedef struct RangeCase
{
  const char *text;
  gboolean good;
  guint64 low, high;
} RangeCase;

static const RangeCase range_cases[] = {
  { "1..10000", TRUE, 1, 10000 }, { "7", TRUE, 7, 7 },         { "3..3", TRUE, 3, 3 },
  { "9..3", FALSE, 0, 0 },        { "", FALSE, 0, 0 },         { "1..", FALSE, 0, 0 },
  { "..5", FALSE, 0, 0 },         { "1...5", FALSE, 0, 0 },    { "1..2..3", FALSE, 0, 0 },
  { "0..5", FALSE, 0, 0 },        { "1..10001", FALSE, 0, 0 }, { "1-5", FALSE, 0, 0 },
  { "-1..5", FALSE, 0, 0 },       { "five", FALSE, 0, 0 },
};

static void
test_ranges (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (range_cases); i++)
    {
      const RangeCase *range_case = &range_cases[i];
      g_autoptr (GError) error = NULL;
      SweepRange range = { 0, 0 };
      char *words[] = { (char *) range_case->text };
      Arguments arguments = { .left = 1, .next = words };
      gboolean good
          = arguments_range (&arguments, "--seeds", 1, 10000, &range.low, &range.high, &error);

      g_test_message ("'%s': %s", range_case->text, good ? "" : error->message);
      g_assert_cmpint (good, ==, range_case->good);
      g_assert_cmpuint (range.low, ==, range_case->low);
      g_assert_cmpuint (range.high, ==, range_case->high);
    }
}

static void
test_sizes (void)
{
  gboolean drawn[12] = { FALSE };

  for (guint64 seed = 0; seed < 200; seed++)
    {
      guint size = sweep_draw ((SweepRange){ 3, 9 }, seed);

      g_assert_cmpuint (size, ==, sweep_draw ((SweepRange){ 3, 9 }, seed));
      g_assert_cmpuint (size, >=, 3);
      g_assert_cmpuint (size, <=, 9);
      drawn[size] = TRUE;
    }
  for (guint size = 3; size <= 9; size++)
    g_assert_true (drawn[size]);
}

/* --- the table -------------------------------------------------------------------------------- */

static SweepAnswer
answer_of (Verdict verdict, const char *rule, const char *reason)
{
  SweepAnswer answer = { .verdict = verdict, .deliveries = 10, .counts = { .published = 4 } };

  g_strlcpy (answer.rule, rule, sizeof answer.rule);
  g_strlcpy (answer.reason, reason, sizeof answer.reason);
  return answer;
}

static const SweepFailure *
add (Sweep *sweep, Verdict verdict, const char *rule, const char *reason, const char *command)
{
  SweepAnswer answer = answer_of (verdict, rule, reason);

  return sweep_add (sweep, 0, &answer, command);
}

/* Times and names of messages do not make another kind of failure; other words do. */
static void
test_kinds (void)
{
  g_autoptr (Sweep) sweep = sweep_new ();
  const SweepFailure *first = add (sweep, VERDICT_VIOLATION, "nothing-lost",
                                   "message 210 never came (at 78680us)", "first");

  g_assert_true (
      first
      == add (sweep, VERDICT_VIOLATION, "nothing-lost", "message 3 never came (at 8us)", "second"));
  g_assert_true (first
                 != add (sweep, VERDICT_VIOLATION, "nothing-lost",
                         "message 210 was altered (at 78680us)", "third"));
  g_assert_true (first
                 != add (sweep, VERDICT_VIOLATION, "queue-fifo",
                         "message 210 never came (at 78680us)", "fourth"));
  g_assert_null (add (sweep, VERDICT_PASS, "", "", "fifth"));
  g_assert_cmpuint (first->n, ==, 2);
  g_assert_cmpstr (first->command, ==, "first");
  g_assert_cmpuint (sweep->failures->len, ==, 3);
  g_assert_cmpuint (sweep_failed (sweep), ==, 4);
}

static void
test_kinds_are_bounded (void)
{
  g_autoptr (Sweep) sweep = sweep_new ();

  for (guint i = 0; i < 2 * SWEEP_KINDS_MAX; i++)
    {
      g_autofree char *reason = g_strnfill (i + 1, 'x');

      g_assert_nonnull (add (sweep, VERDICT_VIOLATION, "nothing-lost", reason, "again"));
    }
  g_assert_cmpuint (sweep->failures->len, ==, SWEEP_KINDS_MAX);
  g_assert_cmpuint (sweep_failed (sweep), ==, 2 * SWEEP_KINDS_MAX);
}

static void
test_verdict (void)
{
  g_autoptr (Sweep) sweep = sweep_new ();
  SweepAnswer answer;

  g_assert_cmpint (sweep_verdict (sweep), ==, VERDICT_PASS);
  add (sweep, VERDICT_INCONCLUSIVE, "state-survives", "lost", "");
  g_assert_cmpint (sweep_verdict (sweep), ==, VERDICT_INCONCLUSIVE);
  sweep_answer_too_long (&answer, "it was killed");
  sweep_add (sweep, 0, &answer, "");
  g_assert_cmpint (sweep_verdict (sweep), ==, VERDICT_LIVENESS);
  sweep_answer_crashed (&answer, "signal 6");
  sweep_add (sweep, 0, &answer, "");
  g_assert_cmpint (sweep_verdict (sweep), ==, VERDICT_VIOLATION);
  add (sweep, VERDICT_PASS, "", "", "");
  g_assert_cmpint (sweep_verdict (sweep), ==, VERDICT_VIOLATION);
}

static void
test_table (void)
{
  static const char *const lines[] = {
    "4 runs: 1 pass, 3 violation, 0 liveness, 0 inconclusive; 1 crashed, 0 took too long\n",
    "  messages      12 published, 0 confirmed, ",
    "  never reached confirmed, ",
    "violation of nothing-lost: 2 runs, for 2 reasons\n"
    "  first         message 1 is lost\n"
    "  again         seed 1\n",
    "violation of crashed: 1 run, for 1 reason\n"
    "  first         signal 6\n"
    "  again         seed 3\n",
  };
  g_autoptr (Sweep) sweep = sweep_new ();
  g_autofree char *table = NULL;
  SweepAnswer crashed;

  add (sweep, VERDICT_VIOLATION, "nothing-lost", "message 1 is lost", "seed 1");
  add (sweep, VERDICT_VIOLATION, "nothing-lost", "message 1 is gone", "seed 2");
  sweep_answer_crashed (&crashed, "signal 6");
  sweep_add (sweep, 2, &crashed, "seed 3");
  add (sweep, VERDICT_PASS, "", "", "seed 4");
  table = sweep_table (sweep);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (strstr (table, lines[i]) == NULL)
      g_error ("'%s' is not in:\n%s", lines[i], table);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/sweep/ranges-are-read", test_ranges);
  g_test_add_func ("/sim/sweep/sizes-are-drawn-from-the-whole-range", test_sizes);
  g_test_add_func ("/sim/sweep/failures-are-alike-but-for-numbers", test_kinds);
  g_test_add_func ("/sim/sweep/kinds-of-failures-are-bounded", test_kinds_are_bounded);
  g_test_add_func ("/sim/sweep/the-worst-verdict-counts", test_verdict);
  g_test_add_func ("/sim/sweep/the-table-has-the-first-of-each-rule", test_table);
  return g_test_run ();
}
