/* SPDX-License-Identifier: MIT */
/* From a multicast to its place in the order: it is on its way to its node's daemon (`orders`);
 * there it may have to wait (sim_ring.h); then it is appended to its group's log. With nothing in
 * its way it is appended at once. */
#include "core/base/digest.h"
#include "transport/sim_network_parts.h"

#define PURPOSE_ORDER 2

/* The other sides of a merge may miss what was sent before it was seen (sim_group_misses). */
static guint32
missed_by_others (const Order *order, const SimGroup *group)
{
  if (!group->is_first_view || order->from->joined_at >= group->start
      || order->merge >= group->merge)
    return SIM_MISSED_BY_NOBODY;
  return ++order->from->n_unmet;
}

static void
append_order (const Order *order, gint64 ordered_us)
{
  SimMembership *from = order->from;
  SimGroup *group = sim_membership_log (from);

  switch (order->kind)
    {
    case ORDER_JOIN:
      from->joined_at = group->end;
      from->next = group->end;
      sim_group_append_joined (group, ordered_us, from->member);
      break;
    case ORDER_MESSAGE:
      sim_group_append_message (group, ordered_us, from->member, order->bytes,
                                missed_by_others (order, group));
      break;
    case ORDER_LEAVE:
      sim_group_append_left (group, ordered_us, from->member, VIEW_REASON_LEAVE);
      break;
    case ORDER_END:
      sim_group_append_left (group, ordered_us, from->member, VIEW_REASON_PROCESS_DOWN);
      break;
    }
}

static void
order_free (Order *order)
{
  order->from->n_pending--;
  if (order->bytes != NULL)
    {
      order->from->pending_bytes -= order->bytes->size;
      buffer_unref (order->bytes);
    }
  g_slice_free (Order, order);
}

static void
drop_order (gpointer order, G_GNUC_UNUSED gpointer user_data)
{
  order_free (order);
}

static void
ordered (Order *order, gint64 ordered_us, gpointer user_data)
{
  SimNetwork *network = user_data;
  SimMembership *from = order->from;

  append_order (order, ordered_us);
  order_free (order);
  if (from->told_full)
    {
      from->told_full = FALSE;
      from->writable_us = MIN (from->writable_us, network->time.now_us);
    }
  sim_membership_forget_if_done (from);
}

static gboolean
node_has_some_of (const SimNode *node, const SimMembership *from)
{
  for (const Order *order = node->head; order != NULL; order = order->next)
    if (order->from == from)
      return TRUE;
  return FALSE;
}

static gboolean
has_to_wait (const SimNetwork *network, const SimMembership *from, OrderKind kind)
{
  const SimNode *node = from->node;

  if (network->options.timing.kind == SIM_TIMING_TOKEN_RING
      || sim_ring_is_stalled (node->ring, network->time.now_us))
    return TRUE;
  if (G_LIKELY (!node->paused && node->head == NULL))
    return FALSE;
  /* That it ended does not wait for a node that is paused. */
  return kind != ORDER_END || node_has_some_of (node, from);
}

static void
arrived (SimNetwork *network, Order *order)
{
  SimNode *node = order->from->node;

  if (has_to_wait (network, order->from, order->kind))
    {
      order->arrival = network->n_arrivals++;
      sim_node_queue (node, order, &network->options.timing, network->time.now_us);
    }
  else
    ordered (order, network->time.now_us, network);
}

void
sim_network_send (SimMembership *from, OrderKind kind, Buffer *bytes)
{
  SimNetwork *network = from->network;
  Order order = { .kind = kind, .from = from, .bytes = bytes, .merge = from->group->merge };
  gboolean at_once = network->options.timing.kind == SIM_TIMING_IMMEDIATE;
  gint64 due_us = network->time.now_us;

  if (at_once && !has_to_wait (network, from, kind))
    {
      append_order (&order, due_us);
      return;
    }
  from->n_pending++;
  if (bytes != NULL)
    {
      buffer_ref (bytes);
      from->pending_bytes += bytes->size;
    }
  if (at_once)
    {
      arrived (network, g_slice_dup (Order, &order));
      return;
    }
  due_us += sim_network_latency_us (network,
                                    sim_membership_draw (from, PURPOSE_ORDER, from->n_orders++));
  from->last_order_us = MAX (from->last_order_us, due_us);
  time_heap_push (network->orders, from->last_order_us, 0, from->member,
                  g_slice_dup (Order, &order));
}

void
sim_network_say_goodbye (SimMembership *from)
{
  SimGroup *group = sim_membership_log (from);

  if (sim_group_holds (group, from->member))
    sim_group_append_left (group, from->network->time.now_us, from->member,
                           VIEW_REASON_PROCESS_DOWN);
}

