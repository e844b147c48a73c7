/* SPDX-License-Identifier: MIT */
#include "sim/shrink.h"
#include "core/base/limits.h"
#include "sim/shrink_list.h"
#include "sim/shrink_timeline.h"
#include "sim/workload.h"

typedef struct Shrink
{
  const ShrinkTester *tester;
  Scenario *best;
  guint n_seeds;      /* to try each candidate with */
  const char *step;   /* what is under way */
  GHashTable *passed; /* texts of scenarios: looked up only */

  const Timeline *entries; /* shrink_entries: what is being shortened */
  const Scenario *whole;   /* shrink_members: with all of them */
} Shrink;

/* --- candidates ------------------------------------------------------------------------------- */

static void
free_candidate (gpointer data)
{
  if (data != NULL)
    scenario_free (data);
}

static GPtrArray *
candidates_new (void)
{
  return g_ptr_array_new_with_free_func (free_candidate);
}

static void
set_seed (Scenario *scenario, guint64 seed)
{
  scenario->options.seed = scenario->options.last_seed = seed;
}

/* A copy of the best one, to be made simpler. Borrowed. */
static Scenario *
add_candidate (const Shrink *shrink, GPtrArray *candidates)
{
  Scenario *candidate = scenario_copy (shrink->best);

  g_ptr_array_add (candidates, candidate);
  return candidate;
}

static void
add_timeline (const Shrink *shrink, GPtrArray *candidates, Timeline *take_timeline)
{
  scenario_set_timeline (add_candidate (shrink, candidates), take_timeline);
}

static void
add_timelines (const Shrink *shrink, GPtrArray *candidates, GPtrArray *take_timelines)
{
  while (take_timelines->len > 0)
    add_timeline (shrink, candidates, g_ptr_array_steal_index (take_timelines, 0));
  g_ptr_array_unref (take_timelines);
}

/* Runs to be tried: each candidate with its own seed, and with small ones. What is known to pass is
 * left out. */
typedef struct Trials
{
  GPtrArray *scenarios;
  GPtrArray *texts;  /* theirs */
  GArray *candidate; /* of which each is one */
} Trials;

static Trials
trials_new (const Shrink *shrink, const GPtrArray *candidates)
{
  Trials trials = { candidates_new (), g_ptr_array_new_with_free_func (g_free),
                    g_array_new (FALSE, FALSE, sizeof (guint)) };

  for (guint i = 0; i < candidates->len; i++)
    for (guint64 seed = 0; seed < shrink->n_seeds; seed++)
      {
        g_autoptr (Scenario) trial = scenario_copy (g_ptr_array_index (candidates, i));
        g_autofree char *text = NULL;

        if (seed > 0)
          set_seed (trial, seed);
        text = scenario_text (trial);
        if (g_hash_table_contains (shrink->passed, text))
          continue;
        g_ptr_array_add (trials.scenarios, g_steal_pointer (&trial));
        g_ptr_array_add (trials.texts, g_steal_pointer (&text));
        g_array_append_val (trials.candidate, i);
      }
  return trials;
}

static void
trials_clear (Trials *trials)
{
  g_ptr_array_unref (trials->scenarios);
  g_ptr_array_unref (trials->texts);
  g_array_unref (trials->candidate);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Trials, trials_clear)

/* The number of the first that fails; trials->scenarios->len: none does. */
static guint
test_trials (Shrink *shrink, const Trials *trials)
{
  guint n_trials = trials->scenarios->len;

  for (guint from = 0; from < n_trials; from += SHRINK_BATCH)
    {
      guint n = MIN (n_trials - from, SHRINK_BATCH);
      g_autoptr (GPtrArray) batch = g_ptr_array_sized_new (n);
      guint first;

      for (guint i = 0; i < n; i++)
        g_ptr_array_add (batch, g_ptr_array_index (trials->scenarios, from + i));
      first = shrink->tester->test (batch, shrink->tester->user_data);
      g_assert (first <= n);
      for (guint i = 0; i < first; i++)
        g_hash_table_add (shrink->passed, g_strdup (g_ptr_array_index (trials->texts, from + i)));
      if (first < n)
        return from + first;
    }
  return n_trials;
}

/* The number of the first candidate that fails, which is the best from here on; candidates->len:
 * none does. */
