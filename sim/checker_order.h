/* SPDX-License-Identifier: MIT */
/* The promise of one order, watched below each member: two messages come in one order to all that
 * are told both; those of one sender in the order of its sending, none twice, none left out
 * between two others, none before it was sent.
 *
 * What members are told in one view is kept once, as a branch that all follow. Sides of a partition
 * part from it, and so may one that dies with what only it was told. That branches agree is proved
 * by each message's place in the order, as a rule (after a merge there may be a branch for each
 * member); where it is not, they are compared message by message. */
#pragma once

#include "sim/findings.h"
#include "sim/told.h"

typedef struct CheckerOrder CheckerOrder;
typedef struct OrderTape OrderTape;

CheckerOrder *checker_order_new (Findings *findings);
void checker_order_free (CheckerOrder *checker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CheckerOrder, checker_order_free)
/* The network is whole and everything under way was told: who is in one view was told the same. */
void checker_order_end (CheckerOrder *checker, gint64 now_us);

/* One membership, owned by the checker. `name` is borrowed for its life. */
OrderTape *checker_order_joins (CheckerOrder *checker, const char *name, MemberId member);
void order_tape_over (OrderTape *tape);
void order_tape_sent (OrderTape *tape, gint64 now_us, guint64 hash);
void order_tape_view (OrderTape *tape, const View *view);
/* Multicasts only. */
void order_tape_message (OrderTape *tape, gint64 now_us, Told told);
