/* SPDX-License-Identifier: MIT */
#include "transport/sim_timing.h"
#include "core/base/limits.h"

/* The heavy tail's span is halved so often: the least part of it is the most frequent. */
#define HALVINGS 10

SimTiming
sim_timing_immediate (void)
{
  return (SimTiming){ .kind = SIM_TIMING_IMMEDIATE };
}

SimTiming
sim_timing_constant (gint64 us)
{
  return (SimTiming){ .kind = SIM_TIMING_CONSTANT, .us_min = us, .us_max = us };
}

SimTiming
sim_timing_uniform (gint64 us_min, gint64 us_max)
{
  return (SimTiming){ .kind = SIM_TIMING_UNIFORM, .us_min = us_min, .us_max = us_max };
}

SimTiming
sim_timing_heavy_tailed (gint64 us_min, gint64 us_max)
{
  return (SimTiming){ .kind = SIM_TIMING_HEAVY_TAILED, .us_min = us_min, .us_max = us_max };
}

SimTiming
sim_timing_ring_udpu (void)
{
  return (SimTiming){
    .kind = SIM_TIMING_TOKEN_RING,
    .ring = { .submit_us = 20,
              .hop_ns = 37000,
              .packet_ns = 20000,
              .packet = 1382,
              .frame = 1382,
              .queue = LIMIT_SIM_NODE_QUEUE },
  };
}

SimTiming
sim_timing_ring_knet (void)
{
  SimTiming timing = sim_timing_ring_udpu ();

  timing.ring.hop_ns = 131000;
  timing.ring.frame = 65446;
  return timing;
}

void
sim_timing_check (const SimTiming *timing)
{
  const SimTokenRing *ring = &timing->ring;

  g_assert (timing->us_min >= 0 && timing->us_min <= timing->us_max);
  if (timing->kind == SIM_TIMING_IMMEDIATE)
    g_assert (timing->us_max == 0);
  if (timing->kind == SIM_TIMING_TOKEN_RING)
    g_assert (ring->submit_us > 0 && ring->hop_ns > 0 && ring->packet_ns >= 0 && ring->packet > 0
              && ring->frame >= ring->packet && ring->queue > 0);
}

gint64
sim_timing_least_us (const SimTiming *timing)
{
  return timing->kind == SIM_TIMING_TOKEN_RING ? timing->ring.submit_us : timing->us_min;
}

/* One of two draws is in the first part of the span, one of four in twice that, and so on. */
static gint64
heavy_us (gint64 span_us, guint64 number)
{
  gint64 reach_us = MAX (span_us >> HALVINGS, 1);

  for (guint i = 0; i < HALVINGS && (number & 1) != 0; i++)
    {
      number >>= 1;
      reach_us *= 2;
    }
  return (gint64) ((number >> 1) % (guint64) (MIN (reach_us, span_us) + 1));
}

gint64
sim_timing_draw_us (const SimTiming *timing, guint64 number)
{
  gint64 span_us = timing->us_max - timing->us_min;

  switch (timing->kind)
    {
    case SIM_TIMING_IMMEDIATE:
      return 0;
    case SIM_TIMING_CONSTANT:
      return timing->us_min;
    case SIM_TIMING_UNIFORM:
      return timing->us_min + (gint64) (number % (guint64) (span_us + 1));
    case SIM_TIMING_HEAVY_TAILED:
      return timing->us_min + heavy_us (span_us, number);
    case SIM_TIMING_TOKEN_RING:
      return timing->ring.submit_us;
    }
  g_assert_not_reached ();
}

const char *
sim_timing_name (SimTimingKind kind)
{
  switch (kind)
    {
    case SIM_TIMING_IMMEDIATE:
      return "immediate";
    case SIM_TIMING_CONSTANT:
      return "constant";
    case SIM_TIMING_UNIFORM:
      return "uniform";
    case SIM_TIMING_HEAVY_TAILED:
      return "heavy-tailed";
    case SIM_TIMING_TOKEN_RING:
      return "token-ring";
    }
  g_assert_not_reached ();
}
