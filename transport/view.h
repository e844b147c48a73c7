/* SPDX-License-Identifier: MIT */
/* Views that are kept: a View (transport.h) with its lists in one block of memory. */
#pragma once

#include "transport/transport.h"

/* Yours. Copies the lists; `members` must be in member_id_compare order. */
View *view_copy (const View *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (View, view_unref)

/* TRUE: it is one of the members. */
gboolean view_holds (const View *view, MemberId member);
/* "join", "leave", "process-down", "node-down", "node-up" */
const char *view_reason_name (ViewReason reason);
