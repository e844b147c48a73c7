/* SPDX-License-Identifier: MIT */
#include "sim/fault_parts.h"
#include "sim/member.h"
#include "sim/partitions.h"

#include <string.h>

/* What strikes when the work is over is put right so soon, if nothing else is said. */
#define SOON_US 20000

static FaultFunction *const functions[N_FAULT_KINDS] = {
#define FAULT_KIND(id, name, pattern, group, draw, apply, what) [FAULT_##id] = apply,
#include "sim/fault_kinds.def"
#undef FAULT_KIND
};

SimMember *
fault_member (World *world, const Fault *fault)
{
  gint number = fault->values.member;

  return number < 0 || (guint) number >= world->members->len ? NULL
                                                             : world_member (world, (guint) number);
}

void
fault_followed_by (World *world, const Fault *fault, Fault take_follower)
{
  gint64 duration_us = fault->values.duration_us;

  if (duration_us == 0 && world->phase > PHASE_WORK)
    duration_us = SOON_US;
  if (duration_us == 0 || duration_us == PHRASE_EVER)
    fault_clear (&take_follower);
  else
    faults_plan (world->faults, world_now_us (world) + duration_us, take_follower);
}

/* What strikes those that are there, and what puts right what is wrong. */
gboolean
fault_may_strike (World *world, const Fault *fault)
{
  const SimMember *member = fault_member (world, fault);

  if (strstr (fault_kinds[fault->kind].pattern, "MEMBER") != NULL && member == NULL)
    return FALSE;
  if (fault->kind == FAULT_RESTART || fault->kind == FAULT_NEWER_VERSION
      || fault->kind == FAULT_STRANGER)
    return sim_member_is_gone (member);
  if (fault->kind == FAULT_RESUME)
    return !sim_member_is_awake (member);
  if (fault->kind == FAULT_CATCH_UP)
    return sim_member_is_late (member) || sim_member_is_slow (member);
  if (fault->kind == FAULT_DAEMON_UP)
    return sim_member_has_no_daemon (member);
  if (fault->kind == FAULT_SITE_OFF)
    return sim_member_site_is_on (member, fault->values.site);
  if (fault->kind == FAULT_HEAL)
    return partitions_are_parted (world->partitions);
  if (fault_ends_a_member (fault->kind) || fault->kind == FAULT_PAUSE || fault->kind == FAULT_HANG)
    return !sim_member_is_gone (member);
  return TRUE;
}

gboolean
fault_apply (World *world, const Fault *fault)
{
  return functions[fault->kind](world, fault);
}
