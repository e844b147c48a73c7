/* SPDX-License-Identifier: MIT */
/* Faults of members' clocks, and of transports that break their contract. */
#include "sim/fault_parts.h"
#include "sim/member.h"

gboolean
fault_clock_jump (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL)
    return FALSE;
  sim_member_clock_jumps (member, fault->values.time_us);
  return TRUE;
}

gboolean
fault_clock_drift (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL || fault->values.count == 0)
    return FALSE;
  sim_member_clock_drifts (member, (guint) MIN (fault->values.count, 100000));
  return TRUE;
}

static Mutation
mutation_of (FaultKind kind)
{
  static const Mutation mutations[] = {
    MUTATION_REORDER,    MUTATION_OVERTAKE,   MUTATION_DUPLICATE, MUTATION_DROP,
    MUTATION_WRONG_VIEW, MUTATION_POSTHUMOUS, MUTATION_PREMATURE, MUTATION_ALTERED,
  };

  g_assert (kind >= FAULT_MUTANT_REORDER && kind <= FAULT_MUTANT_ALTERED);
  return mutations[kind - FAULT_MUTANT_REORDER];
}

/* From here on, at the first chance. */
gboolean
fault_mutant (World *world, const Fault *fault)
{
  const SimMember *member = fault_member (world, fault);

  if (member == NULL)
    return FALSE;
  mutant_pool_clear (&world->mutants);
  world->mutants = (MutantPool){
    .mutation = mutation_of (fault->kind),
    .victim = sim_member_id (member),
  };
  return TRUE;
}
