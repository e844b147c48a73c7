/* SPDX-License-Identifier: MIT */
/* The promise that nothing grows without a bound (core/base/limits.h): what a member has on its way
 * to the group, what waits for that, what a newcomer keeps; and what the group is told for each
 * thing that clients do. */
#pragma once

#include "sim/findings.h"

/* What one member holds, after its turn. */
typedef struct Load
{
  gsize window_bytes;  /* multicast, not seen delivered */
  gsize waiting_bytes; /* to be multicast */
  gsize backlog_bytes; /* of a newcomer: came since it asked */
  guint transfers;     /* of state, under way to others */
} Load;

void checker_bounds_load (Findings *findings, gint64 now_us, const char *member, guint n_members,
                          const Load *load);

/* What a whole run came to. */
typedef struct Traffic
{
  guint64 multicasts; /* of all members */
  guint64 writes;     /* of clients to members, each a packet: it may be told by itself */
  guint64 given;      /* to clients, which give credit and wait for what is safe */
  guint64 views;      /* told to members: each may make its member speak */
  guint64 seconds;    /* times members: who is idle says so once a second */
  guint n_voters;
} Traffic;

void checker_bounds_traffic (Findings *findings, gint64 now_us, const Traffic *traffic);
