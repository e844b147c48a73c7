/* SPDX-License-Identifier: MIT */
/* The promise behind every confirm: what a member takes for agreed, a majority of the voters has.
 * So nothing that has to be safe is answered without a quorum, whatever the member believes.
 *
 * A voter has what it has applied while it was active, also if it is gone since. Positions count
 * within a lineage of epochs: those of an epoch, and of the few before it that led to it. */
#pragma once

#include "sim/findings.h"

typedef struct CheckerMajority CheckerMajority;

/* `n_voters`: of the cluster; members with such a number may be voters in place of others. */
CheckerMajority *checker_majority_new (Findings *findings, guint n_members, guint n_voters);
void checker_majority_free (CheckerMajority *checker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CheckerMajority, checker_majority_free)

/* An operator has said whose voices count: that one has it is all that can be asked from here on.
 */
void checker_majority_is_told (CheckerMajority *checker);
/* A voter, from 0, is active there. */
void checker_majority_reached (CheckerMajority *checker, guint voter, guint64 epoch,
                               guint64 position);
/* A member takes that position for agreed. */
void checker_majority_agreed (CheckerMajority *checker, gint64 now_us, const char *member,
                              guint64 epoch, guint64 position);
