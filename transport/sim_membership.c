/* SPDX-License-Identifier: MIT */
#include "transport/sim_membership.h"
#include "core/base/digest.h"
#include "core/base/error.h"

#define PURPOSE_LAG 1

SimMembership *
sim_membership_new (SimNetwork *network, SimTime *time, MemberId member)
{
  SimMembership *membership = g_new0 (SimMembership, 1);

  membership->network = network;
  membership->time = time;
  membership->member = membership->transport.self = member;
  membership->joined_at = SIM_NOT_ORDERED;
  membership->limit = SIM_NO_LIMIT;
  membership->writable_us = G_MAXINT64;
  membership->inbox = g_array_new (FALSE, FALSE, sizeof (SimDirected));
  return membership;
}

void
sim_membership_free (SimMembership *membership)
{
  sim_membership_drop_directed (membership, NULL);
  g_array_unref (membership->inbox);
  g_clear_pointer (&membership->group, sim_group_unref);
  g_clear_pointer (&membership->later, g_ptr_array_unref);
  g_free (membership);
}

static void
group_unref (gpointer data)
{
  sim_group_unref (data);
}

void
sim_membership_replace_log (SimMembership *membership, SimGroup *from, SimGroup *to)
{
  g_assert (sim_membership_log (membership) == from);
  sim_group_ref (to);
  if (membership->later == NULL)
    membership->group = to;
  else
    membership->later->pdata[membership->later->len - 1] = to;
  sim_group_unref (from);
}

void
sim_membership_add_log (SimMembership *membership, SimGroup *group)
{
  if (membership->later == NULL)
    membership->later = g_ptr_array_new_with_free_func (group_unref);
  g_ptr_array_add (membership->later, sim_group_ref (group));
}

/* What it read is at its end: a partition or a merge has come in between. */
static void
turn_over (SimMembership *membership)
{
  sim_group_unref (membership->group);
  membership->group = g_ptr_array_steal_index (membership->later, 0);
  if (membership->later->len == 0)
    g_clear_pointer (&membership->later, g_ptr_array_unref);
  membership->next = membership->group->first;
  membership->lag_until = 0;
}

guint64
sim_membership_draw (const SimMembership *membership, guint64 purpose, guint64 index)
{
  return digest_combine (digest_combine (membership->seed, purpose), index);
}

/* --- when ------------------------------------------------------------------------------- */

static void
draw_lag (SimMembership *membership)
{
  guint64 stretch = membership->next / SIM_LAG_STRETCH;

  if (membership->lag_us_max == 0)
    {
      membership->lag_us = 0;
      membership->lag_until = G_MAXUINT64;
      return;
    }
  membership->lag_us
      = membership->lag_us_min
        + (gint64) (sim_membership_draw (membership, PURPOSE_LAG, stretch)
                    % (guint64) (membership->lag_us_max - membership->lag_us_min + 1));
  membership->lag_until = (stretch + 1) * SIM_LAG_STRETCH;
}

static inline gint64
item_due_us (SimMembership *membership, const SimItem *item)
{
  gint64 due_us = item->ordered_us;

  if (G_UNLIKELY (membership->next >= membership->lag_until))
    draw_lag (membership);
  if (membership->remote_us > 0
      && (item->view != NULL || !member_id_equal (item->message.sender, membership->member)))
    due_us += membership->remote_us;
  return MAX (membership->last_us, due_us + membership->lag_us);
}

static inline gint64
log_due_us (SimMembership *membership)
{
  if (membership->next >= sim_membership_read_end (membership))
    return G_MAXINT64;
  return item_due_us (membership, sim_group_item (membership->group, membership->next));
}

/* Not before its own first view, and not before it has seen the sender join, or meet it. */
static gint64
inbox_due_us (const SimMembership *membership)
{
  const SimDirected *head;

  if (membership->inbox->len == 0 || membership->limit != SIM_NO_LIMIT)
    return G_MAXINT64;
  head = &g_array_index (membership->inbox, SimDirected, 0);
  if (membership->next <= MAX (membership->joined_at, head->from->joined_at)
      || membership->next < head->not_before)
    return G_MAXINT64;
  return MAX (membership->last_us, head->due_us);
}

static gint64
writable_due_us (const SimMembership *membership)
{
  if (membership->writable_us == G_MAXINT64 || membership->next <= membership->joined_at)
    return G_MAXINT64;
  return MAX (membership->last_us, membership->writable_us);
}

gint64
sim_membership_next_us (SimMembership *membership)
{
  gint64 log_us, inbox_us, writable_us;

  if (membership->paused || membership->hung)
    return G_MAXINT64;
  if (membership->fails)
    return membership->last_us;
  if (!sim_membership_reads (membership))
    return G_MAXINT64;
  log_us = log_due_us (membership);
  if (G_LIKELY (membership->inbox->len == 0 && membership->writable_us == G_MAXINT64))
    return log_us;
  inbox_us = inbox_due_us (membership);
  writable_us = writable_due_us (membership);
  return MIN (log_us, MIN (inbox_us, writable_us));
}

/* --- consuming ---------------------------------------------------------------------------- */

/* A log that ends while others follow ends with a view. */
static void
consume_view (SimMembership *membership, const View *view)
{
  SimGroup *group = sim_group_ref (membership->group);

  membership->view_end = membership->next;
  if (membership->next == group->end && membership->later != NULL)
    turn_over (membership);
  membership->transport.listener->view_changed (membership->transport.user_data, view);
  sim_group_unref (group);
}

