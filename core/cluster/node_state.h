/* SPDX-License-Identifier: MIT */
/* What a member is to the group (protocol: "Member states"). */
#pragma once

typedef enum NodeState
{
  NODE_OUTSIDE, /* not a member of the group (yet, or any more) */
  NODE_IDLE,    /* a member, nothing to go by: waits for an active one, or for all expected */
  NODE_JOINING, /* its join request was delivered; the state is on its way */
  NODE_LOADED,  /* has the state, told the others */
  NODE_ACTIVE,  /* a full member */
  NODE_STOPPED
} NodeState;

const char *node_state_name (NodeState state);
