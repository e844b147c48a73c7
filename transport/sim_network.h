/* SPDX-License-Identifier: MIT */
/* The simulated transport: groups inside one process, with an order that is decided by a seed and
 * virtual time, or at once.
 *
 * Each group has one shared, sequenced log; a member is a cursor into it. A multicast is appended
 * to the log when it is *ordered*, a view change likewise; nothing is copied per member, and what
 * all cursors have passed is forgotten; a partition's sides have a log each. Who consumes when is
 * the owner's choice:
 *
 *   - the embedded cluster: everything is ordered when it is sent (latencies zero), and
 *     sim_network_dispatch gives each member its share in turn;
 *   - the simulator: options give ordering latencies and lags, drawn from the seed by (seed,
 *     member, purpose, index); the owner moves virtual time on with sim_network_advance.
 *
 * Crash: sim_network_crash ends a member as a process end would: what it had multicast and was
 * not ordered yet is lost, its node's other members go on, the others see PROCESS_DOWN.
 *
 * Owns its groups; transports must be freed before it. No clock, no thread, no randomness but
 * the seed's. */
#pragma once

#include "transport/transport.h"

typedef struct SimNetwork SimNetwork;

typedef struct SimNetworkOptions
{
  guint64 seed;
  /* Microseconds from a multicast (or join, leave, crash) to its place in the order: uniform
   * between these. 0, 0: at once. */
  gint64 order_us_min;
  gint64 order_us_max;
  /* Microseconds from there until a member consumes it: each member draws its own lag between
   * these for each stretch of the order. */
  gint64 lag_us_min;
  gint64 lag_us_max;
  /* Bytes of one member that may wait to be ordered before multicast says FULL; 0: no bound. */
  gsize window;
  /* LIMIT_GROUP_MEMBERS as corosync; 0: no bound ("limits = none"). */
  guint members_max;
} SimNetworkOptions;

/* All zero but members_max: the embedded cluster's. */
SimNetworkOptions sim_network_options_immediate (void);
SimNetwork *sim_network_new (const SimNetworkOptions *options);
void sim_network_free (SimNetwork *network);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimNetwork, sim_network_free)

/* A transport that has not joined yet, the caller's. One member may have memberships of several
 * groups, one transport each. */
Transport *sim_network_new_transport (SimNetwork *network, MemberId member);
/* The process of that member ends now: its memberships are over without another event; its
 * transports remain to be freed. */
void sim_network_crash (SimNetwork *network, MemberId member);

/* Right before its crash: what that member has multicast, and nobody but itself has consumed yet,
 * is lost with it, although it may have consumed it (suffix loss: CPG's delivery is agreed, not
 * safe). */
void sim_network_lose_suffix (SimNetwork *network, MemberId member);

/* --- partitions and pauses ---------------------------------------------------------------------
 */

/* Which component a node is in. Asked as long as the partition lasts, also for nodes that come. */
typedef guint (*SimComponentOf) (guint32 node_id, gpointer user_data);

/* From here on only nodes of one component hear each other, as far as CPG shows it (its order is
 * agreed, not safe, and both sides go on). At the end of what they had together each side has: all
 * that one of its members has consumed, then possibly some more, then, past that gap, only what
 * its own members sent; then one view without all that it lost (NODE_DOWN). What others sent past
 * the gap is lost for it. Sides that meet in one component merge, as in a heal. Directed messages
 * between sides are lost. */
void sim_network_partition (SimNetwork *network, SimComponentOf component_of, gpointer user_data);
/* All are one again: each side is told of all others' members, as joined, in one view (NODE_UP);
 * then come common messages. But of a sender's messages that it sent before it was told itself,
 * another side may miss the first ones. */
void sim_network_heal (SimNetwork *network);

/* TRUE: from here on that member is told nothing and nothing of it is ordered, as if its node were
 * not scheduled; nobody is told so. FALSE: it goes on where it was. */
void sim_network_pause (SimNetwork *network, MemberId member, gboolean paused);

/* --- immediate use -------------------------------------------------------------------- */

/* Gives each member at most `budget` events, in member order. TRUE: there is more to give. */
gboolean sim_network_dispatch (SimNetwork *network, guint budget);
/* The same for one member only. */
gboolean sim_network_dispatch_member (SimNetwork *network, MemberId member, guint budget);

/* --- virtual time --------------------------------------------------------------------------- */

/* During an event: its time. Each member's own time never falls; between members of one stretch
 * it may. */
gint64 sim_network_now_us (const SimNetwork *network);
/* When something is next ordered or consumed; ENV_NEVER-like G_MAXINT64: nothing is under way. */
gint64 sim_network_next_us (SimNetwork *network);
/* Moves virtual time to `now_us` (never back) and gives members what is due by then, in the order
 * (time, member). Members meet only through the log, so those that are due within less than the
 * least ordering latency are run one after another, each for its whole stretch. */
void sim_network_advance (SimNetwork *network, gint64 now_us);

/* The same in two halves, for an owner that has work of its own after each member's stretch:
 *
 *     t = sim_network_next_us (network);
 *     horizon_us = t + sim_network_stretch_us (network);     or less
 *     sim_network_order (network, horizon_us);
 *     for each member: if (sim_network_consume (network, member, horizon_us) > 0) ...
 *
 * What is sent from then on is ordered after horizon_us. */
gint64 sim_network_stretch_us (const SimNetwork *network);
void sim_network_order (SimNetwork *network, gint64 horizon_us);
/* Events consumed; the time of the last one is `now` after it. */
guint sim_network_consume (SimNetwork *network, MemberId member, gint64 horizon_us);

/* --- looking --------------------------------------------------------------------------------- */

/* Events consumed by all members since the start. */
guint64 sim_network_deliveries (const SimNetwork *network);
/* A rolling hash over the order of all groups: what was sequenced, by whom, in which place. */
guint64 sim_network_order_hash (const SimNetwork *network);
