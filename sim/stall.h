/* SPDX-License-Identifier: MIT */
/* Why nothing goes on: what is waited for, and who is missing. */
#pragma once

#include "sim/world.h"

/* A majority of the voters hear each other, and nobody sleeps. Without it the cluster has to rest.
 */
gboolean stall_has_majority (const World *world);
/* "2 of 3 voters hear each other (a majority); A is active at position 120 (a majority has 118), B
 * is gone, ...; publisher-0 waits for 3 confirms". Yours. */
char *stall_text (World *world);
