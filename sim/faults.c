/* SPDX-License-Identifier: MIT */
#include "sim/faults.h"
#include "core/base/limits.h"
#include "sim/member.h"
#include "sim/partitions.h"

/* How often one that may not strike now is put off before it is given up. */
#define PUT_OFF_MAX 40
#define PUT_OFF_US  5000
/* After the network was bad: by then everybody has noticed. */
#define CALM_US 100000

struct Faults
{
  World *world;
  SimStream random;
  guint n_planned; /* put on the clock */
  guint n_put_off;
  guint64 next_at; /* confirmed messages at which the next is planned */
};

static void
plan_next (Faults *faults)
{
  const SimOptions *options = faults->world->options;
  guint64 share = options->messages / MAX (options->crashes, 1);

  faults->next_at = share * faults->n_planned
                    + (guint64) sim_stream_between (&faults->random, 0, (gint64) share);
}

Faults *
faults_new (World *world)
{
  Faults *faults = g_new0 (Faults, 1);

  faults->world = world;
  faults->random = world_stream (world, 0, SIM_PURPOSE_FAULT);
  plan_next (faults);
  return faults;
}

void
faults_free (Faults *faults)
{
  g_free (faults);
}

static void
strike_in (Faults *faults, gint64 delay_us)
{
  clock_at (faults->world->clock, world_now_us (faults->world) + delay_us, CLOCK_FAULT, 0, NULL);
}

void
faults_progress (Faults *faults)
{
  while (faults->n_planned < faults->world->options->crashes
         && faults->world->counts.confirmed >= faults->next_at)
    {
      faults->n_planned++;
      strike_in (faults, sim_stream_between (&faults->random, 0, 3000));
      plan_next (faults);
    }
}

static gboolean
is_active_voter (const SimMember *member)
{
  return sim_member_is_active (member) && sim_member_votes (member);
}

/* While somebody is cut off, or may not have noticed yet, it may be active and know less: then only
 * those count that hear a majority, and they have to be one. */
static gboolean
may_end_in_bad_weather (World *world, const SimMember *victim)
{
  guint n_voters = MIN (world->options->members, LIMIT_VOTERS);
  guint n_good = 0;
  guint64 told = 0;

  for (guint i = 0; i < world->members->len; i++)
    told = MAX (told, sim_member_agreed_position (world_member (world, i)));
  for (guint i = 0; i < n_voters; i++)
    {
      const SimMember *member = world_member (world, i);

      n_good += member != victim && sim_member_is_active (member)
                && sim_member_position (member) >= told
                && partitions_hears_majority (world->partitions, i);
    }
  return n_good >= n_voters / 2 + 1;
}

/* Members keep nothing when they end. What is confirmed a majority has: so either a majority of
 * active voters is left, or all that are left have everything that anybody was told. */
static gboolean
may_end (World *world, const SimMember *victim)
{
  guint n_voters = MIN (world->options->members, LIMIT_VOTERS);
  guint n_left = 0;
  guint64 told = 0, least = G_MAXUINT64;

  if (!partitions_are_over (world->partitions, CALM_US))
    return may_end_in_bad_weather (world, victim);
  for (guint i = 0; i < world->members->len; i++)
    {
      SimMember *member = world_member (world, i);

      if (!sim_member_is_active (member))
        continue;
      told = MAX (told, sim_member_agreed_position (member));
      if (member == victim)
        continue;
      least = MIN (least, sim_member_position (member));
      n_left += is_active_voter (member);
    }
  return n_left >= n_voters / 2 + 1 || (n_left > 0 && least >= told);
}

/* One that is up; NULL: none may go now. */
static SimMember *
draw_victim (Faults *faults)
{
  World *world = faults->world;
  guint n_up = 0;
  SimMember *victim = NULL;

  for (guint i = 0; i < world->members->len; i++)
    {
      SimMember *member = world_member (world, i);

      if (sim_member_is_up (member) && sim_stream_below (&faults->random, ++n_up) == 0)
        victim = member;
    }
  if (victim == NULL || world->options->allow_total_loss || may_end (world, victim))
    return victim;
  return NULL;
}

void
faults_strike (Faults *faults)
{
  World *world = faults->world;
  SimMember *victim;

  if (world->phase != PHASE_WORK)
    return;
  victim = draw_victim (faults);
  if (victim == NULL)
    {
      if (faults->n_put_off++ < PUT_OFF_MAX)
        strike_in (faults, PUT_OFF_US);
      return;
    }
  if (sim_stream_chance (&faults->random, 1, 4) && !sim_member_is_paused (victim))
    {
      world->counts.stops++;
      sim_member_stop (victim);
    }
  else
    {
      world->counts.crashes++;
      if (sim_stream_chance (&faults->random, 1, 2))
        {
          world->counts.suffix_losses++;
          sim_member_lose_suffix (victim);
        }
      sim_member_crash (victim);
    }
  clock_at (world->clock,
            world_now_us (world)
                + (sim_stream_chance (&faults->random, 1, 5)
                       ? 100
                       : sim_stream_between (&faults->random, 1000, 60000)),
            CLOCK_START, sim_member_id (victim).node_id - 1, NULL);
}
