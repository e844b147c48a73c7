/* SPDX-License-Identifier: MIT */
/* One broker without a cluster: model, sessions and the chain of what clients send, and nothing
 * else; no group, no other member, no client's edge. Played a tape, it is what all members have to
 * be, and what it sends is what clients have to be told. */
#pragma once

#include "sim/conversation.h"
#include "sim/tape.h"

typedef struct Unclustered Unclustered;

Unclustered *unclustered_new (guint64 cluster_id);
void unclustered_free (Unclustered *unclustered);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Unclustered, unclustered_free)

void unclustered_play (Unclustered *unclustered, const Tape *tape);
/* Of model and sessions. */
guint64 unclustered_digest (Unclustered *unclustered);
/* What it sent on the connection of the client that called itself so; NULL: it knows none.
 * Borrowed.
 */
const Conversation *unclustered_conversation (const Unclustered *unclustered, const char *peer);
