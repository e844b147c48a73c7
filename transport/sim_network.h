/* SPDX-License-Identifier: MIT */
/* The simulated transport: groups inside one process, with an order that is decided by a seed and
 * virtual time, or at once.
 *
 * Each group has one shared, sequenced log; a member is a cursor into it. A multicast is appended
 * to the log when it is *ordered*, a view change likewise; nothing is copied per member, and what
 * all cursors have passed is forgotten; a partition's sides have a log each. Who consumes when is
 * the owner's choice:
 *
 *   - the embedded cluster: everything is ordered when it is sent (no latencies), and
 *     sim_network_dispatch gives each member its share in turn;
 *   - the simulator: options give the timing of the order and lags, drawn from the seed by (seed,
 *     member, purpose, index); the owner moves virtual time on with sim_network_advance.
 *
 * Members live on nodes, by their ids; nodes that hear each other are a ring, which orders the
 * multicasts of all groups. A node is there from the first transport that is made for it.
 *
 * Crash: sim_network_crash ends a member as a process end would: what it had multicast and its
 * node's daemon has not yet is lost, its node goes on, the others see PROCESS_DOWN.
 *
 * Owns its groups; transports must be freed before it. No clock, no thread, no randomness but
 * the seed's. What is under "faults" is called from outside of events only. */
#pragma once

#include "transport/sim_timing.h"
#include "transport/transport.h"

typedef struct SimNetwork SimNetwork;

