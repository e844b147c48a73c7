/* SPDX-License-Identifier: MIT */
/* Whole runs: a hundred seeds over clusters of three to seven, with faults and clients that err;
 * and the rare ends of a run. */
#include "sim/world.h"

#define SEEDS_PER_SIZE 20
#define SUFFIX_SEEDS   80

static Verdict
run (const SimOptions *options, WorldCounts *ret_counts, Fingerprint *ret_fingerprint)
{
  g_autoptr (World) world = world_new (options);
  Verdict verdict = world_run (world);
  g_autofree char *command = sim_options_command (options);

  if (findings_count (world->findings) > 0)
    g_test_message ("%s\n%s", command, findings_text (world->findings, 0));
  if (ret_counts != NULL)
    *ret_counts = world->counts;
  if (ret_fingerprint != NULL)
    *ret_fingerprint = world->fingerprint;
  return verdict;
}

/* A sweep that never came to a situation has shown nothing about it. */
static void
test_seeds (gconstpointer data)
{
  SimOptions options = sim_options_default ();
  WorldCounts sum = { 0 };

  options.members = GPOINTER_TO_UINT (data);
  for (options.seed = 1; options.seed <= SEEDS_PER_SIZE; options.seed++)
    {
      WorldCounts counts;

      g_assert_cmpint (run (&options, &counts, NULL), ==, VERDICT_PASS);
      for (guint i = 0; i < N_FAULT_KINDS; i++)
        sum.faults[i] += counts.faults[i];
      sum.joins += counts.joins;
      sum.cuts += counts.cuts;
      sum.resent += counts.resent;
      sum.redelivered += counts.redelivered;
      sum.returned += counts.returned;
      sum.channel_errors += counts.channel_errors;
      sum.full += counts.full;
      sum.suspensions += counts.suspensions;
    }
  g_assert_cmpuint (sum.faults[FAULT_CRASH] + sum.faults[FAULT_SUFFIX_LOSS], >, SEEDS_PER_SIZE);
  g_assert_cmpuint (sum.faults[FAULT_STOP], >, 0);
  g_assert_cmpuint (sum.joins, >, SEEDS_PER_SIZE);
  g_assert_cmpuint (sum.cuts, >, 0);
  g_assert_cmpuint (sum.resent, >, 0);
  g_assert_cmpuint (sum.redelivered, >, 0);
  g_assert_cmpuint (sum.returned, >, 0);
  g_assert_cmpuint (sum.channel_errors, >, 0);
  g_assert_cmpuint (sum.full, >, 0);
  g_assert_cmpuint (sum.faults[FAULT_PARTITION], >, 0);
  g_assert_cmpuint (sum.faults[FAULT_ISOLATE], >, 0);
  g_assert_cmpuint (sum.faults[FAULT_HEAL], >, 0);
  g_assert_cmpuint (sum.faults[FAULT_PAUSE], >, 0);
  /* Of more than that, faults seldom end so many that no majority is left. */
  if (options.members <= 4)
    g_assert_cmpuint (sum.suspensions, >, 0);
}

/* Members that end with what only they have seen: where confirms leave at once, some seed loses a
 * confirmed message; where they wait for a majority, the same seeds lose none. */
static void
test_confirmed_survives_suffix_loss (void)
{
  SimOptions options = sim_options_default ();
  guint n_lost = 0;

  options.crashes = 12;
  for (options.seed = 1; options.seed <= SUFFIX_SEEDS; options.seed++)
    {
      options.reply_when = REPLY_WHEN_SELF;
      n_lost += run (&options, NULL, NULL) == VERDICT_VIOLATION;
      options.reply_when = REPLY_WHEN_MAJORITY;
      g_assert_cmpint (run (&options, NULL, NULL), ==, VERDICT_PASS);
      options.reply_when = REPLY_WHEN_ALL;
      g_assert_cmpint (run (&options, NULL, NULL), ==, VERDICT_PASS);
    }
  g_assert_cmpuint (n_lost, >, 0);
}

static void
test_total_loss_is_inconclusive (void)
{
  SimOptions options = sim_options_default ();

  options.members = 1;
  options.crashes = 1;
  options.allow_total_loss = TRUE;
  g_assert_cmpint (run (&options, NULL, NULL), ==, VERDICT_INCONCLUSIVE);
}

static void
test_one_member_is_never_ended_unasked (void)
{
  SimOptions options = sim_options_default ();
  WorldCounts counts;

  options.members = 1;
  g_assert_cmpint (run (&options, &counts, NULL), ==, VERDICT_PASS);
  g_assert_cmpuint (counts.faults[FAULT_CRASH] + counts.faults[FAULT_SUFFIX_LOSS]
                        + counts.faults[FAULT_STOP],
                    ==, 0);
}

static void
count_line (Trace *trace, G_GNUC_UNUSED const char *member, G_GNUC_UNUSED const char *text)
{
  guint64 *count = (guint64 *) (trace + 1);

  ++*count;
}

/* To look at a run does not change it. */
static void
test_trace_changes_nothing (void)
{
  SimOptions options = sim_options_default ();
  struct
  {
    Trace trace;
    guint64 count;
  } counter = { { .emit = count_line }, 0 };
  g_autoptr (World) world = world_new (&options);
  Fingerprint silent;

  world_set_trace (world, &counter.trace);
  world_run (world);
  run (&options, NULL, &silent);
  g_assert_cmpuint (counter.count, >, 1000);
  g_assert_true (fingerprint_equal (&world->fingerprint, &silent));
}

static void
test_seeds_differ (void)
{
  SimOptions options = sim_options_default ();
  Fingerprint a, b;

  run (&options, NULL, &a);
  options.seed++;
  run (&options, NULL, &b);
  for (guint i = 0; i < N_INGREDIENTS; i++)
    {
      g_test_message ("%s", ingredient_name (i));
      g_assert_cmphex (a.of[i].a, !=, b.of[i].a);
      g_assert_cmphex (a.of[i].b, !=, b.of[i].b);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint members = 3; members <= 7; members++)
    {
      g_autofree char *path
          = g_strdup_printf ("/sim/seeds/keep-all-promises-of-%u-members", members);

      g_test_add_data_func (path, GUINT_TO_POINTER (members), test_seeds);
    }
  g_test_add_func ("/sim/seeds/differ", test_seeds_differ);
  g_test_add_func ("/sim/trace/changes-nothing", test_trace_changes_nothing);
  g_test_add_func ("/sim/faults/confirmed-survives-suffix-loss",
                   test_confirmed_survives_suffix_loss);
  g_test_add_func ("/sim/faults/total-loss-is-inconclusive", test_total_loss_is_inconclusive);
  g_test_add_func ("/sim/faults/one-member-is-never-ended-unasked",
                   test_one_member_is_never_ended_unasked);
  return g_test_run ();
}
