/* SPDX-License-Identifier: MIT */
/* The inside of a SimMember, for member.c and member_faults.c. */
#pragma once

#include "sim/member.h"
#include "sim/fault_sites.h"
#include "sim/sim_env.h"
#include "sim/tape.h"

struct SimMember
{
  World *world;
  guint number;
  char *name;
  MemberId id;
  NodeConfig *config;
  NodeHost host;
  SimEnv env;
  SimFaultSites sites;
  Node *node;     /* NULL: the process is not there */
  Tape *tape;     /* of its state; NULL: nobody asks for it */
  guint64 agreed; /* what a majority had while it was active; 0: it is not */
  gboolean stopping;
  gboolean was_active; /* in this life */
  MemberSleep sleep;
  gboolean has_no_daemon;
  gboolean is_late;
  gboolean is_slow;
  MemberForeign foreign;
  GPtrArray *held;        /* of packets of links: they came while it slept */
  gint64 active_since_us; /* G_MAXINT64: it is not active */
  guint n_in_view;
  guint n_voters_in_view;
  guint n_under_way; /* multicasts that have not come back */
  gint donor;        /* who last sent it something directed */
  gboolean is_not_awaited;
  guint64 looked_at; /* position at the last look */
  gint64 tick_us;    /* when it is called; ENV_NEVER: not */
  GPtrArray *links;  /* of Link, those that the node accepted */
};

/* The process is not there any more: its sockets are closed by the system. */
void member_gone (SimMember *member);
/* It ends; nobody is told. */
void member_end_process (SimMember *member, MemberEnd how);
/* What came while it slept. */
void member_release_held (SimMember *member);
void member_schedule_tick (SimMember *member);
/* As much as is there, if it is read. */
void member_write_to_client (Client *client, Link *link);

/* member_tape.c */
extern const NodeWatch member_tape_watch;
/* It ends, or is not active any more: its clients may have been told more than a majority has. */
void member_told_too_much (SimMember *member);
