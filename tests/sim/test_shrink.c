/* SPDX-License-Identifier: MIT */
/* The shrinker, held against rules of what fails that need no run: it finds the least that they
 * ask for, and that reads as a person would write it. */
#include "sim/shrink.h"
#include "sim/shrink_timeline.h"

#include <string.h>

/* "TRIGGER = FAULT" a line. Yours. */
static Timeline *
timeline_of (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  Timeline *timeline = timeline_new ();

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) sides = g_strsplit (lines[i], " = ", 2);
      g_autoptr (GError) error = NULL;
      KeyfilePosition nowhere = { 0 };

      if (lines[i][0] == '\0')
        continue;
      timeline_parse_entry (timeline, slice_of_text (sides[0]), nowhere, slice_of_text (sides[1]),
                            nowhere, &error);
      g_assert_no_error (error);
    }
  return timeline;
}

static Scenario *
scenario_of (guint members, guint messages, const char *timeline)
{
  Scenario *scenario = scenario_new ();

  scenario->options.members = members;
  scenario->options.messages = messages;
  scenario->options.seed = scenario->options.last_seed = 4711;
  timeline_free (scenario->timeline);
  scenario->timeline = timeline_of (timeline);
  scenario->options.timeline = scenario->timeline;
  return scenario;
}

/* --- what fails ------------------------------------------------------------------------------- */

typedef gboolean (*Fails) (const Scenario *scenario);

typedef struct Rule
{
  Fails fails;
  guint n_tried;
  guint n_simpler;
} Rule;

static guint
test_with_rule (GPtrArray *scenarios, gpointer user_data)
{
  Rule *rule = user_data;

  g_assert_cmpuint (scenarios->len, <=, SHRINK_BATCH);
  for (guint i = 0; i < scenarios->len; i++)
    {
      rule->n_tried++;
      if (rule->fails (g_ptr_array_index (scenarios, i)))
        return i;
    }
  return scenarios->len;
}

static void
count_simpler (const Scenario *scenario, const char *step, gpointer user_data)
{
  Rule *rule = user_data;

  g_assert_true (rule->fails (scenario));
  g_assert_nonnull (step);
  rule->n_simpler++;
}

static Scenario *
shrink_by (Rule *rule, const Scenario *scenario)
{
  const ShrinkTester tester = { test_with_rule, count_simpler, rule };

  g_assert_true (rule->fails (scenario));
  return shrink (scenario, &tester);
}

static const TimelineEntry *
find_fault (const Scenario *scenario, FaultKind kind)
{
  for (guint i = 0; i < timeline_length (scenario->timeline); i++)
    if (timeline_peek (scenario->timeline, i)->fault.kind == kind)
      return timeline_peek (scenario->timeline, i);
  return NULL;
}

static void
assert_timeline (const Timeline *timeline, const char *expected)
{
  g_autofree char *text = timeline_text (timeline);

  g_assert_cmpstr (text, ==, expected);
}

/* --- cases ------------------------------------------------------------------------------------ */

static const char many_faults[] = "at 12ms = tear publisher-2\n"
                                  "at 21344us = crash B\n"
                                  "at 25us = lag D 800us\n"
                                  "at 40123us = partition A B | C | D E\n"
                                  "at 51234us = heal\n"
                                  "at 60ms = restart B\n"
                                  "at 61234us = suffix-loss D\n"
                                  "at 70ms = pause A\n"
                                  "at 90ms = resume A\n"
                                  "at 99ms = restart D\n";

static gboolean
fails_with_suffix_loss (const Scenario *scenario)
{
  return scenario->options.members >= 3 && scenario->options.messages >= 17
         && find_fault (scenario, FAULT_SUFFIX_LOSS) != NULL;
}

