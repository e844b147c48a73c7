/* SPDX-License-Identifier: MIT */
/* The tape test, lane by lane: what a client saw is what one unclustered broker, fed the same
 * order, sends; or the first part of it, for answers are held, and connections and members end.
 *
 * What a member told its clients beyond what a majority had, before it was lost or stopped being
 * active, may be of events that nobody else knows: from there on its clients are not judged. */
#pragma once

#include "sim/conversation.h"
#include "sim/findings.h"

/* What a client was told on one connection. */
typedef struct HeardBy
{
  const char *client;
  const char *member;
  guint64 number; /* of the connection */
  const Conversation *conversation;
  guint64 safe;               /* what later positions caused is not judged; G_MAXUINT64: all is */
  gboolean confirms_are_safe; /* none is told before a majority has its cause */
  gboolean is_complete;       /* it ended in an orderly way: nothing is missing */
} HeardBy;

/* `sent` is what the unclustered broker sent there; NULL: it knows of no such connection. How much
 * was compared. */
guint64 checker_tape_compare (Findings *findings, const HeardBy *heard, const Conversation *sent);
/* A member at that position, and the broker that was played the member's tape. */
void checker_tape_state (Findings *findings, gint64 now_us, const char *member, guint64 position,
                         guint64 digest, guint64 digest_of_broker);
/* A newcomer took a state that no member has given. */
void checker_tape_unknown (Findings *findings, gint64 now_us, const char *member, guint64 position);
