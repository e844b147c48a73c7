/* SPDX-License-Identifier: MIT */
/* What becomes of the logs when other rings form, as Totem does it: first every side loses those
 * that are not with it any more, then sides that are together now meet (sim_group_sides.c). Logs
 * that end so are read to their end by who has not got there yet. */
#include "core/base/digest.h"
#include "transport/sim_network_parts.h"

#define PURPOSE_CUT   4
#define PURPOSE_MERGE 6

static guint64
draw (const SimNetwork *network, guint64 purpose, guint64 index)
{
  guint64 number = digest_combine (network->options.seed, purpose);

  return digest_combine (digest_combine (number, network->n_partitions), index);
}

typedef struct Inside
{
  const SimNetwork *network;
  guint component;
} Inside;

static gboolean
is_inside (MemberId member, gconstpointer user_data)
{
  const Inside *inside = user_data;

  return sim_node_find (inside->network, member.node_id)->wanted == inside->component;
}

/* --- splitting ------------------------------------------------------------------------------ */

/* Where that side's log parts from the whole one, and from where it is still read. */
static void
find_cut (SimNetwork *network, const SimGroup *whole, const Inside *inside, guint64 *ret_from,
          guint64 *ret_cut)
{
  guint64 consumed = MAX (whole->first, whole->settled);
  guint64 from = whole->end;
  guint64 limit = SIM_NO_LIMIT;
  guint64 number = draw (network, PURPOSE_CUT, digest_combine (whole->index, inside->component));
  SimMembership *membership;

  for_each_membership (network, membership)
  {
    if (sim_membership_log (membership) != whole || !sim_membership_reads (membership)
        || !is_inside (membership->member, inside))
      continue;
    from = MIN (from, MAX (membership->next, whole->first));
    limit = MIN (limit, membership->limit);
    if (membership->next > membership->joined_at)
      consumed = MAX (consumed, membership->next);
  }
  for (guint i = 0; i < whole->ended->len; i++)
    {
      const SimEnded *ended = &g_array_index (whole->ended, SimEnded, i);

      if (is_inside ((MemberId){ ended->node_id, 0 }, inside))
        consumed = MAX (consumed, ended->consumed);
    }
  *ret_cut = consumed;
  /* It was decided when the loss was not known yet. What is forgotten since nobody inside reads. */
  if (limit != SIM_NO_LIMIT)
    *ret_cut = MAX (limit, whole->first);
  else if (number % 3 == 1)
    *ret_cut = whole->end;
  else if (number % 3 == 2)
    *ret_cut += number / 3 % (whole->end - consumed + 1);
  *ret_from = MIN (from, *ret_cut);
}

static void
split_off (SimNetwork *network, SimGroup *whole, guint component)
{
  const Inside inside = { network, component };
  SimMembership *membership;
  SimGroup *side;
  guint64 from, cut;

  find_cut (network, whole, &inside, &from, &cut);
  side = sim_group_new_side (whole, component, sim_network_ring (network, component)->id, from, cut,
                             is_inside, &inside, component >= SIM_ALONE, network->time.now_us);
  for_each_membership (network, membership)
  {
    if (sim_membership_log (membership) != whole || !is_inside (membership->member, &inside))
      continue;
    sim_membership_replace_log (membership, whole, side);
    if (membership->joined_at < cut || !sim_membership_reads (membership))
      continue;
    /* Its join was put off. */
    membership->joined_at = membership->next = sim_group_find_joined (side, membership->member);
    membership->lag_until = 0;
  }
  for (guint i = 0; i < whole->ended->len; i++)
    {
      const SimEnded *ended = &g_array_index (whole->ended, SimEnded, i);

      if (is_inside ((MemberId){ ended->node_id, 0 }, &inside))
        g_array_append_val (side->ended, *ended);
    }
  g_ptr_array_add (network->groups, side);
}

/* Those of its members, and of those that will be. */
static GArray *
components_of (SimNetwork *network, const SimGroup *group)
{
  GArray *components = g_array_new (FALSE, FALSE, sizeof (guint));
  SimMembership *membership;

  for_each_membership (network, membership)
  {
    guint component = membership->node->wanted;
    gboolean is_there = FALSE;

    if (sim_membership_log (membership) != group)
      continue;
    for (guint i = 0; i < components->len; i++)
      is_there = is_there || g_array_index (components, guint, i) == component;
    if (!is_there)
      g_array_append_val (components, component);
  }
  return components;
}

static void
retire (SimNetwork *network, SimGroup *group)
{
  network->retired_hash = digest_combine (network->retired_hash, group->hash);
  g_ptr_array_remove (network->groups, group);
}

/* All that it holds, and all that read it, are in that one component. */
static gboolean
stays_whole (const SimNetwork *network, const SimGroup *group, const GArray *components)
{
  Inside inside = { network, 0 };

  if (components->len > 1 || (components->len == 0 && group->members->len > 0))
    return FALSE;
  inside.component = components->len == 0 ? 0 : g_array_index (components, guint, 0);
  for (guint i = 0; i < group->members->len; i++)
    if (!is_inside (g_array_index (group->members, MemberId, i), &inside))
      return FALSE;
  return TRUE;
}

