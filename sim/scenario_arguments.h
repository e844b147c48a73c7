/* SPDX-License-Identifier: MIT */
/* The words of a command line that say what to run: files of scenarios, and options that hold for
 * each of them; without a file, the options say all. */
#pragma once

#include "sim/scenario.h"

typedef struct ScenarioArguments
{
  GPtrArray *files;   /* of const char * */
  GPtrArray *options; /* of const char *, as they were given */
} ScenarioArguments;

ScenarioArguments scenario_arguments_init (void);
void scenario_arguments_clear (ScenarioArguments *arguments);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ScenarioArguments, scenario_arguments_clear)

/* Takes `word` with what belongs to it, if it is a file or an option of a run. FALSE without an
 * error: it is none of these, and the caller's to understand. */
gboolean scenario_arguments_take (ScenarioArguments *arguments, Arguments *words, const char *word,
                                  GError **error);
/* What the options say instead. FALSE: SYSTEM_ERROR_SETTING. */
gboolean scenario_arguments_apply (const ScenarioArguments *arguments, Scenario *scenario,
                                   GError **error);
