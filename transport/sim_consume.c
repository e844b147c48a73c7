/* SPDX-License-Identifier: MIT */
/* Who consumes when: at once, in turn, or as virtual time moves on. */
#include "transport/sim_network_parts.h"
#include "core/base/digest.h"

/* Several memberships of one member are run event by event, in the order of time. */
static guint
host_consume (SimNetwork *network, Host *host, gint64 horizon_us, guint budget)
{
  guint count = 0;

  network->depth++;
  if (host->memberships->len == 1)
    count = sim_membership_consume (g_ptr_array_index (host->memberships, 0), horizon_us, budget);
  while (count < budget && host->memberships->len > 1)
    {
      SimMembership *soonest = NULL;
      gint64 soonest_us = G_MAXINT64;

      for (guint i = 0; i < host->memberships->len; i++)
        {
          SimMembership *membership = g_ptr_array_index (host->memberships, i);
          gint64 next_us = sim_membership_next_us (membership);

          if (next_us < soonest_us)
            {
              soonest = membership;
              soonest_us = next_us;
            }
        }
      if (soonest == NULL || sim_membership_consume (soonest, horizon_us, 1) == 0)
        break;
      count++;
    }
  network->depth--;
  return count;
}

static gint64
host_next_us (Host *host)
{
  gint64 next_us = G_MAXINT64;

  /* MIN would look twice. */
  for (guint i = 0; i < host->memberships->len; i++)
    {
      gint64 one_us = sim_membership_next_us (g_ptr_array_index (host->memberships, i));

      next_us = MIN (next_us, one_us);
    }
  return next_us;
}

gboolean
sim_network_dispatch_member (SimNetwork *network, MemberId member, guint budget)
{
  Host *host = sim_host_find (network, member);
  gint64 now_us = network->time.now_us;
  gboolean more;

  g_assert (network->depth == 0);
  if (host == NULL)
    return FALSE;
  host_consume (network, host, now_us, budget);
  network->time.now_us = now_us;
  more = host_next_us (host) <= now_us;
  sim_network_trim (network);
  return more;
}

gboolean
sim_network_dispatch (SimNetwork *network, guint budget)
{
  gint64 now_us = network->time.now_us;
  gboolean more = FALSE;

  sim_network_order (network, now_us);
  for (Host *host = sim_host_next (network, NULL); host != NULL;
       host = sim_host_next (network, host))
    host_consume (network, host, now_us, budget);
  network->time.now_us = now_us;
  for (Host *host = sim_host_next (network, NULL); host != NULL;
       host = sim_host_next (network, host))
    more = more || host_next_us (host) <= now_us;
  sim_network_trim (network);
  return more;
}

guint
sim_network_consume (SimNetwork *network, MemberId member, gint64 horizon_us)
{
  Host *host = sim_host_find (network, member);

  return host == NULL ? 0 : host_consume (network, host, horizon_us, G_MAXUINT);
}

gint64
sim_network_now_us (const SimNetwork *network)
{
  return network->time.now_us;
}

gint64
sim_network_next_us (SimNetwork *network)
{
  gint64 next_us = sim_network_next_order_us (network);

  for (guint i = 0; i < network->hosts->len; i++)
    {
      gint64 host_us = host_next_us (g_ptr_array_index (network->hosts, i));

      next_us = MIN (next_us, host_us);
    }
  network->next_us = next_us;
  return next_us;
}

gint64
sim_network_stretch_us (const SimNetwork *network)
{
  gint64 forms_us = MIN (network->form_us, network->choose_us);
  gint64 stretch_us = MAX (network->least_us - 1, 0);

  if (network->next_us >= forms_us)
    return 0;
  return MIN (stretch_us, forms_us - 1 - network->next_us);
}

gint64
sim_network_least_us (const SimNetwork *network)
{
  return network->least_us;
}

gint64
sim_network_barrier_us (const SimNetwork *network)
{
  return MIN (network->form_us, network->choose_us);
}

gint64
sim_network_member_next_us (SimNetwork *network, MemberId member)
{
  Host *host = sim_host_find (network, member);

  return host == NULL ? G_MAXINT64 : host_next_us (host);
}

gint64
sim_network_take_directed_us (SimNetwork *network)
{
  gint64 directed_us = network->directed_us;

  network->directed_us = G_MAXINT64;
  return directed_us;
}

void
sim_network_set_now_us (SimNetwork *network, gint64 now_us)
{
  g_assert (network->depth == 0);
  network->time.now_us = now_us;
}

void
sim_network_advance (SimNetwork *network, gint64 now_us)
{
  gint64 next_us;

  g_assert (now_us >= network->time.now_us);
  while ((next_us = sim_network_next_us (network)) <= now_us)
    {
      gint64 horizon_us = MIN (now_us, next_us + sim_network_stretch_us (network));

      sim_network_order (network, horizon_us);
      for (Host *host = sim_host_next (network, NULL); host != NULL;
           host = sim_host_next (network, host))
        host_consume (network, host, horizon_us, G_MAXUINT);
    }
  network->time.now_us = now_us;
  sim_network_trim (network);
}

guint64
sim_network_deliveries (const SimNetwork *network)
{
  return network->time.deliveries;
}

/* Where nobody has come to in that log. */
static guint64
first_unconsumed (SimNetwork *network, const SimGroup *log)
{
  guint64 first = log->first;
  SimMembership *membership;

  for_each_membership (network, membership) if (membership->group == log) first
      = MAX (first, membership->next);
  return first;
}

guint
sim_network_n_ordered (SimNetwork *network, MemberId member)
{
  const Host *host = sim_host_find (network, member);
  guint count = 0;

  for (guint i = 0; host != NULL && i < host->memberships->len; i++)
    {
      const SimMembership *own = g_ptr_array_index (host->memberships, i);
      const SimGroup *log = sim_membership_reads (own) ? sim_membership_log (own) : NULL;

      for (guint64 at = log == NULL ? 0 : first_unconsumed (network, log);
           log != NULL && at < log->end; at++)
        {
          const SimItem *item = sim_group_item (log, at);

          count += item->view == NULL && item->missed != SIM_MISSED_BY_ALL
                   && member_id_equal (item->message.sender, member);
        }
    }
  return count;
}

guint64
sim_network_order_hash (const SimNetwork *network)
{
  guint64 hash = network->n_partitions == 0 ? 0 : network->retired_hash;

  for (guint i = 0; i < network->groups->len; i++)
    {
      const SimGroup *group = g_ptr_array_index (network->groups, i);

      hash = digest_combine (hash, group->hash);
    }
  return hash;
}
