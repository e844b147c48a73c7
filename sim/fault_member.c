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

gboolean
fault_crash (World *world, const Fault *fault)
{
  SimMember *member = process_of (world, fault);

  if (member == NULL)
    return FALSE;
  sim_member_crash (member);
  comes_back (world, fault);
  return TRUE;
}

gboolean
fault_suffix_loss (World *world, const Fault *fault)
{
  SimMember *member = process_of (world, fault);

  if (member == NULL)
    return FALSE;
  sim_member_lose_suffix (member);
  sim_member_crash (member);
  comes_back (world, fault);
  return TRUE;
}

gboolean
fault_stop (World *world, const Fault *fault)
{
  SimMember *member = process_of (world, fault);

  if (member == NULL || !sim_member_is_up (member) || sim_member_is_paused (member))
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

gboolean
fault_pause (World *world, const Fault *fault)
{
  if (process_of (world, fault) == NULL
      || !partitions_pause (world->partitions, (guint) fault->values.member))
    return FALSE;
  fault_followed_by (world, fault, fault_of_member (FAULT_RESUME, (guint) fault->values.member));
  return TRUE;
}

gboolean
fault_resume (World *world, const Fault *fault)
{
  return process_of (world, fault) != NULL
         && partitions_resume (world->partitions, (guint) fault->values.member);
}
