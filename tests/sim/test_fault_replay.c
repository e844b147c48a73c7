/* SPDX-License-Identifier: MIT */
/* What struck in a run, as a timeline, is that run again: with nothing drawn, and after it was
 * written and read. The shrinking of a failed run stands on this. */
#include "sim/faults.h"
#include "sim/world.h"

#include <string.h>

#define SEEDS_PER_SIZE 25
#define SEEDS_OF_MANY  3

/* As a scenario has it: read line by line. */
static Timeline *
read_again (const Timeline *chronicle)
{
  g_autofree char *text = timeline_text (chronicle);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  Timeline *timeline = timeline_new ();

  for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      g_auto (GStrv) sides = g_strsplit (lines[i], " = ", 2);
      g_autoptr (GError) error = NULL;

      timeline_parse_entry (timeline, slice_of_text (sides[0]), (KeyfilePosition){ i + 1, 1 },
                            slice_of_text (sides[1]), (KeyfilePosition){ i + 1, 1 }, &error);
      g_assert_no_error (error);
    }
  return timeline;
}

static void
assert_same_run (const SimOptions *options, const World *first)
{
  g_autoptr (Timeline) timeline = read_again (faults_peek_chronicle (first->faults));
  SimOptions again = *options;
  g_autoptr (World) world = NULL;
  g_autofree char *first_text = timeline_text (timeline);
  g_autofree char *text = NULL;

  again.crashes = again.partitions = 0;
  memset (again.faults, 0, sizeof again.faults);
  again.timeline = timeline;
  world = world_new (&again);
  world_run (world);
  text = timeline_text (faults_peek_chronicle (world->faults));
  g_assert_cmpstr (text, ==, first_text);
  g_assert_cmpuint (timeline_length (faults_peek_missed (world->faults)), ==,
                    timeline_length (faults_peek_missed (first->faults)));
  for (guint i = 0; i < N_INGREDIENTS; i++)
    {
      g_test_message ("%s", ingredient_name ((Ingredient) i));
      g_assert_cmphex (world->fingerprint.of[i].a, ==, first->fingerprint.of[i].a);
      g_assert_cmphex (world->fingerprint.of[i].b, ==, first->fingerprint.of[i].b);
    }
}

/* Of many kinds, so that each has struck in some run. */
static void
test_chronicle (gconstpointer data)
{
  SimOptions options = sim_options_default ();
  guint64 struck[N_FAULT_KINDS] = { 0 };

  options.members = GPOINTER_TO_UINT (data);
  options.crashes = options.members;
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    options.faults[i] = SIM_FAULT_DRAWN;
  for (options.seed = 1; options.seed <= SEEDS_PER_SIZE; options.seed++)
    {
      g_autoptr (World) world = world_new (&options);

      world_run (world);
      g_test_message ("seed %" G_GUINT64_FORMAT, options.seed);
      for (guint i = 0; i < N_FAULT_KINDS; i++)
        struck[i] += world->counts.faults[i];
      assert_same_run (&options, world);
    }
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    if (fault_may_be_drawn ((FaultKind) i) && (i != FAULT_MAJORITY_RING || options.members >= 4))
      {
        g_test_message ("%s", fault_kinds[i].name);
        g_assert_cmpuint (struck[i], >, 0);
      }
}

/* Most of so many run behind the others: that must not show either. */
static void
test_chronicle_of_many (void)
{
  SimOptions options = sim_options_default ();

  options.members = 20;
  options.messages = 100;
  options.crashes = 10;
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    options.faults[i] = SIM_FAULT_DRAWN;
  for (options.seed = 1; options.seed <= SEEDS_OF_MANY; options.seed++)
    {
      g_autoptr (World) world = world_new (&options);

      world_run (world);
      g_test_message ("seed %" G_GUINT64_FORMAT, options.seed);
      assert_same_run (&options, world);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint members = 3; members <= 5; members += 2)
    {
      g_autofree char *path
          = g_strdup_printf ("/sim/chronicle/is-the-run-again-of-%u-members", members);

      g_test_add_data_func (path, GUINT_TO_POINTER (members), test_chronicle);
    }
  g_test_add_func ("/sim/chronicle/is-the-run-again-of-20-members", test_chronicle_of_many);
  return g_test_run ();
}