static guint
take_first (Shrink *shrink, const GPtrArray *candidates)
{
  g_auto (Trials) trials = trials_new (shrink, candidates);
  guint first = test_trials (shrink, &trials);

  if (first == trials.scenarios->len)
    return candidates->len;
  scenario_free (shrink->best);
  shrink->best = g_ptr_array_index (trials.scenarios, first);
  trials.scenarios->pdata[first] = NULL;
  if (shrink->tester->simpler != NULL)
    shrink->tester->simpler (shrink->best, shrink->step, shrink->tester->user_data);
  return g_array_index (trials.candidate, guint, first);
}

static gboolean
take (Shrink *shrink, GPtrArray *take_candidates)
{
  g_autoptr (GPtrArray) candidates = take_candidates;

  return take_first (shrink, candidates) < candidates->len;
}

/* --- fewer --------------------------------------------------------------------------------------
 */

static guint
test_entries (GPtrArray *kept, gpointer user_data)
{
  Shrink *shrink = user_data;
  g_autoptr (GPtrArray) candidates = candidates_new ();

  for (guint i = 0; i < kept->len; i++)
    add_timeline (shrink, candidates,
                  shrink_timeline_keep (shrink->entries, g_ptr_array_index (kept, i)));
  return take_first (shrink, candidates);
}

static gboolean
shrink_entries (Shrink *shrink)
{
  g_autoptr (Timeline) entries = timeline_copy (shrink->best->timeline);
  g_autoptr (GArray) kept = NULL;

  shrink->entries = entries;
  kept = shrink_list (timeline_length (entries), test_entries, shrink);
  return kept->len < timeline_length (entries);
}

/* A cluster has at least one member: of none, nothing is asked. */
static guint
test_members (GPtrArray *kept, gpointer user_data)
{
  Shrink *shrink = user_data;
  g_autoptr (GPtrArray) candidates = candidates_new ();
  guint n_members = shrink->whole->options.members;

  for (guint i = 0; i < kept->len; i++)
    {
      const GArray *members = g_ptr_array_index (kept, i);
      Scenario *candidate;

      if (members->len == 0)
        return kept->len;
      candidate = add_candidate (shrink, candidates);
      candidate->options.members = members->len;
      scenario_set_timeline (candidate,
                             shrink_timeline_members (shrink->whole->timeline, members, n_members));
    }
  return take_first (shrink, candidates);
}

static gboolean
shrink_members (Shrink *shrink)
{
  g_autoptr (Scenario) whole = scenario_copy (shrink->best);
  g_autoptr (GArray) kept = NULL;

  shrink->whole = whole;
  kept = shrink_list (whole->options.members, test_members, shrink);
  return kept->len < whole->options.members;
}

/* Whoever does not exist any more cannot do anything. */
static void
drop_missing_clients (Scenario *scenario)
{
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < timeline_length (scenario->timeline); i++)
    {
      const TimelineEntry *entry = timeline_peek (scenario->timeline, i);
      const char *about = entry->fault.values.client;
      const char *awaited = entry->trigger.condition.values.client;

      if ((about == NULL || workload_has_client (&scenario->options, about))
          && (awaited == NULL || workload_has_client (&scenario->options, awaited)))
        g_array_append_val (kept, i);
    }
  if (kept->len < timeline_length (scenario->timeline))
    scenario_set_timeline (scenario, shrink_timeline_keep (scenario->timeline, kept));
}

static gboolean
shrink_clients (Shrink *shrink)
{
  g_autoptr (GArray) numbers = shrink_number (shrink->best->options.clients, 2);
  GPtrArray *candidates = candidates_new ();

  for (guint i = 0; i < numbers->len; i++)
    {
      Scenario *candidate = add_candidate (shrink, candidates);

      candidate->options.clients = (guint) g_array_index (numbers, guint64, i);
      if (candidate->options.publishers >= candidate->options.clients)
        candidate->options.publishers = SIM_PUBLISHERS_DRAWN;
      drop_missing_clients (candidate);
    }
  if (!shrink->best->options.quiet_clients)
    {
      Scenario *candidate = add_candidate (shrink, candidates);

      candidate->options.quiet_clients = TRUE;
      drop_missing_clients (candidate);
    }
  return take (shrink, candidates);
}

