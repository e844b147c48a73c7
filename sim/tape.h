/* SPDX-License-Identifier: MIT */
/* The tape of a state: all that happened to it, in order, since there was none. Each member winds
 * on its own as long as it applies what is ordered. Who takes a state from another goes on from
 * that one's tape, at the place where it was given. */
#pragma once

#include "core/base/ids.h"
#include "core/base/slice.h"

typedef enum TapeEventKind
{
  TAPE_APPLIED,
  TAPE_MEMBERS_LOST,
  TAPE_FORMED
} TapeEventKind;

typedef struct TapeEvent
{
  TapeEventKind kind;
  guint64 position;
  MemberId sender;   /* of APPLIED */
  Buffer *envelope;  /* likewise */
  MemberId *members; /* of MEMBERS_LOST */
  guint n_members;
} TapeEvent;

typedef struct Tape Tape;
/* All tapes of a run; owns them. */
typedef struct TapeShelf TapeShelf;

TapeShelf *tape_shelf_new (void);
void tape_shelf_free (TapeShelf *shelf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TapeShelf, tape_shelf_free)

/* Nothing has happened yet. Owned by the shelf. */
Tape *tape_new (TapeShelf *shelf);
void tape_applied (Tape *tape, MemberId sender, Buffer *envelope, guint64 position);
void tape_members_lost (Tape *tape, const MemberId *members, guint n_members, guint64 position);
void tape_formed (Tape *tape, guint64 position);
/* The state as it is here is given away. */
void tape_saved (Tape *tape, guint64 position, guint64 digest);
/* A tape that goes on from where such a state was given; NULL: nobody gave one. */
Tape *tape_new_from (TapeShelf *shelf, guint64 position, guint64 digest);

/* From the first event to the last one. */
typedef void (*TapeFunc) (const TapeEvent *event, gpointer user_data);
void tape_for_each (const Tape *tape, TapeFunc func, gpointer user_data);
