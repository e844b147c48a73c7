/* SPDX-License-Identifier: MIT */
/* The subcommands of consort-sim: one file command_NAME.c and one row in main.c each. */
#pragma once

#include "sim/arguments.h"

/* The other exit statuses are those of Verdict (findings.h). */
#define EXIT_USAGE 2

typedef struct Command
{
  const char *name;
  const char *arguments;    /* as its line of usage has them */
  const char *what;         /* a line of --help */
  const char *const *help;  /* texts for NAME --help, up to NULL; lists of options among them */
  int (*run) (Arguments *); /* the arguments behind the name; the exit status */
} Command;

extern const Command command_list;
extern const Command command_run;
extern const Command command_sweep;

/* "consort-sim: ..." on standard error. EXIT_USAGE. */
int command_mistake (const GError *error);