/* A run of fewer messages is shorter: what strikes at a time may strike as much sooner. */
static gboolean
shrink_messages (Shrink *shrink)
{
  guint messages = shrink->best->options.messages;
  g_autoptr (GArray) numbers = shrink_number (messages, 0);
  GPtrArray *candidates = candidates_new ();

  for (guint i = 0; i < numbers->len; i++)
    {
      guint64 fewer = g_array_index (numbers, guint64, i);
      Scenario *sooner = add_candidate (shrink, candidates);
      Scenario *candidate = add_candidate (shrink, candidates);

      candidate->options.messages = sooner->options.messages = (guint) fewer;
      scenario_set_timeline (sooner,
                             shrink_timeline_scale (shrink->best->timeline, fewer, messages));
    }
  return take (shrink, candidates);
}

/* --- plainer ------------------------------------------------------------------------------------
 */

/* Those that are as the best one is. */
static void
drop_equal_ones (const Shrink *shrink, GPtrArray *candidates)
{
  for (guint i = candidates->len; i > 0; i--)
    if (scenario_equal (shrink->best, g_ptr_array_index (candidates, i - 1)))
      g_ptr_array_remove_index (candidates, i - 1);
}

static void
add_count (const Shrink *shrink, GPtrArray *candidates, gsize offset)
{
  guint count = G_STRUCT_MEMBER (guint, &shrink->best->options, offset);
  g_autoptr (GArray) numbers = shrink_number (count, 0);

  for (guint i = 0; i < numbers->len && (i == 0 || count != SIM_PARTITIONS_DRAWN); i++)
    G_STRUCT_MEMBER (guint, &add_candidate (shrink, candidates)->options, offset)
        = (guint) g_array_index (numbers, guint64, i);
}

/* As by default, if it is not. */
static gboolean
shrink_settings (Shrink *shrink)
{
  const SimOptions plain = sim_options_default ();
  const SimOptions *options = &shrink->best->options;
  GPtrArray *candidates = candidates_new ();

  sim_options_draw_nothing (&add_candidate (shrink, candidates)->options);
  add_count (shrink, candidates, G_STRUCT_OFFSET (SimOptions, crashes));
  add_count (shrink, candidates, G_STRUCT_OFFSET (SimOptions, partitions));
  add_candidate (shrink, candidates)->options.allow_total_loss = FALSE;
  add_candidate (shrink, candidates)->options.reply_when = plain.reply_when;
  add_candidate (shrink, candidates)->options.duration_us = plain.duration_us;
  add_candidate (shrink, candidates)->options.timing = plain.timing;
  add_candidate (shrink, candidates)->options.detection_us = plain.detection_us;
  add_candidate (shrink, candidates)->options.sync_us = plain.sync_us;
  add_candidate (shrink, candidates)->options.publishers = plain.publishers;
  if (options->members <= LIMIT_GROUP_MEMBERS)
    add_candidate (shrink, candidates)->options.limits_none = FALSE;
  for (guint bit = 0; bit < 32; bit++)
    if (options->rules_off & (1u << bit))
      add_candidate (shrink, candidates)->options.rules_off &= ~(1u << bit);
  drop_equal_ones (shrink, candidates);
  return take (shrink, candidates);
}

/* The plainer the less. */
static guint
span_rank (SimSpan span)
{
  if (span.low_us < 0)
    return 3;
  if (span.low_us != span.high_us)
    return 2;
  return span.high_us > 0;
}

static void
add_spans (const Shrink *shrink, GPtrArray *candidates, gsize offset, const SimSpan *spans,
           guint n_spans)
{
  SimSpan span = G_STRUCT_MEMBER (SimSpan, &shrink->best->options, offset);

  for (guint i = 0; i < n_spans; i++)
    if (span_rank (spans[i]) < span_rank (span))
      G_STRUCT_MEMBER (SimSpan, &add_candidate (shrink, candidates)->options, offset) = spans[i];
}

#define MS 1000
static const SimSpan orders[] = { { 500, 500 }, { 100, 100 }, { MS, MS }, { 10 * MS, 10 * MS } };
static const SimSpan links[] = { { 500, 500 }, { 200, 200 }, { MS, MS } };
static const SimSpan lags[] = { { 0, 0 },  { MS, MS },    { 5 * MS, 5 * MS }, { 20 * MS, 20 * MS },
                                { 0, MS }, { 0, 5 * MS }, { 0, 20 * MS } };

