/* SPDX-License-Identifier: MIT */
/* A libcpg without a daemon: what it answers and what happens is the test's choice. It stands in
 * for the library, so the backend is tested as it is, with histories that real daemons show once
 * in a while only. Node 1; one group's handle at a time, and its member's inbox. */
#pragma once

#include <corosync/cpg.h>

#include "transport/transport.h"

/* As if the process had just started: no handle, a daemon that answers. */
void fake_reset (void);

typedef enum FakeCall
{
  FAKE_CONNECT,
  FAKE_JOIN, /* the group, not an inbox */
  FAKE_MULTICAST,
  N_FAKE_CALLS
} FakeCall;

/* What that call answers from now on. */
void fake_answer (FakeCall call, cs_error_t code);
/* How many members the daemon says the group has. */
void fake_set_members (guint n_members);
/* From now on join, leave and all else that asks the daemon waits, until it is thawed. */
void fake_freeze (void);
void fake_thaw (void);
/* The daemon has died. */
void fake_die (void);

/* How often these were called, by any thread; leaves of the group only. */
typedef struct FakeCounts
{
  guint connects;
  guint leaves;
  guint finalizes;
} FakeCounts;

FakeCounts fake_counts (void);

/* Events of the group's handle, in this order. Members are "node.process" separated by blanks. */
void fake_view (const char *members, const char *left, guint32 left_reason, const char *joined,
                guint32 joined_reason);
void fake_ring (guint32 representative, guint64 sequence);
void fake_message (const char *sender, const char *text);
/* "1.PID", of this process; borrowed. */
const char *fake_self (void);
/* Is the handle of the group there, and joined? */
gboolean fake_is_joined (void);
