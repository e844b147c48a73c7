/* SPDX-License-Identifier: MIT */
/* What consortctl may ask of this process: the members' lives are steered here, everything else
 * is a question to a member (core/management). */
#pragma once

#include "daemon/control_socket.h"
#include "daemon/embedded.h"

/* A ControlHandler; `embedded` is the Embedded.
 *
 * `status` without a member tells of all of them, the ones that are down too; a list without a
 * member comes from the first active one. */
char *control_commands_run (gpointer embedded, const ControlRequest *request, GError **error);