static gboolean
shrink_network (Shrink *shrink)
{
  GPtrArray *candidates = candidates_new ();

  add_spans (shrink, candidates, G_STRUCT_OFFSET (SimOptions, lag), lags, G_N_ELEMENTS (lags));
  add_spans (shrink, candidates, G_STRUCT_OFFSET (SimOptions, order), orders,
             G_N_ELEMENTS (orders));
  add_spans (shrink, candidates, G_STRUCT_OFFSET (SimOptions, link), links, G_N_ELEMENTS (links));
  if (shrink->best->options.window != 0)
    add_candidate (shrink, candidates)->options.window = 0;
  if (shrink->best->options.state_chunk != 0)
    add_candidate (shrink, candidates)->options.state_chunk = 0;
  if (shrink->best->options.backlog != 0)
    add_candidate (shrink, candidates)->options.backlog = 0;
  return take (shrink, candidates);
}

static gboolean
shrink_times (Shrink *shrink)
{
  GPtrArray *candidates = candidates_new ();

  add_timelines (shrink, candidates, shrink_timeline_fold (shrink->best->timeline));
  add_timelines (shrink, candidates,
                 shrink_timeline_after (shrink->best->timeline, shrink->best->options.messages));
  return take (shrink, candidates);
}

static gboolean
shrink_faults (Shrink *shrink)
{
  GPtrArray *candidates = candidates_new ();

  for (guint i = 0; i < timeline_length (shrink->best->timeline); i++)
    add_timelines (
        shrink, candidates,
        shrink_timeline_simplify (shrink->best->timeline, i, shrink->best->options.members));
  return take (shrink, candidates);
}

/* Each with its own seed only: that is what is to be smaller. */
static gboolean
shrink_seed (Shrink *shrink)
{
  GPtrArray *candidates = candidates_new ();
  guint n_seeds = shrink->n_seeds;
  gboolean simpler;

  for (guint64 seed = 1; seed < MIN (shrink->best->options.seed, 10); seed++)
    set_seed (add_candidate (shrink, candidates), seed);
  shrink->n_seeds = 1;
  simpler = take (shrink, candidates);
  shrink->n_seeds = n_seeds;
  return simpler;
}

/* --- all of it -------------------------------------------------------------------------------- */

typedef struct Pass
{
  const char *step;
  gboolean (*run) (Shrink *); /* TRUE: it is simpler now */
} Pass;

/* What saves most comes first: it makes the rest faster, too. */
static const Pass passes[] = {
  { "fewer faults", shrink_entries },  { "plainer settings", shrink_settings },
  { "fewer members", shrink_members }, { "fewer messages", shrink_messages },
  { "fewer clients", shrink_clients }, { "a plainer network", shrink_network },
  { "plainer times", shrink_times },   { "plainer faults", shrink_faults },
  { "a smaller seed", shrink_seed },
};

static gboolean
run_passes (Shrink *shrink)
{
  gboolean simpler = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    {
      shrink->step = passes[i].step;
      simpler = passes[i].run (shrink) || simpler;
    }
  return simpler;
}

Scenario *
shrink (const Scenario *failing, const ShrinkTester *tester)
{
  static const guint n_seeds[] = { 1, 10, 40 };
  g_autoptr (GHashTable) passed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Shrink shrink = { .tester = tester, .best = scenario_copy (failing), .passed = passed };

  for (guint i = 0; i < G_N_ELEMENTS (n_seeds); i++)
    {
      shrink.n_seeds = n_seeds[i];
      while (run_passes (&shrink))
        ;
    }
  return shrink.best;
}

static void
append_count (GString *text, guint n, const char *what)
{
  g_string_append_printf (text, "%s%u %s%s", text->len == 0 ? "" : ", ", n, what,
                          n == 1 ? "" : "s");
}

char *
shrink_size_text (const Scenario *scenario)
{
  GString *text = g_string_new (NULL);

  append_count (text, scenario->options.members, "member");
  append_count (text, scenario->options.clients, "client");
  append_count (text, scenario->options.messages, "message");
  append_count (text, timeline_length (scenario->timeline), "fault");
  return g_string_free (text, FALSE);
}