static gboolean
is_on_node (MemberId member, gconstpointer node)
{
  return member.node_id == ((const SimNode *) node)->node_id;
}

void
sim_network_tell_loss (SimNetwork *network, const SimNode *node, RingId ring)
{
  for (guint i = 0; i < network->groups->len; i++)
    {
      SimGroup *group = g_ptr_array_index (network->groups, i);

      if (group->component != (SIM_ALONE | node->node_id) || !group->owes_loss)
        continue;
      group->owed_ring = ring;
      sim_group_append_lost (group, is_on_node, node, network->time.now_us);
    }
}

/* Those that are scheduled again and did not know that they were alone: it is over. */
static void
tell_losses (SimNetwork *network)
{
  for (guint i = 0; i < network->nodes->len; i++)
    {
      const SimNode *node = network->nodes->pdata[i];

      if (!node->paused && !node->down)
        sim_network_tell_loss (network, node, node->ring->id);
    }
}

static void
split (SimNetwork *network)
{
  guint n_left = network->groups->len;
  guint i = 0;

  /* New logs are put behind those that are still to be looked at. */
  for (; n_left > 0; n_left--)
    {
      SimGroup *group = g_ptr_array_index (network->groups, i);
      g_autoptr (GArray) components = components_of (network, group);

      if (stays_whole (network, group, components))
        {
          if (components->len == 1)
            {
              group->component = g_array_index (components, guint, 0);
              group->ring = sim_network_ring (network, group->component)->id;
            }
          i++;
          continue;
        }
      for (guint j = 0; j < components->len; j++)
        split_off (network, group, g_array_index (components, guint, j));
      retire (network, group);
    }
}

void
sim_network_freeze (SimNetwork *network, const SimRing *ring)
{
  SimMembership *membership;

  for_each_membership (network, membership)
  {
    const Inside inside = { network, membership->node->wanted };
    guint64 from;

    if (membership->node->ring == ring)
      find_cut (network, sim_membership_log (membership), &inside, &from, &membership->limit);
  }
}

void
sim_network_unfreeze (SimNetwork *network)
{
  SimMembership *membership;

  for_each_membership (network, membership) membership->limit = SIM_NO_LIMIT;
}

/* --- merging ---------------------------------------------------------------------------------- */

/* Who has that log as the last one. */
static void
move_all (SimNetwork *network, SimGroup *from, SimGroup *to, gboolean has_met)
{
  SimMembership *membership;

  for_each_membership (network, membership)
  {
    if (sim_membership_log (membership) != from)
      continue;
    membership->n_unmet = 0;
    if (has_met && membership->joined_at != SIM_NOT_ORDERED)
      sim_membership_add_log (membership, to);
    else
      sim_membership_replace_log (membership, from, to);
  }
}

static void
merge (SimNetwork *network, GPtrArray *sides)
{
  g_autoptr (GPtrArray) met = g_ptr_array_new ();
  SimGroup *group;

  for (guint i = 0; i < sides->len; i++)
    {
      group = g_ptr_array_index (sides, i);
      if (group->members->len > 0)
        g_ptr_array_add (met, group);
    }
  group = g_ptr_array_index (met->len > 0 ? met : sides, 0);
  if (met->len > 1)
    {
      group = sim_group_new_merged (met, sim_network_ring (network, group->component)->id,
                                    draw (network, PURPOSE_MERGE, group->index),
                                    network->time.now_us);
      group->merge = ++network->n_merges;
      g_ptr_array_add (network->groups, group);
    }
  for (guint i = 0; i < sides->len; i++)
    {
      SimGroup *side = g_ptr_array_index (sides, i);

      if (side == group)
        continue;
      move_all (network, side, group, side->members->len > 0);
      retire (network, side);
    }
}

/* What is in one component now: the first log of it and all others. */
static void
merge_all (SimNetwork *network)
{
  guint i = 0;

  while (i < network->groups->len)
    {
      const SimGroup *group = g_ptr_array_index (network->groups, i);
      g_autoptr (GPtrArray) sides = g_ptr_array_new ();

      for (guint j = i; j < network->groups->len; j++)
        {
          SimGroup *other = g_ptr_array_index (network->groups, j);

          if (other->index == group->index && other->component == group->component)
            g_ptr_array_add (sides, other);
        }
      if (sides->len == 1)
        i++;
      else
        merge (network, sides);
    }
}

/* --- all of it ---------------------------------------------------------------------------------
 */

static void
drop_directed_between_sides (SimNetwork *network)
{
  SimMembership *membership;

  for_each_membership (network, membership)
  {
    for (guint i = membership->inbox->len; i-- > 0;)
      {
        const SimMembership *from = g_array_index (membership->inbox, SimDirected, i).from;

        if (sim_membership_log (from) == sim_membership_log (membership))
          continue;
        sim_membership_drop_directed (membership, from);
        i = membership->inbox->len;
      }
  }
}

void
sim_network_divide_logs (SimNetwork *network)
{
  sim_network_place_nodes (network);
  tell_losses (network);
  split (network);
  sim_network_unfreeze (network);
  drop_directed_between_sides (network);
  merge_all (network);
}
