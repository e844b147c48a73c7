/* SPDX-License-Identifier: MIT */
/* Three steps between a multicast and its delivery: it waits in `orders` for its place (so do
 * joins, leaves and ends), it is appended to its group's log, each member's cursor passes it
 * (sim_membership.c). Without ordering latencies the first step is left out. */
#include "transport/sim_network_parts.h"
#include "core/base/digest.h"
#include "core/base/error.h"

#define PURPOSE_ORDER    2
#define PURPOSE_DIRECTED 3

static void
host_free (gpointer data)
{
  Host *host = data;

  g_ptr_array_unref (host->memberships);
  g_array_unref (host->held);
  g_free (host);
}

static void
group_free (gpointer data)
{
  sim_group_unref (data);
}

SimNetworkOptions
sim_network_options_immediate (void)
{
  return (SimNetworkOptions){ .members_max = LIMIT_GROUP_MEMBERS };
}

SimNetwork *
sim_network_new (const SimNetworkOptions *options)
{
  SimNetwork *network = g_new0 (SimNetwork, 1);

  g_assert (options->order_us_min >= 0 && options->order_us_min <= options->order_us_max);
  g_assert (options->lag_us_min >= 0 && options->lag_us_min <= options->lag_us_max);
  network->options = *options;
  network->hosts = g_ptr_array_new_with_free_func (host_free);
  network->groups = g_ptr_array_new_with_free_func (group_free);
  network->names = g_ptr_array_new_with_free_func (g_free);
  network->orders = time_heap_new ();
  return network;
}

