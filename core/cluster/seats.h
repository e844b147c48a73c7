/* SPDX-License-Identifier: MIT */
/* The nodes whose voices count (protocol: Seats). Replicated: as many as are expected, from the
 * formation on; changed by ordered events only, one node at a time, so that a majority of before
 * and one of after always share a node. */
#pragma once

#include "core/cluster/membership.h"
#include "transport/transport.h"

gboolean seats_have (const Membership *membership, guint32 node_id);
/* Those are taken, in an order that all have. */
void seats_take (Membership *membership, guint32 node_id, guint64 position);
/* FALSE: it had none. */
gboolean seats_give_up (Membership *membership, guint32 node_id, guint64 position);
/* Part of the digest; of the state, both ways. */
guint64 seats_digest (const Membership *membership);
void seats_state (StateCodec *codec, Membership *membership);
/* "1 2 3", of a long list the beginning; `but`, if any, only those that are not in its view. Yours.
 */
char *seats_text (const Membership *membership, const View *but);
