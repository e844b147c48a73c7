/* SPDX-License-Identifier: MIT */
/* A history that breaks a checker's promise, or the same one unbroken, and what has to be said. */
#pragma once

#include "sim/findings.h"

typedef struct CheckerCase
{
  const char *name;
  void (*history) (Findings *findings, gboolean broken);
  const char *rule;
  Verdict verdict;
  const char *says[3]; /* who, when and why, in the words of the finding */
} CheckerCase;

/* Adds two tests for each: the broken history is found, the unbroken one is taken. `cases` is
 * borrowed for the run. */
void checker_cases_add (const CheckerCase *cases, guint n_cases);
/* Some finding is about that rule. */
gboolean checker_cases_says (const Findings *findings, const char *rule);
