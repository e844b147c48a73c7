/* SPDX-License-Identifier: MIT */
/* What an operator orders, or should not have. */
#include "core/node/node.h"
#include "sim/fault_parts.h"
#include "sim/member.h"

/* One that he can talk to, or NULL. */
static Node *
node_of (World *world, const Fault *fault)
{
  SimMember *member = fault_member (world, fault);

  if (member == NULL || !sim_member_is_up (member) || !sim_member_is_awake (member))
    return NULL;
  return sim_member_peek_node (member);
}

/* From here on checkers cannot count the voters of the scenario: whose voices count is what he
 * said. */
static gboolean
acted (World *world, const Fault *fault)
{
  checker_majority_is_told (world->checker_majority);
  world->voters_told = TRUE;
  sim_member_turn (fault_member (world, fault));
  return TRUE;
}

gboolean
fault_form_by_force (World *world, const Fault *fault)
{
  Node *node = node_of (world, fault);
  g_autofree char *why_not = NULL;

  if (node == NULL)
    return FALSE;
  why_not = node_why_not_form (node);
  if (why_not != NULL)
    return FALSE;
  node_form_by_force (node);
  return acted (world, fault);
}

gboolean
fault_forget (World *world, const Fault *fault)
{
  Node *node = node_of (world, fault);

  return node != NULL && node_forget (node, (guint32) fault->values.other + 1) == NULL
         && acted (world, fault);
}