static void
test_one_fault (void)
{
  g_autoptr (Scenario) scenario = scenario_of (5, 300, many_faults);
  Rule rule = { fails_with_suffix_loss, 0, 0 };
  g_autoptr (Scenario) small = shrink_by (&rule, scenario);
  g_autofree char *size = shrink_size_text (small);
  g_autofree char *text = scenario_text (small);

  g_test_message ("%u tried, %u steps:\n%s", rule.n_tried, rule.n_simpler, text);
  g_assert_cmpstr (size, ==, "3 members, 2 clients, 20 messages, 1 fault");
  assert_timeline (small->timeline, "after 1 confirmed = suffix-loss B\n");
  g_assert_true (small->options.quiet_clients);
  g_assert_cmpuint (small->options.seed, ==, 1);
  g_assert_cmpuint (small->options.crashes, ==, 0);
  g_assert_cmpuint (small->options.partitions, ==, 0);
  g_assert_cmpint (small->options.lag.high_us, ==, 0);
  g_assert_cmpint (small->options.order.low_us, ==, small->options.order.high_us);
  g_assert_cmpuint (rule.n_tried, <, 1500);
}

/* A partition of some parts, while a member that is not alone in its part is gone. */
static gboolean
fails_with_both (const Scenario *scenario)
{
  const TimelineEntry *partition = find_fault (scenario, FAULT_PARTITION);
  const TimelineEntry *crash = find_fault (scenario, FAULT_CRASH);

  return partition != NULL && crash != NULL && scenario->options.members >= 4
         && phrase_part_of (&partition->fault.values, 0)
                != phrase_part_of (&partition->fault.values, 3);
}

static void
test_two_faults (void)
{
  g_autoptr (Scenario) scenario = scenario_of (5, 300, many_faults);
  Rule rule = { fails_with_both, 0, 0 };
  g_autoptr (Scenario) small = shrink_by (&rule, scenario);

  g_assert_cmpuint (small->options.members, ==, 4);
  g_assert_cmpuint (small->options.messages, ==, 0);
  g_assert_cmpuint (timeline_length (small->timeline), ==, 2);
}

/* Only one seed of some meets it once there are fewer members. */
static gboolean
fails_with_luck (const Scenario *scenario)
{
  return scenario->options.members == 5
         || (scenario->options.members >= 3 && scenario->options.seed == 7);
}

static void
test_other_seeds (void)
{
  g_autoptr (Scenario) scenario = scenario_of (5, 300, many_faults);
  Rule rule = { fails_with_luck, 0, 0 };
  g_autoptr (Scenario) small = shrink_by (&rule, scenario);

  g_assert_cmpuint (small->options.members, ==, 3);
  g_assert_cmpuint (small->options.seed, ==, 7);
}

/* Nothing can be left out: then nothing is. */
static gboolean
fails_as_it_is (const Scenario *scenario)
{
  g_autoptr (Scenario) same = scenario_of (5, 300, many_faults);

  return scenario_equal (scenario, same);
}

static void
test_nothing (void)
{
  g_autoptr (Scenario) scenario = scenario_of (5, 300, many_faults);
  Rule rule = { fails_as_it_is, 0, 0 };
  g_autoptr (Scenario) small = shrink_by (&rule, scenario);

  g_assert_true (scenario_equal (small, scenario));
  g_assert_cmpuint (rule.n_simpler, ==, 0);
}

static gboolean
fails_for_a_client (const Scenario *scenario)
{
  const TimelineEntry *tear = find_fault (scenario, FAULT_TEAR);

  return tear != NULL && g_str_equal (tear->fault.values.client, "publisher-2");
}

/* publisher-2 is one of at least three publishers, who are two of five. */
static void
test_clients (void)
{
  g_autoptr (Scenario) scenario = scenario_of (3, 300, many_faults);
  Rule rule = { fails_for_a_client, 0, 0 };
  g_autoptr (Scenario) small = shrink_by (&rule, scenario);

  g_assert_cmpuint (small->options.clients, ==, 8);
  g_assert_cmpuint (timeline_length (small->timeline), ==, 1);
}

/* --- timelines -------------------------------------------------------------------------------- */

static void
test_members (void)
{
  static const guint kept_members[] = { 0, 3, 4 };
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (Timeline) timeline = timeline_of (many_faults);
  g_autoptr (Timeline) rest = NULL;

  g_array_append_vals (kept, kept_members, G_N_ELEMENTS (kept_members));
  rest = shrink_timeline_members (timeline, kept, 5);
  assert_timeline (rest, "at 12ms = tear publisher-2\n"
                         "at 25us = lag B 800us\n"
                         "at 40123us = partition A | B C\n"
                         "at 51234us = heal\n"
                         "at 61234us = suffix-loss B\n"
                         "at 70ms = pause A\n"
                         "at 90ms = resume A\n"
                         "at 99ms = restart B\n");
}