/* The cursor moves before the listener is called: what it looks at from inside is already past. */
static inline void
consume_item (SimMembership *membership, const SimItem *item, gint64 due_us)
{
  const TransportListener *listener = membership->transport.listener;

  membership->next++;
  membership->last_us = due_us;
  membership->time->now_us = due_us;
  if (G_UNLIKELY (item->missed != SIM_MISSED_BY_NOBODY
                  && sim_group_misses (membership->group, item, membership->member)))
    return;
  if (G_LIKELY (item->view == NULL))
    listener->delivered (membership->transport.user_data, &item->message);
  else
    consume_view (membership, item->view);
}

static void
consume_directed (SimMembership *membership, gint64 due_us)
{
  SimDirected directed = g_array_index (membership->inbox, SimDirected, 0);
  MessageCache cache = { 0 };
  TransportMessage message = {
    .sender = directed.from->member,
    .directed = TRUE,
    .bytes = directed.bytes,
    .cache = &cache,
  };

  g_array_remove_index (membership->inbox, 0);
  membership->last_us = due_us;
  membership->time->now_us = due_us;
  membership->transport.listener->delivered (membership->transport.user_data, &message);
  if (cache.value != NULL && cache.destroy != NULL)
    cache.destroy (cache.value);
  buffer_unref (directed.bytes);
}

/* Items of the log only, as long as nothing else could come between them. */
static guint
consume_stretch (SimMembership *membership, gint64 horizon_us, guint budget)
{
  guint count = 0;

  while (count < budget && membership->next < sim_membership_read_end (membership)
         && membership->inbox->len == 0 && membership->writable_us == G_MAXINT64
         && !membership->transport.over)
    {
      const SimItem *item = sim_group_item (membership->group, membership->next);
      gint64 due_us = item_due_us (membership, item);

      if (due_us > horizon_us)
        break;
      consume_item (membership, item, due_us);
      count++;
    }
  return count;
}

/* The next event of any sort; at one time: log, directed, writable. */
static gboolean
consume_one (SimMembership *membership, gint64 horizon_us)
{
  gint64 log_us, inbox_us, writable_us;

  /* Then consume_stretch has taken what the log has. */
  if (membership->inbox->len == 0 && membership->writable_us == G_MAXINT64)
    return FALSE;
  log_us = log_due_us (membership);
  inbox_us = inbox_due_us (membership);
  writable_us = writable_due_us (membership);
  if (MIN (log_us, MIN (inbox_us, writable_us)) > horizon_us)
    return FALSE;
  if (log_us != G_MAXINT64 && log_us <= MIN (inbox_us, writable_us))
    consume_item (membership, sim_group_item (membership->group, membership->next), log_us);
  else if (inbox_us != G_MAXINT64 && inbox_us <= writable_us)
    consume_directed (membership, inbox_us);
  else if (writable_us != G_MAXINT64)
    {
      membership->writable_us = G_MAXINT64;
      membership->time->now_us = writable_us;
      membership->transport.listener->writable (membership->transport.user_data);
    }
  else
    return FALSE;
  return TRUE;
}

void
sim_membership_fail (SimMembership *membership)
{
  membership->gone = TRUE;
  membership->fails = !membership->transport.over;
  membership->last_us = MAX (membership->last_us, membership->time->now_us);
}

static void
consume_failure (SimMembership *membership)
{
  g_autoptr (GError) error = NULL;

  membership->fails = FALSE;
  membership->transport.over = TRUE;
  membership->time->now_us = membership->last_us;
  system_error (&error, SYSTEM_ERROR_TRANSPORT, "the group's daemon is gone");
  membership->transport.listener->failed (membership->transport.user_data, error);
}

guint
sim_membership_consume (SimMembership *membership, gint64 horizon_us, guint budget)
{
  guint count = 0;

  if (membership->paused || membership->hung)
    return 0;
  if (membership->fails && budget > 0 && membership->last_us <= horizon_us)
    {
      consume_failure (membership);
      count++;
    }
  while (count < budget && sim_membership_reads (membership))
    {
      count += consume_stretch (membership, horizon_us, budget - count);
      if (count == budget || !sim_membership_reads (membership)
          || !consume_one (membership, horizon_us))
        break;
      count++;
    }
  membership->time->deliveries += count;
  return count;
}

/* --- directed messages ---------------------------------------------------------------------- */

void
sim_membership_put_directed (SimMembership *membership, SimMembership *from, gint64 due_us,
                             Buffer *bytes)
{
  SimDirected directed = {
    .not_before = sim_membership_log (from)->start,
    .from = from,
    .bytes = buffer_ref (bytes),
  };
  guint place;

  for (guint i = 0; i < membership->inbox->len; i++)
    {
      const SimDirected *waiting = &g_array_index (membership->inbox, SimDirected, i);

      if (waiting->from == from)
        due_us = MAX (due_us, waiting->due_us);
    }
  directed.due_us = due_us;
  for (place = membership->inbox->len; place > 0; place--)
    {
      const SimDirected *before = &g_array_index (membership->inbox, SimDirected, place - 1);

      if (before->due_us < due_us
          || (before->due_us == due_us
              && member_id_compare (before->from->member, from->member) <= 0))
        break;
    }
  g_array_insert_val (membership->inbox, place, directed);
}

void
sim_membership_drop_directed (SimMembership *membership, const SimMembership *from)
{
  for (guint i = membership->inbox->len; i-- > 0;)
    {
      SimDirected *directed = &g_array_index (membership->inbox, SimDirected, i);

      if (from != NULL && directed->from != from)
        continue;
      buffer_unref (directed->bytes);
      g_array_remove_index (membership->inbox, i);
    }
}
