/* SPDX-License-Identifier: MIT */
/* One listening TCP socket. */
#pragma once

#include "daemon/io_poller.h"
#include "daemon/listen_address.h"

typedef struct Listener Listener;

/* `fd` is non-blocking, with TCP_NODELAY, and yours; `peer` is "127.0.0.1:40112", borrowed. */
typedef void (*ListenerAccepted) (gpointer user_data, int fd, const char *peer);

/* `member` (borrowed) is for the log. NULL: "cannot listen on ADDRESS:PORT: why". */
Listener *listener_new (const ListenAddress *address, IoPoller *poller, const char *member,
                        ListenerAccepted accepted, gpointer user_data, GError **error);
void listener_free (Listener *listener);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Listener, listener_free)

/* With the port that the kernel chose. */
const ListenAddress *listener_address (const Listener *listener);

/* Out of file descriptors it stops accepting for a while; ENV_NEVER while it accepts. */
gint64 listener_next_deadline_us (const Listener *listener);
void listener_tick (Listener *listener, gint64 now_us);
