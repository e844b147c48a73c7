/* SPDX-License-Identifier: MIT */
#include "sim/report.h"
#include "sim/tape_test.h"
#include "sim/faults.h"

#include <stdio.h>

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
  g_autofree char *probes = probes_text (world->probes.counts);

  printf ("  situations  %" G_GUINT64_FORMAT " connections, %" G_GUINT64_FORMAT
          " torn, %" G_GUINT64_FORMAT " channel errors, %" G_GUINT64_FORMAT
          " publishes resent, %" G_GUINT64_FORMAT " returned, %" G_GUINT64_FORMAT
          " multicasts refused for now, %" G_GUINT64_FORMAT " suspensions\n",
          counts->connections, counts->cuts, counts->channel_errors, counts->resent,
          counts->returned, counts->full, counts->suspensions);
  printf ("  probes      %s\n", probes);
  printf ("  compared    %" G_GUINT64_FORMAT " states of %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
          " answers with one unclustered broker\n",
          checker_agreement_compared (world->checker_agreement), world->n_states,
          world->tape_test == NULL ? 0 : tape_test_compared (world->tape_test));
}

static void
print_faults (const World *world)
{
  const Timeline *missed = faults_peek_missed (world->faults);
  const char *separator = "";

  printf ("  faults      ");
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    if (world->counts.faults[i] > 0)
      {
        printf ("%s%" G_GUINT64_FORMAT " %s", separator, world->counts.faults[i],
                fault_kinds[i].name);
        separator = ", ";
      }
  printf ("%s\n", *separator == '\0' ? "none" : "");
  for (guint i = 0; i < timeline_length (missed); i++)
    {
      g_autofree char *when = trigger_text (&timeline_peek (missed, i)->trigger);
      g_autofree char *what = fault_text (&timeline_peek (missed, i)->fault);

      printf ("              %s could not strike %s\n", what, when);
    }
}

void
report_print (const World *world, Verdict verdict, const char *again, gboolean verbose)
{
  const SimOptions *options = world->options;
  const WorldCounts *counts = &world->counts;
  char fingerprint[FINGERPRINT_TEXT_SIZE];

  printf ("verdict %s\n", verdict_name (verdict));
  print_findings (world->findings);
  printf ("  seed        %" G_GUINT64_FORMAT "\n", options->seed);
  printf ("  again       %s\n", again);
  printf ("  messages    %" G_GUINT64_FORMAT " published, %" G_GUINT64_FORMAT
          " confirmed, %" G_GUINT64_FORMAT " delivered, %" G_GUINT64_FORMAT " of them again\n",
          counts->published, counts->confirmed, counts->delivered, counts->redelivered);
  printf ("  members     %u, %" G_GUINT64_FORMAT " joins; limits %s\n", options->members,
          counts->joins, options->limits_none ? "none" : "corosync");
  print_faults (world);
  printf ("  group       %" G_GUINT64_FORMAT " deliveries in %" G_GINT64_FORMAT
          "us of virtual time\n",
          sim_network_deliveries (world->network), world_now_us (world));
  if (verbose)
    print_situations (world);
  printf ("  fingerprint %s\n", fingerprint_text (&world->fingerprint, fingerprint));
}
