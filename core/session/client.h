/* SPDX-License-Identifier: MIT */
/* A client at the edge of this member: bytes in, bytes out, no sockets.
 *
 * Everything a client sends is judged for *syntax* here, and put behind what came before it into
 * the outgoing envelope; nothing of it takes effect until the group delivers it back. Answers
 * wait here until the owner of the socket writes them.
 *
 * Made by node_client_connected, owned by the node. The owner of the socket (the daemon's
 * client_io.c, a simulated client) does, in one turn of its loop:
 *
 *     while it is readable, and client_wants_bytes:
 *         space = client_read_space (client, &size); n = read (..., space, size);
 *         client_bytes_read (client, n), or client_end_of_file (client)
 *     node_flush (node)
 *     for each client of node_take_touched (node):
 *         client_peek_output (client, slices, n); writev; client_output_written (client, n)
 *         if client_is_finished: close the socket, node_client_gone (node, client)
 */
#pragma once

#include "core/base/slice.h"

typedef struct Client Client;

/* Where to read into: at least a few kilobytes. Valid until the next call for this client. */
guint8 *client_read_space (Client *client, gsize *ret_size);
/* `count` bytes were read into that space, count > 0. */
void client_bytes_read (Client *client, gsize count);
/* Nothing more will come. Not after client_is_finished. */
void client_end_of_file (Client *client);

/* FALSE: do not read now (the group, or this client's own answers, are behind). A client that
 * becomes willing again is among the touched ones. */
gboolean client_wants_bytes (Client *client);

/* The first bytes to be written, as at most `max` slices; returns how many. Valid until the next
 * call for this client. */
guint client_peek_output (Client *client, Slice *slices, guint max);
void client_output_written (Client *client, gsize count);
gboolean client_has_output (const Client *client);

/* All was said: once client_has_output is FALSE the socket can be closed. */
gboolean client_is_finished (const Client *client);

/* For the owner's own record of the socket. */
void client_set_user_data (Client *client, gpointer user_data);
gpointer client_get_user_data (const Client *client);
