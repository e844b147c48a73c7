/* SPDX-License-Identifier: MIT */
/* How fast whole members are simulated: deliveries of the group a second, through the real chains,
 * with clients that publish and consume. The start of the cluster is counted by itself: all of its
 * members join one after another, and each gets the state.
 *
 *     bench_sim [members...]
 */
#include "sim/world.h"

#include <stdlib.h>

static double
seconds_to (World *world, WorldPhase phase)
{
  gint64 start_us = g_get_monotonic_time ();

  world_run_to (world, phase);
  return (double) (g_get_monotonic_time () - start_us) / G_USEC_PER_SEC;
}

static void
bench (guint members, guint messages)
{
  SimOptions options = sim_options_default ();
  g_autoptr (World) world = NULL;
  guint64 at_start, at_end;
  double start_seconds, work_seconds;

  options.members = members;
  options.messages = messages;
  options.crashes = 0;
  options.partitions = 0;
  options.limits_none = TRUE;
  options.quiet_clients = TRUE;
  options.duration_us = 1000 * G_GINT64_CONSTANT (1000000);
  world = world_new (&options);
  start_seconds = seconds_to (world, PHASE_WORK);
  at_start = sim_network_deliveries (world->network);
  work_seconds = seconds_to (world, PHASE_DRAIN);
  at_end = sim_network_deliveries (world->network);
  g_print ("%5u members  start %9" G_GUINT64_FORMAT " deliveries %6.2f M/s %7.3f s   "
           "%6" G_GUINT64_FORMAT " messages %9" G_GUINT64_FORMAT " deliveries %6.2f M/s %7.3f s\n",
           members, at_start, (double) at_start / start_seconds / 1e6, start_seconds,
           world->counts.confirmed, at_end - at_start,
           (double) (at_end - at_start) / work_seconds / 1e6, work_seconds);
  if (findings_count (world->findings) > 0)
    g_print ("      but: %s\n", findings_text (world->findings, 0));
}

int
main (int argc, char **argv)
{
  if (argc == 1)
    {
      bench (3, 20000);
      bench (100, 2000);
      bench (1000, 500);
    }
  for (int i = 1; i < argc; i++)
    {
      guint members = (guint) g_ascii_strtoull (argv[i], NULL, 10);

      bench (members, 1000000 / members);
    }
  return EXIT_SUCCESS;
}
