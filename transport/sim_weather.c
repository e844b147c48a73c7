/* SPDX-License-Identifier: MIT */
/* What slows the order, or refuses multicasts, for a while. */
#include "transport/sim_network_parts.h"

gint64
sim_network_latency_us (const SimNetwork *network, guint64 number)
{
  gint64 latency_us = sim_timing_draw_us (&network->options.timing, number);

  /* A token ring is slow by its hops. */
  if (network->time.now_us < network->slow_until_us
      && network->options.timing.kind != SIM_TIMING_TOKEN_RING)
    latency_us *= network->slowness;
  return latency_us;
}

void
sim_network_spike (SimNetwork *network, gint64 until_us, guint factor)
{
  g_assert (network->depth == 0);
  g_assert (factor > 0);
  network->slowness = factor;
  network->slow_until_us = until_us;
  for (guint i = 0; i < network->rings->len; i++)
    {
      SimRing *ring = network->rings->pdata[i];

      ring->slowness = factor;
      ring->slow_until_us = until_us;
    }
}

void
sim_network_stall (SimNetwork *network, gint64 until_us)
{
  g_assert (network->depth == 0);
  for (guint i = 0; i < network->rings->len; i++)
    sim_ring_stall (network->rings->pdata[i], until_us);
}

void
sim_network_refuse (SimNetwork *network, MemberId member, gint64 until_us)
{
  Host *host = sim_host_find (network, member);

  g_assert (network->depth == 0);
  if (host == NULL)
    return;
  host->full_until_us = until_us;
  network->refuses = TRUE;
}

void
sim_network_hang (SimNetwork *network, MemberId member, gboolean hung)
{
  Host *host = sim_host_find (network, member);

  g_assert (network->depth == 0);
  if (host == NULL)
    return;
  host->hung = hung;
  for (guint i = 0; i < host->memberships->len; i++)
    {
      SimMembership *membership = g_ptr_array_index (host->memberships, i);

      membership->hung = hung;
      membership->last_us = MAX (membership->last_us, network->time.now_us);
    }
}

void
sim_network_set_lag (SimNetwork *network, MemberId member, gint64 lag_us_min, gint64 lag_us_max)
{
  Host *host = sim_host_find (network, member);

  g_assert (lag_us_min >= 0 && lag_us_min <= lag_us_max);
  if (host == NULL)
    return;
  host->has_lag = TRUE;
  host->lag_us_min = lag_us_min;
  host->lag_us_max = lag_us_max;
  for (guint i = 0; i < host->memberships->len; i++)
    {
      SimMembership *membership = g_ptr_array_index (host->memberships, i);

      membership->lag_us_min = lag_us_min;
      membership->lag_us_max = lag_us_max;
      membership->lag_until = 0;
      /* What was to come later comes at once, but not in the past. */
      membership->last_us = MAX (membership->last_us, network->time.now_us);
    }
}

void
sim_network_set_pace (SimNetwork *network, MemberId member, gint64 each_us)
{
  Host *host = sim_host_find (network, member);

  g_assert (each_us >= 0);
  if (host == NULL)
    return;
  host->each_us = each_us;
  for (guint i = 0; i < host->memberships->len; i++)
    {
      SimMembership *membership = g_ptr_array_index (host->memberships, i);

      membership->each_us = each_us;
      membership->last_us = MAX (membership->last_us, network->time.now_us);
    }
}

/* What is full by itself says `writable` when it may not be any more. */
static gboolean
is_refused (const SimNetwork *network, const SimMembership *from, gint64 *ret_until_us)
{
  const SimNode *node = from->node;
  gint64 now_us = network->time.now_us;
  const Host *host;

  if (now_us < node->ring->syncing_until_us)
    {
      *ret_until_us = node->ring->syncing_until_us;
      return TRUE;
    }
  if (network->options.timing.kind == SIM_TIMING_TOKEN_RING
      && node->queued >= network->options.timing.ring.queue / 4 * 3)
    {
      *ret_until_us = now_us + LIMIT_RETRY_US;
      return TRUE;
    }
  if (!network->refuses)
    return FALSE;
  host = sim_host_find (network, from->member);
  *ret_until_us = host->full_until_us;
  return now_us < host->full_until_us;
}

gboolean
sim_network_is_full (const SimNetwork *network, SimMembership *from, gsize size)
{
  gsize window = network->options.window;
  gint64 until_us;

  if (is_refused (network, from, &until_us))
    {
      from->writable_us = until_us;
      return TRUE;
    }
  /* One message always fits, else one larger than the window would wait for ever. */
  if (window == 0 || from->pending_bytes == 0 || from->pending_bytes + size <= window)
    return FALSE;
  from->told_full = TRUE;
  return TRUE;
}
