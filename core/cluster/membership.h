/* SPDX-License-Identifier: MIT */
/* Who is a full member and who is joining: replicated, changed only by ordered events, equal on
 * all full members (protocol: full[], joining{}).
 *
 * In a cluster of a thousand few speak in an epoch, and all hear them: what changes with each event
 * is in the rows of these, close together. Digests are kept as sums (core/base/digest.h), so that
 * none costs a walk over all rows. */
#pragma once

#include "core/base/state_codec.h"
#include "core/cluster/envelope.h"

typedef struct FullMember
{
  MemberId id;
  Incarnation incarnation;
  guint64 since; /* position at which it became full: they stand in this order */
  guint speaker; /* place among the speakers, plus one; 0: it is none */
} FullMember;

/* A full member that was heard in this epoch. */
typedef struct Speaker
{
  MemberId id;
  Incarnation incarnation;
  guint64 next_sequence; /* of its ordered envelopes in this epoch */
  guint64 last_position; /* of what was last accepted from it in this epoch; 0: nothing yet */
  gint64 claim;          /* the greatest it has reported in this epoch; -1: none */
  guint64 digested;      /* its part of Membership.spoken_sum */
  guint rank;            /* its place in `full` */
  gboolean stale;        /* its part is to be reckoned anew */
} Speaker;

typedef struct JoiningMember
{
  MemberId id;
  JoinCut cut;
} JoiningMember;

typedef struct Membership
{
  GArray *full;    /* of FullMember, in the order in which they became full: [0] is the eldest */
  GArray *joining; /* of JoiningMember, in the order of their ids */

  GArray *speakers; /* of Speaker, as they began to speak */

  /* follow from these */
  guint32 *slots;       /* hash table of places in `full`, plus one; 0: free */
  guint32 n_slots;      /* a power of two, at least twice the places */
  GArray *votes;        /* of guint: places in `full` of those that vote */
  GArray *stale;        /* of guint: places of speakers whose part of the digest is stale */
  const GArray *voters; /* of guint32, node ids, borrowed; empty: every node votes */
  guint64 who_sum;      /* digests of who is full, since when */
  guint64 spoken_sum;   /* digests of what they have said in this epoch */
  guint64 joining_sum;
} Membership;

/* `voters` is borrowed for its life. */
void membership_init (Membership *membership, const GArray *voters);
void membership_clear (Membership *membership);

/* NULL: it is no full member. `place`, where it may be, becomes where it is. Valid until the next
 * change, as all rows are. */
Speaker *membership_find_sender (Membership *membership, MemberId id, guint *place);
/* Of those that vote, the index-th; NULL: it was not heard in this epoch. */
static inline const Speaker *
membership_voter (const Membership *membership, guint index)
{
  guint rank = g_array_index (membership->votes, guint, index);
  guint speaker = g_array_index (membership->full, FullMember, rank).speaker;

  return speaker == 0 ? NULL : &g_array_index (membership->speakers, Speaker, speaker - 1);
}
MemberId membership_voter_id (const Membership *membership, guint index);
/* -1: not one. */
gint membership_full_rank (const Membership *membership, MemberId id);
/* Who gives its state to newcomers: the eldest that has spoken in this epoch. An elder that has not
 * may be idle since, and not have been missed yet. */
MemberId membership_donor (const Membership *membership);
/* `since`: later than that of all others. */
void membership_add_full (Membership *membership, MemberId id, Incarnation incarnation,
                          guint64 since);
/* FALSE: it was not one. */
gboolean membership_remove_full (Membership *membership, MemberId id);
/* It said something, accepted at `position`, that claims `claim`. Its next_sequence changes before
 * that, if it does. */
void membership_spoke (Membership *membership, Speaker *speaker, guint64 position, gint64 claim);
const JoiningMember *membership_find_joining (const Membership *membership, MemberId id);
/* Instead of an earlier request of the same member. */
void membership_set_joining (Membership *membership, MemberId id, JoinCut cut);
void membership_remove_joining (Membership *membership, MemberId id);
gboolean membership_is_voter (const Membership *membership, MemberId id);
/* Sequences begin anew, and nobody has spoken. */
void membership_new_epoch (Membership *membership);

guint64 membership_digest (Membership *membership);
/* The same, from all rows: tests and checkers. */
guint64 membership_digest_in_full (const Membership *membership);
gboolean membership_state (StateCodec *codec, Membership *membership);
