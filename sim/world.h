/* SPDX-License-Identifier: MIT */
/* A small universe: members, clients, the group between the members and the links between both,
 * one virtual time, and the checkers that watch.
 *
 * One step is either a stretch of the group's order, run member by member, or one event of the
 * clock; whichever is sooner, the group first. Nothing here knows real time. */
#pragma once

#include "sim/checker_agreement.h"
#include "sim/checker_delivery.h"
#include "sim/checker_liveness.h"
#include "sim/checker_majority.h"
#include "sim/checker_order.h"
#include "sim/checker_sessions.h"
#include "sim/checker_view.h"
#include "sim/clock.h"
#include "sim/fingerprint.h"
#include "sim/mutant.h"
#include "sim/phase.h"
#include "sim/probes.h"
#include "sim/sim_options.h"
#include "sim/sim_random.h"
#include "transport/sim_network.h"

typedef struct World World;
typedef struct SimMember SimMember;
typedef struct SimClient SimClient;
typedef struct Faults Faults;
typedef struct Partitions Partitions;
typedef struct TapeTest TapeTest;
typedef struct Pace Pace;

/* What is drawn once for the whole run. */
typedef struct Shape
{
  SimNetworkOptions network;
  gint64 link_us_min; /* one way between a client and a member */
  gint64 link_us_max;
  gsize state_chunk; /* see ClusterSettings */
  gsize join_backlog;
} Shape;

typedef struct WorldCounts
{
  guint64 published;
  guint64 confirmed;
  guint64 returned;
  guint64 delivered;   /* messages that reached a consumer */
  guint64 redelivered; /* among them */
  guint64 client_bytes;
  guint64 faults[N_FAULT_KINDS];  /* that struck */
  guint64 planned[N_FAULT_KINDS]; /* that the seed was to draw */
  guint64 sites[N_FAULT_SITES];   /* that failed */
  guint64 suspensions;            /* times that no member was active any more */
  guint64 joins;                  /* of members that came back */
  guint64 connections;
  guint64 cuts;              /* connections that clients tore */
  guint64 heartbeats_missed; /* by clients, that hung up then */
  guint64 channel_errors;
  guint64 writes;     /* of clients to members */
  guint64 given;      /* of members to clients */
  guint64 multicasts; /* that transports took */
  guint64 views;      /* that members were told */
  guint64 resent;     /* publishes that were not confirmed and went again */
  guint64 full;       /* multicasts that the transport refused for now */
} WorldCounts;

/* One step of the world. */
typedef struct WorldEvent
{
  guint64 number; /* from 1; 0: nothing happened yet */
  gint64 time_us; /* of a stretch of the group's order: its end */
  gboolean is_order;
  gboolean is_fault;
  ClockKind kind; /* unless it is one of those */
  guint owner;    /* likewise */
} WorldEvent;

/* Who looks at a run: told once before the first event, then after each. */
typedef struct WorldWatch WorldWatch;

struct WorldWatch
{
  void (*look) (WorldWatch *watch, const World *world);
};

struct World
{
  const SimOptions *options;
  Probes probes;
  Trace *trace;      /* theirs: see trace_is_heard */
  WorldWatch *watch; /* NULL: none */
  Shape shape;
  MutantPool mutants;
  gboolean has_mutants;
  gboolean voters_told; /* an operator has said whose voices count */ /* the timeline has some */
  SimNetwork *network;
  Clock *clock;
  Pace *pace;
  GPtrArray *members; /* of SimMember, by number */
  GPtrArray *clients; /* of SimClient, by number; the steward is the last */
  Faults *faults;
  Partitions *partitions;
  WorldPhase phase;
  gint64 phase_since_us;
  guint publishers_left; /* that still have something to publish, or a publish unconfirmed */
  gboolean drained;      /* the steward saw it */
  gint64 empty_since_us; /* so long the steward sees empty queues; 0: it does not */
  gboolean formed;       /* some member was active */
  gint64 suspended_us;   /* since then no member is active; 0: one is */
  gint64 donor_lost_us;  /* when one crashed last that gave its state; 0: never */
  gint64 joiner_lost_us; /* likewise, one that was on its way in */
  gint64 next_look_us;   /* for members that are late */
  GPtrArray *names;      /* of members, theirs */
  guint64 n_states;      /* states that were looked at */

  Findings *findings;
  CheckerView *checker_view;
  CheckerOrder *checker_order;
  CheckerAgreement *checker_agreement;
  CheckerMajority *checker_majority;
  CheckerDelivery *checker_delivery;
  CheckerSessions *checker_sessions;
  CheckerLiveness *checker_liveness;
  TapeTest *tape_test; /* NULL: not in this run */
  Fingerprint fingerprint;
  WorldEvent event; /* the last */
  WorldCounts counts;
};

/* `options` and `trace` are borrowed for its life. */
World *world_new (const SimOptions *options);
void world_free (World *world);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (World, world_free)
/* Before world_run; NULL: none. */
void world_set_trace (World *world, Trace *trace);
/* Before world_run; borrowed. */
void world_set_watch (World *world, WorldWatch *watch);
/* One event; FALSE: there is none, the run is over or something was found. */
gboolean world_step (World *world);
/* Until that phase begins, or to the first finding. */
void world_run_to (World *world, WorldPhase phase);
/* To the end, or to the first finding. */
Verdict world_run (World *world);

gint64 world_now_us (const World *world);
SimMember *world_member (const World *world, guint number);
SimClient *world_client (const World *world, guint number);
/* What a member tells its client was due at most so long before, if its lag is that. */
gint64 world_way_us (const World *world, gint64 lag_us);
/* Random numbers whose draws the run's fingerprint knows. */
/* From the options and the seed. */
Shape world_draw_shape (World *world);
SimStream world_stream (World *world, guint64 owner, SimPurpose purpose);
/* Something went wrong, or was mended, for the fingerprint: what, and a number that says where. */
void world_add_fault (World *world, const char *what, guint64 where);
/* A line of the trace that is nobody's. */
#define world_note(world, ...) trace_point ((world)->trace, "world", __VA_ARGS__)
/* The steward has declared everything: the others begin. */
void world_setup_done (World *world);
