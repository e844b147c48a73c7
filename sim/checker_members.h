/* SPDX-License-Identifier: MIT */
/* A full member is one of those that are there: whoever left is nobody's donor, voter or primary.
 */
#pragma once

#include "sim/findings.h"

#include "core/base/ids.h"

void checker_members_look (Findings *findings, gint64 now_us, const char *member, guint64 position,
                           MemberId full, gboolean is_in_view);
