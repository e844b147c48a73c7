/* SPDX-License-Identifier: MIT */
#include "sim/fault_parts.h"

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

gboolean
fault_apply (World *world, const Fault *fault)
{
  return functions[fault->kind](world, fault);
}
