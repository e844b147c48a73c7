/* SPDX-License-Identifier: MIT */
/* The promise: the replicated core is a function of the order, so active members that have
 * accepted the same events hold the same state. Compared by digest, at equal positions. */
#pragma once

#include "sim/findings.h"

typedef struct CheckerAgreement CheckerAgreement;

/* `findings` is borrowed. */
CheckerAgreement *checker_agreement_new (Findings *findings);
void checker_agreement_free (CheckerAgreement *checker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CheckerAgreement, checker_agreement_free)

/* An active member's state now; `member` is its name, borrowed for the checker's life. */
void checker_agreement_state (CheckerAgreement *checker, gint64 now_us, const char *member,
                              guint64 position, guint64 digest);
/* The running digest, and the one computed from the whole state. */
void checker_agreement_in_full (CheckerAgreement *checker, gint64 now_us, const char *member,
                                guint64 position, guint64 digest, guint64 digest_in_full);
/* States that were compared with another member's. */
guint64 checker_agreement_compared (const CheckerAgreement *checker);
