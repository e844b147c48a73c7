/* SPDX-License-Identifier: MIT */
/* The subcommands of consort-sim: one file command_NAME.c and one row in main.c each. */
#pragma once

#include "sim/arguments.h"
#include "sim/scenario.h"

/* The other exit statuses are those of Verdict (findings.h). */
#define EXIT_USAGE 2

typedef struct Command
{
  const char *name;
  const char *arguments;     /* as its line of usage has them */
  const char *what;          /* a line of --help */
  void (*print_help) (void); /* what follows the line of usage in NAME --help */
  int (*run) (Arguments *);  /* the arguments behind the name; the exit status */
} Command;

extern const Command command_diff;
extern const Command command_lint;
extern const Command command_list;
extern const Command command_replay;
extern const Command command_run;
extern const Command command_shrink;
extern const Command command_sweep;

/* "consort-sim: ..." on standard error. EXIT_USAGE. */
int command_mistake (const GError *error);
/* NULL: its mistakes were told on standard error. Warnings are told, too. */
Scenario *command_read_scenario (const char *path);
/* The command that does a run of that scenario again; `base` are the options as its file has them.
 * Yours. */
char *command_again (const Scenario *scenario, const SimOptions *base, const SimOptions *options);
