/* SPDX-License-Identifier: MIT */
/* A member multicasts all the time while others come and go, a few microseconds later in each run:
 * its own messages come to every place around a view that there can be. */
#include "sim/world.h"

#define RUNS    40
#define STEP_US 29

typedef struct Change
{
  const char *fault;
  gint64 detection_us; /* in every second run; 0: it is known at once */
} Change;

static const Change changes[] = {
  { "partition A B | C for 3ms", 700 },
  { "isolate C for 3ms", 700 },
  { "node-down C for 3ms", 700 },
  { "crash C for 3ms", 0 },
  { "stop C for 3ms", 0 },
};

static void
run (const Change *change, guint number, guint64 *counts)
{
  const KeyfilePosition nowhere = { 1, 1 };
  SimOptions options = sim_options_default ();
  g_autoptr (Timeline) timeline = timeline_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (World) world = NULL;
  g_autofree char *when = g_strdup_printf ("when phase work + %uus", 3000 + number * STEP_US);

  timeline_parse_entry (timeline, slice_of_text (when), nowhere, slice_of_text (change->fault),
                        nowhere, &error);
  g_assert_no_error (error);
  options.members = 3;
  options.messages = 100;
  options.crashes = options.partitions = 0;
  options.quiet_clients = TRUE;
  options.order = (SimSpan){ 100, 300 };
  options.detection_us = number % 2 == 0 ? 0 : change->detection_us;
  options.timeline = timeline;
  world = world_new (&options);
  /* That they all come to begin with is not counted. */
  world_run_to (world, PHASE_WORK);
  for (guint i = 0; i < N_PROBES; i++)
    counts[i] -= world->probes.counts[i];
  if (world_run (world) != VERDICT_PASS)
    g_error ("%s %s: %s", when, change->fault, findings_text (world->findings, 0));
  for (guint i = 0; i < N_PROBES; i++)
    counts[i] += world->probes.counts[i];
}

static void
test_change (gconstpointer data)
{
  static const Probe places[] = { PROBE_OWN_BEFORE_VIEW, PROBE_OWN_BEHIND_VIEW,
                                  PROBE_OWN_FIRST_IN_VIEW, PROBE_OWN_WHILE_NOTICING };
  const Change *change = data;
  guint64 counts[N_PROBES] = { 0 };

  for (guint i = 0; i < RUNS; i++)
    run (change, i, counts);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_test_message ("%s: %" G_GUINT64_FORMAT, probe_infos[places[i]].name, counts[places[i]]);
      if (places[i] != PROBE_OWN_WHILE_NOTICING || change->detection_us > 0)
        g_assert_cmpuint (counts[places[i]], >, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autofree char *kind = g_strndup (changes[i].fault, strcspn (changes[i].fault, " "));
      g_autofree char *path = g_strdup_printf ("/sim/every-place/around-a-%s", kind);

      g_test_add_data_func (path, &changes[i], test_change);
    }
  return g_test_run ();
}
