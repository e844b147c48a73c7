/* SPDX-License-Identifier: MIT */
/* What scenario files can say, and what is said of mistakes in them. */
#include "sim/scenario.h"
#include "sim/scenario_play.h"

#include <string.h>

/* --- files that are not there ----------------------------------------------------------------- */

typedef struct File
{
  const char *path;
  const char *text;
} File;

static const File files[] = {
  { "dir/base.scenario", "[scenario]\nwhat = the base\nmembers = 5\nseed = 7\n"
                         "[timeline]\nat 1ms = crash A\n[expect]\nverdict = liveness\n" },
  { "dir/self.scenario", "[scenario]\nextends = self.scenario\n" },
  { "dir/a.scenario", "[scenario]\nextends = b.scenario\n" },
  { "dir/b.scenario", "[scenario]\nextends = ../dir/a.scenario\n" },
  { "dir/wrong.scenario", "[scenario]\nmembers = 0\n" },
};

static gboolean
load (const char *path, char **ret_text, gsize *ret_length, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    if (g_str_equal (files[i].path, path))
      {
        *ret_text = g_strdup (files[i].text);
        *ret_length = strlen (files[i].text);
        return TRUE;
      }
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "there is no '%s'", path);
  return FALSE;
}

/* `ret_said`: mistakes and warnings, a line each. */
static Scenario *
parse (const char *text, char **ret_said)
{
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  Scenario *scenario
      = scenario_parse ("dir/x.scenario", slice_of_text (text), load, mistakes, warnings);
  GString *said = g_string_new (NULL);

  g_assert_true ((scenario == NULL) == (mistakes->len > 0));
  for (guint i = 0; i < mistakes->len; i++)
    g_string_append_printf (said, "%s\n", (const char *) mistakes->pdata[i]);
  for (guint i = 0; i < warnings->len; i++)
    g_string_append_printf (said, "warning: %s\n", (const char *) warnings->pdata[i]);
  *ret_said = g_string_free (said, FALSE);
  return scenario;
}

/* --- mistakes --------------------------------------------------------------------------------- */

typedef struct Row
{
  const char *name;
  const char *text; /* "what" is there already, in line 2 */
  const char *says;
} Row;

#define HEAD "[scenario]\nwhat = w\n"

