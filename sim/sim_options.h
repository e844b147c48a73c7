/* SPDX-License-Identifier: MIT */
/* What a run is made of: the same options and seed give the same run. */
#pragma once

#include "core/cluster/reply_when.h"
#include "sim/arguments.h"

typedef struct SimOptions
{
  guint members;
  guint64 seed;
  guint messages;     /* to publish, by all publishers together */
  guint clients;      /* publishers, consumers and one that only disturbs; a steward comes on top */
  gint64 duration_us; /* after which nothing new is published */
  guint crashes;      /* members that end, in one way or another */
  guint partitions;   /* times that the network is bad; SIM_PARTITIONS_DRAWN: a few, if any */
  ReplyWhen reply_when;
  guint rules_off; /* of ClusterRule: for tests, there is no option for it */
  gboolean limits_none;
  gboolean allow_total_loss;
  gboolean quiet_clients; /* they do not cut connections, err, or ask for much */
} SimOptions;

#define SIM_MEMBERS_MAX      2000
#define SIM_CLIENTS_MAX      500
#define SIM_PARTITIONS_DRAWN G_MAXUINT

SimOptions sim_options_default (void);
/* Takes the value that belongs to `option` and keeps it. FALSE without an error: it is none of
 * these, and the caller's to understand. */
gboolean sim_options_take (SimOptions *options, Arguments *arguments, const char *option,
                           GError **error);
/* What only all of them together show. FALSE: SYSTEM_ERROR_SETTING. */
gboolean sim_options_check (const SimOptions *options, GError **error);
/* Those that sim_options_take knows, for --help. */
extern const char sim_options_help[];
/* The command that runs just this again, as text. Yours. */
char *sim_options_command (const SimOptions *options);
