/* SPDX-License-Identifier: MIT */
/* What lasts: when the work ends a majority is made whole, and others may stay away for ever. What
 * was promised for "at last" has to come all the same. */
#include "core/base/limits.h"
#include "sim/fault_parts.h"
#include "sim/member.h"

/* Ways to draw parts, one of which is to hold a majority. */
#define TRIES 8

static const FaultKind endings[]
    = { FAULT_CRASH, FAULT_SUFFIX_LOSS, FAULT_STOP, FAULT_NODE_DOWN, FAULT_PARTITION };

static guint
n_voters (const World *world)
{
  return MIN (world->options->members, LIMIT_VOTERS);
}

guint
fault_lasting_count (const World *world, SimStream *random)
{
  guint minority = n_voters (world) - (n_voters (world) / 2 + 1);

  if (world->options->crashes == 0 || minority == 0 || !sim_stream_chance (random, 1, 3))
    return 0;
  return 1 + sim_stream_below (random, minority);
}

FaultKind
fault_lasting_kind (SimStream *random)
{
  return endings[sim_stream_below (random, G_N_ELEMENTS (endings))];
}

/* Nobody is on the way in who might be needed. */
static gboolean
all_are_active (const World *world)
{
  for (guint i = 0; i < world->members->len; i++)
    {
      const SimMember *member = world_member (world, i);

      if (sim_member_is_awaited (member) && !sim_member_is_active (member))
        return FALSE;
    }
  return TRUE;
}

/* Voters that stay, without one. */
static guint
n_awaited_without (const World *world, gint victim)
{
  guint count = 0;

  for (guint i = 0; i < n_voters (world); i++)
    count += (gint) i != victim && sim_member_is_awaited (world_member (world, i));
  return count;
}

static gboolean
some_part_has_a_majority (const World *world, const GArray *parts)
{
  for (guint part = 0; part < parts->len; part++)
    {
      guint count = 0;

      for (guint i = 0; i < n_voters (world); i++)
        count += g_array_index (parts, guint, i) == part
                 && sim_member_is_awaited (world_member (world, i));
      if (count > n_voters (world) / 2)
        return TRUE;
    }
  return FALSE;
}

static GArray *
draw_parts (World *world, SimStream *random)
{
  for (guint i = 0; i < TRIES; i++)
    {
      g_autoptr (GArray) parts = fault_draw_parts (world, random);

      if (parts != NULL && some_part_has_a_majority (world, parts))
        return g_steal_pointer (&parts);
    }
  return NULL;
}

gboolean
fault_draw_lasting (World *world, FaultKind kind, SimStream *random, gint64 now_us,
                    Fault *ret_fault)
{
  Fault fault;

  if (!all_are_active (world))
    return FALSE;
  if (kind == FAULT_PARTITION)
    {
      fault = fault_of (kind);
      fault.values.parts = draw_parts (world, random);
      if (fault.values.parts == NULL)
        return FALSE;
    }
  else if (!fault_draw (world, kind, random, &fault))
    return FALSE;
  fault.values.duration_us = PHRASE_EVER;
  if (kind == FAULT_PARTITION
      || (n_awaited_without (world, fault.values.member) > n_voters (world) / 2
          && fault_is_fair (world, &fault, now_us)))
    {
      *ret_fault = fault;
      return TRUE;
    }
  fault_clear (&fault);
  return FALSE;
}
