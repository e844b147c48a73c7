/* SPDX-License-Identifier: MIT */
/* What goes wrong with a member: it ends, it sleeps, its daemon or its clock is not what it was. */
#include "sim/link.h"
#include "sim/look.h"
#include "sim/member_parts.h"
#include "sim/partitions.h"

void
sim_member_set_sleep (SimMember *member, MemberSleep sleep)
{
  World *world = member->world;

  if (sleep == MEMBER_HUNG || member->sleep == MEMBER_HUNG)
    sim_network_hang (world->network, member->id, sleep == MEMBER_HUNG);
  else
    sim_network_pause (world->network, member->id, sleep == MEMBER_PAUSED);
  world_add_fault (world, "sleep", (guint64) member->number * 3 + sleep);
  member->sleep = sleep;
  if (sleep != MEMBER_AWAKE)
    return;
  checker_delivery_late (world->checker_delivery, NULL, member->number);
  member_release_held (member);
  if (member->node == NULL)
    return;
  /* Whose client reads again by now. */
  for (guint i = 0; i < member->links->len; i++)
    member_write_to_client (link_peek_edge (member->links->pdata[i]), member->links->pdata[i]);
  sim_member_turn (member);
}

gboolean
sim_member_is_awake (const SimMember *member)
{
  return member->sleep == MEMBER_AWAKE;
}

/* What its memberships are to the network. */
static void
end_memberships (SimMember *member, MemberEnd how)
{
  SimNetwork *network = member->world->network;

  if (member->sleep == MEMBER_HUNG)
    sim_network_hang (network, member->id, FALSE);
  sim_network_pause (network, member->id, FALSE);
  if (how == MEMBER_LOSES_SUFFIX)
    sim_network_lose_suffix (network, member->id);
  if (how == MEMBER_LOSES_SUFFIX || how == MEMBER_NODE_DOWN)
    sim_member_may_lose_suffix (member);
  switch (how)
    {
    case MEMBER_CRASHES:
    case MEMBER_LOSES_SUFFIX:
      sim_network_crash (network, member->id);
      break;
    case MEMBER_ENDS_UNSEEN:
      sim_network_crash_unseen (network, member->id);
      break;
    case MEMBER_NODE_DOWN:
      sim_network_node_down (network, member->id.node_id);
      break;
    }
}

void
member_end_process (SimMember *member, MemberEnd how)
{
  static const char *const words[] = { "crash", "lose-suffix", "end-unseen", "node-down" };

  g_assert (member->node != NULL);
  world_note (member->world, "%s %s", words[how], member->name);
  look_at_crash (member->world, member);
  world_add_fault (member->world, words[how], member->number);
  end_memberships (member, how);
  member->sleep = MEMBER_AWAKE;
  member->has_no_daemon = FALSE;
  member->foreign = MEMBER_IS_OURS;
  member_gone (member);
  member_release_held (member);
}

void
sim_member_end (SimMember *member, MemberEnd how)
{
  gboolean was_asleep = member->sleep != MEMBER_AWAKE;

  member_end_process (member, how);
  if (was_asleep)
    partitions_member_woken (member->world->partitions);
}

void
sim_member_set_late (SimMember *member, gint64 lag_us)
{
  const SimNetworkOptions *options = &member->world->shape.network;

  if (lag_us == 0 && !member->is_late)
    return;
  member->is_late = lag_us > 0;
  world_add_fault (member->world, "lag", member->number);
  if (member->is_late)
    sim_network_set_lag (member->world->network, member->id, 0, lag_us);
  else
    sim_network_set_lag (member->world->network, member->id, options->lag_us_min,
                         options->lag_us_max);
}

gboolean
sim_member_is_late (const SimMember *member)
{
  return member->is_late;
}

void
sim_member_set_slow (SimMember *member, gint64 each_us)
{
  if (each_us == 0 && !member->is_slow)
    return;
  member->is_slow = each_us > 0;
  world_add_fault (member->world, "slow", member->number);
  sim_network_set_pace (member->world->network, member->id, each_us);
}

gboolean
sim_member_is_slow (const SimMember *member)
{
  return member->is_slow;
}

void
sim_member_set_foreign (SimMember *member, MemberForeign foreign)
{
  if (member->foreign == foreign)
    return;
  member->foreign = foreign;
  world_add_fault (member->world, "foreign", (guint64) member->number * 3 + foreign);
}

MemberForeign
sim_member_foreign (const SimMember *member)
{
  return member->foreign;
}

gboolean
sim_member_is_foreign (const SimMember *member)
{
  return member->foreign != MEMBER_IS_OURS;
}

void
sim_member_set_site (SimMember *member, FaultSite site, gboolean on)
{
  if (member->sites.is_on[site] == on)
    return;
  world_add_fault (member->world, "site", (guint64) member->number * N_FAULT_SITES + site);
  sim_fault_sites_set (&member->sites, site, on);
}

gboolean
sim_member_site_is_on (const SimMember *member, FaultSite site)
{
  return member->sites.is_on[site];
}

void
sim_member_lose_daemon (SimMember *member, SimDaemonEnd how)
{
  world_note (member->world, "lose-daemon %s", member->name);
  world_add_fault (member->world, "lose-daemon", member->number);
  member->has_no_daemon = TRUE;
  sim_member_may_lose_suffix (member);
  sim_network_daemon_down (member->world->network, member->id.node_id, how);
}

void
sim_member_get_daemon (SimMember *member)
{
  world_add_fault (member->world, "get-daemon", member->number);
  member->has_no_daemon = FALSE;
}

gboolean
sim_member_has_no_daemon (const SimMember *member)
{
  return member->has_no_daemon;
}

void
sim_member_clock_jumps (SimMember *member, gint64 by_us)
{
  sim_env_jump (&member->env, by_us);
  if (member->node != NULL)
    member_schedule_tick (member);
}

void
sim_member_clock_drifts (SimMember *member, guint percent)
{
  sim_env_drift (&member->env, percent);
  if (member->node != NULL)
    member_schedule_tick (member);
}
