/* SPDX-License-Identifier: MIT */
/* corosync under the contract test: real daemons, in $CONSORT_LAB's nodes, and each member a
 * process (corosync_member.c), driven over pipes.
 *
 * The test names its members itself. A process has the name that corosync gives it, and ends with
 * a crash; the next one for the same name is another one. So names are translated both ways, and
 * orders by name are checked where the true names are. */
#pragma once

#include "tests/transport/corosync_wire.h"

typedef struct Process
{
  MemberId name;
  MemberId true_name; /* none before its first join */
  GPid pid;
  int commands;
  int reports;
  gboolean alive;
  gboolean busy;
} Process;

typedef struct Seat
{
  guint number;
  Process *process;
  char *group;
  gboolean over; /* left, crashed or failed */
  gboolean answers;
  GArray *records;
  GArray *view;        /* of MemberId, names, of the last one told */
  GHashTable *sent_to; /* set of Process: sent to alone since the start */
  GHashTable *marks;   /* Process and directed or not -> number of the last mark */
} Seat;

typedef struct Translation
{
  MemberId true_name;
  MemberId name;
} Translation;

struct Cluster
{
  GPtrArray *processes; /* of Process */
  GPtrArray *seats;     /* of Seat, by number */
  GArray *translations; /* of Translation */
  char *group_suffix;   /* clusters of one run do not meet */
  guint32 last_mark;
};

/* Gives a command and takes the reports up to the last one, which is returned. */
Report corosync_ask (Cluster *cluster, Process *process, Command command);
void corosync_ask_all (Cluster *cluster, CommandKind kind);
/* What a seat keeps its marks by. */
gpointer corosync_mark_key (const Process *sender, gboolean directed);

/* Until all views are true and all that was sent is delivered. */
void corosync_settle (Cluster *cluster);