static const Row rows[] = {
  { "nothing-is-a-scenario", HEAD, "" },
  { "unknown-section", HEAD "[netwrk]\norder = 1ms\n",
    "dir/x.scenario:3:2: there is no section 'netwrk', did you mean 'network'?\n" },
  { "unknown-key", HEAD "member = 3\n",
    "dir/x.scenario:3:1: [scenario] has no key 'member', did you mean 'members'? (consort-sim list "
    "keys)\n" },
  { "key-of-another-section", HEAD "crashes = 3\n",
    "dir/x.scenario:3:1: 'crashes' belongs to [faults]\n" },
  { "key-twice", HEAD "seed = 1\nseed = 2\n",
    "dir/x.scenario:4:1: key 'seed' comes again: it was in line 3 already\n" },
  { "section-twice", HEAD "[faults]\n[faults]\n",
    "dir/x.scenario:4:2: section 'faults' comes again: it was in line 3 already\n" },
  { "value", HEAD "members = 0\n",
    "dir/x.scenario:3:11: members needs a number from 1 to 2000, not '0'\n" },
  { "word", HEAD "reply-when = never\n",
    "dir/x.scenario:3:14: reply-when needs 'majority', 'self' or 'all', not 'never'\n" },
  { "words", HEAD "rules-off = stamp stump\n",
    "dir/x.scenario:3:13: rules-off needs 'stamp', 'resend', 'blank', 'stepdown' or "
    "'seats', not 'stump'\n" },
  { "seeds-backwards", HEAD "seed = 7..3\n",
    "dir/x.scenario:3:8: seed needs the lower seed first, not '7..3'\n" },
  { "time", HEAD "[network]\norder = 5\n",
    "dir/x.scenario:4:9: order needs a time from 1us to 10s, not '5'\n" },
  { "times-backwards", HEAD "[network]\nlag = 5ms..1ms\n",
    "dir/x.scenario:4:7: lag needs the lower end first, not '5ms..1ms'\n" },
  { "size", HEAD "[network]\nwindow = 0KiB\n",
    "dir/x.scenario:4:10: window needs a size such as 64KiB, drawn or none, not '0KiB'\n" },
  { "flag", HEAD "[workload]\nquiet-clients = 1\n",
    "dir/x.scenario:4:17: quiet-clients needs yes or no, not '1'\n" },
  { "trigger", HEAD "[timeline]\non 5ms = crash A\n",
    "dir/x.scenario:4:1: expected 'at TIME', 'after COUNT confirmed', 'when CONDITION' or 'then "
    "CONDITION', not 'on'\n" },
  { "rule", HEAD "[expect]\nverdict = violation\nrule = nothing-los\n",
    "dir/x.scenario:5:8: there is no rule 'nothing-los', did you mean 'nothing-lost'? (consort-sim "
    "list checkers)\n" },
  { "probe", HEAD "[expect]\nreached = suspend\n",
    "dir/x.scenario:4:11: there is no probe 'suspend', did you mean 'suspended'? (consort-sim list "
    "probes)\n" },
  { "verdict", HEAD "[expect]\nverdict = fail\n",
    "dir/x.scenario:4:11: verdict needs pass, violation, liveness or inconclusive, not 'fail'\n" },
  { "rule-of-another-verdict", HEAD "[expect]\nrule = nothing-lost\n",
    "dir/x.scenario:3:1: when 'nothing-lost' is broken, the verdict is violation, not pass\n" },
  { "more-members-than-corosync", HEAD "members = 200\n",
    "dir/x.scenario:1:1: members 200 is more than corosync's 128: say limits none\n" },
  { "story-of-many", HEAD "seed = 1..3\n[story]\nonce\n",
    "dir/x.scenario:4:1: a story is that of one seed, not of 1..3\n" },
  { "all-at-once", HEAD "seed = x\nsees = y\n= z\n[story]\n\x01\nonce\n",
    "dir/x.scenario:3:8: seed needs a number from 0 to 18446744073709551615, not 'x'\n"
    "dir/x.scenario:4:1: [scenario] has no key 'sees', did you mean 'seed'? (consort-sim list "
    "keys)\n"
    "dir/x.scenario:5:1: there is no key before '='\n"
    "dir/x.scenario:7:1: control character 0x01\n" },
  { "extends-nothing", HEAD "extends = nothing.scenario\n",
    "dir/x.scenario:3:11: there is no 'dir/nothing.scenario'\n" },
  { "extends-itself", HEAD "extends = self.scenario\n",
    "dir/self.scenario:2:11: 'self.scenario' extends itself\n" },
  { "extends-in-a-ring", HEAD "extends = a.scenario\n",
    "dir/b.scenario:2:11: '../dir/a.scenario' extends itself\n" },
  { "extends-late", HEAD "seed = 1\nextends = base.scenario\n",
    "dir/x.scenario:4:11: extends comes before everything but what\n" },
  { "mistake-in-extended", HEAD "extends = wrong.scenario\n",
    "dir/wrong.scenario:2:11: members needs a number from 1 to 2000, not '0'\n" },
  { "without-what", "[scenario]\n",
    "warning: dir/x.scenario: it does not say what is to be seen: what = ...\n" },
  { "member-that-is-not", HEAD "[timeline]\nat 5ms = crash F\n",
    "warning: dir/x.scenario:4:1: this can never strike: there is no member F, the last of 3 is "
    "C\n" },
  { "condition-of-one-that-is-not", HEAD "[timeline]\nwhen F is joining = crash A\n",
    "warning: dir/x.scenario:4:1: this can never strike: there is no member F, the last of 3 is "
    "C\n" },
  { "client-that-is-not", HEAD "[timeline]\nat 1ms = tear consumer-0\n",
    "warning: dir/x.scenario:4:1: this can never strike: there is no client consumer-0\n" },
  { "nobody-to-consume", HEAD "[workload]\nclients = 3\npublishers = 3\n",
    "dir/x.scenario:1:1: publishers 3 of 3 clients leave nobody to consume\n" },
  { "more-than-is-published", HEAD "[timeline]\nafter 301 confirmed = crash A\n",
    "warning: dir/x.scenario:4:1: this can never strike: 300 messages are published\n" },
};

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autofree char *said = NULL;
  Scenario *scenario = parse (row->text, &said);

  g_assert_cmpstr (said, ==, row->says);
  g_clear_pointer (&scenario, scenario_free);
}

