/* SPDX-License-Identifier: MIT */
#include "sim/partitions.h"
#include "core/base/limits.h"
#include "sim/member.h"

struct Partitions
{
  World *world;
  guint *components; /* by member; all 0: not partitioned */
  gboolean *paused;
  gboolean for_ever; /* the parts are */
  gboolean stands;   /* partitioned, or somebody is paused */
  gint64 changed_us;
};

/* --- looking ---------------------------------------------------------------------------- */

gboolean
partitions_are_over (const Partitions *partitions, gint64 now_us, gint64 for_us)
{
  return !partitions->stands && now_us - partitions->changed_us >= for_us;
}

gboolean
partitions_none_paused (const Partitions *partitions, gint64 for_us)
{
  for (guint i = 0; i < partitions->world->options->members; i++)
    if (partitions->paused[i])
      return FALSE;
  return world_now_us (partitions->world) - partitions->changed_us >= for_us;
}

/* Voters of one part that are up. */
typedef struct Part
{
  guint n;
  guint n_awake;
  guint n_active;  /* and awake */
  guint n_holders; /* likewise: of some state */
} Part;

static Part
look_at_part_of (const Partitions *partitions, guint member)
{
  const World *world = partitions->world;
  Part part = { 0 };

  for (guint i = 0; i < MIN (world->options->members, LIMIT_VOTERS); i++)
    {
      const SimMember *other = world_member (world, i);

      if (!sim_member_is_up (other) || partitions->components[i] != partitions->components[member])
        continue;
      part.n++;
      if (partitions->paused[i])
        continue;
      part.n_awake++;
      part.n_active += sim_member_is_active (other);
      part.n_holders += sim_member_was_active (other);
    }
  return part;
}

static guint
n_voters (const Partitions *partitions)
{
  return MIN (partitions->world->options->members, LIMIT_VOTERS);
}

gboolean
partitions_hears_majority (const Partitions *partitions, guint member)
{
  return !partitions->paused[member]
         && look_at_part_of (partitions, member).n_awake > n_voters (partitions) / 2;
}

gboolean
partitions_may_serve (const Partitions *partitions, guint member)
{
  Part part = look_at_part_of (partitions, member);

  return partitions_hears_majority (partitions, member)
         && (part.n_active > 0 || part.n_holders > n_voters (partitions) / 2
             || part.n_awake == n_voters (partitions));
}

/* --- acting --------------------------------------------------------------------------------- */

static void
changed (Partitions *partitions)
{
  partitions->stands = FALSE;
  for (guint i = 0; i < partitions->world->options->members; i++)
    partitions->stands
        = partitions->stands || partitions->components[i] != 0 || partitions->paused[i];
  partitions->changed_us = world_now_us (partitions->world);
}

static guint
component_of (guint32 node_id, gpointer user_data)
{
  const Partitions *partitions = user_data;

  return partitions->components[node_id - 1];
}

/* Who is with less than half may tell its clients what nobody else will know, until it notices. */
void
partitions_set (Partitions *partitions, const PhraseValues *parts)
{
  World *world = partitions->world;

  partitions->for_ever = parts->duration_us == PHRASE_EVER;
  for (guint i = 0; i < world->options->members; i++)
    {
      partitions->components[i] = phrase_part_of (parts, i);
      world_add_fault (world, "partition", partitions->components[i]);
    }
  sim_network_partition (world->network, component_of, partitions);
  changed (partitions);
  for (guint i = 0; i < world->options->members; i++)
    if (look_at_part_of (partitions, i).n <= n_voters (partitions) / 2)
      sim_member_may_lose_suffix (world_member (world, i));
}

static gboolean
is_partitioned (const Partitions *partitions)
{
  for (guint i = 0; i < partitions->world->options->members; i++)
    if (partitions->components[i] != 0)
      return TRUE;
  return FALSE;
}

gboolean
partitions_heal (Partitions *partitions)
{
  World *world = partitions->world;

  if (!is_partitioned (partitions))
    return FALSE;
  for (guint i = 0; i < world->options->members; i++)
    partitions->components[i] = 0;
  partitions->for_ever = FALSE;
  world_add_fault (world, "heal", 0);
  sim_network_heal (world->network);
  changed (partitions);
  return TRUE;
}

static gboolean
set_paused (Partitions *partitions, guint number, gboolean paused)
{
  SimMember *member = world_member (partitions->world, number);

  if (partitions->paused[number] == paused || (paused && !sim_member_is_up (member)))
    return FALSE;
  partitions->paused[number] = paused;
  changed (partitions);
  sim_member_set_paused (member, paused);
  return TRUE;
}

gboolean
partitions_pause (Partitions *partitions, guint member)
{
  return set_paused (partitions, member, TRUE);
}

gboolean
partitions_resume (Partitions *partitions, guint member)
{
  return set_paused (partitions, member, FALSE);
}

void
partitions_member_gone (Partitions *partitions, guint member)
{
  if (!partitions->paused[member])
    return;
  partitions->paused[member] = FALSE;
  changed (partitions);
}

void
partitions_end (Partitions *partitions)
{
  for (guint i = 0; i < partitions->world->options->members; i++)
    set_paused (partitions, i, FALSE);
  if (!partitions->for_ever)
    partitions_heal (partitions);
}

gboolean
partitions_is_cut_off_for_ever (const Partitions *partitions, guint member)
{
  return partitions->for_ever && !partitions_hears_majority (partitions, member);
}

Partitions *
partitions_new (World *world)
{
  Partitions *partitions = g_new0 (Partitions, 1);

  partitions->world = world;
  partitions->components = g_new0 (guint, world->options->members);
  partitions->paused = g_new0 (gboolean, world->options->members);
  return partitions;
}

void
partitions_free (Partitions *partitions)
{
  g_free (partitions->components);
  g_free (partitions->paused);
  g_free (partitions);
}
