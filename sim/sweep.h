/* SPDX-License-Identifier: MIT */
/* What many runs came to: sums, and of each kind of failure the first. A sweep is told its runs in
 * the order of their numbers, so that its table is the same however they were spread. */
#pragma once

#include "sim/world.h"

#define SWEEP_RULE_SIZE   40
#define SWEEP_REASON_SIZE 1000
/* Kinds of failures that are told apart. */
#define SWEEP_KINDS_MAX 100

/* What a run tells, through a pipe: no pointers. */
typedef struct SweepAnswer
{
  Verdict verdict;
  guint64 deliveries;
  gint64 virtual_us;
  Fingerprint fingerprint;
  WorldCounts counts;
  guint64 probes[N_PROBES];
  char rule[SWEEP_RULE_SIZE]; /* of the first finding; "" if there is none */
  char reason[SWEEP_REASON_SIZE];
} SweepAnswer;

/* What that run came to; the same, after running it to its end, or for so long. */
void sweep_answer_of_world (const World *world, SweepAnswer *ret_answer);
void sweep_run_for (const SimOptions *options, gint64 virtual_us_max, SweepAnswer *ret_answer);
void sweep_run (const SimOptions *options, SweepAnswer *ret_answer);

/* What no rule of a checker says: a process that did not come to an answer. */
#define SWEEP_RULE_CRASHED  "crashed"
#define SWEEP_RULE_TOO_LONG "took-too-long"

/* Fills an answer for a run that has none. */
void sweep_answer_crashed (SweepAnswer *ret_answer, const char *reason);
void sweep_answer_too_long (SweepAnswer *ret_answer, const char *reason);
gboolean sweep_answer_has_no_end (const SweepAnswer *answer);
/* Both fail for the same rule; two that crashed, with the same words. */
gboolean sweep_answer_alike (const SweepAnswer *a, const SweepAnswer *b);

/* --- which runs --------------------------------------------------------------------------- */

/* Both ends included. */
typedef struct SweepRange
{
  guint64 low;
  guint64 high;
} SweepRange;

/* Of a range of sizes, the one for that seed. */
guint sweep_draw (SweepRange range, guint64 seed);

/* --- the table ------------------------------------------------------------------------------ */

typedef struct SweepFailure
{
  Verdict verdict;
  char *rule;
  char *reason;   /* of the first */
  char *kind;     /* the rule and the reason without its numbers: what makes failures alike */
  guint64 number; /* of the first */
  char *command;  /* that runs it again */
  guint64 n;
} SweepFailure;

typedef struct Sweep
{
  guint64 runs;
  guint64 by_verdict[VERDICT_NON_DETERMINISM + 1];
  guint64 crashed;  /* of the violations */
  guint64 too_long; /* of those that came to no end */
  guint64 deliveries;
  gint64 virtual_us;
  Fingerprint fingerprint; /* of all runs */
  WorldCounts counts;
  guint64 probes[N_PROBES];
  GPtrArray *failures; /* of SweepFailure, by kind, in the order in which they were met */
} Sweep;

Sweep *sweep_new (void);
void sweep_free (Sweep *sweep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sweep, sweep_free)

/* What run `number` came to, which `command` runs again. The failure that it is, the new one or
 * the first of its kind; NULL: it passed. Borrowed. */
SweepFailure *sweep_add (Sweep *sweep, guint64 number, const SweepAnswer *answer,
                         const char *command);

Verdict sweep_verdict (const Sweep *sweep);
guint64 sweep_failed (const Sweep *sweep);
/* For people; many lines. Yours. */
char *sweep_table (const Sweep *sweep);
