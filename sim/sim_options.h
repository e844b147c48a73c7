/* SPDX-License-Identifier: MIT */
/* What consort-sim was asked for. */
#pragma once

#include "core/cluster/reply_when.h"
#include "sim/checkpoints.h"
#include "sim/mutant.h"

typedef enum SimCommand
{
  SIM_RUN,
  SIM_LIST_FAULTS,
  SIM_LIST_CHECKERS,
  SIM_HELP,
  SIM_VERSION
} SimCommand;

typedef struct SimOptions
{
  SimCommand command;
  guint members;
  guint64 seed;
  guint messages;     /* to publish, by all publishers together */
  guint clients;      /* publishers, consumers and one that only disturbs; a steward comes on top */
  gint64 duration_us; /* after which nothing new is published */
  guint crashes;      /* members that end, in one way or another */
  guint partitions;   /* times that the network is bad; SIM_PARTITIONS_DRAWN: a few, if any */
  ReplyWhen reply_when;
  guint rules_off;   /* of ClusterRule: for tests, there is no option for it */
  Mutation mutation; /* likewise */
  gboolean limits_none;
  gboolean allow_total_loss;
  gboolean quiet_clients; /* they do not cut connections, err, or ask for much */
  gboolean twice;         /* run the same again and compare */
  gboolean verbose;
  const char *trace;       /* a file, or "-"; NULL: none. Borrowed from the arguments. */
  const char *checkpoints; /* a file; NULL: none. Likewise. */
  EventRange events;       /* that both are about */
} SimOptions;

#define SIM_MEMBERS_MAX      2000
#define SIM_CLIENTS_MAX      500
#define SIM_PARTITIONS_DRAWN G_MAXUINT

SimOptions sim_options_default (void);
/* `argv` without the program's name. FALSE: SYSTEM_ERROR_SETTING, saying what was expected. */
gboolean sim_options_parse (int argc, char **argv, SimOptions *ret_options, GError **error);
/* The options of a run only, without "run". */
gboolean sim_options_parse_run (int argc, char **argv, SimOptions *ret_options, GError **error);
/* The text of --help. */
const char *sim_options_help (void);
/* The command that runs just this again, as text. Yours. */
char *sim_options_command (const SimOptions *options);
