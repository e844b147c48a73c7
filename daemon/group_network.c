/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "daemon/group_network.h"
#include "core/base/env.h"
#include "core/base/limits.h"
#include "transport/sim_network.h"
#ifdef WITH_CPG
#include "transport/corosync_network.h"
#else
typedef struct CorosyncNetwork CorosyncNetwork;
#endif

struct GroupNetwork
{
  IoPoller *poller;
  SimNetwork *sim;           /* NULL: over corosync */
  CorosyncNetwork *corosync; /* NULL: simulated */
  IoWatch watch;             /* corosync's */
  gint64 next_transport_us;
};

#ifdef WITH_CPG
/* The turn that follows dispatches. */
static void
on_ready (IoWatch *watch, IoEvents events)
{
  (void) watch;
  (void) events;
}

static void
corosync_open (GroupNetwork *network, gboolean follow_quorum)
{
  network->corosync = corosync_network_new ();
  if (follow_quorum)
    corosync_network_follow_quorum (network->corosync);
  network->watch.fd = corosync_network_fd (network->corosync);
  network->watch.wanted = IO_READ;
  network->watch.io_ready = on_ready;
  io_poller_add (network->poller, &network->watch);
}

static void
corosync_close (GroupNetwork *network)
{
  io_poller_remove (network->poller, &network->watch);
  corosync_network_free (network->corosync);
}

/* A membership that ends at once, because the group is full or we are not allowed, must not be
 * tried again at once. */
static Transport *
corosync_new_transport (GroupNetwork *network)
{
  gint64 now_us = g_get_monotonic_time ();

  if (now_us < network->next_transport_us)
    return NULL;
  network->next_transport_us = now_us + LIMIT_COROSYNC_RETRY_US_MAX;
  return corosync_network_new_transport (network->corosync);
}

static gboolean
corosync_dispatch (GroupNetwork *network)
{
  guint64 before = corosync_network_deliveries (network->corosync);

  return corosync_network_dispatch (network->corosync, LIMIT_EVENTS_PER_ROUND)
         || corosync_network_deliveries (network->corosync) != before;
}

static gboolean
corosync_is_inquorate (const GroupNetwork *network)
{
  return corosync_network_is_inquorate (network->corosync);
}

static gint64
corosync_next_us (const GroupNetwork *network)
{
  return corosync_network_next_us (network->corosync);
}
#else
/* settings_apply has refused it. */
static void
corosync_open (GroupNetwork *network, gboolean follow_quorum)
{
  (void) network;
  (void) follow_quorum;
  g_assert_not_reached ();
}

static void
corosync_close (GroupNetwork *network)
{
  (void) network;
}

static Transport *
corosync_new_transport (GroupNetwork *network)
{
  (void) network;
  return NULL;
}

static gboolean
corosync_dispatch (GroupNetwork *network)
{
  (void) network;
  return FALSE;
}

static gboolean
corosync_is_inquorate (const GroupNetwork *network)
{
  (void) network;
  return FALSE;
}

static gint64
corosync_next_us (const GroupNetwork *network)
{
  (void) network;
  return ENV_NEVER;
}
#endif

GroupNetwork *
group_network_new (const Settings *settings, IoPoller *poller)
{
  SimNetworkOptions immediate = sim_network_options_immediate ();
  GroupNetwork *network = g_new0 (GroupNetwork, 1);

  network->poller = poller;
  switch (settings->transport)
    {
    case TRANSPORT_KIND_SIM:
      network->sim = sim_network_new (&immediate);
      break;
    case TRANSPORT_KIND_CPG:
      corosync_open (network, settings->follow_votequorum);
      break;
    }
  return network;
}

void
group_network_free (GroupNetwork *network)
{
  if (network->sim != NULL)
    sim_network_free (network->sim);
  else
    corosync_close (network);
  g_free (network);
}

Transport *
group_network_new_transport (GroupNetwork *network, MemberId self)
{
  return network->sim != NULL ? sim_network_new_transport (network->sim, self)
                              : corosync_new_transport (network);
}

void
group_network_crash (GroupNetwork *network, MemberId self)
{
  if (network->sim != NULL)
    sim_network_crash (network->sim, self);
}

const char *
group_network_refusal (const GroupNetwork *network)
{
  if (network->sim != NULL || !corosync_is_inquorate (network))
    return NULL;
  return "corosync is not quorate here: try another member, or again soon";
}

gboolean
group_network_dispatch (GroupNetwork *network)
{
  guint64 before;

  if (network->sim == NULL)
    return corosync_dispatch (network);
  before = sim_network_deliveries (network->sim);
  sim_network_dispatch (network->sim, LIMIT_EVENTS_PER_ROUND);
  return sim_network_deliveries (network->sim) != before;
}

gint64
group_network_next_us (const GroupNetwork *network)
{
  return network->sim != NULL ? ENV_NEVER : corosync_next_us (network);
}
