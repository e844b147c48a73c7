/* SPDX-License-Identifier: MIT */
/* One simulated process: a Node on a transport of the world's network. It starts, ends by a crash
 * or in an orderly way, and starts again under the same MemberId with nothing kept. */
#pragma once

#include "core/node/node.h"
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
/* Right before its crash: what only it has seen of what it sent is lost with it. */
void sim_member_lose_suffix (SimMember *member);
/* It is cut off from the majority: until it is active again its clients may be told what no other
 * member knows. */
void sim_member_may_lose_suffix (SimMember *member);
/* Not scheduled: nothing reaches it. */
void sim_member_set_paused (SimMember *member, gboolean paused);
gboolean sim_member_is_paused (const SimMember *member);
/* Its process ends now: nothing is said to anyone. */
void sim_member_crash (SimMember *member);
/* It is asked to end, and will have when it is ready. */
void sim_member_stop (SimMember *member);
/* Its process is there, and was not asked to end. */
gboolean sim_member_is_up (const SimMember *member);
gboolean sim_member_is_gone (const SimMember *member);
gboolean sim_member_is_active (const SimMember *member);
/* Up, and has been active in this life. */
gboolean sim_member_was_active (const SimMember *member);
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
void sim_member_tick (SimMember *member, gint64 time_us);
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
/* Its client is gone. */
void sim_member_torn (SimMember *member, Link *link);
