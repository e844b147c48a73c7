/* SPDX-License-Identifier: MIT */
/* One simulated process: a Node on a transport of the world's network. It starts, ends by a crash
 * or in an orderly way, and starts again under the same MemberId with nothing kept. */
#pragma once

#include "core/node/node.h"
#include "sim/fault_sites.h"
#include "sim/world.h"

typedef struct Link Link;

SimMember *sim_member_new (World *world, guint number);
void sim_member_free (SimMember *member);

const char *sim_member_name (const SimMember *member);
MemberId sim_member_id (const SimMember *member);
guint sim_member_number (const SimMember *member);
/* For those that look inside; NULL: the process is not there. */
Node *sim_member_peek_node (SimMember *member);

void sim_member_start (SimMember *member);
gboolean sim_member_votes (const SimMember *member);

/* How its process ends: nothing is said to any client. */
typedef enum MemberEnd
{
  MEMBER_CRASHES,
  MEMBER_LOSES_SUFFIX, /* what only it has seen of what it sent is lost with it */
  MEMBER_ENDS_UNSEEN,  /* the others are not told */
  MEMBER_NODE_DOWN     /* with its whole node, and what only that has seen */
} MemberEnd;

void sim_member_end (SimMember *member, MemberEnd how);

typedef enum MemberSleep
{
  MEMBER_AWAKE,
  MEMBER_PAUSED, /* its node is not scheduled: nothing of it is ordered */
  MEMBER_HUNG    /* its process is not: what it sent is ordered, and it is listed */
} MemberSleep;

/* Nothing reaches it until it is awake. */
void sim_member_set_sleep (SimMember *member, MemberSleep sleep);
gboolean sim_member_is_awake (const SimMember *member);
/* It consumes the order up to that much later; 0: as the whole run has it. */
void sim_member_set_late (SimMember *member, gint64 lag_us);
/* It consumes no more of the order than one item in that time; 0: as it can. */
void sim_member_set_slow (SimMember *member, gint64 each_us);
gboolean sim_member_is_slow (const SimMember *member);
gboolean sim_member_is_late (const SimMember *member);

/* What it is in its next life: others hear nothing of what is not ours. */
typedef enum MemberForeign
{
  MEMBER_IS_OURS,
  MEMBER_IS_NEWER,             /* what it multicasts has another version */
  MEMBER_IS_OF_ANOTHER_CLUSTER /* its cluster has more members */
} MemberForeign;

void sim_member_set_foreign (SimMember *member, MemberForeign foreign);
MemberForeign sim_member_foreign (const SimMember *member);
gboolean sim_member_is_foreign (const SimMember *member);
/* A place in its code fails, now and then. */
void sim_member_set_site (SimMember *member, FaultSite site, gboolean on);
gboolean sim_member_site_is_on (const SimMember *member, FaultSite site);
/* Its group daemon ends; there is none until it gets one. */
void sim_member_lose_daemon (SimMember *member, SimDaemonEnd how);
void sim_member_get_daemon (SimMember *member);
gboolean sim_member_has_no_daemon (const SimMember *member);
/* It is cut off from the majority: until it is active again its clients may be told what no other
 * member knows. */
void sim_member_may_lose_suffix (SimMember *member);
/* It is asked to end, and will have when it is ready. */
void sim_member_stop (SimMember *member);
/* Its process is there, and was not asked to end. */
gboolean sim_member_is_up (const SimMember *member);
gboolean sim_member_is_gone (const SimMember *member);
gboolean sim_member_is_active (const SimMember *member);
/* Up, and has been active in this life. */
gboolean sim_member_was_active (const SimMember *member);
gboolean sim_member_is_joining (const SimMember *member);
/* FALSE: it is away for ever. */
gboolean sim_member_is_awaited (const SimMember *member);
void sim_member_is_not_awaited (SimMember *member);
/* 0 if it is gone. */
guint sim_member_n_in_view (const SimMember *member);
/* Of its multicasts, those that have not come back to it. */
guint sim_member_n_under_way (const SimMember *member);
/* Of these, those that have their place in the order and that nobody has consumed. */
guint sim_member_n_ordered (const SimMember *member);
/* The number of the one that sends it its state, or did; negative: none. */
gint sim_member_donor (const SimMember *member);
/* What its tap saw. */
void sim_member_sent (SimMember *member);
void sim_member_heard_itself (SimMember *member);
void sim_member_sent_directed (SimMember *member, MemberId to);
/* G_MAXINT64: it is not. */
gint64 sim_member_active_since_us (const SimMember *member);
/* Its view; the checker of views knows it. */
void sim_member_view_told (SimMember *member, const View *view);
/* 0 if it is gone. */
guint64 sim_member_position (const SimMember *member);
guint64 sim_member_digest (const SimMember *member);
/* What it knows a majority to have. */
guint64 sim_member_agreed_position (const SimMember *member);

/* Its node's turn: sends what gathered, writes to the clients, looks at the state. */
void sim_member_turn (SimMember *member);
/* Is the digest that it keeps that of its state? */
void sim_member_look_in_full (SimMember *member);
/* The tape test, if this run has it. */
void sim_member_play_tape (SimMember *member);
void sim_member_tick (SimMember *member, gint64 time_us);
void sim_member_clock_jumps (SimMember *member, gint64 by_us);
void sim_member_clock_drifts (SimMember *member, guint percent);
/* When that is to be; ENV_NEVER: not. */
gint64 sim_member_tick_us (const SimMember *member);
gboolean sim_member_has_clients (const SimMember *member);

/* --- its end of the links (link.c) ----------------------------------------------------------- */

/* A packet of a link arrives; kept while it is paused. */
void sim_member_packet (SimMember *member, gpointer take_packet);
/* FALSE: refused, nobody listens. */
gboolean sim_member_accept (SimMember *member, Link *link, const char *peer);
/* The link has bytes, or its end, to be read. */
void sim_member_readable (SimMember *member, Link *link);
/* Its client reads again. */
void sim_member_writable (SimMember *member, Link *link);
/* Its client is gone. */
void sim_member_torn (SimMember *member, Link *link);
