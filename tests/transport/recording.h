/* SPDX-License-Identifier: MIT */
/* What members of real corosync daemons were told, as tests/cpg/record.py writes it, and how the
 * simulated network is made to tell the same. */
#pragma once

#include "transport/transport.h"

typedef enum DeedKind
{
  DEED_JOIN,
  DEED_LEAVE,
  DEED_KILL,
  DEED_STOP_DAEMON,
  DEED_KILL_DAEMON,
  DEED_START_DAEMON,
  DEED_PARTITION,
  DEED_HEAL,
  DEED_FREEZE,
  DEED_THAW,
  DEED_BLINK
} DeedKind;

#define RECORDING_NODES 3

/* What was done, to whom. */
typedef struct Deed
{
  DeedKind kind;
  MemberId member;                   /* of a join, leave, kill; else its node only */
  guint components[RECORDING_NODES]; /* of a partition, by node */
} Deed;

typedef enum ToldKind
{
  TOLD_MESSAGE,
  TOLD_VIEW,
  TOLD_FAILED
} ToldKind;

typedef struct ToldEvent
{
  ToldKind kind;
  MemberId sender; /* a message's */
  guint32 number;
  gboolean early; /* its sender was not told the view yet that it came in */
  RingId ring;    /* a view's */
  GArray *members;
  GArray *left;   /* of ViewChange, by member */
  GArray *joined; /* likewise */
  guint deed;     /* that it is because of, from 1; of a view or failure */
} ToldEvent;

/* One membership. */
typedef struct Tape
{
  MemberId member;
  GArray *told; /* of ToldEvent */
} Tape;

typedef struct Recording
{
  GArray *deeds;    /* of Deed */
  GPtrArray *tapes; /* of Tape; those of one member in the order of its joins */
} Recording;

/* NULL: it says what it cannot read. */
Recording *recording_parse (const char *text, GError **error);
void recording_free (Recording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Recording, recording_free)

Tape *recording_tape (const Recording *recording, guint index);
const ToldEvent *tape_told (const Tape *tape, guint index);
/* Sorts lists, copies all: yours, as one element of Tape.told. */
ToldEvent told_view (const View *view);
gboolean told_equal (const ToldEvent *a, const ToldEvent *b);
void told_event_clear (gpointer event);

/* TRUE: with that seed the simulated network tells each member what the recording says, and nothing
 * else. FALSE: it does not. */
gboolean recording_replay (const Recording *recording, guint64 seed);
