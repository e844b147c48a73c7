/* SPDX-License-Identifier: MIT */
/* Who hears whom. A change of components is done as Totem does it: first every side loses those
 * that are not with it any more, then sides that are together now meet (sim_group_sides.c). Logs
 * that end so are read to their end by who has not got there yet. */
#include "core/base/digest.h"
#include "transport/sim_network_parts.h"

#define PURPOSE_CUT   4
#define PURPOSE_EARLY 5
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

  return sim_network_component (inside->network, member) == inside->component;
}

/* --- memberships ---------------------------------------------------------------------------- */

/* NULL for the first; NULL: no more. */
static SimMembership *
next_membership (SimNetwork *network, guint *host, guint *index)
{
  for (; *host < network->hosts->len; (*host)++, *index = 0)
    {
      const Host *at = g_ptr_array_index (network->hosts, *host);

      while (*index < at->memberships->len)
        {
          SimMembership *membership = g_ptr_array_index (at->memberships, (*index)++);

          if (membership->group != NULL)
            return membership;
        }
    }
  return NULL;
}

#define for_each_membership(network, membership)                                                   \
  for (guint host_ = 0, index_ = 0;                                                                \
       ((membership) = next_membership (network, &host_, &index_)) != NULL;)

/* --- splitting ------------------------------------------------------------------------------ */

/* Where that side's log parts from the whole one, and from where it is still read. */
static void
find_cut (SimNetwork *network, const SimGroup *whole, const Inside *inside, guint64 *ret_from,
          guint64 *ret_cut)
{
  guint64 consumed = MAX (whole->first, whole->settled);
  guint64 from = whole->end;
  guint64 number = draw (network, PURPOSE_CUT, digest_combine (whole->index, inside->component));
  SimMembership *membership;

  for_each_membership (network, membership)
  {
    if (sim_membership_log (membership) != whole || !sim_membership_reads (membership)
        || !is_inside (membership->member, inside))
      continue;
    from = MIN (from, MAX (membership->next, whole->first));
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
  if (number % 3 == 1)
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
  side = sim_group_new_side (whole, component, from, cut, is_inside, &inside, network->time.now_us);
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
    guint component = sim_network_component (network, membership->member);
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
  network->retired_views = MAX (network->retired_views, group->n_views);
  g_ptr_array_remove (network->groups, group);
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

      if (components->len == 1)
        {
          group->component = g_array_index (components, guint, 0);
          i++;
          continue;
        }
      for (guint j = 0; j < components->len; j++)
        split_off (network, group, g_array_index (components, guint, j));
      retire (network, group);
    }
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
      group = sim_group_new_merged (met, draw (network, PURPOSE_MERGE, group->index),
                                    network->time.now_us);
      g_ptr_array_add (network->groups, group);
    }
  for (guint i = 0; i < sides->len; i++)
    {
      SimGroup *side = g_ptr_array_index (sides, i);

      if (side == group)
        continue;
      group->n_views = MAX (group->n_views, side->n_views);
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

/* --- the calls ----------------------------------------------------------------------------------
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

/* Whoever meets whom from here on, no ring has the id of a former one: sides are distinct, and
 * count on from where the furthest is. */
static void
count_on_together (SimNetwork *network)
{
  guint64 n_views = network->retired_views;

  for (guint i = 0; i < network->groups->len; i++)
    n_views = MAX (n_views, ((const SimGroup *) g_ptr_array_index (network->groups, i))->n_views);
  for (guint i = 0; i < network->groups->len; i++)
    ((SimGroup *) g_ptr_array_index (network->groups, i))->n_views = n_views;
}

static void
change_components (SimNetwork *network, SimComponentOf component_of, gpointer user_data)
{
  g_assert (network->depth == 0);
  network->n_partitions++;
  /* What is on its way may still have its place before the gap, or past it. */
  if (component_of != NULL && network->options.order_us_max > 0)
    sim_network_order_early (network, network->time.now_us
                                          + (gint64) (draw (network, PURPOSE_EARLY, 0)
                                                      % (guint64) network->options.order_us_max));
  count_on_together (network);
  network->component_of = component_of;
  network->component_data = user_data;
  split (network);
  drop_directed_between_sides (network);
  merge_all (network);
}

void
sim_network_partition (SimNetwork *network, SimComponentOf component_of, gpointer user_data)
{
  g_assert (component_of != NULL);
  change_components (network, component_of, user_data);
}

void
sim_network_heal (SimNetwork *network)
{
  change_components (network, NULL, NULL);
}

void
sim_host_hold (Host *host, gint64 time_us, const Order *order)
{
  TimeHeapEntry entry = {
    .time_us = time_us,
    .member = host->member,
    .value = g_memdup2 (order, sizeof *order),
  };

  g_array_append_val (host->held, entry);
}

static gboolean
hold_if_its_own (TimeHeapEntry *entry, gpointer data)
{
  Host *host = data;
  const Order *order = entry->value;

  if (!member_id_equal (entry->member, host->member) || order->kind == ORDER_END)
    return FALSE;
  g_array_append_val (host->held, *entry);
  return TRUE;
}

static gint
compare_sequences (gconstpointer a, gconstpointer b)
{
  const TimeHeapEntry *first = a, *second = b;

  return first->sequence < second->sequence ? -1 : first->sequence > second->sequence;
}

static void
host_resume (SimNetwork *network, Host *host)
{
  for (guint i = 0; i < host->held->len; i++)
    {
      const TimeHeapEntry *entry = &g_array_index (host->held, TimeHeapEntry, i);

      time_heap_push (network->orders, MAX (entry->time_us, network->time.now_us), entry->kind,
                      entry->member, entry->value);
    }
  g_array_set_size (host->held, 0);
}

void
sim_network_resume_all (SimNetwork *network)
{
  for (guint i = 0; i < network->hosts->len; i++)
    host_resume (network, g_ptr_array_index (network->hosts, i));
}

void
sim_network_pause (SimNetwork *network, MemberId member, gboolean paused)
{
  Host *host = sim_host_find (network, member);

  g_assert (network->depth == 0);
  if (host == NULL || host->paused == paused)
    return;
  host->paused = paused;
  for (guint i = 0; i < host->memberships->len; i++)
    {
      SimMembership *membership = g_ptr_array_index (host->memberships, i);

      membership->paused = paused;
      membership->last_us = MAX (membership->last_us, network->time.now_us);
    }
  if (paused)
    {
      time_heap_remove_if (network->orders, hold_if_its_own, host);
      g_array_sort (host->held, compare_sequences);
      return;
    }
  host_resume (network, host);
  if (network->options.order_us_max == 0)
    sim_network_order_early (network, network->time.now_us);
}