static void
test_fold (void)
{
  g_autoptr (Timeline) timeline = timeline_of ("at 10ms = partition A | B C\n"
                                               "at 20ms = pause C\n"
                                               "at 25ms = heal\n"
                                               "at 30ms = resume C\n");
  g_autoptr (GPtrArray) folded = shrink_timeline_fold (timeline);

  g_assert_cmpuint (folded->len, ==, 2);
  assert_timeline (folded->pdata[0], "at 10ms = partition A | B C for 15ms\n"
                                     "at 20ms = pause C\n"
                                     "at 30ms = resume C\n");
  assert_timeline (folded->pdata[1], "at 10ms = partition A | B C\n"
                                     "at 20ms = pause C 10ms\n"
                                     "at 25ms = heal\n");
}

static void
test_after (void)
{
  g_autoptr (Timeline) timeline = timeline_of ("at 10ms = crash A\n"
                                               "when B is alone = crash B\n"
                                               "at 12345us = crash C\n");
  g_autoptr (GPtrArray) later = shrink_timeline_after (timeline, 4);

  g_assert_cmpuint (later->len, ==, 3);
  assert_timeline (later->pdata[2], "after 3 confirmed = crash A\n"
                                    "when B is alone = crash B\n"
                                    "after 3 confirmed + 2345us = crash C\n");
}

typedef struct SimplerCase
{
  const char *entry;
  const char *simpler; /* timelines of one line each */
} SimplerCase;

static const SimplerCase simpler_cases[] = {
  { "at 5ms = crash A\n", "" },
  { "after 1 confirmed = crash A\n", "" },
  { "after 3 confirmed = crash A\n", "after 1 confirmed = crash A\nafter 2 confirmed = crash A\n" },
  { "at 12345us = crash A\n", "at 10ms = crash A\nat 12ms = crash A\n" },
  { "after 1 confirmed + 7ms = crash A\n", "after 1 confirmed = crash A\n" },
  { "when A is alone = suffix-loss B\n", "when A is alone = crash B\n" },
  { "at 5ms = partition A B | C for 200ms\n", "at 5ms = isolate C for 200ms\n" },
  { "at 5ms = partition A | B | C\n",
    "at 5ms = partition A C | B\nat 5ms = partition A | B C\nat 5ms = partition A B | C\n" },
  { "at 5ms = isolate C for 212ms\n",
    "at 5ms = isolate C for 200ms\nat 5ms = isolate C for 210ms\n" },
};

static void
test_simplify (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (simpler_cases); i++)
    {
      g_autoptr (Timeline) timeline = timeline_of (simpler_cases[i].entry);
      g_autoptr (GPtrArray) simpler = shrink_timeline_simplify (timeline, 0, 3);
      g_autoptr (GString) text = g_string_new (NULL);

      for (guint j = 0; j < simpler->len; j++)
        {
          g_autofree char *line = timeline_text (simpler->pdata[j]);

          g_string_append (text, line);
        }
      g_assert_cmpstr (text->str, ==, simpler_cases[i].simpler);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/shrink/one-fault-of-many", test_one_fault);
  g_test_add_func ("/sim/shrink/two-faults-that-need-each-other", test_two_faults);
  g_test_add_func ("/sim/shrink/other-seeds-are-tried", test_other_seeds);
  g_test_add_func ("/sim/shrink/what-is-needed-stays", test_nothing);
  g_test_add_func ("/sim/shrink/a-client-that-is-named-stays", test_clients);
  g_test_add_func ("/sim/shrink/members-are-renamed", test_members);
  g_test_add_func ("/sim/shrink/an-end-becomes-a-duration", test_fold);
  g_test_add_func ("/sim/shrink/times-become-numbers-of-messages", test_after);
  g_test_add_func ("/sim/shrink/simpler-entries", test_simplify);
  return g_test_run ();
}
