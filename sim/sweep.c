/* SPDX-License-Identifier: MIT */
#include "sim/sweep.h"
#include "core/base/error.h"

#include <string.h>

/* --- one run ---------------------------------------------------------------------------------- */

/* A finding is "rule: reason". */
static void
take_finding (SweepAnswer *answer, const char *finding)
{
  const char *colon = strstr (finding, ": ");

  g_assert (colon != NULL && colon - finding < SWEEP_RULE_SIZE);
  memcpy (answer->rule, finding, (gsize) (colon - finding));
  g_strlcpy (answer->reason, colon + 2, sizeof answer->reason);
}

void
sweep_answer_of_world (const World *world, SweepAnswer *ret_answer)
{
  SweepAnswer answer = { .verdict = findings_verdict (world->findings) };

  answer.deliveries = sim_network_deliveries (world->network);
  answer.virtual_us = world_now_us (world);
  answer.fingerprint = world->fingerprint;
  answer.counts = world->counts;
  memcpy (answer.probes, world->probes.counts, sizeof answer.probes);
  if (findings_count (world->findings) > 0)
    take_finding (&answer, findings_text (world->findings, 0));
  *ret_answer = answer;
}

void
sweep_run_for (const SimOptions *options, gint64 virtual_us_max, SweepAnswer *ret_answer)
{
  g_autoptr (World) world = world_new (options);

  while (world_step (world) && world_now_us (world) <= virtual_us_max)
    ;
  sweep_answer_of_world (world, ret_answer);
}

void
sweep_run (const SimOptions *options, SweepAnswer *ret_answer)
{
  sweep_run_for (options, G_MAXINT64, ret_answer);
}

static void
answer_without_end (SweepAnswer *ret_answer, Verdict verdict, const char *rule, const char *reason)
{
  *ret_answer = (SweepAnswer){ .verdict = verdict };
  g_strlcpy (ret_answer->rule, rule, sizeof ret_answer->rule);
  g_strlcpy (ret_answer->reason, reason, sizeof ret_answer->reason);
}

void
sweep_answer_crashed (SweepAnswer *ret_answer, const char *reason)
{
  answer_without_end (ret_answer, VERDICT_VIOLATION, SWEEP_RULE_CRASHED, reason);
}

void
sweep_answer_too_long (SweepAnswer *ret_answer, const char *reason)
{
  answer_without_end (ret_answer, VERDICT_LIVENESS, SWEEP_RULE_TOO_LONG, reason);
}

/* Words with a digit in them are times, positions, ids, and quoted ones are names: another run has
 * others. */
static char *
kind_of (const SweepAnswer *answer)
{
  g_auto (GStrv) words = g_strsplit_set (answer->reason, " ,;()", -1);
  GString *kind = g_string_new (answer->rule);

  for (guint i = 0; words[i] != NULL; i++)
    g_string_append_printf (kind, " %s",
                            strpbrk (words[i], "0123456789'") != NULL ? "#" : words[i]);
  return g_string_free (kind, FALSE);
}

gboolean
sweep_answer_has_no_end (const SweepAnswer *answer)
{
  return g_str_equal (answer->rule, SWEEP_RULE_CRASHED)
         || g_str_equal (answer->rule, SWEEP_RULE_TOO_LONG);
}

/* Of crashes, only the reason tells one from another. */
gboolean
sweep_answer_alike (const SweepAnswer *a, const SweepAnswer *b)
{
  g_autofree char *kind_a = kind_of (a);
  g_autofree char *kind_b = kind_of (b);

  if (a->verdict != b->verdict || !g_str_equal (a->rule, b->rule))
    return FALSE;
  return !g_str_equal (a->rule, SWEEP_RULE_CRASHED) || g_str_equal (kind_a, kind_b);
}

/* --- which runs ------------------------------------------------------------------------------- */

guint
sweep_draw (SweepRange range, guint64 seed)
{
  SimStream random = sim_stream (seed, 0, SIM_PURPOSE_SWEEP);

  return (guint) sim_stream_between (&random, (gint64) range.low, (gint64) range.high);
}

/* --- the sums --------------------------------------------------------------------------------- */

G_STATIC_ASSERT (sizeof (WorldCounts) % sizeof (guint64) == 0);

static void
sum_counts (WorldCounts *sum, const WorldCounts *counts)
{
  guint64 *sums = (guint64 *) sum;

  for (gsize i = 0; i < sizeof (WorldCounts) / sizeof (guint64); i++)
    sums[i] += ((const guint64 *) counts)[i];
}

