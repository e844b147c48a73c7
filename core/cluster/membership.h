/* SPDX-License-Identifier: MIT */
/* Who is a full member and who is joining: replicated, changed only by ordered events, equal on
 * all full members (protocol: full[], joining{}). */
#pragma once

#include "core/base/id_map.h"
#include "core/base/state_codec.h"
#include "core/cluster/envelope.h"

typedef struct FullMember
{
  MemberId id;
  Incarnation incarnation;
  guint64 next_sequence; /* of its ordered envelopes in this epoch */
  guint64 last_position; /* of what was last accepted from it in this epoch; 0: nothing yet */
  gint64 claim;          /* the greatest it has reported in this epoch; -1: none */
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

  /* follow from `full` */
  IdMap *ranks;         /* MemberId -> place in `full`, plus one */
  GArray *votes;        /* of guint: places in `full` of those that vote */
  const GArray *voters; /* of guint32, node ids, borrowed; empty: every node votes */
} Membership;

/* `voters` is borrowed for its life. */
void membership_init (Membership *membership, const GArray *voters);
void membership_clear (Membership *membership);

/* NULL: not one. Valid until the next change. */
FullMember *membership_find_full (Membership *membership, MemberId id);
/* -1: not one. */
gint membership_full_rank (const Membership *membership, MemberId id);
/* Who gives its state to newcomers: the eldest that has spoken in this epoch. An elder that has not
 * may be idle since, and not have been missed yet. */
MemberId membership_donor (const Membership *membership);
void membership_add_full (Membership *membership, MemberId id, Incarnation incarnation);
/* FALSE: it was not one. */
gboolean membership_remove_full (Membership *membership, MemberId id);
JoiningMember *membership_find_joining (Membership *membership, MemberId id);
/* Instead of an earlier request of the same member. */
void membership_set_joining (Membership *membership, MemberId id, JoinCut cut);
void membership_remove_joining (Membership *membership, MemberId id);
gboolean membership_is_voter (const Membership *membership, MemberId id);
/* Sequences begin anew, and nobody has spoken. */
void membership_new_epoch (Membership *membership);

guint64 membership_digest (const Membership *membership);
gboolean membership_state (StateCodec *codec, Membership *membership);
