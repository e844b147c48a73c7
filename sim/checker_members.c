/* SPDX-License-Identifier: MIT */
#include "sim/checker_members.h"

void
checker_members_look (Findings *findings, gint64 now_us, const char *member, guint64 position,
                      MemberId full, gboolean is_in_view)
{
  if (!is_in_view)
    findings_add (findings, "full-is-there",
                  "at %" G_GINT64_FORMAT "us, position %" G_GUINT64_FORMAT
                  ", %u.%u is a full member in the state of %s, but not in its view: it has left, "
                  "and its clients and what they held are still there",
                  now_us, position, full.node_id, full.process_id, member);
}