void
sim_network_release (SimNetwork *network, SimNode *node)
{
  sim_node_release (node, &network->options.timing, network->time.now_us, ordered, network);
}

void
sim_network_flush (SimNetwork *network, SimNode *node)
{
  sim_node_flush (node, network->time.now_us, ordered, network);
}

/* --- what is lost ------------------------------------------------------------------------------
 */

static gboolean
drop_if_from (TimeHeapEntry *entry, gpointer from)
{
  Order *order = entry->value;

  if (order->from != from)
    return FALSE;
  order_free (order);
  return TRUE;
}

void
sim_network_drop_orders (SimMembership *from, gboolean daemon_too)
{
  Host *host = sim_host_find (from->network, from->member);

  time_heap_remove_if (from->network->orders, drop_if_from, from);
  if (!daemon_too)
    return;
  sim_node_drop (from->node, from, drop_order);
  for (guint i = host->unseen->len; i-- > 0;)
    {
      Order *order = host->unseen->pdata[i];

      if (order->from != from)
        continue;
      g_ptr_array_remove_index (host->unseen, i);
      order_free (order);
    }
}

void
sim_network_drop_all_orders (SimNetwork *network)
{
  for (guint i = network->hosts->len; i-- > 0;)
    {
      const Host *host = g_ptr_array_index (network->hosts, i);

      for (guint j = host->memberships->len; j-- > 0;)
        {
          SimMembership *membership = g_ptr_array_index (host->memberships, j);

          sim_network_drop_orders (membership, TRUE);
          sim_membership_forget_if_done (membership);
        }
    }
}

void
sim_network_keep_unseen (SimMembership *from)
{
  Order order = { .kind = ORDER_END, .from = from };
  Host *host = sim_host_find (from->network, from->member);

  from->n_pending++;
  g_ptr_array_add (host->unseen, g_slice_dup (Order, &order));
}

gint64
sim_network_show_unseen (SimNetwork *network, Host *host)
{
  gint64 last_us = 0;

  for (guint i = 0; i < host->unseen->len; i++)
    {
      Order *order = host->unseen->pdata[i];
      SimMembership *from = order->from;

      last_us = network->time.now_us
                + sim_network_latency_us (
                    network, sim_membership_draw (from, PURPOSE_ORDER, from->n_orders++));
      /* Whoever comes back, now or once more, is behind it. */
      from->last_order_us = MAX (from->last_order_us, last_us);
      time_heap_push (network->orders, last_us, 0, host->member, order);
    }
  g_ptr_array_set_size (host->unseen, 0);
  if (network->options.timing.kind == SIM_TIMING_IMMEDIATE)
    sim_network_order_early (network, last_us);
  return last_us;
}

/* --- time --------------------------------------------------------------------------------------
 */

static SimRing *
soonest_ring (const SimNetwork *network, gint64 *ret_us)
{
  SimRing *soonest = NULL;

  *ret_us = G_MAXINT64;
  for (guint i = 0; i < network->rings->len; i++)
    {
      SimRing *ring = network->rings->pdata[i];
      gint64 next_us = sim_ring_next_us (ring, &network->options.timing);

      if (next_us >= *ret_us)
        continue;
      *ret_us = next_us;
      soonest = ring;
    }
  return soonest;
}

static gint64
head_us (const SimNetwork *network)
{
  const TimeHeapEntry *head = time_heap_peek (network->orders);

  return head == NULL ? G_MAXINT64 : head->time_us;
}

gint64
sim_network_next_order_us (SimNetwork *network)
{
  gint64 ring_us;

  soonest_ring (network, &ring_us);
  return MIN (MIN (head_us (network), ring_us), MIN (network->form_us, network->choose_us));
}

/* At one time: rings form, what was sent arrives, what waits is ordered. */
void
sim_network_order (SimNetwork *network, gint64 horizon_us)
{
  g_assert (network->depth == 0);
  sim_network_trim (network);
  for (;;)
    {
      gint64 order_us = head_us (network), ring_us, next_us;
      SimRing *ring = soonest_ring (network, &ring_us);

      next_us = MIN (MIN (order_us, ring_us), MIN (network->form_us, network->choose_us));
      if (next_us > horizon_us || next_us == G_MAXINT64)
        return;
      network->time.now_us = MAX (network->time.now_us, next_us);
      if (next_us == network->form_us)
        sim_network_form (network);
      else if (next_us == network->choose_us)
        sim_network_choose (network);
      else if (next_us == order_us)
        arrived (network, time_heap_pop (network->orders).value);
      else
        sim_ring_order (ring, &network->options.timing, next_us, ordered, network);
    }
}

void
sim_network_order_early (SimNetwork *network, gint64 horizon_us)
{
  while (head_us (network) <= horizon_us && time_heap_size (network->orders) > 0)
    arrived (network, time_heap_pop (network->orders).value);
}
