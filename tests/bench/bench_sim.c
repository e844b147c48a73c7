/* SPDX-License-Identifier: MIT */
/* How fast whole clusters are simulated, with their clients, all checkers on: seconds of CPU for a
 * run from its start to its end (of more than five members: until all is confirmed), deliveries of
 * the group a second, and the most memory that was used. Beside each the same number of deliveries
 * to members that do nothing, as a measure of the machine at that moment.
 *
 *     bench_sim [--quick] [members messages changes]
 *
 * A change is a member that ends, or one that joins again. */
#include "sim/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct Case
{
  guint members;
  guint messages;
  guint changes;
  guint clients;
  guint rounds; /* the best of them */
} Case;

static const Case cases[] = {
  { 5, 700, 6, 8, 20 },      /* what a sweep runs thousands of: some 10,000 deliveries */
  { 3, 20000, 0, 8, 3 },     /* the chains alone */
  { 100, 2000, 10, 16, 1 },  /* */
  { 1000, 1000, 10, 24, 1 }, /* a thousand members */
  { 1000, 500, 100, 24, 1 }, /* and a hundred changes */
};

static double
cpu_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* --- members that do nothing ---------------------------------------------------------------- */

static void
null_delivered (G_GNUC_UNUSED gpointer user_data, G_GNUC_UNUSED const TransportMessage *message)
{
}

static void
null_view_changed (G_GNUC_UNUSED gpointer user_data, G_GNUC_UNUSED const View *view)
{
}

static void
null_writable (G_GNUC_UNUSED gpointer user_data)
{
}

static void
null_failed (G_GNUC_UNUSED gpointer user_data, G_GNUC_UNUSED const GError *error)
{
}

static const TransportListener null_listener = {
  .delivered = null_delivered,
  .view_changed = null_view_changed,
  .writable = null_writable,
  .failed = null_failed,
};

/* Seconds a delivery. */
static double
null_seconds (guint n_members)
{
  const SimNetworkOptions options = { .timing = sim_timing_uniform (200, 400) };
  g_autoptr (SimNetwork) network = sim_network_new (&options);
  g_autoptr (Buffer) bytes = buffer_new_copy ("0123456789abcdef", 16);
  Transport **transports = g_new (Transport *, n_members);
  guint64 before;
  double begun;

  for (guint i = 0; i < n_members; i++)
    {
      transports[i] = sim_network_new_transport (network, (MemberId){ i + 1, 1 });
      transport_join (transports[i], "group", &null_listener, NULL, NULL);
    }
  sim_network_advance (network, 100000);
  before = sim_network_deliveries (network);
  begun = cpu_seconds ();
  for (gint64 at_us = 101000; sim_network_deliveries (network) - before < 2000000; at_us += 1000)
    {
      for (guint i = 0; i < 32; i++)
        transport_multicast (transports[i % n_members], bytes);
      sim_network_advance (network, at_us);
    }
  begun = (cpu_seconds () - begun) / (double) (sim_network_deliveries (network) - before);
  for (guint i = 0; i < n_members; i++)
    transport_free (transports[i]);
  g_free (transports);
  return begun;
}

/* --- whole clusters --------------------------------------------------------------------------- */

typedef struct Measured
{
  double start_seconds; /* until the clients begin to work */
  double seconds;
  guint64 deliveries;
  guint64 messages;
  guint64 changes;
} Measured;

static gboolean
measure (const Case *each, Measured *ret_measured)
{
  SimOptions options = sim_options_default ();
  double begun = cpu_seconds ();
  g_autoptr (World) world = NULL;

  options.members = each->members;
  options.messages = each->messages;
  options.clients = each->clients;
  options.crashes = (each->changes + 1) / 2;
  options.partitions = 0;
  options.limits_none = TRUE;
  options.quiet_clients = each->members > 5;
  options.duration_us = 1000 * G_GINT64_CONSTANT (1000000);
  world = world_new (&options);
  world_run_to (world, PHASE_WORK);
  ret_measured->start_seconds = cpu_seconds () - begun;
  /* What then ends for ever, in a large cluster hundreds of members, is not what was asked for. */
  world_run_to (world, each->members > 5 ? PHASE_DRAIN : PHASE_OVER);
  ret_measured->seconds = cpu_seconds () - begun;
  ret_measured->deliveries = sim_network_deliveries (world->network);
  ret_measured->messages = world->counts.confirmed;
  ret_measured->changes = 0;
  for (guint i = FAULT_CRASH; i <= FAULT_RESTART; i++)
    ret_measured->changes += world->counts.faults[i];
  if (findings_count (world->findings) == 0)
    return TRUE;
  g_print ("%s\n", findings_text (world->findings, 0));
  return FALSE;
}

static int
bench (const Case *each)
{
  double null = null_seconds (each->members);
  Measured best = { .seconds = 1e9 };
  struct rusage usage;

  for (guint i = 0; i < each->rounds; i++)
    {
      Measured measured;

      if (!measure (each, &measured))
        return EXIT_FAILURE;
      if (measured.seconds < best.seconds)
        best = measured;
    }
  getrusage (RUSAGE_SELF, &usage);
  g_print ("%7u %8" G_GUINT64_FORMAT " %7" G_GUINT64_FORMAT " %11" G_GUINT64_FORMAT
           " %8.4f %8.4f %8.0f %6.2f %7.0f %6ld\n",
           each->members, best.messages, best.changes, best.deliveries, best.seconds,
           best.start_seconds, 1e9 * best.seconds / (double) best.deliveries,
           (double) best.deliveries / best.seconds / 1e6,
           best.seconds / ((double) best.deliveries * null), usage.ru_maxrss / 1024);
  return EXIT_SUCCESS;
}

/* In a process of its own: memory is counted from its start. */
static gboolean
bench_apart (const Case *each)
{
  int status;
  pid_t child;

  fflush (stdout);
  child = fork ();
  if (child == 0)
    {
      status = bench (each);
      fflush (stdout);
      _exit (status);
    }
  return child > 0 && waitpid (child, &status, 0) == child && WIFEXITED (status)
         && WEXITSTATUS (status) == EXIT_SUCCESS;
}

int
main (int argc, char **argv)
{
  gboolean quick = argc == 2 && strcmp (argv[1], "--quick") == 0;
  gboolean all_good = TRUE;

  g_print ("%7s %8s %7s %11s %8s %8s %8s %6s %7s %6s\n", "members", "messages", "changes",
           "deliveries", "CPU s", "start s", "ns/del", "M/s", "x null", "MB");
  if (argc == 4)
    {
      const Case asked = { (guint) atoi (argv[1]), (guint) atoi (argv[2]), (guint) atoi (argv[3]),
                           argv[1][0] == '1' && strlen (argv[1]) > 3 ? 24 : 8, 1 };

      return bench_apart (&asked) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
  for (guint i = 0; i < (quick ? 1 : G_N_ELEMENTS (cases)); i++)
    all_good = bench_apart (&cases[i]) && all_good;
  return all_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
