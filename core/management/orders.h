/* SPDX-License-Identifier: MIT */
/* Commands of management.h that change something, or judge it. Each gives its answer, yours, or
 * NULL with SYSTEM_ERROR_REFUSED. */
#pragma once

#include "core/management/management.h"

/* Refused: it does not serve, with the reason. */
char *orders_health (Node *node, const char *argument, ManagementFormat format, GError **error);
/* NODE */
char *orders_forget (Node *node, const char *argument, ManagementFormat format, GError **error);
/* --force [--yes]; without --yes it is refused, with what may be lost. */
char *orders_form (Node *node, const char *argument, ManagementFormat format, GError **error);
