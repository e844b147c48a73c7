/* SPDX-License-Identifier: MIT */
/* What the checkers found. A finding names the rule, the events that break it with their times, and
 * the reason in a sentence. */
#pragma once

#include "sim/probes.h"

/* Also the exit statuses of consort-sim; 2 is a mistake in its use. */
typedef enum Verdict
{
  VERDICT_PASS = 0,
  VERDICT_VIOLATION = 1,
  VERDICT_LIVENESS = 3,
  VERDICT_INCONCLUSIVE = 4,
  VERDICT_NON_DETERMINISM = 5
} Verdict;

/* The rules, for `consort-sim list checkers`. */
typedef struct CheckerRule
{
  const char *name;
  Verdict verdict; /* what breaking it means */
  const char *promise;
} CheckerRule;

extern const CheckerRule checker_rules[];
extern const guint n_checker_rules;

/* What breaking it means; `rule` must be the name of one of checker_rules. */
Verdict findings_rule_verdict (const char *rule);

typedef struct Findings Findings;

Findings *findings_new (void);
void findings_free (Findings *findings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Findings, findings_free)

/* `rule` must be the name of one of checker_rules. Past FINDINGS_KEPT they are only counted. */
void findings_add (Findings *findings, const char *rule, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* What checkers come to is counted there; borrowed. Without, it is not. */
void findings_set_probes (Findings *findings, Probes *probes);
void findings_reached (Findings *findings, Probe probe);

#define FINDINGS_KEPT 10

guint findings_count (const Findings *findings);
/* "rule: text"; index below FINDINGS_KEPT and findings_count. */
const char *findings_text (const Findings *findings, guint index);
/* The most serious: a violation is worse than a stall, a stall worse than an inconclusive run. */
Verdict findings_verdict (const Findings *findings);
const char *verdict_name (Verdict verdict);
