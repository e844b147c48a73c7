/* SPDX-License-Identifier: MIT */
/* A client's connection as every member knows it: who serves it (its primary), what was agreed in
 * the handshake, its sessions by channel, and its credit.
 *
 * Credit is how a socket's speed enters the order: every delivery to a consumer costs its bytes;
 * the primary tells the group when bytes have drained. While it is used up, no consumer of the
 * connection is given anything, on any member. */
#pragma once

#include "core/amqp/protocol.h"
#include "core/base/error.h"
#include "core/session/session_map.h"

struct Connection
{
  /* What every frame and every delivery looks at stands together. */
  MemberId primary; /* who serves the client */
  SessionMap *map;  /* borrowed */
  Vhost *vhost;     /* borrowed */
  Client *client;   /* local: the client itself, on its primary; NULL elsewhere, or gone */
  gint64 credit;    /* bytes; may fall below zero by one message */
  guint64 identity; /* digest of all that never changes */
  guint64 digest;   /* as it is counted in map->digest */
  ProtocolVersion version;
  guint32 frame_max;

  ConnectionId id;
  char *user;
  char *peer; /* the client's address, for people */
  guint16 channel_max;
  guint16 heartbeat_seconds;
  Slice client_properties;      /* a field table, held */
  gboolean wants_cancel_notify; /* read from client_properties */
  Session **channels;           /* by channel number; grows on demand */
  guint n_channels;
  guint n_sessions;
};

/* What the edge found out before it asked the group to open the connection. Borrowed. */
typedef struct ConnectionOpening
{
  ConnectionId id;
  ProtocolVersion version;
  Slice vhost;
  Slice user;
  Slice peer;
  guint16 channel_max;
  guint32 frame_max;
  guint16 heartbeat_seconds;
  Slice client_properties;
} ConnectionOpening;

/* 530 NOT_ALLOWED: no such vhost. 540 NOT_IMPLEMENTED: a version that no edge agrees to
 * (protocol_header_decode), so only a peer of another build can ask for it. */
Connection *connection_open (SessionMap *map, const ConnectionOpening *opening, MemberId primary,
                             GError **error);
/* Ends its sessions, gives up its exclusive queues, frees it. */
void connection_close (Connection *connection);
/* session_let_go for all its sessions. */
void connection_let_go (Connection *connection, GPtrArray *queues);

/* The client asked for it: what it is owed, connection.close-ok, then the connection ends. */
void connection_close_as_asked (Connection *connection);

/* The client did what closes a connection: it is told (on its primary), then the connection ends.
 * `class_id` and `method_id` name the method that did it, or are 0. */
void connection_fail (Connection *connection, const GError *error, guint16 class_id,
                      guint16 method_id);

/* NULL: no session on that channel. */
Session *connection_lookup_channel (const Connection *connection, guint16 channel);

/* Bytes have drained: consumers that waited for credit are served. */
void connection_add_credit (Connection *connection, guint32 bytes);
void connection_take_credit (Connection *connection, gsize bytes);
/* Its credit is used up. */
gboolean connection_must_wait (const Connection *connection);

/* What identifies it, all fields but its sessions. */
guint64 connection_digest_in_full (const Connection *connection);
gboolean connection_state (StateCodec *codec, Connection *connection);
/* All of a map; a reader makes them. */
gboolean connections_state (StateCodec *codec, SessionMap *map);
