/* SPDX-License-Identifier: MIT */
/* The promise that something happens at last: a member that starts becomes active, a publish is
 * confirmed, queues are drained. Each within a bound of virtual time. */
#pragma once

#include "sim/findings.h"

typedef struct CheckerLiveness CheckerLiveness;

/* Generous: the state of a whole cluster moves within a few hundred milliseconds. */
#define LIVENESS_ACTIVE_US (5 * G_USEC_PER_SEC)
/* A client may have to come to several members, and those may be joining. */
#define LIVENESS_PHASE_US (60 * G_USEC_PER_SEC)

CheckerLiveness *checker_liveness_new (Findings *findings, guint n_members);
void checker_liveness_free (CheckerLiveness *checker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CheckerLiveness, checker_liveness_free)

void checker_liveness_started (CheckerLiveness *checker, guint member, gint64 now_us);
/* It cannot become active now: its time begins anew. */
void checker_liveness_put_off (CheckerLiveness *checker, guint member, gint64 now_us);
/* It is active, or it is gone: nothing is waited for. */
void checker_liveness_at_rest (CheckerLiveness *checker, guint member);
gboolean checker_liveness_waits_for (const CheckerLiveness *checker, guint member);
/* Members that are waited for. */
guint checker_liveness_waiting (const CheckerLiveness *checker);
gboolean checker_liveness_is_late (const CheckerLiveness *checker, gint64 now_us);
/* A finding for each member that is late; `why` says who is where. */
void checker_liveness_look (CheckerLiveness *checker, gint64 now_us, const char *const *names,
                            const char *why);
/* What the cluster as a whole had to reach by now; `missing` says what is missing, `why` who is
 * where. */
void checker_liveness_stalled (CheckerLiveness *checker, gint64 now_us, const char *rule,
                               const char *missing, const char *why);
