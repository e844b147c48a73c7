/* SPDX-License-Identifier: MIT */
#include "sim/partitions.h"
#include "core/base/limits.h"
#include "sim/member.h"

/* Longer than a cluster may take to serve again. */
#define LONG_US_MIN (6 * G_USEC_PER_SEC)
#define LONG_US_MAX (8 * G_USEC_PER_SEC)

typedef enum ActionKind
{
  ACTION_PARTITION,
  ACTION_HEAL,
  ACTION_PAUSE,
  ACTION_RESUME
} ActionKind;

typedef struct Action
{
  ActionKind kind;
  guint member;      /* to pause or resume */
  guint *components; /* of a partition, by member */
} Action;

struct Partitions
{
  World *world;
  SimStream random;
  guint n;         /* to come to in this run */
  guint n_planned; /* put on the clock */
  guint64 next_at; /* confirmed messages at which the next is planned */

  guint *components; /* by member; all 0: not partitioned */
  gboolean *paused;
  gboolean stands; /* partitioned, or somebody is paused */
  gint64 changed_us;
};

/* --- looking ---------------------------------------------------------------------------- */

gboolean
partitions_are_over (const Partitions *partitions, gint64 for_us)
{
  return !partitions->stands && world_now_us (partitions->world) - partitions->changed_us >= for_us;
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
static void
partition (Partitions *partitions, const guint *components)
{
  World *world = partitions->world;

  world->counts.partitions++;
  world_note (world, "partition");
  for (guint i = 0; i < world->options->members; i++)
    {
      world_note (world, "%s is in part %u", sim_member_name (world_member (world, i)),
                  components[i]);
      world_add_fault (world, "partition", components[i]);
      partitions->components[i] = components[i];
    }
  sim_network_partition (world->network, component_of, partitions);
  changed (partitions);
  for (guint i = 0; i < world->options->members; i++)
    if (look_at_part_of (partitions, i).n <= n_voters (partitions) / 2)
      sim_member_may_lose_suffix (world_member (world, i));
}

static void
heal (Partitions *partitions)
{
  World *world = partitions->world;

  world->counts.heals++;
  world_note (world, "heal");
  world_add_fault (world, "heal", 0);
  for (guint i = 0; i < world->options->members; i++)
    partitions->components[i] = 0;
  sim_network_heal (world->network);
  changed (partitions);
}

static void
set_paused (Partitions *partitions, guint number, gboolean paused)
{
  World *world = partitions->world;
  SimMember *member = world_member (world, number);

  if (partitions->paused[number] == paused || (paused && !sim_member_is_up (member)))
    return;
  world->counts.pauses += paused;
  world_note (world, "%s %s", paused ? "pause" : "resume", sim_member_name (member));
  partitions->paused[number] = paused;
  changed (partitions);
  sim_member_set_paused (member, paused);
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
partitions_drop_action (gpointer data)
{
  Action *action = data;

  g_free (action->components);
  g_free (action);
}

void
partitions_act (Partitions *partitions, gpointer data)
{
  Action *action = data;

  if (partitions->world->phase == PHASE_WORK)
    switch (action->kind)
      {
      case ACTION_PARTITION:
        partition (partitions, action->components);
        break;
      case ACTION_HEAL:
        heal (partitions);
        break;
      case ACTION_PAUSE:
        set_paused (partitions, action->member, TRUE);
        break;
      case ACTION_RESUME:
        set_paused (partitions, action->member, FALSE);
        break;
      }
  partitions_drop_action (action);
}

void
partitions_end (Partitions *partitions)
{
  for (guint i = 0; i < partitions->world->options->members; i++)
    set_paused (partitions, i, FALSE);
  if (partitions->stands)
    heal (partitions);
}

/* --- planning -----------------------------------------------------------------------------------
 */

static void
plan_next (Partitions *partitions)
{
  guint64 share = partitions->world->options->messages / MAX (partitions->n, 1);

  partitions->next_at = share * partitions->n_planned
                        + (guint64) sim_stream_between (&partitions->random, 0, (gint64) share);
}

Partitions *
partitions_new (World *world)
{
  const SimOptions *options = world->options;
  Partitions *partitions = g_new0 (Partitions, 1);

  partitions->world = world;
  partitions->random = world_stream (world, 1, SIM_PURPOSE_FAULT);
  partitions->n = options->partitions;
  if (options->partitions == SIM_PARTITIONS_DRAWN)
    partitions->n = sim_stream_chance (&partitions->random, 1, 2)
                        ? 1 + sim_stream_below (&partitions->random, 4)
                        : 0;
  partitions->components = g_new0 (guint, options->members);
  partitions->paused = g_new0 (gboolean, options->members);
  plan_next (partitions);
  return partitions;
}

void
partitions_free (Partitions *partitions)
{
  g_free (partitions->components);
  g_free (partitions->paused);
  g_free (partitions);
}

static void
act_in (Partitions *partitions, gint64 delay_us, ActionKind kind, guint member, guint *components)
{
  Action *action = g_new0 (Action, 1);

  *action = (Action){ kind, member, components };
  clock_at (partitions->world->clock, world_now_us (partitions->world) + delay_us, CLOCK_NETWORK, 0,
            action);
}

/* Most are over before anybody has finished what it does about them; some last. */
static gint64
draw_duration (Partitions *partitions)
{
  switch (sim_stream_below (&partitions->random, 8))
    {
    case 0:
      return sim_stream_between (&partitions->random, LONG_US_MIN, LONG_US_MAX);
    case 1:
    case 2:
    case 3:
      return sim_stream_between (&partitions->random, 100, 5000);
    }
  return sim_stream_between (&partitions->random, 5000, 300000);
}

/* The member that has been active for the longest time. */
static guint
find_eldest (const Partitions *partitions)
{
  const World *world = partitions->world;
  guint eldest = 0;

  for (guint i = 1; i < world->options->members; i++)
    if (sim_member_active_since_us (world_member (world, i))
        < sim_member_active_since_us (world_member (world, eldest)))
      eldest = i;
  return eldest;
}

static guint *
draw_components (Partitions *partitions)
{
  guint n_members = partitions->world->options->members;
  guint *components = g_new0 (guint, n_members);
  guint shape = sim_stream_below (&partitions->random, 6);

  for (guint i = 0; i < n_members; i++)
    switch (shape)
      {
      case 0: /* everybody alone */
        components[i] = i;
        break;
      case 1:
        components[i] = sim_stream_below (&partitions->random, 3);
        break;
      case 2: /* one alone */
      case 3: /* the eldest alone */
        break;
      case 4: /* halves, one with a majority */
      case 5:
        components[i] = sim_stream_below (&partitions->random, 2);
        break;
      }
  if (shape == 2)
    components[sim_stream_below (&partitions->random, n_members)] = 1;
  if (shape == 3)
    components[find_eldest (partitions)] = 1;
  return components;
}

static guint *
alone (Partitions *partitions, guint member)
{
  guint *components = g_new0 (guint, partitions->world->options->members);

  components[member] = 1;
  return components;
}

/* Shorter than anybody notices; or cut off meanwhile, and often met again. */
static void
plan_pause (Partitions *partitions, gint64 at_us)
{
  SimStream *random = &partitions->random;
  guint member = sim_stream_below (random, partitions->world->options->members);

  act_in (partitions, at_us, ACTION_PAUSE, member, NULL);
  if (sim_stream_chance (random, 1, 3))
    {
      act_in (partitions, at_us + sim_stream_between (random, 100, 50000), ACTION_RESUME, member,
              NULL);
      return;
    }
  at_us += sim_stream_between (random, 0, 10000);
  act_in (partitions, at_us, ACTION_PARTITION, 0, alone (partitions, member));
  act_in (partitions, at_us + draw_duration (partitions), ACTION_RESUME, member, NULL);
  act_in (partitions, at_us + draw_duration (partitions), ACTION_HEAL, 0, NULL);
}

static void
plan_flapping (Partitions *partitions, gint64 at_us)
{
  guint n = 2 + sim_stream_below (&partitions->random, 6);

  for (guint i = 0; i < n; i++)
    {
      act_in (partitions, at_us, ACTION_PARTITION, 0, draw_components (partitions));
      at_us += sim_stream_between (&partitions->random, 100, 8000);
      if (sim_stream_chance (&partitions->random, 2, 3))
        act_in (partitions, at_us, ACTION_HEAL, 0, NULL);
      at_us += sim_stream_between (&partitions->random, 0, 8000);
    }
  act_in (partitions, at_us, ACTION_HEAL, 0, NULL);
}

static void
plan (Partitions *partitions)
{
  gint64 at_us = sim_stream_between (&partitions->random, 0, 3000);

  switch (sim_stream_below (&partitions->random, 5))
    {
    case 0:
      plan_pause (partitions, at_us);
      break;
    case 1:
      plan_flapping (partitions, at_us);
      break;
    case 2:
    case 3:
    case 4:
      act_in (partitions, at_us, ACTION_PARTITION, 0, draw_components (partitions));
      act_in (partitions, at_us + draw_duration (partitions), ACTION_HEAL, 0, NULL);
      break;
    }
}

void
partitions_progress (Partitions *partitions)
{
  while (partitions->n_planned < partitions->n
         && partitions->world->counts.confirmed >= partitions->next_at)
    {
      partitions->n_planned++;
      plan (partitions);
      plan_next (partitions);
    }
}
