/* SPDX-License-Identifier: MIT */
/* The only place that knows which handlers make which chain.
 *
 *   from the client's socket    ConnectionFrameHandler > ReplicateOutHandler
 *   from the group, everywhere  MulticastFrameHandler > RequestResponseHandler >
 * ProcessFrameHandler to the client, on primary   RequestResponseHandler > RecordSessionHandler >
 * SafeReplyHandler > ConnectionSendHandler to the client, elsewhere    RequestResponseHandler >
 * RecordSessionHandler
 */
#pragma once

#include "core/cluster/cluster.h"
#include "core/session/session.h"

typedef struct Chains Chains;

/* All borrowed for the chains' life. */
typedef struct ChainsContext
{
  MulticastOutbox *outbox;
  Cluster *cluster;
  Trace *trace; /* NULL: none */
  const char *member;
} ChainsContext;

Chains *chains_new (const ChainsContext *context);
void chains_free (Chains *chains);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Chains, chains_free)

/* The first link of each. */
FrameHandler *chains_from_client (Chains *chains);
FrameHandler *chains_from_group (Chains *chains);

/* Whose sessions the chains work on from now on (a newcomer's are replaced at once), and which
 * member this is: the primary's sessions send, all others record. */
void chains_attach (Chains *chains, SessionMap *sessions, MemberId self);
