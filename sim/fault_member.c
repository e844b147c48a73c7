/* SPDX-License-Identifier: MIT */
/* Faults of members' processes. */
#include "sim/fault_parts.h"
#include "sim/member.h"
#include "sim/partitions.h"

/* One whose process is there, or NULL. */
static SimMember *
process_of (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);

  return member == NULL || sim_member_is_gone (member) ? NULL : member;
}

static void
comes_back (World *world, const Fault *fault)
{
  if (fault->values.duration_us == PHRASE_EVER)
    sim_member_is_not_awaited (fault_member (world, fault));
  fault_followed_by (world, fault, fault_of_member (FAULT_RESTART, (guint) fault->values.member));
}

static gboolean
end (World *world, const Fault *fault, MemberEnd how)
{
  SimMember *member = process_of (world, fault);

  if (member == NULL)
    return FALSE;
  sim_member_end (member, how);
  comes_back (world, fault);
  return TRUE;
}

gboolean
fault_crash (World *world, const Fault *fault)
{
  return end (world, fault, MEMBER_CRASHES);
}

gboolean
fault_suffix_loss (World *world, const Fault *fault)
{
  return end (world, fault, MEMBER_LOSES_SUFFIX);
}

gboolean
fault_node_down (World *world, const Fault *fault)
{
  return end (world, fault, MEMBER_NODE_DOWN);
}

gboolean
fault_ghost (World *world, const Fault *fault)
{
  return end (world, fault, MEMBER_ENDS_UNSEEN);
}

gboolean
fault_stop (World *world, const Fault *fault)
{
  SimMember *member = process_of (world, fault);

  if (member == NULL || !sim_member_is_up (member) || !sim_member_is_awake (member))
    return FALSE;
  sim_member_stop (member);
  comes_back (world, fault);
  return TRUE;
}

gboolean
fault_restart (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL || !sim_member_is_gone (member))
    return FALSE;
  if (world->formed)
    world->counts.joins++;
  sim_member_start (member);
  return TRUE;
}

static gboolean
let_sleep (World *world, const Fault *fault, MemberSleep sleep)
{
  if (process_of (world, fault) == NULL
      || !partitions_put_to_sleep (world->partitions, (guint) fault->values.member, sleep))
    return FALSE;
  fault_followed_by (world, fault, fault_of_member (FAULT_RESUME, (guint) fault->values.member));
  return TRUE;
}

gboolean
fault_pause (World *world, const Fault *fault)
{
  return let_sleep (world, fault, MEMBER_PAUSED);
}

gboolean
fault_hang (World *world, const Fault *fault)
{
  return let_sleep (world, fault, MEMBER_HUNG);
}

gboolean
fault_resume (World *world, const Fault *fault)
{
  return process_of (world, fault) != NULL
         && partitions_wake (world->partitions, (guint) fault->values.member);
}

gboolean
fault_lag (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);
  gint64 lag_us = fault->values.time_us;

  if (member == NULL || lag_us == 0)
    return FALSE;
  checker_delivery_longer_way (world->checker_delivery, world_way_us (world, lag_us));
  sim_member_set_late (member, lag_us);
  partitions_disturb (world->partitions, fault->values.duration_us == PHRASE_EVER
                                             ? PHRASE_EVER
                                             : fault->values.duration_us + lag_us);
  fault_followed_by (world, fault, fault_of_member (FAULT_CATCH_UP, (guint) fault->values.member));
  return TRUE;
}

/* How far behind it may come if nobody says how long it lasts. */
#define SLOW_US (10 * G_USEC_PER_SEC)

gboolean
fault_slow (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);
  gint64 duration_us = fault->values.duration_us;
  gint64 each_us
      = fault->values.count == 0 ? 0 : fault->values.time_us / (gint64) fault->values.count;
  gint64 behind_us = duration_us == 0 || duration_us == PHRASE_EVER ? SLOW_US : duration_us;

  if (member == NULL || each_us == 0)
    return FALSE;
  checker_delivery_longer_way (world->checker_delivery, world_way_us (world, behind_us));
  sim_member_set_slow (member, each_us);
  partitions_disturb (world->partitions, duration_us);
  fault_followed_by (world, fault, fault_of_member (FAULT_CATCH_UP, (guint) fault->values.member));
  return TRUE;
}

gboolean
fault_catch_up (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL || !(sim_member_is_late (member) || sim_member_is_slow (member)))
    return FALSE;
  sim_member_set_late (member, 0);
  sim_member_set_slow (member, 0);
  return TRUE;
}

static gboolean
come_back_foreign (World *world, const Fault *fault, MemberForeign foreign)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL || !sim_member_is_gone (member) || sim_member_is_foreign (member))
    return FALSE;
  sim_member_set_foreign (member, foreign);
  return TRUE;
}

gboolean
fault_newer_version (World *world, const Fault *fault)
{
  return come_back_foreign (world, fault, MEMBER_IS_NEWER);
}

gboolean
fault_stranger (World *world, const Fault *fault)
{
  return come_back_foreign (world, fault, MEMBER_IS_OF_ANOTHER_CLUSTER);
}

/* --- recipes: several at once ------------------------------------------------------------------
 */

/* That many of those that are up, in the order of their numbers. */
static gboolean
strike_several (World *world, const Fault *fault, FaultKind kind)
{
  SimStream *random = faults_recipe_random (world->faults);
  guint64 n_wanted = fault->values.count;
  guint n_left = 0;

  for (guint i = 0; i < world->members->len; i++)
    n_left += sim_member_is_up (world_member (world, i));
  for (guint i = 0; i < world->members->len && n_wanted > 0; i++)
    {
      Fault one;

      if (!sim_member_is_up (world_member (world, i))
          || sim_stream_below (random, n_left--) >= n_wanted)
        continue;
      n_wanted--;
      one = fault_of_member (kind, i);
      one.values.duration_us = fault_draw_away_us (kind, random);
      faults_plan (world->faults, faults_at_us (world->faults), one);
    }
  return FALSE;
}

gboolean
fault_crash_several (World *world, const Fault *fault)
{
  return strike_several (world, fault, FAULT_CRASH);
}

gboolean
fault_node_down_several (World *world, const Fault *fault)
{
  return strike_several (world, fault, FAULT_NODE_DOWN);
}
