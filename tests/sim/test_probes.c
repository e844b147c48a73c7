/* SPDX-License-Identifier: MIT */
/* Some runs come to each situation of sim/probes.def: else what is checked would never have been
 * tried there. */
#include "sim/world.h"

/* Each of some sizes. */
#define SEEDS 40

/* What these few runs need not come to, or cannot without an operator (tests/scenarios); a mistake
 * in the protocol, none may. */
static const Probe rare[] = {
  PROBE_VOTE_LOST,       PROBE_JOIN_TIMED_OUT,        PROBE_LONG_BACKLOG,      PROBE_DONOR_LOST,
  PROBE_JOINER_LOST,     PROBE_DONOR_AND_JOINER_LOST, PROBE_CHUNK_PUT_OFF,     PROBE_OUTBOX_FULL,
  PROBE_GAP_REJOIN,      PROBE_CHUNK_MISSING,         PROBE_DONOR_ASKS_AGAIN,  PROBE_STEPPED_DOWN,
  PROBE_TOLD_AGAIN,      PROBE_REFUSED_SEAT,          PROBE_REFUSED_UNSETTLED, PROBE_NODE_FORGOTTEN,
  PROBE_FORMED_BY_FORCE, PROBE_OWN_WHILE_NOTICING,    PROBE_NEWCOMER_BEHIND,   PROBE_SLOWED_ENOUGH,
  PROBE_JOIN_GIVEN_UP,
};

static guint64 counts[N_PROBES];

static void
run (guint members, guint64 seed)
{
  SimOptions options = sim_options_default ();
  g_autoptr (World) world = NULL;

  options.members = members;
  options.seed = seed;
  options.messages = 150;
  options.crashes = 4;
  options.partitions = 6;
  world = world_new (&options);
  if (world_run (world) != VERDICT_PASS)
    g_error ("%u members, seed %" G_GUINT64_FORMAT ": %s", members, seed,
             findings_text (world->findings, 0));
  for (guint i = 0; i < N_PROBES; i++)
    counts[i] += world->probes.counts[i];
}

static gboolean
is_rare (Probe probe)
{
  for (guint i = 0; i < G_N_ELEMENTS (rare); i++)
    if (rare[i] == probe)
      return TRUE;
  return FALSE;
}

static void
test_reached (gconstpointer data)
{
  Probe probe = (Probe) GPOINTER_TO_UINT (data);

  g_test_message ("%s: %" G_GUINT64_FORMAT, probe_infos[probe].what, counts[probe]);
  g_assert_cmpuint (counts[probe], >, 0);
}

static void
test_no_gap (void)
{
  g_assert_cmpuint (counts[PROBE_GAP_REJOIN], ==, 0);
}

static void
test_known_by_name (void)
{
  Probes probes;
  g_autofree char *text = NULL;

  probes_init (&probes);
  trace_reached (&probes.trace, "A", "suspended");
  trace_reached (&probes.trace, "B", "suspended");
  trace_reached (&probes.trace, "B", "bumped");
  probes_reach (&probes, PROBE_FULL);
  text = probes_text (probes.counts);
  g_assert_cmpstr (text, ==, "suspended=2 bumped=1 full=1");
}

int
main (int argc, char **argv)
{
  static const guint sizes[] = { 3, 5 };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/probes/known-by-name", test_known_by_name);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint64 seed = 1; seed <= SEEDS; seed++)
      run (sizes[i], seed);
  g_test_add_func ("/sim/probes/no-gap", test_no_gap);
  for (guint i = 0; i < N_PROBES; i++)
    {
      g_autofree char *path = g_strconcat ("/sim/probes/reached/", probe_infos[i].name, NULL);

      if (!is_rare ((Probe) i))
        g_test_add_data_func (path, GUINT_TO_POINTER (i), test_reached);
    }
  return g_test_run ();
}
