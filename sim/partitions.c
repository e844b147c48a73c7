/* SPDX-License-Identifier: MIT */
#include "sim/partitions.h"
#include "core/base/limits.h"
#include "sim/member.h"

/* How often members of two rings find each other again. */
#define AGAIN_US_MIN 5000
#define AGAIN_US_MAX 60000

struct Partitions
{
  World *world;
  guint *components; /* by member; all 0: not partitioned */
  Deafness deafness; /* instead of parts */
  guint deaf, unheard;
  guint *rings;      /* by member, as they were when they were looked at last */
  gboolean for_ever; /* it stays so */
  gboolean stands;   /* not all hear each other, or somebody is asleep */
  gint64 changed_us;
  gint64 disturbed_until_us;
};

/* --- looking ---------------------------------------------------------------------------- */

/* Not scheduled, or without its daemon. */
static gboolean
is_asleep (const Partitions *partitions, guint member)
{
  const SimMember *other = world_member (partitions->world, member);

  return !sim_member_is_awake (other) || sim_member_has_no_daemon (other);
}

static gboolean
hear_each_other (const Partitions *partitions, guint a, guint b)
{
  const SimNetwork *network = partitions->world->network;

  if (partitions->deafness == DEAF_NOT)
    return partitions->components[a] == partitions->components[b];
  return sim_network_ring_of (network, a + 1) == sim_network_ring_of (network, b + 1);
}

gboolean
partitions_are_over (const Partitions *partitions, gint64 now_us, gint64 for_us)
{
  return !partitions->stands && now_us - partitions->changed_us >= for_us;
}

gboolean
partitions_none_paused (const Partitions *partitions, gint64 for_us)
{
  gint64 now_us = world_now_us (partitions->world);

  for (guint i = 0; i < partitions->world->options->members; i++)
    if (is_asleep (partitions, i))
      return FALSE;
  return now_us - MAX (partitions->changed_us, partitions->disturbed_until_us) >= for_us;
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

      if (!sim_member_is_up (other) || !hear_each_other (partitions, i, member))
        continue;
      part.n++;
      if (is_asleep (partitions, i))
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
  return !is_asleep (partitions, member)
         && look_at_part_of (partitions, member).n_awake > n_voters (partitions) / 2;
}

gboolean
partitions_may_serve (const Partitions *partitions, guint member)
{
  Part part;

  if (is_asleep (partitions, member))
    return FALSE;
  part = look_at_part_of (partitions, member);
  return part.n_awake > n_voters (partitions) / 2
         && (part.n_active > 0 || part.n_holders > n_voters (partitions) / 2
             || part.n_awake == n_voters (partitions));
}

/* A part that may has voters that are awake. */
gboolean
partitions_any_may_serve (const Partitions *partitions)
{
  for (guint i = 0; i < n_voters (partitions); i++)
    if (partitions_may_serve (partitions, i))
      return TRUE;
  return FALSE;
}

/* --- acting --------------------------------------------------------------------------------- */

static void
changed (Partitions *partitions)
{
  partitions->stands = partitions->deafness != DEAF_NOT;
  for (guint i = 0; i < partitions->world->options->members; i++)
    partitions->stands = partitions->stands || partitions->components[i] != 0
                         || !sim_member_is_awake (world_member (partitions->world, i));
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
mark_minorities (Partitions *partitions)
{
  World *world = partitions->world;

  for (guint i = 0; i < world->options->members; i++)
    if (look_at_part_of (partitions, i).n <= n_voters (partitions) / 2)
      sim_member_may_lose_suffix (world_member (world, i));
}

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
  partitions->deafness = DEAF_NOT;
  sim_network_partition (world->network, component_of, partitions);
  changed (partitions);
  mark_minorities (partitions);
}

static gboolean
hears (guint32 node_id, guint32 of, gpointer user_data)
{
  const Partitions *partitions = user_data;
  guint n_members = partitions->world->options->members;
  guint member = node_id - 1, other = of - 1;
  guint distance = (member + n_members - other) % n_members;

  switch (partitions->deafness)
    {
    case DEAF_NOT:
      break;
    case DEAF_ONE_WAY:
      return member != partitions->deaf || other != partitions->unheard;
    case DEAF_BOTH_WAYS:
      return (member != partitions->deaf || other != partitions->unheard)
             && (member != partitions->unheard || other != partitions->deaf);
    case DEAF_IN_A_CIRCLE:
      return MIN (distance, n_members - distance) <= (n_members / 2 + 1) / 2;
    }
  g_assert_not_reached ();
}

