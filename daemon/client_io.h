/* SPDX-License-Identifier: MIT */
/* The TCP sockets of one member's clients, between the poller and the node (client.h).
 *
 * The life of a socket:
 *
 *   served     read while the client wants bytes, written while it has output
 *   draining   the client is finished, its last output is not written yet   } at most
 *   lingering  all is written and we have said so (FIN); what still comes   } LIMIT_LINGER_SECONDS
 *              is thrown away: closing with unread bytes would be a reset,  } each
 *              which can destroy our last words on their way
 *   closed     the other side closed too
 *
 * An error ends it from anywhere. */
#pragma once

#include "core/node/node.h"
#include "daemon/io_poller.h"

typedef struct ClientSet ClientSet;

typedef struct ClientStatistics
{
  guint64 accepted;
  guint64 bytes_read;
  guint64 bytes_written;
} ClientStatistics;

/* Both are borrowed. */
ClientSet *client_set_new (Node *node, IoPoller *poller);
/* Every socket that is left is reset, and the node is told nothing: before node_free, or when the
 * member crashes. */
void client_set_free (ClientSet *set);

/* Takes the fd. */
void client_set_add (ClientSet *set, int fd, const char *peer);
/* Sockets that are not closed yet. */
guint client_set_size (const ClientSet *set);
ClientStatistics client_set_statistics (const ClientSet *set);

/* One write for each client that the node has touched. TRUE: bytes were written, or a client
 * came to its end, so the node may have something new to say. */
gboolean client_set_write_touched (ClientSet *set);

gint64 client_set_next_deadline_us (const ClientSet *set);
void client_set_tick (ClientSet *set, gint64 now_us);
