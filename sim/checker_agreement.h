/* SPDX-License-Identifier: MIT */
/* The promise: the replicated core is a function of the order, so active members that have
 * accepted the same events hold the same state. Compared by digest, at equal positions that are
 * released: before, a member may hold a tail that only it has seen, and lose it (doc/protocol.md).
 */
#pragma once

#include "sim/findings.h"

typedef struct CheckerAgreement CheckerAgreement;

/* `findings` is borrowed. */
CheckerAgreement *checker_agreement_new (Findings *findings);
void checker_agreement_free (CheckerAgreement *checker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CheckerAgreement, checker_agreement_free)

/* An active member's state now, and up to which position it may tell its clients; `member` is its
 * name, borrowed for the checker's life. */
void checker_agreement_state (CheckerAgreement *checker, gint64 now_us, const char *member,
                              guint64 position, guint64 released, guint64 digest);
/* It ended, or is not active any more: what it had beyond its released position does not count. */
void checker_agreement_ended (CheckerAgreement *checker, const char *member);
/* The running digest, and the one computed from the whole state. */
void checker_agreement_in_full (CheckerAgreement *checker, gint64 now_us, const char *member,
                                guint64 position, guint64 digest, guint64 digest_in_full);
/* At the end, all being whole again and at rest: one call for each member. */
void checker_agreement_at_rest (CheckerAgreement *checker, gint64 now_us, const char *member,
                                guint64 position, guint64 digest);
/* States that were compared with another member's. */
guint64 checker_agreement_compared (const CheckerAgreement *checker);
