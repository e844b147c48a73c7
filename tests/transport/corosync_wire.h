/* SPDX-License-Identifier: MIT */
/* Between the test and the processes that are its members: a command on the standard input, any
 * number of reports on the standard output, the last one REPORT_DONE. */
#pragma once

#include "tests/transport/transport_under_test.h"

typedef enum CommandKind
{
  COMMAND_JOIN,
  COMMAND_MULTICAST,
  COMMAND_SEND_TO,
  COMMAND_LEAVE,
  COMMAND_STEP, /* a few events */
  COMMAND_PUMP  /* all there are, after a short wait for the first */
} CommandKind;

typedef struct Command
{
  guint32 kind;
  guint32 seat;
  guint32 number;
  guint32 size;
  guint32 reaction;
  MemberId to;
  char group[32];
} Command;

typedef enum ReportKind
{
  REPORT_DONE,
  REPORT_RECORD,
  REPORT_MARK, /* a message of the test itself, NUMBER_MARK + which */
  REPORT_LEFT  /* the seat has left by itself */
} ReportKind;

/* n_members + n_left + n_joined MemberIds follow. */
typedef struct Report
{
  guint32 kind;
  guint32 seat;
  gint32 result; /* of the command: a TransportResult; of a join: TRUE or FALSE */
  guint32 record_kind;
  MemberId id; /* a message's sender; the member itself, after COMMAND_JOIN */
  guint32 directed;
  guint32 number;
  guint32 size;
  guint32 intact;
  guint32 inside_call;
  guint32 busy; /* it still has to send what a reaction asked for */
  guint32 n_members;
  guint32 n_left;
  guint32 n_joined;
} Report;

/* Messages from here on are marks: all before them has arrived. No seat records them. */
#define NUMBER_MARK 0x40000000u
#define MARK_SIZE   MESSAGE_SIZE_MIN
