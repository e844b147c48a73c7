/* SPDX-License-Identifier: MIT */
/* Who is a full member and who is joining: replicated, changed only by ordered events, equal on
 * all full members (protocol: full[], joining{}). */
#pragma once

#include "core/base/state_codec.h"
#include "core/cluster/envelope.h"

typedef struct FullMember
{
  MemberId id;
  Incarnation incarnation;
  guint64 next_sequence; /* of its ordered envelopes in this epoch */
} FullMember;

typedef struct JoiningMember
{
  MemberId id;
  JoinCut cut;
} JoiningMember;

typedef struct Membership
{
  GArray *full;    /* of FullMember, in the order in which they became full: [0] is the eldest */
  GArray *joining; /* of JoiningMember, in the order of their requests */
} Membership;

void membership_init (Membership *membership);
void membership_clear (Membership *membership);

/* NULL: not one. Valid until the next change. */
FullMember *membership_find_full (Membership *membership, MemberId id);
/* -1: not one. */
gint membership_full_rank (const Membership *membership, MemberId id);
void membership_add_full (Membership *membership, MemberId id, Incarnation incarnation);
/* FALSE: it was not one. */
gboolean membership_remove_full (Membership *membership, MemberId id);
JoiningMember *membership_find_joining (Membership *membership, MemberId id);
/* Instead of an earlier request of the same member. */
void membership_set_joining (Membership *membership, MemberId id, JoinCut cut);
void membership_remove_joining (Membership *membership, MemberId id);
/* Sequences begin anew. */
void membership_new_epoch (Membership *membership);

guint64 membership_digest (const Membership *membership);
gboolean membership_state (StateCodec *codec, Membership *membership);
