/* SPDX-License-Identifier: MIT */
/* What a run came to, for people. */
#pragma once

#include "sim/world.h"

/* On standard output. `again`: the command that does it again. `verbose`: and how often rare
 * situations were met. */
void report_print (const World *world, Verdict verdict, const char *again, gboolean verbose);
