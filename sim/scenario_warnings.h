/* SPDX-License-Identifier: MIT */
/* What a scenario says that cannot have been meant. */
#pragma once

#include "sim/scenario.h"

/* Adds lines "FILE:LINE:COLUMN: ..." to `warnings`; `places` are those of the timeline's entries,
 * "FILE:LINE:COLUMN". */
void scenario_warn (const Scenario *scenario, const GPtrArray *places, GPtrArray *warnings);