/* --- what is read ------------------------------------------------------------------------------
 */

static void
test_extends (void)
{
  g_autofree char *said = NULL;
  g_autofree char *timeline = NULL;
  g_autoptr (Scenario) scenario
      = parse ("[scenario]\nwhat = more\nextends = base.scenario\nseed = 9\n"
               "[timeline]\nat 2ms = crash B\n",
               &said);

  g_assert_cmpstr (said, ==, "");
  g_assert_cmpstr (scenario->what, ==, "more");
  g_assert_cmpuint (scenario->options.members, ==, 5);
  g_assert_cmpuint (scenario->options.seed, ==, 9);
  timeline = timeline_text (scenario->timeline);
  g_assert_cmpstr (timeline, ==, "at 1ms = crash A\nat 2ms = crash B\n");
  /* What one expects of itself says nothing about the other. */
  g_assert_false (scenario->expect.given);
}

static void
check_round_trip (const char *text)
{
  g_autofree char *said = NULL, *said_again = NULL, *written = NULL;
  g_autoptr (Scenario) scenario = parse (text, &said);
  g_autoptr (Scenario) copy = scenario_copy (scenario);
  g_autoptr (Scenario) again = NULL;

  written = scenario_text (scenario);
  g_test_message ("%s", written);
  again = parse (written, &said_again);
  g_assert_nonnull (again);
  g_assert_true (scenario_equal (scenario, again) && scenario_equal (scenario, copy));
}

static void
test_written_is_read_as_the_same (void)
{
  check_round_trip (HEAD);
  check_round_trip ("[scenario]\nmembers = 3\nseed = 1\n[expect]\n");
  check_round_trip (
      "[scenario]\nwhat = all of it\nmembers = 200\nseed = 3..400\nduration = 1500ms\n"
      "reply-when = self\nlimits = none\nrules-off = stamp stepdown\n"
      "[network]\ntiming = heavy-tailed\norder = 50us..1ms\ndetection = 25ms\nsync = 1ms\nlag = "
      "none\nwindow = none\nclient-link = 150us\n"
      "[workload]\nmessages = 0\nclients = 2\npublishers = 1\nsmall-messages = yes\nquiet-clients "
      "= yes\n"
      "[faults]\ncrashes = 0\npartitions = 7\nallow-total-loss = yes\n"
      "[timeline]\nat 212ms = crash A\nafter 100 confirmed = partition A B | C for 20ms\n"
      "when A is joining + 5ms = crash B\nat 212ms = crash A\n"
      "[expect]\nverdict = violation\nrule = nothing-lost\nrule = queue-fifo\nreached = full\n");
  check_round_trip (HEAD "seed = 8\n[network]\nlag = 0us..7us\nwindow = 1536B\n[workload]\n"
                         "messages = 7\n[faults]\npartitions = drawn\n"
                         "[story]\n1ms start A\n  2ms A > view {A}\n\n");
}

static void
test_story_is_taken_line_by_line (void)
{
  g_autofree char *said = NULL;
  g_autoptr (Scenario) scenario = parse (
      HEAD "[story]\n  1ms start A  \n\n# why\n2ms A > active\n[faults]\ncrashes = 2\n", &said);

  g_assert_cmpstr (scenario->expect.story, ==, "1ms start A\n2ms A > active\n");
  g_assert_cmpuint (scenario->options.crashes, ==, 2);
}

/* --- what comes of it --------------------------------------------------------------------------
 */

/* The same run, given as options and as a file. */
static void
test_fingerprint_is_that_of_options (void)
{
  g_autofree char *said = NULL;
  g_autoptr (Scenario) scenario
      = parse (HEAD "seed = 5\nmembers = 4\n[workload]\nmessages = 40\n", &said);
  SimOptions options = sim_options_default ();
  g_autoptr (World) of_file = world_new (&scenario->options);
  g_autoptr (World) of_options = NULL;

  options.seed = 5;
  options.members = 4;
  options.messages = 40;
  of_options = world_new (&options);
  g_assert_cmpint (world_run (of_file), ==, VERDICT_PASS);
  g_assert_cmpint (world_run (of_options), ==, VERDICT_PASS);
  g_assert_true (fingerprint_equal (&of_file->fingerprint, &of_options->fingerprint));
}

