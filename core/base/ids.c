/* SPDX-License-Identifier: MIT */
#include "core/base/ids.h"

const char *
member_id_to_text (MemberId id, char *text)
{
  g_snprintf (text, ID_TEXT_SIZE, "%u.%u", id.node_id, id.process_id);
  return text;
}

static const char *
pair_to_text (guint64 incarnation, guint64 counter, char *text)
{
  g_snprintf (text, ID_TEXT_SIZE, "%016" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x", incarnation,
              counter);
  return text;
}

const char *
connection_id_to_text (ConnectionId id, char *text)
{
  return pair_to_text (id.incarnation, id.counter, text);
}

const char *
session_id_to_text (SessionId id, char *text)
{
  return pair_to_text (id.incarnation, id.counter, text);
}
