/* SPDX-License-Identifier: MIT */
/* What consort-sim was asked for. */
#pragma once

#include "core/cluster/reply_when.h"
#include "sim/timeline.h"

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
  guint faults[N_FAULT_KINDS]; /* times that such a one strikes, on top of those; or as below */
  gboolean faults_only;        /* nothing is drawn that was not asked for */
  gboolean crashes_given;
  const Timeline *timeline; /* what strikes besides; NULL: nothing. Borrowed. */
  ReplyWhen reply_when;
  guint rules_off; /* of ClusterRule: for tests, there is no option for it */
  gboolean limits_none;
  gboolean allow_total_loss;
  gboolean quiet_clients; /* they do not cut connections, err, or ask for much */
  gboolean twice;         /* run the same again and compare */
  gboolean verbose;
  const char *trace; /* a file, or "-"; NULL: none. Borrowed from the arguments. */
} SimOptions;

#define SIM_MEMBERS_MAX      2000
#define SIM_CLIENTS_MAX      500
#define SIM_PARTITIONS_DRAWN G_MAXUINT
#define SIM_FAULT_DRAWN      G_MAXUINT       /* a few times, in half of the seeds */
#define SIM_FAULT_SOME       (G_MAXUINT - 1) /* a few times */

SimOptions sim_options_default (void);
/* `argv` without the program's name. FALSE: SYSTEM_ERROR_SETTING, saying what was expected. */
gboolean sim_options_parse (int argc, char **argv, SimOptions *ret_options, GError **error);
/* The text of --help. */
const char *sim_options_help (void);
/* The command that runs just this again, as text. Yours. */
char *sim_options_command (const SimOptions *options);
