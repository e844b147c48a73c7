/* SPDX-License-Identifier: MIT */
/* What consortctl and consortd say to each other over a local stream socket.
 *
 *   request   text|json MEMBER|* COMMAND...\n     one line, at most LIMIT_CONTROL_REQUEST bytes;
 *                                                 the next one after the reply only
 *   reply     ok|refused LENGTH\n, then LENGTH bytes: the answer, or a line that says why not
 *
 * Commands: member crash NAME, member restart NAME, drain [SECONDS], undrain, and those of
 * core/management/management.h. */
#pragma once

#include <glib.h>
#include <sys/un.h>

#define CONTROL_OK      "ok"
#define CONTROL_REFUSED "refused"
/* A reply's first line and its final NUL. */
#define CONTROL_STATUS_SIZE 32

/* /run/consort/control for root, else consort/control in $XDG_RUNTIME_DIR (where there is none,
 * in the user's cache directory). Yours. */
char *control_default_path (void);
/* SYSTEM_ERROR_SETTING: the path is too long for a socket. */
gboolean control_address (const char *path, struct sockaddr_un *ret_address, GError **error);
