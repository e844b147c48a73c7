/* SPDX-License-Identifier: MIT */
/* The local socket for consortctl (control_protocol.h). Only its owner may use it (mode 0600).
 * A client that is slow or silent costs a small buffer, never a turn of the loop. */
#pragma once

#include "daemon/io_poller.h"

typedef struct ControlSocket ControlSocket;

typedef struct ControlRequest
{
  gboolean json;
  const char *member; /* NULL: "*", any or all */
  const char *command;
} ControlRequest;

/* The answer, yours to give; NULL with an error whose message is the refusal. */
typedef char *(*ControlHandler) (gpointer user_data, const ControlRequest *request, GError **error);

/* Makes the path's directory if it is missing. A path whose daemon has died is taken over; FALSE
 * with SYSTEM_ERROR_REFUSED when it belongs to a living one, or to something else. */
ControlSocket *control_socket_new (const char *path, IoPoller *poller, ControlHandler handler,
                                   gpointer user_data, GError **error);
/* Removes the path. */
void control_socket_free (ControlSocket *control);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ControlSocket, control_socket_free)
