/* SPDX-License-Identifier: MIT */
/* A connection between a client and a member, as TCP would be: first in, first out each way, with a
 * latency, and an end that arrives behind what was sent before it. */
#pragma once

#include "core/session/client.h"
#include "sim/world.h"

typedef struct Link Link;

/* --- the client's end -------------------------------------------------------------------- */

/* On its way; sim_client_arrived and sim_client_link_ended tell what comes back. */
Link *link_open (World *world, guint client, guint member);
/* Connections are numbered from 1 as they are made. */
guint64 link_number (const Link *link);
/* What the client of that connection is called by members. Yours. */
char *link_peer (guint client, guint64 number);
/* One write: it arrives in one piece, or now and then in two. */
void link_to_member (Link *link, const Slice *slices, guint n_slices);
/* No more from the client, which forgets the link. `torn`: the member finds nobody there. */
void link_end_by_client (Link *link, gboolean torn);

/* It reads again. */
void link_unclog (Link *link);

/* --- the member's end ----------------------------------------------------------------------- */

void link_to_client (Link *link, const Slice *slices, guint n_slices);
/* The member forgets the link. */
void link_end_by_member (Link *link);
void link_set_edge (Link *link, Client *edge);
Client *link_peek_edge (const Link *link);
/* What came and was not read yet. */
Slice link_peek_arrived (const Link *link);
void link_consume_arrived (Link *link, gsize count);
/* TRUE once: all was read, and nothing more will come. */
gboolean link_take_end (Link *link);
/* Its client does not read: nothing is to be written. */
gboolean link_is_clogged (const Link *link);

/* --- the clock's ------------------------------------------------------------------------------ */

void link_packet_to_member (gpointer packet);
void link_packet_to_client (gpointer packet);
void link_packet_drop (gpointer packet);
SimClient *link_packet_client (gpointer packet);
SimMember *link_packet_member (gpointer packet);
