/* SPDX-License-Identifier: MIT */
/* Three steps between a multicast and its delivery: it waits for its place (so do joins, leaves and
 * ends; sim_orders.c), it is appended to its group's log, each member's cursor passes it
 * (sim_membership.c). */
#include "transport/sim_network_parts.h"
#include "core/base/digest.h"
#include "core/base/error.h"

#define PURPOSE_DIRECTED 3
/* Items of a log that are kept without looking whether anybody still reads them. */
#define TRIM_FROM 64

static void
group_free (gpointer data)
{
  sim_group_unref (data);
}

static void
ring_free (gpointer data)
{
  sim_ring_free (data);
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

  sim_timing_check (&options->timing);
  g_assert (options->detection_us >= 0 && options->sync_us >= 0);
  g_assert (options->lag_us_min >= 0 && options->lag_us_min <= options->lag_us_max);
  network->options = *options;
  network->least_us = sim_timing_least_us (&options->timing);
  network->directed_us = G_MAXINT64;
  network->form_us = network->choose_us = G_MAXINT64;
  network->slowness = 1;
  network->hosts = g_ptr_array_new ();
  network->nodes = g_ptr_array_new ();
  network->rings = g_ptr_array_new_with_free_func (ring_free);
  network->groups = g_ptr_array_new_with_free_func (group_free);
  network->names = g_ptr_array_new_with_free_func (g_free);
  network->orders = time_heap_new ();
  return network;
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
  SimGroup *group;

  for (guint i = 0; i < network->groups->len; i++)
    {
      group = g_ptr_array_index (network->groups, i);
      if (group->component == component && g_str_equal (group->name, name))
        return group;
    }
  group = sim_group_new (name, index_of_name (network, name), component, &network->n_views);
  group->ring = sim_network_ring (network, component)->id;
  g_ptr_array_add (network->groups, group);
  return group;
}

/* --- logs and who reads them --------------------------------------------------------------- */

void
sim_membership_forget_if_done (SimMembership *membership)
{
  Host *host;

  if (!membership->handle_freed || membership->n_pending > 0)
    return;
  host = sim_host_find (membership->network, membership->member);
  g_ptr_array_remove (host->memberships, membership);
  sim_membership_free (membership);
}

