/* SPDX-License-Identifier: MIT */
#include "sim/checker_sessions.h"
#include "core/base/id_map.h"

/* What the first member that was looked at says of a session. No session changes its primary. */
typedef struct Known
{
  const char *name;
  gint64 at_us;
  MemberId primary;
} Known;

struct CheckerSessions
{
  Findings *findings;
  IdMap *known; /* SessionId -> Known, owned */
};

CheckerSessions *
checker_sessions_new (Findings *findings)
{
  CheckerSessions *checker = g_new0 (CheckerSessions, 1);

  checker->findings = findings;
  checker->known = id_map_new ();
  return checker;
}

void
checker_sessions_free (CheckerSessions *checker)
{
  IdMapIter iter = id_map_iter (checker->known);
  gpointer known;

  while (id_map_next (&iter, NULL, &known))
    g_free (known);
  id_map_free (checker->known);
  g_free (checker);
}

static void
check_primary (CheckerSessions *checker, gint64 now_us, const char *name, const SessionLook *look)
{
  Known *known = id_map_lookup (checker->known, id_key_of_session (look->id));
  char id[ID_TEXT_SIZE];

  if (known == NULL)
    {
      known = g_new0 (Known, 1);
      *known = (Known){ name, now_us, look->primary };
      id_map_insert (checker->known, id_key_of_session (look->id), known);
    }
  if (!member_id_equal (known->primary, look->primary))
    findings_add (
        checker->findings, "one-primary",
        "session %s is served by %u.%u in the state of %s (at %" G_GINT64_FORMAT
        "us), but by %u.%u in that of %s (at %" G_GINT64_FORMAT "us): two may answer one client",
        session_id_to_text (look->id, id), known->primary.node_id, known->primary.process_id,
        known->name, known->at_us, look->primary.node_id, look->primary.process_id, name, now_us);
}

void
checker_sessions_look (CheckerSessions *checker, gint64 now_us, const char *name, MemberId member,
                       guint64 position, const SessionLook *look)
{
  gboolean is_primary = member_id_equal (look->primary, member);
  char id[ID_TEXT_SIZE];

  session_id_to_text (look->id, id);
  check_primary (checker, now_us, name, look);
  if (!look->primary_is_full)
    findings_add (checker->findings, "one-primary",
                  "at %" G_GINT64_FORMAT "us, position %" G_GUINT64_FORMAT
                  ", session %s is served by %u.%u in the state of %s, where that is no full "
                  "member: nobody answers its client",
                  now_us, position, id, look->primary.node_id, look->primary.process_id, name);
  if (look->is_served_here != is_primary)
    findings_add (checker->findings, "one-primary",
                  "at %" G_GINT64_FORMAT "us, position %" G_GUINT64_FORMAT
                  ", %s %s session %s, whose primary is %u.%u",
                  now_us, position, name, is_primary ? "does not answer" : "answers", id,
                  look->primary.node_id, look->primary.process_id);
}
