/* SPDX-License-Identifier: MIT */
/* Members of one simulated group, what each was told, and what holds of that whatever happens:
 * partitions, merges, pauses, ends. */
#pragma once

#include "transport/sim_network.h"

typedef struct Told
{
  gboolean is_view;
  MemberId sender; /* a message's */
  guint32 number;
  gboolean directed;
  guint64 view; /* a view's number */
  RingId ring;  /* likewise */
  GArray *members;
  GArray *left;   /* of ViewChange */
  GArray *joined; /* likewise */
} Told;

typedef struct Sent
{
  guint seat;
  guint n_told; /* so much its sender had been told by then */
  gboolean directed;
} Sent;

typedef struct SplitSeat
{
  struct SplitWorld *world;
  Transport *transport;
  MemberId member;
  gboolean over;
  gboolean failed; /* it was told so */
  GArray *told;    /* of Told */
} SplitSeat;

typedef struct SplitWorld
{
  SimNetwork *network;
  GPtrArray *seats; /* of SplitSeat, in the order of their joins */
  GArray *sent;     /* of Sent, by number */
  guint decoded;    /* messages that somebody was the first to look at */
  guint forgotten;  /* and that nobody keeps any more */
  guint n_components;
  guint components[16]; /* by node */
} SplitWorld;

/* Members 1 to n, which have met, if nothing was drawn otherwise. */
SplitWorld *split_world_new (const SimNetworkOptions *options, guint n_members);
void split_world_free (SplitWorld *world);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SplitWorld, split_world_free)

SplitSeat *split_world_join (SplitWorld *world, guint node);
SplitSeat *split_world_seat (const SplitWorld *world, guint seat);
#define SPLIT_REFUSED G_MAXUINT32
/* Returns the message's number, or SPLIT_REFUSED. */
guint32 split_try_multicast (SplitSeat *seat);
/* It is not refused. */
guint32 split_multicast (SplitSeat *seat);
guint32 split_send_to (SplitSeat *seat, guint node);
/* One digit a node, from 1: its component. */
void split_partition (SplitWorld *world, const char *components);
/* Until nothing is under way. */
void split_settle (SplitWorld *world);
void split_consume (SplitSeat *seat, guint n_events);

guint split_n_told (const SplitSeat *seat);
const Told *split_told (const SplitSeat *seat, guint index);
/* -1: never. */
gint split_place_of (const SplitSeat *seat, guint32 number);

/* Asserts it; returns how many messages somebody missed in a merge. */
guint split_check (const SplitWorld *world);
