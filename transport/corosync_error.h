/* SPDX-License-Identifier: MIT */
/* What libcpg answers, in our terms. */
#pragma once

#include <corosync/corotypes.h>

#include "transport/transport.h"

/* Fills `error` (SYSTEM_ERROR_TRANSPORT) with what was tried and why it did not work; FALSE. */
gboolean corosync_error (GError **error, cs_error_t code, const char *what);
/* TRUE: the daemon is not there yet, or busy: the same may work later. */
gboolean corosync_error_is_passing (cs_error_t code);
/* For people. */
const char *corosync_error_text (cs_error_t code);
