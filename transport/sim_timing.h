/* SPDX-License-Identifier: MIT */
/* How long it takes from a multicast to its place in the order. Whole numbers only: the same on
 * every machine.
 *
 *   constant      always the same
 *   uniform       between two bounds
 *   heavy-tailed  mostly near the least, rarely a large part of the span, up to its bound
 *   token ring    what Totem's ring costs (sim_ring.h): it depends on who else sends, and how much
 */
#pragma once

#include "core/base/ids.h"

typedef enum SimTimingKind
{
  SIM_TIMING_IMMEDIATE, /* ordered when it is sent */
  SIM_TIMING_CONSTANT,
  SIM_TIMING_UNIFORM,
  SIM_TIMING_HEAVY_TAILED,
  SIM_TIMING_TOKEN_RING
} SimTimingKind;

/* Corosync's ring. A frame is what one token visit sends up to so many of; it goes over the wire in
 * packets. */
typedef struct SimTokenRing
{
  gint64 submit_us; /* from the call to the daemon's queue */
  gint64 hop_ns;    /* the token, from one node to the next */
  gint64 packet_ns; /* more for each packet that a node sends */
  guint packet;     /* payload bytes of one */
  guint frame;      /* payload bytes of a frame */
  gsize queue;      /* bytes that a node's daemon keeps; at 3/4 of it multicast says FULL */
} SimTokenRing;

typedef struct SimTiming
{
  SimTimingKind kind;
  gint64 us_min; /* not of a token ring */
  gint64 us_max;
  SimTokenRing ring;
} SimTiming;

SimTiming sim_timing_immediate (void);
SimTiming sim_timing_constant (gint64 us);
SimTiming sim_timing_uniform (gint64 us_min, gint64 us_max);
SimTiming sim_timing_heavy_tailed (gint64 us_min, gint64 us_max);
/* As measured of corosync 3.1 between three to sixteen daemons on one machine of two cores. */
SimTiming sim_timing_ring_udpu (void);
SimTiming sim_timing_ring_knet (void);

void sim_timing_check (const SimTiming *timing);
/* Nothing is ordered sooner after it was sent. */
gint64 sim_timing_least_us (const SimTiming *timing);
/* Of one multicast, or join, leave, end: a function of `number` (any 64 bits, evenly drawn) alone.
 * Of a token ring: only until the daemon has it. */
gint64 sim_timing_draw_us (const SimTiming *timing, guint64 number);
const char *sim_timing_name (SimTimingKind kind);
