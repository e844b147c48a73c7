/* SPDX-License-Identifier: MIT */
/* All client connections and sessions of the cluster, the same on every member.
 *
 * What is local to this member (a connection's Client, a session's chains) hangs on the same
 * objects but is not part of the state: it is neither given to a newcomer nor in the digest. */
#pragma once

#include "core/base/id_map.h"
#include "core/broker/broker.h"
#include "core/session/frame_handler.h"

typedef struct Connection Connection;
typedef struct SessionMap SessionMap;

/* Sets which chain a session's outgoing frames take on this member (chain_builder.c); called
 * whenever a session is made. */
typedef void (*ChooseSendHandler) (gpointer chains, Session *session);

struct SessionMap
{
  Broker *broker;     /* borrowed */
  IdMap *connections; /* ConnectionId -> Connection, owned */
  IdMap *sessions;    /* SessionId -> Session, owned */
  Session *latest;    /* that was looked up: frames come in rows */
  guint64 position;   /* of the ordered event that is being processed */

  guint64 digest;           /* sum over connections and sessions, without the dirty ones' changes */
  GPtrArray *dirty;         /* sessions whose digest has to be taken anew */
  GPtrArray *with_confirms; /* sessions that owe their client confirms at the end of the event */
  GPtrArray *settled;       /* queues that the present method settles messages of: references */

  /* local to this member */
  guint64 report_position; /* another member's client waits until this position is safe */
  ChooseSendHandler choose_send;
  gpointer chains;
};

/* `broker` must outlive it. */
SessionMap *session_map_new (Broker *broker);
void session_map_free (SessionMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionMap, session_map_free)

/* NULL: none. */
Connection *session_map_lookup_connection (SessionMap *map, ConnectionId id);
Session *session_map_lookup_session (SessionMap *map, SessionId id);

/* The sessions of the members' clients end, all at once and in order: unacked messages return to
 * their places, exclusive queues go, then others are served. What "the member is lost" means
 * without take-up. */
void session_map_members_lost (SessionMap *map, const MemberId *members, guint n_members);
/* The same for all clients. */
void session_map_all_lost (SessionMap *map);

/* Once all entries of an ordered event have been applied: confirms leave, coalesced. */
void session_map_end_of_event (SessionMap *map);

guint64 session_map_digest (SessionMap *map);
guint64 session_map_digest_in_full (SessionMap *map);

/* Connections and sessions, both ways; a reader fills a new map over the broker whose state was
 * read before, and puts the consumers on their queues. */
gboolean session_map_state (StateCodec *codec, SessionMap *map);
