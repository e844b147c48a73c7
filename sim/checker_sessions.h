/* SPDX-License-Identifier: MIT */
/* The promise that a session has one primary: all members name the same one, which is a full
 * member, and it alone answers the client. */
#pragma once

#include "core/base/ids.h"
#include "sim/findings.h"

typedef struct CheckerSessions CheckerSessions;

CheckerSessions *checker_sessions_new (Findings *findings);
void checker_sessions_free (CheckerSessions *checker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CheckerSessions, checker_sessions_free)

/* A session in the state of one active member. */
typedef struct SessionLook
{
  SessionId id;
  MemberId primary;
  gboolean primary_is_full;
  gboolean is_served_here;
} SessionLook;

/* `name` is borrowed for the checker's life. */
void checker_sessions_look (CheckerSessions *checker, gint64 now_us, const char *name,
                            MemberId member, guint64 position, const SessionLook *look);
