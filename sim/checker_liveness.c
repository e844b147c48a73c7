/* SPDX-License-Identifier: MIT */
#include "sim/checker_liveness.h"

#define AT_REST G_MAXINT64

struct CheckerLiveness
{
  Findings *findings;
  guint n_members;
  gint64 *started_us; /* by member; AT_REST: not waited for */
  guint n_waiting;
};

CheckerLiveness *
checker_liveness_new (Findings *findings, guint n_members)
{
  CheckerLiveness *checker = g_new0 (CheckerLiveness, 1);

  checker->findings = findings;
  checker->n_members = n_members;
  checker->started_us = g_new (gint64, n_members);
  for (guint i = 0; i < n_members; i++)
    checker->started_us[i] = AT_REST;
  return checker;
}

void
checker_liveness_free (CheckerLiveness *checker)
{
  g_free (checker->started_us);
  g_free (checker);
}

void
checker_liveness_started (CheckerLiveness *checker, guint member, gint64 now_us)
{
  if (checker->started_us[member] == AT_REST)
    checker->n_waiting++;
  checker->started_us[member] = now_us;
}

void
checker_liveness_put_off (CheckerLiveness *checker, guint member, gint64 now_us)
{
  if (checker->started_us[member] != AT_REST)
    checker->started_us[member] = now_us;
}

void
checker_liveness_at_rest (CheckerLiveness *checker, guint member)
{
  if (checker->started_us[member] != AT_REST)
    checker->n_waiting--;
  checker->started_us[member] = AT_REST;
}

gboolean
checker_liveness_waits_for (const CheckerLiveness *checker, guint member)
{
  return checker->started_us[member] != AT_REST;
}

guint
checker_liveness_waiting (const CheckerLiveness *checker)
{
  return checker->n_waiting;
}

static gboolean
is_late (const CheckerLiveness *checker, guint member, gint64 now_us)
{
  return checker->started_us[member] != AT_REST
         && now_us - checker->started_us[member] > LIVENESS_ACTIVE_US;
}

gboolean
checker_liveness_is_late (const CheckerLiveness *checker, gint64 now_us)
{
  if (checker->n_waiting == 0)
    return FALSE;
  for (guint i = 0; i < checker->n_members; i++)
    if (is_late (checker, i, now_us))
      return TRUE;
  return FALSE;
}

void
checker_liveness_look (CheckerLiveness *checker, gint64 now_us, const char *const *names,
                       const char *why)
{
  for (guint i = 0; i < checker->n_members; i++)
    if (is_late (checker, i, now_us))
      findings_add (checker->findings, "becomes-active",
                    "%s started at %" G_GINT64_FORMAT "us and is not active at %" G_GINT64_FORMAT
                    "us: it may take %d seconds; %s",
                    names[i], checker->started_us[i], now_us, LIVENESS_ACTIVE_US / G_USEC_PER_SEC,
                    why);
}

void
checker_liveness_stalled (CheckerLiveness *checker, gint64 now_us, const char *rule,
                          const char *missing, const char *why)
{
  findings_add (checker->findings, rule, "%s at %" G_GINT64_FORMAT "us: %s", missing, now_us, why);
}
