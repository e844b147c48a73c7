/* SPDX-License-Identifier: MIT */
/* Scenario: a run with a name, and what is expected of it, as a file that people write and
 * programs do (doc/scenarios.md is the language):
 *
 *   [scenario]
 *   what = the eldest ends while it sends its state to a newcomer
 *   members = 3
 *
 *   [timeline]
 *   after 50 confirmed = crash C for 20ms
 *   then A is donating = crash A
 *
 *   [expect]
 *   verdict = pass
 *
 * A run without a file is a scenario that expects nothing. */
#pragma once

#include "core/base/slice.h"
#include "sim/findings.h"
#include "sim/sim_options.h"
#include "sim/timeline.h"

typedef struct Expectation
{
  gboolean given; /* else anything will do */
  Verdict verdict;
  GPtrArray *rules;   /* of char *: what is broken is one of these; empty: whichever */
  GPtrArray *reached; /* of char *: situations that are met */
  char *story;        /* lines, each with its end; NULL: any */
} Expectation;

typedef struct Scenario
{
  char *path;         /* where it was read from; NULL: nowhere */
  char *what;         /* a sentence; NULL: none */
  SimOptions options; /* its timeline is this one's */
  Timeline *timeline;
  Expectation expect;
} Scenario;

/* The default run, which expects nothing. */
Scenario *scenario_new (void);
Scenario *scenario_copy (const Scenario *scenario);
void scenario_free (Scenario *scenario);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Scenario, scenario_free)
gboolean scenario_equal (const Scenario *a, const Scenario *b);
/* Instead of the one that it has. */
void scenario_set_timeline (Scenario *scenario, Timeline *take_timeline);

/* NULL: `mistakes` has at least one more line "FILE:LINE:COLUMN: what is wrong". What is suspicious
 * only is added to `warnings`, likewise. Both are arrays of char *, which they own. */
Scenario *scenario_read (const char *path, GPtrArray *mistakes, GPtrArray *warnings);

/* The same for text that is there already; other files that it extends come through `load`. */
typedef gboolean (*ScenarioLoad) (const char *path, char **ret_text, gsize *ret_length,
                                  GError **error);
Scenario *scenario_parse (const char *path, Slice text, ScenarioLoad load, GPtrArray *mistakes,
                          GPtrArray *warnings);

/* What scenario_parse reads as an equal one: only what is not as by default, each with what it
 * means. Yours. */
char *scenario_text (const Scenario *scenario);
/* FALSE: SYSTEM_ERROR_REFUSED, it could not be written. */
gboolean scenario_write (const Scenario *scenario, const char *path, GError **error);
/* The file at `path` with another [story], and else as it is. */
gboolean scenario_update_story (const char *path, const char *story, GError **error);

/* The keys of [scenario] and [expect] that are no options, for `consort-sim list keys`. */
typedef struct ScenarioKey
{
  const char *section;
  const char *name;
  const char *what;
} ScenarioKey;

extern const ScenarioKey scenario_keys[];
extern const guint n_scenario_keys;