gboolean
partitions_set_hearing (Partitions *partitions, Deafness deafness, const PhraseValues *values)
{
  World *world = partitions->world;
  gint n_members = (gint) world->options->members;

  if (deafness == DEAF_IN_A_CIRCLE
          ? n_members < 4
          : values->member < 0 || values->other < 0 || values->member >= n_members
                || values->other >= n_members || values->member == values->other)
    return FALSE;
  partitions->for_ever = values->duration_us == PHRASE_EVER;
  partitions->deafness = deafness;
  partitions->deaf = (guint) values->member;
  partitions->unheard = (guint) values->other;
  for (guint i = 0; i < world->options->members; i++)
    partitions->components[i] = 0;
  world_add_fault (world, "hearing", deafness);
  sim_network_set_hearing (world->network, hears, partitions,
                           world->shape.network.detection_us + AGAIN_US_MIN,
                           world->shape.network.detection_us + AGAIN_US_MAX);
  changed (partitions);
  mark_minorities (partitions);
  return TRUE;
}

/* Rings form anew by themselves. */
void
partitions_look (Partitions *partitions)
{
  World *world = partitions->world;
  gboolean differ = FALSE;

  if (partitions->deafness == DEAF_NOT)
    return;
  for (guint i = 0; i < world->options->members; i++)
    {
      guint ring = sim_network_ring_of (world->network, i + 1);

      differ = differ || ring != partitions->rings[i];
      partitions->rings[i] = ring;
    }
  if (!differ)
    return;
  changed (partitions);
  mark_minorities (partitions);
}

gboolean
partitions_are_parted (const Partitions *partitions)
{
  if (partitions->deafness != DEAF_NOT)
    return TRUE;
  for (guint i = 0; i < partitions->world->options->members; i++)
    if (partitions->components[i] != 0)
      return TRUE;
  return FALSE;
}

gboolean
partitions_heal (Partitions *partitions)
{
  World *world = partitions->world;

  if (!partitions_are_parted (partitions))
    return FALSE;
  for (guint i = 0; i < world->options->members; i++)
    partitions->components[i] = 0;
  partitions->for_ever = FALSE;
  partitions->deafness = DEAF_NOT;
  world_add_fault (world, "heal", 0);
  sim_network_heal (world->network);
  changed (partitions);
  return TRUE;
}

gboolean
partitions_put_to_sleep (Partitions *partitions, guint number, MemberSleep sleep)
{
  SimMember *member = world_member (partitions->world, number);

  if (!sim_member_is_awake (member) || !sim_member_is_up (member))
    return FALSE;
  sim_member_set_sleep (member, sleep);
  changed (partitions);
  return TRUE;
}

gboolean
partitions_wake (Partitions *partitions, guint number)
{
  SimMember *member = world_member (partitions->world, number);

  if (sim_member_is_awake (member))
    return FALSE;
  sim_member_set_sleep (member, MEMBER_AWAKE);
  changed (partitions);
  return TRUE;
}

void
partitions_member_woken (Partitions *partitions)
{
  changed (partitions);
}

void
partitions_disturb (Partitions *partitions, gint64 duration_us)
{
  gint64 until_us
      = duration_us == PHRASE_EVER ? PHRASE_EVER : world_now_us (partitions->world) + duration_us;

  partitions->disturbed_until_us = MAX (partitions->disturbed_until_us, until_us);
}

void
partitions_end (Partitions *partitions)
{
  for (guint i = 0; i < partitions->world->options->members; i++)
    partitions_wake (partitions, i);
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
  partitions->rings = g_new0 (guint, world->options->members);
  return partitions;
}

void
partitions_free (Partitions *partitions)
{
  g_free (partitions->components);
  g_free (partitions->rings);
  g_free (partitions);
}
