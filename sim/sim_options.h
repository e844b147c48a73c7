/* SPDX-License-Identifier: MIT */
/* What a run is made of: the same options give the same run, however they were given. Their names
 * are in option_keys.h. */
#pragma once

#include "core/cluster/reply_when.h"
#include "sim/arguments.h"
#include "sim/timeline.h"

/* Between these, ends included, drawn each time; low_us < 0: the seed draws the ends, too. */
typedef struct SimSpan
{
  gint64 low_us;
  gint64 high_us;
} SimSpan;

#define SIM_SPAN_DRAWN ((SimSpan){ -1, -1 })

/* How `order` is spread. */
typedef enum SimTimes
{
  SIM_TIMES_UNIFORM,
  SIM_TIMES_HEAVY_TAILED,
  SIM_TIMES_RING_UDPU, /* as corosync's */
  SIM_TIMES_RING_KNET
} SimTimes;

typedef struct SimOptions
{
  guint members;
  guint strangers; /* the last of them: not expected, and not there until they are started */
  guint64 seed;
  guint64 last_seed;  /* a run has one seed: this is for who runs many */
  gint64 duration_us; /* after which nothing new is published */
  ReplyWhen reply_when;
  gboolean limits_none; /* else corosync's */
  guint rules_off;      /* of ClusterRule: what goes wrong without them */

  SimTimes timing;
  SimSpan order;       /* from a multicast to its place in the order; not of a ring */
  SimSpan lag;         /* from there until a member consumes it */
  SimSpan link;        /* one way between a client and a member */
  gint64 detection_us; /* from the loss of a node, or from a partition, until the others know */
  gint64 sync_us;      /* from there until they order again */
  guint64 window;      /* bytes of a member that may wait to be ordered; 0: any, or SIM_DRAWN */
  guint64 state_chunk; /* of state, sent at once; 0: the core's own, or SIM_DRAWN */
  guint64 backlog;     /* what a newcomer keeps at the most; likewise */

  guint messages;   /* to publish, by all publishers together */
  guint clients;    /* publishers, consumers and one that only disturbs; a steward comes on top */
  guint publishers; /* of the clients; or SIM_PUBLISHERS_DRAWN: two of five */
  gboolean small_messages; /* up to 200 bytes each */
  gboolean quiet_clients;  /* they do not cut connections, err, or ask for much */

  guint crashes;    /* members that end, in one way or another */
  guint partitions; /* times that the network is bad; SIM_PARTITIONS_DRAWN: a few, if any */
  guint faults[N_FAULT_KINDS]; /* times that such a one strikes, on top of those; or as below */
  gboolean allow_total_loss;

  const Timeline *timeline; /* what strikes besides; borrowed. NULL: nothing */
} SimOptions;

#define SIM_MEMBERS_MAX      2000
#define SIM_CLIENTS_MAX      500
#define SIM_PARTITIONS_DRAWN G_MAXUINT
#define SIM_PUBLISHERS_DRAWN G_MAXUINT
#define SIM_DRAWN            G_MAXUINT64
/* Of a kind of fault: a few times, in half of the seeds; or a few times. */
#define SIM_FAULT_DRAWN G_MAXUINT
#define SIM_FAULT_SOME  (G_MAXUINT - 1)
/* A link takes longer than a stretch of the order that is run member by member. */
#define SIM_STRETCH_US_MAX 100

SimOptions sim_options_default (void);
/* Only the timeline strikes. */
void sim_options_draw_nothing (SimOptions *options);
/* Takes the value that belongs to `option` and keeps it. FALSE without an error: it is none of
 * these, and the caller's to understand. */
gboolean sim_options_take (SimOptions *options, Arguments *arguments, const char *option,
                           GError **error);
/* Of the clients, those that only disturb. */
guint sim_options_churn (const SimOptions *options);
/* What only all of them together show. FALSE: SYSTEM_ERROR_SETTING. */
/* Of the members, from the first on. */
guint sim_options_n_voters (const SimOptions *options);
gboolean sim_options_check (const SimOptions *options, GError **error);
/* Those that sim_options_take knows, for --help. Yours. */
char *sim_options_help (void);
/* " --NAME VALUE" for each that is not as in `base`. Yours. */
char *sim_options_text (const SimOptions *options, const SimOptions *base);
/* The command that runs just this again. Yours. */
char *sim_options_command (const SimOptions *options);