/* The index of the first host that is not before `member`. */
static guint
host_place (const SimNetwork *network, MemberId member)
{
  guint low = 0;
  guint high = network->hosts->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const Host *host = g_ptr_array_index (network->hosts, middle);

      if (member_id_compare (host->member, member) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

Host *
sim_host_find (const SimNetwork *network, MemberId member)
{
  guint place = host_place (network, member);
  Host *host;

  if (place == network->hosts->len)
    return NULL;
  host = g_ptr_array_index (network->hosts, place);
  return member_id_equal (host->member, member) ? host : NULL;
}

Host *
sim_host_next (const SimNetwork *network, const Host *host)
{
  guint place;

  if (host == NULL)
    return network->hosts->len == 0 ? NULL : g_ptr_array_index (network->hosts, 0);
  place = host_place (network, host->member) + 1;
  return place < network->hosts->len ? g_ptr_array_index (network->hosts, place) : NULL;
}

static guint
index_of_name (SimNetwork *network, const char *name)
{
  for (guint i = 0; i < network->names->len; i++)
    if (g_str_equal (g_ptr_array_index (network->names, i), name))
      return i;
  g_ptr_array_add (network->names, g_strdup (name));
  return network->names->len - 1;
}

SimGroup *
sim_network_log (SimNetwork *network, const char *name, guint component)
{
  guint64 n_views = network->retired_views;
  SimGroup *group;

  for (guint i = 0; i < network->groups->len; i++)
    {
      group = g_ptr_array_index (network->groups, i);
      n_views = MAX (n_views, group->n_views);
      if (group->component == component && g_str_equal (group->name, name))
        return group;
    }
  group = sim_group_new (name, index_of_name (network, name), component);
  /* Where nothing was ever partitioned each group counts its own views. */
  group->n_views = network->n_partitions == 0 ? 0 : n_views;
  g_ptr_array_add (network->groups, group);
  return group;
}

/* --- the order ------------------------------------------------------------------------------ */

/* The other sides of a merge may miss what was sent before it was seen (sim_group_misses). */
static guint32
missed_by_others (Order *order, const SimGroup *group)
{
  if (!group->is_first_view || order->from->joined_at >= group->start
      || order->sent_at >= group->start)
    return SIM_MISSED_BY_NOBODY;
  return ++order->from->n_unmet;
}

static void
forget_if_done (SimMembership *membership)
{
  Host *host;

  if (!membership->handle_freed || membership->n_pending > 0)
    return;
  host = sim_host_find (membership->network, membership->member);
  g_ptr_array_remove (host->memberships, membership);
  sim_membership_free (membership);
}

static void
append_order (SimNetwork *network, Order *order)
{
  SimMembership *from = order->from;
  SimGroup *group = sim_membership_log (from);
  gint64 now_us = network->time.now_us;

  switch (order->kind)
    {
    case ORDER_JOIN:
      from->joined_at = group->end;
      from->next = group->end;
      sim_group_append_joined (group, now_us, from->member);
      break;
    case ORDER_MESSAGE:
      sim_group_append_message (group, now_us, from->member, order->bytes,
                                missed_by_others (order, group));
      break;
    case ORDER_LEAVE:
      sim_group_append_left (group, now_us, from->member, VIEW_REASON_LEAVE);
      break;
    case ORDER_END:
      sim_group_append_left (group, now_us, from->member, VIEW_REASON_PROCESS_DOWN);
      break;
    }
}

static void
send_order (SimMembership *from, OrderKind kind, Buffer *bytes)
{
  SimNetwork *network = from->network;
  const SimNetworkOptions *options = &network->options;
  Order order = { .kind = kind, .from = from, .bytes = bytes, .sent_at = from->next };
  gint64 order_us;

  if (options->order_us_max == 0 && (!from->paused || kind == ORDER_END))
    {
      append_order (network, &order);
      return;
    }
  order_us = network->time.now_us
             + sim_membership_draw_us (from, PURPOSE_ORDER, from->n_orders++, options->order_us_min,
                                       options->order_us_max);
  from->last_order_us = MAX (from->last_order_us, order_us);
  from->n_pending++;
  if (bytes != NULL)
    {
      buffer_ref (bytes);
      from->pending_bytes += bytes->size;
    }
  /* That it ended does not wait for it. */
  if (from->paused && kind != ORDER_END)
    sim_host_hold (sim_host_find (network, from->member), from->last_order_us, &order);
  else
    time_heap_push (network->orders, from->last_order_us, 0, from->member,
                    g_memdup2 (&order, sizeof order));
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
  g_free (order);
}

void
sim_network_trim (SimNetwork *network)
{
  for (guint i = 0; i < network->groups->len; i++)
    {
      SimGroup *group = g_ptr_array_index (network->groups, i);
      guint64 position = group->end;

      if (group->first == group->end)
        continue;
      /* One that still reads what came before this log is before its start. */
      for (Host *host = sim_host_next (network, NULL); host != NULL;
           host = sim_host_next (network, host))
        for (guint j = 0; j < host->memberships->len; j++)
          {
            const SimMembership *reader = g_ptr_array_index (host->memberships, j);

            if (sim_membership_reads (reader) && sim_membership_log (reader) == group)
              position = MIN (position, reader->next);
          }
      sim_group_trim (group, position);
    }
}

static void
order_next (SimNetwork *network)
{
  TimeHeapEntry entry = time_heap_pop (network->orders);
  Order *order = entry.value;
  SimMembership *from = order->from;

  append_order (network, order);
  order_free (order);
  if (from->told_full)
    {
      from->told_full = FALSE;
      from->writable_us = MIN (entry.time_us, network->time.now_us);
    }
  forget_if_done (from);
}

void
sim_network_order (SimNetwork *network, gint64 horizon_us)
{
  const TimeHeapEntry *head;

  g_assert (network->depth == 0);
  sim_network_trim (network);
  while ((head = time_heap_peek (network->orders)) != NULL && head->time_us <= horizon_us)
    {
      network->time.now_us = MAX (network->time.now_us, head->time_us);
      order_next (network);
    }
}

void
sim_network_order_early (SimNetwork *network, gint64 horizon_us)
{
  const TimeHeapEntry *head;

  while ((head = time_heap_peek (network->orders)) != NULL && head->time_us <= horizon_us)
    order_next (network);
}

/* --- the transport's calls ----------------------------------------------------------------------
 */

/* Members, and those that will be. */
static guint
group_load (const SimNetwork *network, const SimGroup *group)
{
  guint load = group->members->len;

  for (guint i = 0; i < network->hosts->len; i++)
    {
      const Host *host = g_ptr_array_index (network->hosts, i);

      for (guint j = 0; j < host->memberships->len; j++)
        {
          const SimMembership *membership = g_ptr_array_index (host->memberships, j);

          if (membership->group != NULL && sim_membership_log (membership) == group
              && membership->joined_at == SIM_NOT_ORDERED && !membership->transport.over)
            load++;
        }
    }
  return load;
}

static gboolean
network_join (Transport *transport, const char *name, GError **error)
{
  SimMembership *self = (SimMembership *) transport;
  SimNetwork *network = self->network;
  SimGroup *group = sim_network_log (network, name, sim_network_component (network, self->member));
  const Host *host = sim_host_find (network, self->member);
  char text[ID_TEXT_SIZE];

  transport->over = TRUE; /* if refused */
  for (guint i = 0; i < host->memberships->len; i++)
    {
      const SimMembership *other = g_ptr_array_index (host->memberships, i);

      if (other->group == NULL || other->group->index != group->index)
        continue;
      if (!other->transport.over)
        return system_error (error, SYSTEM_ERROR_TRANSPORT, "member %s is in group '%s' already",
                             member_id_to_text (self->member, text), name);
      /* Behind the end of its former life. */
      self->last_order_us = MAX (self->last_order_us, other->last_order_us);
    }
  if (network->options.members_max > 0
      && group_load (network, group) >= network->options.members_max)
    return system_error (error, SYSTEM_ERROR_TRANSPORT,
                         "group '%s' is full: it has %u members already", name,
                         network->options.members_max);
  transport->over = FALSE;
  self->group = sim_group_ref (group);
  self->seed = digest_combine (digest_combine (network->options.seed, group->index),
                               (guint64) self->member.node_id << 32 | self->member.process_id);
  self->seed = digest_combine (self->seed, self->life);
  self->lag_us_min = network->options.lag_us_min;
  self->lag_us_max = network->options.lag_us_max;
  send_order (self, ORDER_JOIN, NULL);
  return TRUE;
}

static TransportResult
network_multicast (Transport *transport, Buffer *message)
{
  SimMembership *self = (SimMembership *) transport;
  gsize window = self->network->options.window;

  /* One message always fits, else one larger than the window would wait for ever. */
  if (window > 0 && self->pending_bytes > 0 && self->pending_bytes + message->size > window)
    {
      self->told_full = TRUE;
      return TRANSPORT_FULL;
    }
  send_order (self, ORDER_MESSAGE, message);
  return TRANSPORT_SENT;
}

static TransportResult
network_send_to (Transport *transport, MemberId to, Buffer *message)
{
  SimMembership *self = (SimMembership *) transport;
  SimNetwork *network = self->network;
  const Host *host = sim_host_find (network, to);

  for (guint i = 0; host != NULL && i < host->memberships->len; i++)
    {
      SimMembership *target = g_ptr_array_index (host->memberships, i);
      gint64 latency_us;

      if (!sim_membership_reads (target)
          || sim_membership_log (target) != sim_membership_log (self))
        continue;
      latency_us
          = sim_membership_draw_us (self, PURPOSE_DIRECTED, self->n_directed++,
                                    network->options.order_us_min, network->options.order_us_max);
      sim_membership_put_directed (target, self, network->time.now_us + latency_us, message);
    }
  return TRANSPORT_SENT;
}

/* Directed messages are lost when either end is. */
static void
drop_directed (SimMembership *ended)
{
  for (guint i = 0; i < ended->network->hosts->len; i++)
    {
      Host *host = g_ptr_array_index (ended->network->hosts, i);

      for (guint j = 0; j < host->memberships->len; j++)
        sim_membership_drop_directed (g_ptr_array_index (host->memberships, j), ended);
    }
  sim_membership_drop_directed (ended, NULL);
}

/* Before its first view it had nothing. */
static void
note_ended (const SimMembership *self)
{
  if (self->joined_at != SIM_NOT_ORDERED && self->next > self->joined_at)
    sim_group_note_ended (sim_membership_log (self), self->member, self->next);
}

static void
network_leave (Transport *transport)
{
  SimMembership *self = (SimMembership *) transport;

  drop_directed (self);
  note_ended (self);
  send_order (self, ORDER_LEAVE, NULL);
}

static gboolean
is_order_from (TimeHeapEntry *entry, gpointer data)
{
  Order *order = entry->value;

  if (order->from != data)
    return FALSE;
  order_free (order);
  return TRUE;
}

static void
drop_held (Host *host, SimMembership *from)
{
  for (guint i = host->held->len; i-- > 0;)
    if (is_order_from (&g_array_index (host->held, TimeHeapEntry, i), from))
      g_array_remove_index (host->held, i);
}

/* What it sent and is not ordered is lost; the others see it leave if they ever saw it join. */
static void
membership_end (SimMembership *self)
{
  if (!self->transport.joined || self->transport.over)
    return;
  self->transport.over = TRUE;
  drop_directed (self);
  time_heap_remove_if (self->network->orders, is_order_from, self);
  drop_held (sim_host_find (self->network, self->member), self);
  if (self->joined_at == SIM_NOT_ORDERED)
    return;
  note_ended (self);
  self->last_order_us = 0;
  send_order (self, ORDER_END, NULL);
}

static void
network_free_transport (Transport *transport)
{
  SimMembership *self = (SimMembership *) transport;

  g_assert (self->network->depth == 0);
  membership_end (self);
  self->handle_freed = TRUE;
  forget_if_done (self);
}

static const TransportType sim_transport_type = {
  .name = "sim",
  .join = network_join,
  .multicast = network_multicast,
  .send_to = network_send_to,
  .leave = network_leave,
  .free = network_free_transport,
};

Transport *
sim_network_new_transport (SimNetwork *network, MemberId member)
{
  Host *host = sim_host_find (network, member);
  SimMembership *membership = sim_membership_new (network, &network->time, member);

  membership->transport.type = &sim_transport_type;
  if (host == NULL)
    {
      host = g_new0 (Host, 1);
      host->member = member;
      host->memberships = g_ptr_array_new ();
      host->held = g_array_new (FALSE, FALSE, sizeof (TimeHeapEntry));
      g_ptr_array_insert (network->hosts, (gint) host_place (network, member), host);
    }
  g_ptr_array_add (host->memberships, membership);
  membership->life = ++host->n_lives;
  membership->paused = host->paused;
  return &membership->transport;
}

void
sim_network_crash (SimNetwork *network, MemberId member)
{
  const Host *host = sim_host_find (network, member);

  g_assert (network->depth == 0);
  sim_network_pause (network, member, FALSE);
  for (guint i = 0; host != NULL && i < host->memberships->len; i++)
    membership_end (g_ptr_array_index (host->memberships, i));
}

/* Where the log begins that no other member has consumed. Not before the last view that the member
 * itself has consumed: a view comes when all that go on together have what was sent before it. */
static guint64
unseen_by_others (const SimNetwork *network, const SimMembership *self)
{
  const SimGroup *group = sim_membership_log (self);
  guint64 position = MAX (group->first, self->view_end);

  for (guint i = 0; i < network->hosts->len; i++)
    {
      const Host *host = g_ptr_array_index (network->hosts, i);

      for (guint j = 0; j < host->memberships->len; j++)
        {
          const SimMembership *other = g_ptr_array_index (host->memberships, j);

          if (other != self && sim_membership_reads (other) && sim_membership_log (other) == group)
            position = MAX (position, other->next);
        }
    }
  return position;
}

void
sim_network_lose_suffix (SimNetwork *network, MemberId member)
{
  const Host *host = sim_host_find (network, member);

  g_assert (network->depth == 0);
  for (guint i = 0; host != NULL && i < host->memberships->len; i++)
    {
      const SimMembership *membership = g_ptr_array_index (host->memberships, i);

      if (sim_membership_reads (membership))
        sim_group_lose (sim_membership_log (membership), unseen_by_others (network, membership),
                        member);
    }
}

/* A membership that left is forgotten once its last order is; its transport must be freed. */
void
sim_network_free (SimNetwork *network)
{
  sim_network_resume_all (network);
  while (time_heap_size (network->orders) > 0)
    {
      Order *order = time_heap_pop (network->orders).value;
      SimMembership *from = order->from;

      order_free (order);
      forget_if_done (from);
    }
  for (guint i = 0; i < network->hosts->len; i++)
    {
      const Host *host = g_ptr_array_index (network->hosts, i);

      g_assert (host->memberships->len == 0);
    }
  g_ptr_array_unref (network->hosts);
  g_ptr_array_unref (network->groups);
  g_ptr_array_unref (network->names);
  time_heap_free (network->orders);
  g_free (network);
}
