/* SPDX-License-Identifier: MIT */
/* The inside of a SimNetwork, for sim_network.c and sim_consume.c. */
#pragma once

#include "transport/sim_membership.h"
#include "transport/sim_network.h"
#include "transport/time_heap.h"

/* All memberships of one member. */
typedef struct Host
{
  MemberId member;
  GPtrArray *memberships; /* of SimMembership, in the order they were made */
  guint64 n_lives;        /* memberships ever made: each draws its own numbers */
} Host;

struct SimNetwork
{
  SimNetworkOptions options;
  SimTime time;
  GPtrArray *hosts;  /* of Host, in member order; a host stays when its memberships are gone */
  GPtrArray *groups; /* of SimGroup */
  TimeHeap *orders;  /* of Order */
  guint depth;       /* > 0: inside an event */
};

/* NULL: none. */
Host *sim_host_find (const SimNetwork *network, MemberId member);
/* The one after that one, the first for NULL; listeners may make new hosts while we walk. */
Host *sim_host_next (const SimNetwork *network, const Host *host);
/* Forgets what all cursors have passed. */
void sim_network_trim (SimNetwork *network);
