/* SPDX-License-Identifier: MIT */
#include "sim/pace.h"
#include "sim/member.h"

/* In a cluster of so many all are near: what a condition waits for is then seen at once. */
#define NEAR_MAX 16

struct Pace
{
  World *world;
  GPtrArray *near; /* of SimMember, by number */
  gint64 far_us;   /* nothing waits for a far member since before; G_MAXINT64: nothing does */
  gint64 far_stretch_us;
  gint64 next_us; /* as pace_next_us said last */
  gint64 now_us;
};

static gboolean
all_are_near (const Pace *pace)
{
  return pace->world->options->members <= NEAR_MAX;
}

Pace *
pace_new (World *world)
{
  Pace *pace = g_new0 (Pace, 1);

  pace->world = world;
  pace->near = g_ptr_array_new ();
  pace->far_us = G_MAXINT64;
  pace->far_stretch_us = MAX (sim_network_least_us (world->network) - 1, 0);
  return pace;
}

void
pace_free (Pace *pace)
{
  g_ptr_array_unref (pace->near);
  g_free (pace);
}

/* --- members ------------------------------------------------------------------------------ */

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint first = sim_member_number (*(SimMember *const *) a);
  guint second = sim_member_number (*(SimMember *const *) b);

  return first < second ? -1 : first > second;
}

void
pace_met_client (Pace *pace, SimMember *member)
{
  if (all_are_near (pace) || g_ptr_array_find (pace->near, member, NULL))
    return;
  g_ptr_array_add (pace->near, member);
  g_ptr_array_sort (pace->near, compare_numbers);
}

static void
run_member (Pace *pace, SimMember *member, gint64 horizon_us)
{
  SimNetwork *network = pace->world->network;
  gint64 tick_us;

  /* Its own ticks come in their places. */
  while ((tick_us = sim_member_tick_us (member)) <= horizon_us)
    {
      if (sim_network_consume (network, sim_member_id (member), tick_us) > 0)
        sim_member_turn (member);
      sim_network_set_now_us (network, tick_us);
      sim_member_tick (member, tick_us);
    }
  if (sim_network_consume (network, sim_member_id (member), horizon_us) > 0)
    sim_member_turn (member);
}

static void
may_wait (Pace *pace, gint64 us)
{
  pace->far_us = MIN (pace->far_us, us);
}

static void
run_far (Pace *pace, gint64 horizon_us)
{
  World *world = pace->world;

  pace->far_us = G_MAXINT64;
  g_ptr_array_set_size (pace->near, 0);
  for (guint i = 0; i < world->members->len; i++)
    {
      SimMember *member = world_member (world, i);

      run_member (pace, member, horizon_us);
      may_wait (pace, sim_network_member_next_us (world->network, sim_member_id (member)));
      if (sim_member_has_clients (member))
        g_ptr_array_add (pace->near, member);
    }
}

static void
run_near (Pace *pace, gint64 horizon_us)
{
  GPtrArray *members = all_are_near (pace) ? pace->world->members : pace->near;

  for (guint i = 0; i < members->len; i++)
    {
      SimMember *member = members->pdata[i];

      if (sim_network_consume (pace->world->network, sim_member_id (member), horizon_us) > 0)
        sim_member_turn (member);
    }
}

/* --- time --------------------------------------------------------------------------------- */

/* What was sent to one member since, of which the order knows nothing. */
static void
note_directed (Pace *pace)
{
  may_wait (pace, sim_network_take_directed_us (pace->world->network));
}

/* The latest time at which far members have to run. */
static gint64
far_due_us (const Pace *pace)
{
  return pace->far_us == G_MAXINT64 ? G_MAXINT64 : pace->far_us + pace->far_stretch_us;
}

gint64
pace_next_us (Pace *pace)
{
  SimNetwork *network = pace->world->network;
  gint64 next_us;

  if (all_are_near (pace))
    return pace->next_us = sim_network_next_us (network);
  note_directed (pace);
  next_us = sim_network_next_order_us (network);
  next_us = MIN (next_us, far_due_us (pace));
  for (guint i = 0; i < pace->near->len; i++)
    {
      MemberId id = sim_member_id (pace->near->pdata[i]);
      gint64 member_us = sim_network_member_next_us (network, id);

      next_us = MIN (next_us, member_us);
    }
  pace->next_us = next_us;
  return next_us;
}

static gint64
run_all_near (Pace *pace, gint64 horizon_us)
{
  SimNetwork *network = pace->world->network;
  gint64 stretch_us = MIN (sim_network_stretch_us (network), SIM_STRETCH_US_MAX);

  horizon_us = MIN (horizon_us, pace->next_us + stretch_us);
  sim_network_order (network, horizon_us);
  run_near (pace, horizon_us);
  return horizon_us;
}

gint64
pace_run (Pace *pace, gint64 horizon_us)
{
  SimNetwork *network = pace->world->network;
  gint64 next_us = pace->next_us, barrier_us, stretch_us, order_us;

  if (all_are_near (pace))
    return run_all_near (pace, horizon_us);
  barrier_us = sim_network_barrier_us (network);
  stretch_us = MIN (pace->far_stretch_us, SIM_STRETCH_US_MAX);
  horizon_us = MIN (MIN (horizon_us, next_us + stretch_us), far_due_us (pace));
  horizon_us = MAX (next_us, MIN (horizon_us, barrier_us - 1));
  if (horizon_us >= barrier_us)
    run_far (pace, barrier_us - 1);
  order_us = sim_network_next_order_us (network);
  may_wait (pace, MAX (order_us, pace->now_us));
  sim_network_order (network, horizon_us);
  run_near (pace, horizon_us);
  note_directed (pace);
  if (horizon_us >= far_due_us (pace) || horizon_us >= barrier_us)
    {
      run_far (pace, horizon_us);
      note_directed (pace);
      /* Nobody can have noticed that these were behind. */
      g_assert (sim_network_next_order_us (network) > horizon_us && pace->far_us > horizon_us);
    }
  pace_move_on (pace, horizon_us);
  return horizon_us;
}

void
pace_move_on (Pace *pace, gint64 now_us)
{
  SimNetwork *network = pace->world->network;

  pace->now_us = MAX (now_us, all_are_near (pace) ? sim_network_now_us (network) : pace->now_us);
  sim_network_set_now_us (network, pace->now_us);
}

void
pace_catch_up (Pace *pace, SimMember *member)
{
  if (all_are_near (pace))
    return;
  run_member (pace, member, pace->now_us);
  sim_network_set_now_us (pace->world->network, pace->now_us);
}

void
pace_catch_up_all (Pace *pace)
{
  if (all_are_near (pace))
    return;
  run_far (pace, pace->now_us);
  sim_network_set_now_us (pace->world->network, pace->now_us);
}

void
pace_look_again (Pace *pace)
{
  may_wait (pace, pace->now_us);
}
