/* SPDX-License-Identifier: MIT */
/* Where clients reach a member: a numeric address and a port. Names are not looked up: what
 * a listener is bound to should not depend on a name server. */
#pragma once

#include <glib.h>
#include <sys/socket.h>

typedef struct ListenAddress
{
  struct sockaddr_storage socket_address;
  socklen_t length;
} ListenAddress;

/* "127.0.0.1:5672", "[::1]:5672", "0.0.0.0:0" (port 0: the kernel chooses). Otherwise
 * SYSTEM_ERROR_SETTING. */
gboolean listen_address_parse (const char *text, ListenAddress *ret_address, GError **error);
/* The same text again. Yours. */
char *listen_address_to_text (const ListenAddress *address);
guint listen_address_port (const ListenAddress *address);
void listen_address_set_port (ListenAddress *address, guint port);
