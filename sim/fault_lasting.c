/* SPDX-License-Identifier: MIT */
/* What lasts: when the work ends a majority is made whole, and others may stay away for ever. What
 * was promised for "at last" has to come all the same. */
#include "core/base/limits.h"
#include "sim/fault_parts.h"
#include "sim/member.h"
#include "sim/partitions.h"

/* Ways to draw parts, one of which is to hold a majority. */
#define TRIES 8
/* After the network was bad, until everybody has noticed. */
#define CALM_US 10000

static const FaultKind endings[] = { FAULT_CRASH, FAULT_SUFFIX_LOSS, FAULT_STOP, FAULT_NODE_DOWN };

static guint
n_voters (const World *world)
{
  return sim_options_n_voters (world->options);
}

/* Nobody is away, or on the way in, who might be needed. */
static gboolean
all_is_well (World *world)
{
  for (guint i = 0; i < world->members->len; i++)
    if (!sim_member_is_active (world_member (world, i)))
      return FALSE;
  return partitions_are_over (world->partitions, world_now_us (world), CALM_US);
}

static gboolean
some_part_has_a_majority (const World *world, const GArray *parts)
{
  for (guint part = 0; part < parts->len; part++)
    {
      guint count = 0;

      for (guint i = 0; i < n_voters (world); i++)
        count += g_array_index (parts, guint, i) == part;
      if (count > n_voters (world) / 2)
        return TRUE;
    }
  return FALSE;
}

static void
add_partition (World *world, SimStream *random, GArray *lasting)
{
  for (guint i = 0; i < TRIES && lasting->len == 0; i++)
    {
      Fault fault = fault_of (FAULT_PARTITION);

      fault.values.duration_us = PHRASE_EVER;
      fault.values.parts = fault_draw_parts (world, random);
      if (fault.values.parts != NULL && some_part_has_a_majority (world, fault.values.parts))
        g_array_append_val (lasting, fault);
      else
        fault_clear (&fault);
    }
}

/* Of the voters a minority; each of the others as it comes. */
static void
add_ends (World *world, SimStream *random, GArray *lasting)
{
  guint n_may_end = n_voters (world) - (n_voters (world) / 2 + 1);

  for (guint i = 0; i < world->members->len; i++)
    {
      gboolean votes = sim_member_votes (world_member (world, i));
      Fault fault;

      if (!sim_stream_chance (random, 1, 2) || (votes && n_may_end == 0))
        continue;
      n_may_end -= votes;
      fault = fault_of_member (endings[sim_stream_below (random, G_N_ELEMENTS (endings))], i);
      fault.values.duration_us = PHRASE_EVER;
      g_array_append_val (lasting, fault);
    }
}

static void
clear_fault (gpointer data)
{
  fault_clear (data);
}

GArray *
fault_draw_lasting (World *world, SimStream *random)
{
  GArray *lasting = g_array_new (FALSE, FALSE, sizeof (Fault));

  g_array_set_clear_func (lasting, clear_fault);
  if (world->options->crashes == 0 || n_voters (world) < 3 || !all_is_well (world)
      || !sim_stream_chance (random, 1, 2))
    return lasting;
  if (sim_stream_chance (random, 1, 3))
    add_partition (world, random, lasting);
  else
    add_ends (world, random, lasting);
  return lasting;
}
