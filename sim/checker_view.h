/* SPDX-License-Identifier: MIT */
/* The promise of the group to each member (transport.h), watched while the cluster runs on it:
 * views follow each other, and members told the same two views were told the same messages
 * between them. Views are known by the number that the simulated transport gives them. In a view
 * that is a merge, members are compared with those that they were together with before: the others
 * may have missed some messages. */
#pragma once

#include "sim/findings.h"
#include "sim/told.h"
#include "transport/view.h"

typedef struct CheckerView CheckerView;
/* One membership, as the checker follows it. */
typedef struct ViewTape ViewTape;

CheckerView *checker_view_new (Findings *findings);
void checker_view_free (CheckerView *checker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CheckerView, checker_view_free)

/* Owned by the checker. `name` is borrowed for its life. */
ViewTape *checker_view_joins (CheckerView *checker, const char *name, MemberId member);
/* It multicast this, and the transport took it. */
void view_tape_sent (ViewTape *tape, guint64 hash);
void view_tape_view (ViewTape *tape, gint64 now_us, const View *view);
/* A multicast. */
void view_tape_message (ViewTape *tape, gint64 now_us, Told told);
/* A message to this member alone. */
void view_tape_directed (ViewTape *tape, gint64 now_us, MemberId sender);
/* It left, crashed or failed. */
void view_tape_over (ViewTape *tape);
