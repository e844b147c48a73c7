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

gboolean
fault_catch_up (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL || !sim_member_is_late (member))
    return FALSE;
  sim_member_set_late (member, 0);
  return TRUE;
}

gboolean
fault_newer_version (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL || !sim_member_is_gone (member) || sim_member_is_newer (member))
    return FALSE;
  sim_member_set_newer (member, TRUE);
  return TRUE;
}
