/* SPDX-License-Identifier: MIT */
/* The tape test of a run: what clients are told is kept, and members' tapes (tape.h); in the end
 * one unclustered broker is played the tape of a member, and compared with both. */
#pragma once

#include "sim/conversation.h"
#include "sim/member.h"
#include "sim/tape.h"

typedef struct TapeTest TapeTest;

/* Worth its time and memory: not in the largest runs. */
gboolean tape_test_is_worth_it (const SimOptions *options);
TapeTest *tape_test_new (World *world);
void tape_test_free (TapeTest *test);

TapeShelf *tape_test_shelf (TapeTest *test);
/* That connection, from 1, is made; what its client is told goes there. */
Conversation *tape_test_connect (TapeTest *test, guint64 connection, guint client, guint member);
/* Its member took it. */
void tape_test_accepted (TapeTest *test, guint64 connection);
Conversation *tape_test_conversation (TapeTest *test, guint64 connection);
/* Its client closed it, and was told that all is done. */
void tape_test_closed (TapeTest *test, guint64 connection);
/* A member ends or is not active any more: of what it told its clients, a majority had what was
 * caused up to `agreed`. */
void tape_test_member_lost (TapeTest *test, guint member, guint64 agreed);
/* What clients were told that was compared with the broker's. */
guint64 tape_test_compared (const TapeTest *test);
void tape_test_end (TapeTest *test, SimMember *member, const Tape *tape);
