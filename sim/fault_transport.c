/* SPDX-License-Identifier: MIT */
/* Faults of the group's daemons and of the order as a whole. */
#include "sim/fault_parts.h"
#include "sim/member.h"
#include "sim/partitions.h"

static gboolean
end_daemon (World *world, const Fault *fault, SimDaemonEnd how)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL || sim_member_is_gone (member) || sim_member_has_no_daemon (member))
    return FALSE;
  sim_member_lose_daemon (member, how);
  partitions_disturb (world->partitions, fault->values.duration_us);
  fault_followed_by (world, fault, fault_of_member (FAULT_DAEMON_UP, (guint) fault->values.member));
  return TRUE;
}

gboolean
fault_handle_lost (World *world, const Fault *fault)
{
  return end_daemon (world, fault, SIM_DAEMON_KILLED);
}

gboolean
fault_daemon_stop (World *world, const Fault *fault)
{
  return end_daemon (world, fault, SIM_DAEMON_STOPPED);
}

gboolean
fault_daemon_up (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL || !sim_member_has_no_daemon (member))
    return FALSE;
  sim_member_get_daemon (member);
  return TRUE;
}

/* What was sent last comes late, too. */
gboolean
fault_spike (World *world, const Fault *fault)
{
  guint factor = (guint) CLAMP (fault->values.count, 1, 1000);
  gint64 duration_us = fault->values.duration_us;

  sim_network_spike (world->network, world_now_us (world) + duration_us, factor);
  partitions_disturb (world->partitions, duration_us + factor * world->shape.network.timing.us_max);
  return TRUE;
}

gboolean
fault_stall (World *world, const Fault *fault)
{
  sim_network_stall (world->network, world_now_us (world) + fault->values.duration_us);
  partitions_disturb (world->partitions, fault->values.duration_us);
  return TRUE;
}

gboolean
fault_full (World *world, const Fault *fault)
{
  const SimMember *member = fault_member (world, fault);

  if (member == NULL)
    return FALSE;
  sim_network_refuse (world->network, sim_member_id (member),
                      world_now_us (world) + fault->values.duration_us);
  partitions_disturb (world->partitions, fault->values.duration_us);
  return TRUE;
}
