/* SPDX-License-Identifier: MIT */
/* Identities, each its own type, so that the compiler tells them apart.
 *
 *   MemberId      where a member is in the group: CPG's (node id, process id). Used again
 *                 after a restart, so it never identifies a member's life.
 *   Incarnation   one life of a member: 64 bit, drawn at the edge at each join, never used again.
 *   ConnectionId  a client's connection, unique in the cluster for ever.
 *   SessionId     a channel's lasting self, unique in the cluster for ever. As text
 *                 ("incarnation-counter", hexadecimal) it is part of channel.open-ok's channel-id.
 *
 * ConnectionId and SessionId are {incarnation of the member that the client came to, counter
 * there}: the first life that named it, not the one that serves it now. */
#pragma once

#include <glib.h>

typedef guint64 Incarnation;

typedef struct MemberId
{
  guint32 node_id;
  guint32 process_id;
} MemberId;

typedef struct ConnectionId
{
  Incarnation incarnation;
  guint64 counter; /* from 1; 0 is "none" */
} ConnectionId;

typedef struct SessionId
{
  Incarnation incarnation;
  guint64 counter; /* from 1; 0 is "none" */
} SessionId;

/* Bytes that any id_*_to_text needs, with the final NUL. */
#define ID_TEXT_SIZE 40

/* The group's order of members: by node, then by process. <0, 0, >0. */
static inline int
member_id_compare (MemberId a, MemberId b)
{
  if (a.node_id != b.node_id)
    return a.node_id < b.node_id ? -1 : 1;
  if (a.process_id != b.process_id)
    return a.process_id < b.process_id ? -1 : 1;
  return 0;
}

static inline gboolean
member_id_equal (MemberId a, MemberId b)
{
  return a.node_id == b.node_id && a.process_id == b.process_id;
}

static inline gboolean
connection_id_equal (ConnectionId a, ConnectionId b)
{
  return a.incarnation == b.incarnation && a.counter == b.counter;
}

static inline gboolean
session_id_equal (SessionId a, SessionId b)
{
  return a.incarnation == b.incarnation && a.counter == b.counter;
}

static inline gboolean
connection_id_is_none (ConnectionId id)
{
  return id.counter == 0;
}

static inline gboolean
session_id_is_none (SessionId id)
{
  return id.counter == 0;
}

/* Write into `text`, which holds ID_TEXT_SIZE bytes, and return it. */
const char *member_id_to_text (MemberId id, char *text);
const char *connection_id_to_text (ConnectionId id, char *text);
const char *session_id_to_text (SessionId id, char *text);