static void
failure_free (gpointer data)
{
  SweepFailure *failure = data;

  g_free (failure->rule);
  g_free (failure->reason);
  g_free (failure->kind);
  g_free (failure->command);
  g_free (failure);
}

Sweep *
sweep_new (void)
{
  Sweep *sweep = g_new0 (Sweep, 1);

  sweep->failures = g_ptr_array_new_with_free_func (failure_free);
  return sweep;
}

void
sweep_free (Sweep *sweep)
{
  g_ptr_array_unref (sweep->failures);
  g_free (sweep);
}

/* Past a bound, the first of its rule. */
static SweepFailure *
find_failure (const Sweep *sweep, const char *kind, const char *rule)
{
  gboolean full = sweep->failures->len >= SWEEP_KINDS_MAX;

  for (guint i = 0; i < sweep->failures->len; i++)
    {
      SweepFailure *failure = g_ptr_array_index (sweep->failures, i);

      if (g_str_equal (failure->kind, kind) || (full && g_str_equal (failure->rule, rule)))
        return failure;
    }
  return NULL;
}

static SweepFailure *
add_failure (Sweep *sweep, guint64 number, const SweepAnswer *answer, const char *command)
{
  g_autofree char *kind = kind_of (answer);
  SweepFailure *failure = find_failure (sweep, kind, answer->rule);

  if (failure == NULL)
    {
      failure = g_new0 (SweepFailure, 1);
      failure->verdict = answer->verdict;
      failure->rule = g_strdup (answer->rule);
      failure->reason = g_strdup (answer->reason);
      failure->kind = g_steal_pointer (&kind);
      failure->number = number;
      failure->command = g_strdup (command);
      g_ptr_array_add (sweep->failures, failure);
    }
  failure->n++;
  return failure;
}

SweepFailure *
sweep_add (Sweep *sweep, guint64 number, const SweepAnswer *answer, const char *command)
{
  sweep->runs++;
  sweep->by_verdict[answer->verdict]++;
  sweep->crashed += g_str_equal (answer->rule, SWEEP_RULE_CRASHED);
  sweep->too_long += g_str_equal (answer->rule, SWEEP_RULE_TOO_LONG);
  sweep->deliveries += answer->deliveries;
  sweep->virtual_us += answer->virtual_us;
  for (guint i = 0; i < N_INGREDIENTS; i++)
    {
      fingerprint_add (&sweep->fingerprint, (Ingredient) i, answer->fingerprint.of[i].a);
      fingerprint_add (&sweep->fingerprint, (Ingredient) i, answer->fingerprint.of[i].b);
    }
  sum_counts (&sweep->counts, &answer->counts);
  for (guint i = 0; i < N_PROBES; i++)
    sweep->probes[i] += answer->probes[i];
  return answer->verdict == VERDICT_PASS ? NULL : add_failure (sweep, number, answer, command);
}

static const Verdict by_weight[]
    = { VERDICT_VIOLATION, VERDICT_NON_DETERMINISM, VERDICT_LIVENESS, VERDICT_INCONCLUSIVE };

Verdict
sweep_verdict (const Sweep *sweep)
{
  for (guint i = 0; i < G_N_ELEMENTS (by_weight); i++)
    if (sweep->by_verdict[by_weight[i]] > 0)
      return by_weight[i];
  return VERDICT_PASS;
}

guint64
sweep_failed (const Sweep *sweep)
{
  return sweep->runs - sweep->by_verdict[VERDICT_PASS];
}

/* --- the table -------------------------------------------------------------------------------- */

typedef struct CountName
{
  const char *name;
  gsize offset;
} CountName;

#define COUNT(name, member)                                                                        \
  {                                                                                                \
    name, G_STRUCT_OFFSET (WorldCounts, member)                                                    \
  }

static const CountName message_counts[] = {
  COUNT ("published", published), COUNT ("confirmed", confirmed), COUNT ("delivered", delivered),
  COUNT ("again", redelivered),   COUNT ("returned", returned),   COUNT ("resent", resent),
};

static const CountName situation_counts[] = {
  COUNT ("connections", connections), COUNT ("channel errors", channel_errors),
  COUNT ("suspensions", suspensions), COUNT ("joins", joins),
  COUNT ("torn connections", cuts),   COUNT ("refused multicasts", full),
};

static guint64
count_of (const WorldCounts *counts, const CountName *name)
{
  return G_STRUCT_MEMBER (guint64, counts, name->offset);
}

