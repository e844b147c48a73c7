/* SPDX-License-Identifier: MIT */
/* Faults at places in the code (fault_sites.def). */
#include "sim/fault_parts.h"
#include "sim/member.h"

gboolean
fault_site (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);
  Fault off = fault_of (FAULT_SITE_OFF);

  if (member == NULL || sim_member_site_is_on (member, fault->values.site))
    return FALSE;
  sim_member_set_site (member, fault->values.site, TRUE);
  off.values.member = fault->values.member;
  off.values.site = fault->values.site;
  fault_followed_by (world, fault, off);
  return TRUE;
}

gboolean
fault_site_off (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL || !sim_member_site_is_on (member, fault->values.site))
    return FALSE;
  sim_member_set_site (member, fault->values.site, FALSE);
  return TRUE;
}