void
sim_network_trim (SimNetwork *network)
{
  for (guint i = 0; i < network->groups->len; i++)
    {
      SimGroup *group = g_ptr_array_index (network->groups, i);
      guint64 position = group->end;

      if (group->end - group->first < group->trim_from)
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
      /* In virtual time only where it is worth a look at every cursor. */
      group->trim_from = 1;
      if (network->options.timing.kind != SIM_TIMING_IMMEDIATE)
        group->trim_from = TRIM_FROM + 2 * (group->end - group->first);
    }
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
  SimGroup *group = sim_network_log (network, name, self->node->component);
  Host *host = sim_host_find (network, self->member);
  gint64 unseen_us;
  char text[ID_TEXT_SIZE];

  transport->over = TRUE; /* if refused */
  for (guint i = 0; i < host->memberships->len; i++)
    {
      const SimMembership *other = g_ptr_array_index (host->memberships, i);

      if (other->group == NULL || other->group->index != group->index)
        continue;
      if (!other->transport.over && !other->gone)
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
  self->lag_us_min = host->has_lag ? host->lag_us_min : network->options.lag_us_min;
  self->lag_us_max = host->has_lag ? host->lag_us_max : network->options.lag_us_max;
  self->each_us = host->each_us;
  if (network->options.timing.kind == SIM_TIMING_TOKEN_RING)
    self->remote_us = (network->options.timing.ring.hop_ns + 999) / 1000;
  unseen_us = sim_network_show_unseen (network, host);
  self->last_order_us = MAX (self->last_order_us, unseen_us);
  sim_network_send (self, ORDER_JOIN, NULL);
  return TRUE;
}

static TransportResult
network_multicast (Transport *transport, Buffer *message)
{
  SimMembership *self = (SimMembership *) transport;

  if (self->gone)
    return TRANSPORT_GONE;
  if (sim_network_is_full (self->network, self, message->size))
    return TRANSPORT_FULL;
  sim_network_send (self, ORDER_MESSAGE, message);
  return TRANSPORT_SENT;
}

/* Not while its ring stands still. */
static gint64
directed_due_us (SimMembership *self)
{
  const SimNetwork *network = self->network;
  const SimRing *ring = self->node->ring;
  gint64 stalled_until_us
      = ring->stalled_until_us == G_MAXINT64 ? network->form_us : ring->stalled_until_us;
  guint64 number = sim_membership_draw (self, PURPOSE_DIRECTED, self->n_directed++);
  gint64 due_us = network->time.now_us + sim_network_latency_us (network, number);

  return MAX (due_us, stalled_until_us) + self->remote_us;
}

static TransportResult
network_send_to (Transport *transport, MemberId to, Buffer *message)
{
  SimMembership *self = (SimMembership *) transport;
  const Host *host = sim_host_find (self->network, to);

  if (self->gone)
    return TRANSPORT_GONE;
  for (guint i = 0; host != NULL && i < host->memberships->len; i++)
    {
      SimMembership *target = g_ptr_array_index (host->memberships, i);
      gint64 due_us;

      if (!sim_membership_reads (target)
          || sim_membership_log (target) != sim_membership_log (self))
        continue;
      due_us = directed_due_us (self);
      self->network->directed_us = MIN (self->network->directed_us, due_us);
      sim_membership_put_directed (target, self, due_us, message);
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

  self->fails = FALSE;
  if (self->gone)
    return;
  drop_directed (self);
  note_ended (self);
  sim_network_send (self, ORDER_LEAVE, NULL);
}

/* What it sent and its daemon does not have is lost; the others see it leave if they ever saw it
 * join. */
void
sim_membership_end (SimMembership *self, SimEnd how)
{
  gboolean was_over = self->transport.over;

  if (self->gone)
    {
      self->fails = FALSE;
      self->transport.over = TRUE;
      return;
    }
  if (!self->transport.joined || (was_over && how != SIM_END_OF_NODE))
    return;
  self->transport.over = TRUE;
  self->gone = how == SIM_END_OF_NODE;
  sim_network_drop_orders (self, self->gone || self->node->paused);
  if (!was_over)
    {
      drop_directed (self);
      note_ended (self);
    }
  if (self->gone)
    {
      sim_membership_forget_if_done (self);
      return;
    }
  if (self->joined_at == SIM_NOT_ORDERED && self->n_pending == 0)
    return;
  self->last_order_us = 0;
  if (how == SIM_END_UNSEEN)
    sim_network_keep_unseen (self);
  else
    sim_network_send (self, ORDER_END, NULL);
}

void
sim_membership_lose_daemon (SimMembership *self)
{
  if (!self->transport.joined || self->gone)
    return;
  sim_network_drop_orders (self, TRUE);
  if (!self->transport.over)
    {
      drop_directed (self);
      note_ended (self);
    }
  sim_membership_fail (self);
  sim_membership_forget_if_done (self);
}

static void
network_free_transport (Transport *transport)
{
  SimMembership *self = (SimMembership *) transport;

  g_assert (self->network->depth == 0);
  sim_membership_end (self, SIM_END_SEEN);
  self->handle_freed = TRUE;
  sim_membership_forget_if_done (self);
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
  Host *host = sim_host_get (network, member);
  SimMembership *membership = sim_membership_new (network, &network->time, member);

  membership->transport.type = &sim_transport_type;
  membership->node = host->node;
  membership->life = ++host->n_lives;
  membership->paused = host->node->paused;
  membership->hung = host->hung;
  g_ptr_array_add (host->memberships, membership);
  return &membership->transport;
}

static void
end_process (SimNetwork *network, MemberId member, SimEnd how)
{
  Host *host = sim_host_find (network, member);

  g_assert (network->depth == 0);
  if (host == NULL)
    return;
  host->hung = FALSE;
  for (guint i = 0; i < host->memberships->len; i++)
    sim_membership_end (g_ptr_array_index (host->memberships, i), how);
}

/* That of a paused node is one of the node too: it goes on without it. */
void
sim_network_crash (SimNetwork *network, MemberId member)
{
  sim_network_pause (network, member, FALSE);
  end_process (network, member, SIM_END_SEEN);
}

void
sim_network_crash_unseen (SimNetwork *network, MemberId member)
{
  sim_network_pause (network, member, FALSE);
  end_process (network, member, SIM_END_UNSEEN);
}

/* Where the log begins that no other member has consumed. Not before the last view that the member
 * itself has consumed: a view comes when all that go on together have what was sent before it. Not
 * before the last ring change either: members of another side have that part too. And what is
 * before its join is of another life. */
static guint64
unseen_by_others (const SimNetwork *network, const SimMembership *self)
{
  const SimGroup *group = sim_membership_log (self);
  guint64 position
      = MAX (MAX (group->first, group->settled), MAX (self->joined_at, self->view_end));

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
  /* Those that ended since may have told it somebody. */
  for (guint i = 0; i < group->ended->len; i++)
    {
      const SimEnded *ended = &g_array_index (group->ended, SimEnded, i);

      if (ended->node_id != self->member.node_id)
        position = MAX (position, ended->consumed);
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
      SimMembership *membership = g_ptr_array_index (host->memberships, i);

      if (!sim_membership_reads (membership))
        continue;
      /* First in, first out: what its daemon has and is not ordered is behind that. */
      sim_network_drop_orders (membership, TRUE);
      sim_group_lose (sim_membership_log (membership), unseen_by_others (network, membership),
                      member);
    }
}

/* A membership that left is forgotten once its last order is; its transport must be freed. */
void
sim_network_free (SimNetwork *network)
{
  sim_network_drop_all_orders (network);
  sim_network_free_nodes (network);
  g_ptr_array_unref (network->groups);
  g_ptr_array_unref (network->names);
  time_heap_free (network->orders);
  g_free (network);
}