/* Two runs that draw different numbers of the network do the same if it is said. */
static void
test_network_can_be_said (void)
{
  SimOptions options = sim_options_default ();
  g_autoptr (World) world = NULL;

  options.order = (SimSpan){ 70, 90 };
  options.lag = (SimSpan){ 0, 0 };
  options.link = (SimSpan){ 300, 400 };
  options.window = 0;
  world = world_new (&options);
  g_assert_cmpint (world->shape.network.timing.us_min, ==, 70);
  g_assert_cmpint (world->shape.network.timing.us_max, ==, 90);
  g_assert_cmpint (world->shape.network.lag_us_max, ==, 0);
  g_assert_cmpint (world->shape.link_us_min, ==, 300);
  g_assert_cmpint (world->shape.link_us_max, ==, 400);
  g_assert_cmpuint (world->shape.network.window, ==, 0);
  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
}

typedef struct Outcome
{
  const char *name;
  const char *text;
  int status;
  const char *unmet; /* how it begins; NULL: nothing is */
} Outcome;

#define SHORT "[workload]\nmessages = 5\n[faults]\ncrashes = 0\npartitions = 0\n"
#define LOSES "[scenario]\nwhat = w\nmembers = 1\n[faults]\ncrashes = 1\nallow-total-loss = yes\n"

static const Outcome outcomes[] = {
  { "pass-is-expected", HEAD SHORT "[expect]\n", 0, NULL },
  { "every-seed-is-to-pass", HEAD "seed = 1..5\n" SHORT "[expect]\n", 0, NULL },
  { "nothing-is-expected", LOSES, VERDICT_INCONCLUSIVE, NULL },
  { "it-is-expected", LOSES "[expect]\nverdict = inconclusive\nrule = state-survives\n", 0, NULL },
  { "it-is-not-expected", LOSES "[expect]\n", VERDICT_INCONCLUSIVE,
    "the verdict is inconclusive with seed 1, but pass was expected: state-survives: " },
  { "no-seed-does-so", HEAD "seed = 1..3\n" SHORT "[expect]\nverdict = violation\n",
    VERDICT_VIOLATION, "the verdict is pass with seed 3, but violation was expected" },
  { "situation-is-met", HEAD SHORT "[expect]\nreached = formed-by-all\n", 0, NULL },
  { "situation-is-not-met", HEAD SHORT "[expect]\nreached = formed-by-all\nreached = donor-lost\n",
    VERDICT_VIOLATION, "no run has met 'donor-lost'" },
  { "another-story", HEAD SHORT "[story]\nonce upon a time\n", VERDICT_VIOLATION,
    "the story is another one\n  - once upon a time\n" },
};

static void
test_outcome (gconstpointer data)
{
  const Outcome *outcome = data;
  g_autofree char *said = NULL;
  g_autoptr (Scenario) scenario = parse (outcome->text, &said);
  g_auto (ScenarioResult) result = { 0 };

  g_assert_cmpstr (said, ==, "");
  scenario_play (scenario, NULL, &result);
  g_test_message ("%s", result.unmet == NULL ? "as expected" : result.unmet);
  g_assert_cmpint (scenario_result_status (scenario, &result), ==, outcome->status);
  g_assert_true ((result.unmet == NULL) == (outcome->unmet == NULL));
  if (outcome->unmet != NULL)
    g_assert_true (g_str_has_prefix (result.unmet, outcome->unmet));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/scenario-language/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  for (guint i = 0; i < G_N_ELEMENTS (outcomes); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/scenario-outcome/", outcomes[i].name, NULL);

      g_test_add_data_func (path, &outcomes[i], test_outcome);
    }
  g_test_add_func ("/sim/scenario/extends", test_extends);
  g_test_add_func ("/sim/scenario/written-is-read-as-the-same", test_written_is_read_as_the_same);
  g_test_add_func ("/sim/scenario/story-is-taken-line-by-line", test_story_is_taken_line_by_line);
  g_test_add_func ("/sim/scenario/fingerprint-is-that-of-options",
                   test_fingerprint_is_that_of_options);
  g_test_add_func ("/sim/scenario/network-can-be-said", test_network_can_be_said);
  return g_test_run ();
}
