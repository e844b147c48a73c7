/* SPDX-License-Identifier: MIT */
/* What happens in virtual time outside the group: starts, ticks of members, bytes between clients
 * and members, clients' own timers. Deliveries of the group are not here (transport/sim_network.h):
 * at one time they come before all of these; nor are faults (sim/faults.h), which come between.
 *
 * Events of one time come by (kind, member or client, sequence): the kinds in the order below. */
#pragma once

#include "transport/time_heap.h"

typedef enum ClockKind
{
  CLOCK_START,     /* a member starts for the first time */
  CLOCK_TO_MEMBER, /* a packet arrives at a member */
  CLOCK_TICK,      /* a member's node asked to be called */
  CLOCK_TO_CLIENT, /* a packet arrives at a client */
  CLOCK_CLIENT     /* a client's timer */
} ClockKind;

typedef struct Clock Clock;

typedef struct ClockEvent
{
  gint64 time_us;
  ClockKind kind;
  guint owner; /* number of the member, or of the client for the last two kinds */
  gpointer value;
} ClockEvent;

Clock *clock_new (void);
/* Values are borrowed: `drop`, if any, gets those that were never taken. */
void clock_free (Clock *clock, void (*drop) (const ClockEvent *event));
void clock_at (Clock *clock, gint64 time_us, ClockKind kind, guint owner, gpointer value);
/* G_MAXINT64: nothing will happen. */
gint64 clock_next_us (const Clock *clock);
/* There must be one. */
ClockEvent clock_take (Clock *clock);
