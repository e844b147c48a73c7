/* SPDX-License-Identifier: MIT */
/* The shrinker: of a scenario that fails, one that fails likewise and says little more than why.
 *
 * It knows nothing of how scenarios are run. It proposes simpler ones, the simplest first, and
 * goes on from the first that fails as the given one did, until nothing can be simpler. Each step
 * is strictly simpler by some measure (fewer lines, members, messages, rounder numbers), so that
 * it comes to an end. A run moves when something is left out, and may miss by a microsecond
 * what it met before: so candidates that pass with the seed at hand are tried with others, once
 * nothing else helps. */
#pragma once

#include "sim/scenario.h"

typedef struct ShrinkTester
{
  /* The number of the first of these Scenarios that fails as the given one did; scenarios->len:
   * none does. Whoever has no time any more says so by saying none. */
  guint (*test) (GPtrArray *scenarios, gpointer user_data);
  /* There is a simpler one; NULL: nobody wants to know. `step` says what it was. */
  void (*simpler) (const Scenario *scenario, const char *step, gpointer user_data);
  gpointer user_data;
} ShrinkTester;

/* Scenarios in one question, at most. */
#define SHRINK_BATCH 256

/* `failing` must fail. Yours. */
Scenario *shrink (const Scenario *failing, const ShrinkTester *tester);
/* "5 members, 8 clients, 300 messages, 12 faults". Yours. */
char *shrink_size_text (const Scenario *scenario);