typedef struct SimNetworkOptions
{
  guint64 seed;
  /* From a multicast (or join, leave, crash) to its place in the order. */
  SimTiming timing;
  /* Microseconds from there until a member consumes it: each member draws its own lag between
   * these for each stretch of the order. */
  gint64 lag_us_min;
  gint64 lag_us_max;
  /* From the loss of a node, or from a partition, until the others know; corosync's token and
   * consensus. Nothing of that ring is ordered meanwhile. 0: at once. */
  gint64 detection_us;
  /* How long a ring that has just formed takes until it orders again; multicast says FULL. */
  gint64 sync_us;
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
 * groups, one transport each. Its node is up from now on. */
Transport *sim_network_new_transport (SimNetwork *network, MemberId member);

/* --- faults: of a process --------------------------------------------------------------------- */

/* The process of that member ends now: its memberships are over without another event; its
 * transports remain to be freed. */
void sim_network_crash (SimNetwork *network, MemberId member);
/* The same, but nobody is told: it is listed until its node is lost, or until it joins again. */
void sim_network_crash_unseen (SimNetwork *network, MemberId member);
/* Right before its crash: what that member has multicast, and nobody but itself has consumed yet,
 * is lost with it, although it may have consumed it (suffix loss: CPG's delivery is agreed, not
 * safe). */
void sim_network_lose_suffix (SimNetwork *network, MemberId member);
/* TRUE: from here on that member is told nothing, but its daemon goes on: what it sent is ordered,
 * and it is listed however long that lasts. FALSE: it goes on where it was. */
void sim_network_hang (SimNetwork *network, MemberId member, gboolean hung);
/* That member's lags are drawn between these from now on, whatever the options say. */
void sim_network_set_lag (SimNetwork *network, MemberId member, gint64 lag_us_min,
                          gint64 lag_us_max);
/* That member consumes what is ordered no faster than one item in that time; 0: as it can. */
void sim_network_set_pace (SimNetwork *network, MemberId member, gint64 each_us);
/* Its multicasts are refused (FULL) until then. */
void sim_network_refuse (SimNetwork *network, MemberId member, gint64 until_us);

/* --- faults: of a node ------------------------------------------------------------------------ */

/* It loses its power: all its members' memberships are over without another event, what they sent
 * and is not ordered is lost, and what only they have consumed. The others see NODE_DOWN, all in
 * one view with what else is lost until then. A new transport for it is its restart: it joins
 * with those that are there, who notice the loss at once. */
void sim_network_node_down (SimNetwork *network, guint32 node_id);

typedef enum SimDaemonEnd
{
  SIM_DAEMON_KILLED, /* the others see NODE_DOWN, as above */
  /* It says so: they see PROCESS_DOWN of each member, at once, or now and then NODE_DOWN. */
  SIM_DAEMON_STOPPED
} SimDaemonEnd;

/* Its daemon ends and is there again for a next transport; the members' processes go on. All that
 * their memberships are told is `failed`; events that waited for them are lost, and what they sent
 * and is not ordered. */
void sim_network_daemon_down (SimNetwork *network, guint32 node_id, SimDaemonEnd how);

/* TRUE: from here on the members of that member's node are told nothing and nothing of them is
 * ordered, as if it were not scheduled. Where it takes time to notice a loss, nothing of its ring
 * is ordered either, and after that time it is cut off. FALSE: it goes on where it was, told one
 * after the other what happened meanwhile. */
void sim_network_pause (SimNetwork *network, MemberId member, gboolean paused);

/* --- faults: who hears whom ------------------------------------------------------------------- */

/* Which component a node is in, less than 2^31. Asked as long as the partition lasts, also for
 * nodes that come. */
typedef guint (*SimComponentOf) (guint32 node_id, gpointer user_data);

/* From here on only nodes of one component hear each other, as far as CPG shows it (its order is
 * agreed, not safe, and both sides go on). At the end of what they had together each side has: all
 * that one of its members has consumed, then possibly some more, then, past that gap, only what
 * its own members sent; then one view without all that it lost (NODE_DOWN). What others sent past
 * the gap is lost for it. Sides that meet in one component merge, as in a heal. Directed messages
 * between sides are lost.
 *
 * With a time to notice it, all that comes after that time; what is undone before never was. */
void sim_network_partition (SimNetwork *network, SimComponentOf component_of, gpointer user_data);
/* All are one again: each side is told of all others' members, as joined, in one view (NODE_UP);
 * then come common messages. But of a sender's messages that it sent before it was told itself,
 * another side may miss the first ones. */
void sim_network_heal (SimNetwork *network);

/* Does the one hear the other? Not asked of a node itself. */
typedef gboolean (*SimHears) (guint32 node_id, guint32 of, gpointer user_data);

/* The same for cuts that are one-way, or that leave A and C out of each other's hearing while both
 * hear B, up to a circle of majorities. No ring is formed that not all its members hear both ways,
 * so where such rings overlap one of the possible ways to divide them is drawn, and another one at
 * times between these, as members of two rings find each other again and again. */
void sim_network_set_hearing (SimNetwork *network, SimHears hears, gpointer user_data,
                              gint64 again_us_min, gint64 again_us_max);

/* --- faults: weather ---------------------------------------------------------------------------
 */

/* A link that blinks, for less than it takes to notice: nothing is ordered until then. */
void sim_network_stall (SimNetwork *network, gint64 until_us);
/* What is sent until then takes `factor` times as long to be ordered (a token ring's hops do). */
void sim_network_spike (SimNetwork *network, gint64 until_us, guint factor);

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
 * What is sent from then on is ordered after horizon_us. The stretch holds for the t that was asked
 * for last: it ends before another ring forms. */
gint64 sim_network_stretch_us (const SimNetwork *network);
void sim_network_order (SimNetwork *network, gint64 horizon_us);
/* Events consumed; the time of the last one is `now` after it. */
guint sim_network_consume (SimNetwork *network, MemberId member, gint64 horizon_us);

/* For an owner that lets some members run behind the others (sim/pace.h): nothing is ordered, and
 * nothing reaches another member, sooner than the least latency after it was sent. */
gint64 sim_network_least_us (const SimNetwork *network);
/* When something is next ordered, or a ring forms. */
gint64 sim_network_next_order_us (SimNetwork *network);
/* When a ring forms: what each member has consumed by then counts. */
gint64 sim_network_barrier_us (const SimNetwork *network);
/* When that member next consumes something that is there already. */
gint64 sim_network_member_next_us (SimNetwork *network, MemberId member);
/* When the soonest is due of what was sent to one member since this was last asked. */
gint64 sim_network_take_directed_us (SimNetwork *network);
/* Time alone: nothing is consumed. It may go back to what a member that is behind does. */
void sim_network_set_now_us (SimNetwork *network, gint64 now_us);

/* --- looking --------------------------------------------------------------------------------- */

/* The component whose ring that node is in; another number for each node that is down or cut off
 * because it is paused. */
guint sim_network_ring_of (const SimNetwork *network, guint32 node_id);
/* When rings form because of a loss that is being noticed; G_MAXINT64: they have. */
gint64 sim_network_forms_us (const SimNetwork *network);
/* Of that member's multicasts, those that have their place in the order and that nobody has
 * consumed yet. */
guint sim_network_n_ordered (SimNetwork *network, MemberId member);
/* Events consumed by all members since the start. */
guint64 sim_network_deliveries (const SimNetwork *network);
/* A rolling hash over the order of all groups: what was sequenced, by whom, in which place. */
guint64 sim_network_order_hash (const SimNetwork *network);
