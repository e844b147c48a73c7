/* SPDX-License-Identifier: MIT */
/* Clusters of hundreds, all checkers on: members without clients run behind the others there
 * (sim/pace.h), and nothing may cost the square of their number. */
#include "sim/world.h"

typedef struct Row
{
  const char *name;
  guint members;
  guint messages;
  guint crashes;
  guint partitions;
  guint deliveries_each_max; /* times the members: what the group may be told in all */
} Row;

static const Row rows[] = {
  { "/sim/large/three-hundred-members-and-three-changes", 300, 50, 3, 0, 3500 },
  /* There the eldest once had more states under way than there are members. */
  { "/sim/large/a-newcomer-that-asks-anew-gets-one-state", 300, 300, 50, 4, 12000 },
  { "/sim/large/forty-members-and-many-changes", 40, 200, 20, 0, 9000 },
  { "/sim/large/forty-members-in-parts", 40, 200, 3, 4, 9000 },
};

static void
run (const Row *row, gboolean again, Fingerprint *ret_fingerprint)
{
  SimOptions options = sim_options_default ();
  g_autoptr (World) world = NULL;
  guint64 changes = 0;

  options.members = row->members;
  options.messages = row->messages;
  options.crashes = row->crashes;
  options.partitions = row->partitions;
  options.limits_none = TRUE;
  world = world_new (&options);
  world_run (world);
  for (guint i = 0; i < findings_count (world->findings); i++)
    g_test_message ("%s", findings_text (world->findings, i));
  g_assert_cmpuint (findings_count (world->findings), ==, 0);
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    changes += world->counts.faults[i];
  g_assert_cmpuint (changes, >=, row->crashes + row->partitions);
  g_assert_cmpuint (world->counts.joins, >, 0);
  g_assert_cmpuint (world->counts.confirmed, ==, row->messages);
  if (!again)
    g_test_message ("%" G_GUINT64_FORMAT " deliveries", sim_network_deliveries (world->network));
  g_assert_cmpuint (sim_network_deliveries (world->network), <,
                    row->deliveries_each_max * row->members);
  *ret_fingerprint = world->fingerprint;
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  Fingerprint first, second;

  run (row, FALSE, &first);
  if (row->members > 100)
    return;
  run (row, TRUE, &second);
  g_assert_cmpmem (&first, sizeof first, &second, sizeof second);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_test_add_data_func (rows[i].name, &rows[i], test_row);
  return g_test_run ();
}
