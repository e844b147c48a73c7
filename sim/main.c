/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "sim/command_diff.h"
#include "sim/fault.h"
#include "sim/sim_options.h"
#include "sim/trace_writer.h"
#include "sim/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

static gint64
now_of_world (gpointer user_data)
{
  return world_now_us (user_data);
}

static void
list_faults (void)
{
  for (guint group = 0; group < N_FAULT_GROUPS; group++)
    {
      printf ("%s%s:\n", group == 0 ? "" : "\n", fault_group_name ((FaultGroup) group));
      for (guint i = 0; i < N_FAULT_KINDS; i++)
        if (fault_kinds[i].group == group)
          {
            g_autofree char *usage
                = g_strdup_printf ("%s %s", fault_kinds[i].name, fault_kinds[i].pattern);

            printf ("  %-34s %s %s\n", usage, fault_may_be_drawn ((FaultKind) i) ? "d" : "-",
                    fault_kinds[i].what);
          }
    }
  printf ("\nd: a seed may draw it. All can be scripted.\n");
}

static void
list_checkers (void)
{
  for (guint i = 0; i < n_checker_rules; i++)
    printf ("%-20s %-13s %s\n", checker_rules[i].name, verdict_name (checker_rules[i].verdict),
            checker_rules[i].promise);
}

/* --- the report --------------------------------------------------------------------------- */

static void
print_findings (const Findings *findings)
{
  for (guint i = 0; i < MIN (findings_count (findings), FINDINGS_KEPT); i++)
    printf ("  %s\n", findings_text (findings, i));
}

static void
print_situations (const World *world)
{
  const WorldCounts *counts = &world->counts;

  printf ("  situations  %" G_GUINT64_FORMAT " connections, %" G_GUINT64_FORMAT
          " torn, %" G_GUINT64_FORMAT " channel errors, %" G_GUINT64_FORMAT
          " publishes resent, %" G_GUINT64_FORMAT " returned, %" G_GUINT64_FORMAT
          " multicasts refused for now, %" G_GUINT64_FORMAT " suspensions\n",
          counts->connections, counts->cuts, counts->channel_errors, counts->resent,
          counts->returned, counts->full, counts->suspensions);
  printf ("  compared    %" G_GUINT64_FORMAT " states of %" G_GUINT64_FORMAT "\n",
          checker_agreement_compared (world->checker_agreement), world->n_states);
}

static void
print_report (const World *world, Verdict verdict)
{
  const SimOptions *options = world->options;
  const WorldCounts *counts = &world->counts;
  g_autofree char *command = sim_options_command (options);
  char fingerprint[FINGERPRINT_TEXT_SIZE];

  printf ("verdict %s\n", verdict_name (verdict));
  print_findings (world->findings);
  printf ("  seed        %" G_GUINT64_FORMAT "\n", options->seed);
  printf ("  again       %s\n", command);
  printf ("  messages    %" G_GUINT64_FORMAT " published, %" G_GUINT64_FORMAT
          " confirmed, %" G_GUINT64_FORMAT " delivered, %" G_GUINT64_FORMAT " of them again\n",
          counts->published, counts->confirmed, counts->delivered, counts->redelivered);
  printf ("  members     %u, %" G_GUINT64_FORMAT " crashes, %" G_GUINT64_FORMAT
          " stops, %" G_GUINT64_FORMAT " joins, %" G_GUINT64_FORMAT
          " partitions, %" G_GUINT64_FORMAT " pauses; limits %s\n",
          options->members, counts->crashes, counts->stops, counts->joins, counts->partitions,
          counts->pauses, options->limits_none ? "none" : "corosync");
  printf ("  group       %" G_GUINT64_FORMAT " deliveries in %" G_GINT64_FORMAT
          "us of virtual time\n",
          sim_network_deliveries (world->network), world_now_us (world));
  if (options->verbose)
    print_situations (world);
  printf ("  fingerprint %s\n", fingerprint_text (&world->fingerprint, fingerprint));
}

/* --- running -------------------------------------------------------------------------------- */

static Verdict
run_again (const SimOptions *options, const Fingerprint *first)
{
  g_autoptr (World) world = world_new (options);
  char a[FINGERPRINT_TEXT_SIZE], b[FINGERPRINT_TEXT_SIZE];

  world_run (world);
  if (fingerprint_equal (&world->fingerprint, first))
    return VERDICT_PASS;
  printf ("the same seed gave another run: fingerprint %s, then %s\n", fingerprint_text (first, a),
          fingerprint_text (&world->fingerprint, b));
  return VERDICT_NON_DETERMINISM;
}

static gboolean
write_checkpoints (const SimOptions *options, const Checkpoints *checkpoints)
{
  g_autoptr (GError) error = NULL;
  gsize length;
  const char *text = checkpoints_text (checkpoints, &length);

  if (g_file_set_contents (options->checkpoints, text, (gssize) length, &error))
    return TRUE;
  fprintf (stderr, "consort-sim: cannot write the checkpoints: %s\n", error->message);
  return FALSE;
}

static int
run (const SimOptions *options, FILE *trace_file)
{
  g_autoptr (World) world = world_new (options);
  g_autoptr (Checkpoints) checkpoints = NULL;
  g_autofree char *command = sim_options_command (options);
  Watch watch = { .range = options->events };
  TraceWriter writer;
  Verdict verdict, again;

  if (options->checkpoints != NULL)
    watch.checkpoints = checkpoints = checkpoints_new (command, options->events);
  if (trace_file != NULL)
    {
      trace_writer_init (&writer, trace_file, now_of_world, world);
      watch.trace = &writer.trace;
    }
  verdict = watch_run (&watch, world);
  print_report (world, verdict);
  if (checkpoints != NULL && !write_checkpoints (options, checkpoints))
    return EXIT_USAGE;
  if (!options->twice)
    return (int) verdict;
  again = run_again (options, &world->fingerprint);
  return again == VERDICT_PASS ? (int) verdict : (int) again;
}

static int
open_trace_and_run (const SimOptions *options)
{
  FILE *file;
  int status;

  if (options->trace == NULL)
    return run (options, NULL);
  if (strcmp (options->trace, "-") == 0)
    return run (options, stdout);
  file = fopen (options->trace, "w");
  if (file == NULL)
    {
      fprintf (stderr, "consort-sim: cannot write the trace to '%s': %s\n", options->trace,
               g_strerror (errno));
      return EXIT_USAGE;
    }
  status = run (options, file);
  if (fclose (file) != 0)
    {
      fprintf (stderr, "consort-sim: the trace in '%s' is not complete: %s\n", options->trace,
               g_strerror (errno));
      return EXIT_USAGE;
    }
  return status;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  SimOptions options;

  if (argc > 1 && strcmp (argv[1], "diff") == 0)
    return command_diff (argc - 2, argv + 2);
  if (!sim_options_parse (argc - 1, argv + 1, &options, &error))
    {
      fprintf (stderr, "consort-sim: %s\n", error->message);
      return EXIT_USAGE;
    }
  switch (options.command)
    {
    case SIM_RUN:
      return open_trace_and_run (&options);
    case SIM_LIST_FAULTS:
      list_faults ();
      break;
    case SIM_LIST_CHECKERS:
      list_checkers ();
      break;
    case SIM_HELP:
      printf ("%s", sim_options_help ());
      break;
    case SIM_VERSION:
      printf ("consort-sim %s\n", PACKAGE_VERSION);
      break;
    }
  return EXIT_SUCCESS;
}
