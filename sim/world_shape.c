/* SPDX-License-Identifier: MIT */
#include "core/base/limits.h"
#include "sim/world.h"

/* A token's way from one node to the next, and a ring that is not slower for it. */
#define HOP_US     2
#define SMALL_RING 16

static void
override_span (SimSpan span, gint64 *us_min, gint64 *us_max)
{
  if (span.low_us < 0)
    return;
  *us_min = span.low_us;
  *us_max = span.high_us;
}

/* What a large ring's token takes for its round: no order can be faster. */
static gint64
ring_us (guint members)
{
  return members <= SMALL_RING ? 0 : HOP_US * (gint64) (members - SMALL_RING);
}

static SimTiming
timing_of (SimTimes timing, gint64 order_us_min, gint64 order_us_max)
{
  switch (timing)
    {
    case SIM_TIMES_UNIFORM:
      return sim_timing_uniform (order_us_min, order_us_max);
    case SIM_TIMES_HEAVY_TAILED:
      return sim_timing_heavy_tailed (order_us_min, order_us_max);
    case SIM_TIMES_RING_UDPU:
      return sim_timing_ring_udpu ();
    case SIM_TIMES_RING_KNET:
      return sim_timing_ring_knet ();
    }
  g_assert_not_reached ();
}

/* Small steps make a small state last. */
static void
draw_join (const SimOptions *options, SimStream *random, Shape *shape)
{
  guint64 chunk = 0, backlog = 0;

  if (sim_stream_chance (random, 1, 2))
    chunk = G_GUINT64_CONSTANT (1) << sim_stream_between (random, 13, 15);
  if (options->state_chunk != SIM_DRAWN)
    chunk = options->state_chunk;
  if (options->backlog != SIM_DRAWN)
    backlog = options->backlog;
  shape->state_chunk = chunk == 0 ? LIMIT_STATE_CHUNK : (gsize) MIN (chunk, LIMIT_STATE_CHUNK);
  shape->join_backlog
      = backlog == 0 ? LIMIT_JOIN_BACKLOG : (gsize) MIN (backlog, LIMIT_JOIN_BACKLOG);
}

/* The whole run's weather. Each bound is drawn by itself, so that some runs are calm in one way
 * and rough in another. All are drawn, whatever the options say, so that what they say moves
 * nothing else. */
Shape
world_draw_shape (World *world)
{
  const SimOptions *options = world->options;
  SimStream random = world_stream (world, 0, SIM_PURPOSE_SHAPE);
  Shape shape = { .network = { .seed = options->seed } };
  SimNetworkOptions *network = &shape.network;
  gint64 order_us_min = sim_stream_between (&random, 50, 400) + ring_us (options->members);
  gint64 order_us_max = order_us_min + sim_stream_between (&random, 0, 1200);

  if (sim_stream_chance (&random, 2, 3))
    network->lag_us_max = sim_stream_between (&random, 1, 800);
  /* Members that fall far behind: then one may be the only one to have seen something. */
  if (sim_stream_chance (&random, 1, 4))
    network->lag_us_max = sim_stream_between (&random, 1000, 20000);
  shape.link_us_min = sim_stream_between (&random, SIM_STRETCH_US_MAX + 1, 250);
  shape.link_us_max = shape.link_us_min + sim_stream_between (&random, 0, 1000);
  if (!options->limits_none)
    {
      network->members_max = LIMIT_GROUP_MEMBERS;
      network->window = (gsize) sim_stream_between (&random, 2, 256) * 1024;
    }
  override_span (options->order, &order_us_min, &order_us_max);
  network->timing = timing_of (options->timing, order_us_min, order_us_max);
  network->detection_us = options->detection_us;
  network->sync_us = options->sync_us;
  override_span (options->lag, &network->lag_us_min, &network->lag_us_max);
  override_span (options->link, &shape.link_us_min, &shape.link_us_max);
  if (options->window != SIM_DRAWN)
    network->window = (gsize) options->window;
  draw_join (options, &random, &shape);
  return shape;
}