/* A line of all counts; those that are 0 are added to `never`. */
static void
add_counts (GString *text, GString *never, const char *title, const WorldCounts *counts,
            const CountName *names, guint n_names)
{
  g_string_append_printf (text, "  %-13s ", title);
  for (guint i = 0; i < n_names; i++)
    {
      guint64 count = count_of (counts, &names[i]);

      g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " %s", i == 0 ? "" : ", ", count,
                              names[i].name);
      if (count == 0)
        g_string_append_printf (never, "%s%s", never->len == 0 ? "" : ", ", names[i].name);
    }
  g_string_append_c (text, '\n');
}

static void
add_probes (GString *text, GString *never, const guint64 *probes)
{
  g_autofree char *reached = probes_text (probes);

  g_string_append_printf (text, "  probes        %s\n", reached);
  for (guint i = 0; i < N_PROBES; i++)
    if (probes[i] == 0)
      g_string_append_printf (never, "%s%s", never->len == 0 ? "" : ", ", probe_infos[i].name);
}

/* Kinds that did not strike are a gap only if seeds were to have them. */
static void
add_faults (GString *text, GString *never, const WorldCounts *counts)
{
  const char *separator = "";

  g_string_append_printf (text, "  %-13s ", "faults");
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    if (counts->faults[i] > 0)
      {
        g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " %s", separator, counts->faults[i],
                                fault_kinds[i].name);
        separator = ", ";
      }
    else if (counts->planned[i] > 0)
      g_string_append_printf (never, "%s%s", never->len == 0 ? "" : ", ", fault_kinds[i].name);
  g_string_append_c (text, '\n');
}

static gboolean
is_first_of_rule (const Sweep *sweep, guint index)
{
  const SweepFailure *failure = g_ptr_array_index (sweep->failures, index);

  for (guint i = 0; i < index; i++)
    if (g_str_equal (((SweepFailure *) g_ptr_array_index (sweep->failures, i))->rule,
                     failure->rule))
      return FALSE;
  return TRUE;
}

/* Of each rule that was broken, the first run that did. */
static void
add_failures (GString *text, const Sweep *sweep)
{
  for (guint i = 0; i < sweep->failures->len; i++)
    {
      const SweepFailure *failure = g_ptr_array_index (sweep->failures, i);
      guint64 n_runs = 0;
      guint n_kinds = 0;

      if (!is_first_of_rule (sweep, i))
        continue;
      for (guint j = i; j < sweep->failures->len; j++)
        {
          const SweepFailure *other = g_ptr_array_index (sweep->failures, j);

          if (!g_str_equal (other->rule, failure->rule))
            continue;
          n_runs += other->n;
          n_kinds++;
        }
      g_string_append_printf (
          text,
          "%s of %s: %" G_GUINT64_FORMAT " %s, for %u %s\n"
          "  first         %s\n  again         %s\n",
          verdict_name (failure->verdict), failure->rule, n_runs, n_runs == 1 ? "run" : "runs",
          n_kinds, n_kinds == 1 ? "reason" : "reasons", failure->reason, failure->command);
    }
}

char *
sweep_table (const Sweep *sweep)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GString) never = g_string_new (NULL);
  char fingerprint[FINGERPRINT_TEXT_SIZE];

  g_string_append_printf (text,
                          "%" G_GUINT64_FORMAT " runs: %" G_GUINT64_FORMAT
                          " pass, %" G_GUINT64_FORMAT " violation, %" G_GUINT64_FORMAT
                          " liveness, %" G_GUINT64_FORMAT " inconclusive; %" G_GUINT64_FORMAT
                          " crashed, %" G_GUINT64_FORMAT " took too long\n",
                          sweep->runs, sweep->by_verdict[VERDICT_PASS],
                          sweep->by_verdict[VERDICT_VIOLATION], sweep->by_verdict[VERDICT_LIVENESS],
                          sweep->by_verdict[VERDICT_INCONCLUSIVE], sweep->crashed, sweep->too_long);
  add_counts (text, never, "messages", &sweep->counts, message_counts,
              G_N_ELEMENTS (message_counts));
  add_faults (text, never, &sweep->counts);
  add_counts (text, never, "situations", &sweep->counts, situation_counts,
              G_N_ELEMENTS (situation_counts));
  add_probes (text, never, sweep->probes);
  g_string_append_printf (text, "  never reached %s\n", never->len == 0 ? "nothing" : never->str);
  g_string_append_printf (text,
                          "  group         %" G_GUINT64_FORMAT " deliveries in %" G_GINT64_FORMAT
                          "ms of virtual time\n",
                          sweep->deliveries, sweep->virtual_us / 1000);
  g_string_append_printf (text, "  fingerprint   %s\n",
                          fingerprint_text (&sweep->fingerprint, fingerprint));
  add_failures (text, sweep);
  return g_string_free (text, FALSE);
}
