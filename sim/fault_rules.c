/* SPDX-License-Identifier: MIT */
/* What a seed may do. Members keep nothing when they end, so what is confirmed has to be held by
 * others; whoever draws takes care of that, whoever writes a scenario need not. */
#include "core/base/limits.h"
#include "sim/fault_parts.h"
#include "sim/member.h"
#include "sim/partitions.h"

/* After the network was bad: by then everybody has noticed. */
#define CALM_US 100000

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
  guint n_voters = sim_options_n_voters (world->options);
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

/* What is confirmed a majority has: so either a majority of active voters is left, or all that are
 * left have everything that anybody was told. */
static gboolean
may_end (World *world, const SimMember *victim, gint64 now_us)
{
  guint n_voters = sim_options_n_voters (world->options);
  guint n_left = 0;
  guint64 told = 0, least = G_MAXUINT64;

  if (!partitions_are_over (world->partitions, now_us, CALM_US))
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

gboolean
fault_is_fair (World *world, const Fault *fault, gint64 now_us)
{
  SimMember *member = fault_member (world, fault);

  gboolean ends = fault_ends_a_member (fault->kind) || fault->kind == FAULT_HANDLE_LOST
                  || fault->kind == FAULT_DAEMON_STOP;

  if (!ends || world->options->allow_total_loss)
    return TRUE;
  return may_end (world, member, now_us);
}
