/* SPDX-License-Identifier: MIT */
/* Each kind of fault, scripted in a run that is calm otherwise, is seen to have its effect; and the
 * run keeps all promises nevertheless, unless the kind breaks the transport's contract. */
#include "sim/client.h"
#include "sim/faults.h"
#include "sim/world.h"

#include <string.h>

typedef struct Line
{
  gint64 at_us;
  char *member;
  char *text;
} Line;

typedef struct Recorder
{
  Trace trace;
  World *world;
  GArray *lines; /* of Line */
} Recorder;

static void
record_line (Trace *trace, const char *member, const char *text)
{
  Recorder *recorder = (Recorder *) trace;
  Line line = { world_now_us (recorder->world), g_strdup (member), g_strdup (text) };

  g_array_append_val (recorder->lines, line);
}

static void
clear_line (gpointer data)
{
  Line *line = data;

  g_free (line->member);
  g_free (line->text);
}

/* --- effects ------------------------------------------------------------------------------ */

typedef enum EffectKind
{
  NO_EFFECT,
  SAYS,   /* `member`, or anybody, says `text` between the two times */
  SILENT, /* it does not; NULL: nor anything else */
  COUNTED /* a count that would be 0 else */
} EffectKind;

typedef struct Effect
{
  EffectKind kind;
  const char *member; /* NULL: anybody */
  const char *text;
  gint64 from_ms;
  gint64 to_ms;
  gsize offset; /* in WorldCounts */
} Effect;

static gboolean
is_said (const Recorder *recorder, const Effect *effect)
{
  for (guint i = 0; i < recorder->lines->len; i++)
    {
      const Line *line = &g_array_index (recorder->lines, Line, i);

      if (line->at_us >= effect->from_ms * 1000 && line->at_us < effect->to_ms * 1000
          && (effect->member == NULL ? !g_str_equal (line->member, "world")
                                     : g_str_equal (line->member, effect->member))
          && (effect->text == NULL || strstr (line->text, effect->text) != NULL))
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_seen (const Recorder *recorder, const Effect *effect)
{
  const World *world = recorder->world;

  switch (effect->kind)
    {
    case SAYS:
      return is_said (recorder, effect);
    case SILENT:
      return !is_said (recorder, effect);
    case COUNTED:
      return G_STRUCT_MEMBER (guint64, &world->counts, effect->offset) > 0;
    case NO_EFFECT:
      break;
    }
  g_assert_not_reached ();
}

/* --- the cases -------------------------------------------------------------------------------- */

typedef struct Case
{
  FaultKind kind;
  const char *timeline[7]; /* triggers and faults in turn */
  Effect effects[2];
} Case;

/* How the same kinds are used for more. */
typedef struct NamedCase
{
  const char *name;
  gint64 lag_us; /* of all */
  gint64 detection_us;
  Case test;
} NamedCase;

#define AT "at 100ms"
#define COUNT(name)                                                                                \
  {                                                                                                \
    .kind = COUNTED, .offset = G_STRUCT_OFFSET (WorldCounts, name)                                 \
  }

static const Case cases[] = {
  { FAULT_CRASH,
    { AT, "crash C for 50ms" },
    { { SAYS, "A", "lost C", 100, 102, 0 }, { SAYS, "world", "start C", 150, 151, 0 } } },
  { FAULT_SUFFIX_LOSS,
    { "when C is sending", "suffix-loss C for 50ms" },
    { { SAYS, "A", "lost C", 0, 102, 0 } } },
  { FAULT_STOP,
    { AT, "stop C for 50ms" },
    { { SAYS, "world", "gone C", 100, 104, 0 }, { SAYS, "A", "lost C", 100, 104, 0 } } },
  { FAULT_NODE_DOWN, { AT, "node-down C for 50ms" }, { { SAYS, "A", "lost C", 100, 102, 0 } } },
  { FAULT_GHOST,
    { AT, "ghost C for 50ms" },
    { { SILENT, "A", "lost C", 100, 150, 0 }, { SAYS, "A", "lost C", 150, 154, 0 } } },
  { FAULT_RESTART,
    { AT, "crash C for ever", "at 200ms", "restart C" },
    { { SAYS, "C", "state active", 200, 260, 0 }, { SILENT, "C", NULL, 101, 200, 0 } } },
  { FAULT_PAUSE, { AT, "pause C 40ms" }, { { SILENT, "C", NULL, 101, 139, 0 } } },
  { FAULT_HANG,
    { AT, "hang C 40ms" },
    { { SILENT, "C", NULL, 101, 139, 0 }, { SILENT, "A", "lost C", 100, 150, 0 } } },
  { FAULT_RESUME,
    { AT, "pause C", "at 120ms", "resume C" },
    { { SILENT, "C", NULL, 101, 119, 0 }, { SAYS, "C", NULL, 120, 125, 0 } } },
  { FAULT_LAG,
    { AT, "lag C 200ms for 400ms", "at 101ms", "crash E" },
    { { SAYS, "A", "lost E", 101, 103, 0 }, { SILENT, "C", "lost E", 101, 103, 0 } } },
  { FAULT_SLOW,
    { AT, "slow C 1 per 20ms for 300ms", "at 101ms", "crash E" },
    { { SAYS, "A", "lost E", 101, 103, 0 }, { SILENT, "C", "lost E", 101, 121, 0 } } },
  { FAULT_CATCH_UP,
    { AT, "lag C 200ms", "at 101ms", "catch-up C" },
    { { SAYS, "C", NULL, 101, 103, 0 } } },
  { FAULT_NEWER_VERSION,
    { AT, "crash C for 20ms", "then C is gone", "newer-version C", "at 250ms", "crash C for 10ms" },
    { { SILENT, "C", "state active", 120, 250, 0 }, { SAYS, "C", "state active", 260, 2000, 0 } } },
  { FAULT_STRANGER,
    { AT, "crash C for 20ms", "then C is gone", "stranger C", "at 250ms", "crash C for 10ms" },
    { { SAYS, "A", "ignore 3.1, ", 120, 250, 0 }, { SILENT, "C", "state active", 120, 260, 0 } } },
  { FAULT_CRASH_SEVERAL,
    { AT, "crash-several 2" },
    { COUNT (faults[FAULT_CRASH]), COUNT (faults[FAULT_RESTART]) } },
  { FAULT_NODE_DOWN_SEVERAL,
    { AT, "node-down-several 2" },
    { COUNT (faults[FAULT_NODE_DOWN]), COUNT (faults[FAULT_RESTART]) } },
  { FAULT_FORM_BY_FORCE,
    { "at 1ms", "partition A | B C D E for 20ms", "at 10ms", "form-by-force A" },
    { { SAYS, "A", "state active", 10, 11, 0 }, { SAYS, "E", "state active", 21, 60, 0 } } },
  { FAULT_FORGET,
    { AT, "crash E for 50ms", "at 120ms", "forget A E" },
    { { SAYS, "B", "deliver forget", 120, 122, 0 }, { SAYS, "E", "state active", 150, 200, 0 } } },
  { FAULT_ACK_NOTHING, { AT, "ack-nothing consumer-3 50ms" }, { COUNT (faults[FAULT_BEHAVE]) } },
  { FAULT_NACK_STORM, { AT, "nack-storm consumer-3 50ms" }, { COUNT (redelivered) } },
  { FAULT_BEHAVE,
    { AT, "nack-storm consumer-3", "at 120ms", "behave consumer-3" },
    { COUNT (redelivered) } },
  { FAULT_PARTITION,
    { AT, "partition A B | C D E for 50ms" },
    { { SAYS, "A", "view {A B}", 100, 101, 0 }, { SAYS, "C", "view {C D E}", 100, 101, 0 } } },
  { FAULT_ISOLATE,
    { AT, "isolate eldest for 50ms" },
    { { SAYS, NULL, ", lost ", 100, 101, 0 }, { SAYS, NULL, ", met ", 150, 151, 0 } } },
  { FAULT_HEAL,
    { AT, "partition A B | C D E", "at 120ms", "heal" },
    { { SAYS, "A", "view {A B C D E}, met", 120, 121, 0 },
      { SAYS, "D", "view {A B C D E}", 120, 121, 0 } } },
  { FAULT_ONE_WAY,
    { AT, "one-way A E for 50ms" },
    { { SAYS, NULL, ", lost ", 100, 101, 0 }, { SAYS, NULL, "met ", 150, 151, 0 } } },
  { FAULT_NON_TRANSITIVE,
    { AT, "non-transitive A E for 50ms" },
    { { SAYS, NULL, ", lost ", 100, 101, 0 }, { SAYS, NULL, "met ", 150, 151, 0 } } },
  { FAULT_MAJORITY_RING,
    { AT, "majority-ring for 50ms" },
    { { SAYS, NULL, ", lost ", 100, 101, 0 }, { SAYS, NULL, "view {A B C D E}", 150, 151, 0 } } },
  { FAULT_FLAPPING, { AT, "flapping 6 times in 40ms" }, { COUNT (faults[FAULT_PARTITION]) } },
  { FAULT_SWIZZLE, { AT, "swizzle in 40ms" }, { COUNT (faults[FAULT_PARTITION]) } },
  { FAULT_CUT_OFF_PAUSED,
    { AT, "cut-off-paused C 40ms" },
    { { SAYS, "A", "lost C", 100, 112, 0 }, { SILENT, "C", NULL, 101, 139, 0 } } },
  { FAULT_HANDLE_LOST,
    { AT, "handle-lost C for 20ms" },
    { { SAYS, "C", "state outside", 100, 101, 0 }, { SAYS, "A", "lost C", 100, 102, 0 } } },
  { FAULT_DAEMON_STOP,
    { AT, "daemon-stop C for 20ms" },
    { { SAYS, "C", "state outside", 100, 101, 0 }, { SAYS, "A", "lost C", 100, 102, 0 } } },
  { FAULT_DAEMON_UP,
    { AT, "handle-lost C", "at 1500ms", "daemon-up C" },
    { { SILENT, "C", "told", 101, 1500, 0 }, { SAYS, "C", "state active", 1500, 3000, 0 } } },
  { FAULT_SPIKE,
    { AT, "spike 100 times for 20ms" },
    { { SILENT, NULL, "deliver ordered", 102, 119, 0 } } },
  { FAULT_STALL, { AT, "stall 20ms" }, { { SILENT, NULL, "deliver ordered", 101, 120, 0 } } },
  { FAULT_FULL,
    { AT, "full C for 200ms" },
    { { SILENT, NULL, "of 3.1", 102, 300, 0 }, { SAYS, NULL, "of 3.1", 0, 100, 0 } } },
  { FAULT_SITE,
    { AT, "site C outbox-late for 200ms" },
    { COUNT (sites[FAULT_SITE_OUTBOX_LATE]), COUNT (faults[FAULT_SITE_OFF]) } },
  { FAULT_SITE_OFF,
    { AT, "site C outbox-late", "at 200ms", "site-off C outbox-late" },
    { COUNT (sites[FAULT_SITE_OUTBOX_LATE]) } },
  { FAULT_TEAR, { AT, "tear publisher-0" }, { COUNT (cuts) } },
  { FAULT_SILENCE, { AT, "silence consumer-4 4s" }, { COUNT (heartbeats_missed) } },
  { FAULT_LISTEN,
    { AT, "silence consumer-4", "at 3s", "listen consumer-4" },
    { COUNT (heartbeats_missed) } },
};

static const NamedCase named_cases[] = {
  /* What has its place comes to all others, although its sender never had it. */
  { "crash-once-it-has-ordered",
    1000,
    0,
    { FAULT_CRASH,
      { AT, "lag C 300ms", "then C has ordered", "crash C for ever" },
      { { SAYS, "A", "of 3.1", 101, 105, 0 }, { SILENT, "C", "of 3.1", 101, 3000, 0 } } } },
  { "many-changes-in-one-view",
    0,
    1000,
    { FAULT_NODE_DOWN,
      { AT, "node-down C for 50ms", AT, "node-down D for 50ms" },
      { { SAYS, "A", "lost C D", 100, 103, 0 }, { SAYS, "A", "view {A B E}", 100, 103, 0 } } } },
  { "the-same-changes-split",
    0,
    0,
    { FAULT_NODE_DOWN,
      { AT, "node-down C for 50ms", AT, "node-down D for 50ms" },
      { { SAYS, "A", "view {A B D E}", 100, 102, 0 }, { SAYS, "A", "lost D", 100, 102, 0 } } } },
};

static void
add_entries (Timeline *timeline, const char *const *texts)
{
  const KeyfilePosition nowhere = { 1, 1 };

  for (guint i = 0; texts[i] != NULL; i += 2)
    {
      g_autoptr (GError) error = NULL;

      timeline_parse_entry (timeline, slice_of_text (texts[i]), nowhere,
                            slice_of_text (texts[i + 1]), nowhere, &error);
      g_assert_no_error (error);
    }
}

/* Nothing else goes wrong. */
static SimOptions
calm_options (const Timeline *timeline)
{
  SimOptions options = sim_options_default ();

  options.members = 5;
  options.messages = 2000;
  options.crashes = options.partitions = 0;
  options.quiet_clients = TRUE;
  options.order = (SimSpan){ 200, 400 };
  options.lag = (SimSpan){ 0, 0 };
  options.timeline = timeline;
  return options;
}

static void
run_case (const Case *test, gint64 lag_us, gint64 detection_us)
{
  g_autoptr (Timeline) timeline = timeline_new ();
  SimOptions options = calm_options (timeline);
  g_autoptr (World) world = NULL;
  Recorder recorder = { .trace = { record_line } };

  options.lag = (SimSpan){ lag_us, lag_us };
  options.detection_us = detection_us;
  add_entries (timeline, test->timeline);
  world = world_new (&options);
  recorder.world = world;
  recorder.lines = g_array_new (FALSE, FALSE, sizeof (Line));
  g_array_set_clear_func (recorder.lines, clear_line);
  world_set_trace (world, &recorder.trace);
  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
  world_set_trace (world, NULL);
  g_assert_cmpuint (world->counts.faults[test->kind], >, 0);
  g_assert_cmpuint (timeline_length (faults_peek_missed (world->faults)), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (test->effects); i++)
    if (test->effects[i].kind != NO_EFFECT && !is_seen (&recorder, &test->effects[i]))
      g_error ("effect %u of %s is not seen", i, fault_kinds[test->kind].name);
  g_array_unref (recorder.lines);
}

static void
test_case (gconstpointer test)
{
  run_case (test, 0, 0);
}

static void
test_named_case (gconstpointer data)
{
  const NamedCase *named = data;

  run_case (&named->test, named->lag_us, named->detection_us);
}

/* --- clients and clocks -------------------------------------------------------------------------
 */

static void
run_until (World *world, gint64 time_us)
{
  while (world_now_us (world) < time_us && world_step (world))
    ;
  g_assert_cmpuint (findings_count (world->findings), ==, 0);
}

static World *
new_world (Timeline *timeline, SimOptions *options, const char *fault)
{
  const char *const texts[] = { "at 100ms", fault, NULL };

  add_entries (timeline, texts);
  *options = calm_options (timeline);
  options->clients = 2;
  return world_new (options);
}

static void
test_close (void)
{
  g_autoptr (Timeline) timeline = timeline_new ();
  SimOptions options;
  g_autoptr (World) world = new_world (timeline, &options, "close publisher-0");

  run_until (world, 98000);
  g_assert_true (sim_client_is_open (world_client (world, 0)));
  run_until (world, 100500);
  g_assert_false (sim_client_is_open (world_client (world, 0)));
  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
  g_assert_cmpuint (world->counts.faults[FAULT_CLOSE], ==, 1);
}

/* The only publisher hears no confirm, and then all of them. */
static void
test_slow_reader (void)
{
  g_autoptr (Timeline) timeline = timeline_new ();
  SimOptions options;
  g_autoptr (World) world = new_world (timeline, &options, "slow-reader publisher-0 100ms");
  guint64 confirmed;

  run_until (world, 101000);
  confirmed = world->counts.confirmed;
  run_until (world, 199000);
  g_assert_cmpuint (world->counts.confirmed, ==, confirmed);
  run_until (world, 230000);
  g_assert_cmpuint (world->counts.confirmed, >, confirmed);
  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
  g_assert_cmpuint (world->counts.faults[FAULT_LISTEN], ==, 1);
}

/* By the member's clock its client is silent for too long: it comes again. */
static void
test_clock (gconstpointer fault)
{
  /* Until then nobody is done. */
  static const char *const end[] = { "at 4s", "close publisher-0", NULL };
  g_autoptr (Timeline) timeline = timeline_new ();
  SimOptions options;
  g_autoptr (World) world = new_world (timeline, &options, fault);
  guint64 connections;

  options.members = 1;
  add_entries (timeline, end);
  world_free (g_steal_pointer (&world));
  world = world_new (&options);
  run_until (world, 99000);
  connections = world->counts.connections;
  run_until (world, 3900000);
  g_assert_cmpuint (world->counts.connections, >, connections);
  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
}

/* For a member that is away for ever nobody waits. */
static void
test_for_ever (gconstpointer fault)
{
  g_autoptr (Timeline) timeline = timeline_new ();
  SimOptions options;
  g_autoptr (World) world = new_world (timeline, &options, fault);

  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
  g_assert_cmpuint (timeline_length (faults_peek_chronicle (world->faults)), ==, 1);
}

static void
test_what_cannot_strike_is_told (void)
{
  g_autoptr (Timeline) timeline = timeline_new ();
  SimOptions options;
  g_autoptr (World) world = new_world (timeline, &options, "restart A");
  g_autofree char *missed = NULL;

  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
  missed = timeline_text (faults_peek_missed (world->faults));
  g_assert_cmpstr (missed, ==, "at 100ms = restart A\n");
  g_assert_cmpuint (timeline_length (faults_peek_chronicle (world->faults)), ==, 0);
}

/* When and who, by what the world shows. */
static void
test_triggers (void)
{
  static const char *const texts[] = {
    "after 100 confirmed",
    "crash C for 10ms",
    "then C is joining",
    "crash donor for 10ms",
    "when phase drain",
    "isolate eldest",
    "when C is gone + 1ms",
    "pause B 1ms",
    "when publisher-0 is connected",
    "tear publisher-0",
    NULL,
  };
  g_autoptr (Timeline) timeline = timeline_new ();
  SimOptions options = calm_options (timeline);
  g_autoptr (World) world = NULL;

  add_entries (timeline, texts);
  world = world_new (&options);
  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
  g_assert_cmpuint (world->counts.faults[FAULT_CRASH], ==, 2);
  g_assert_cmpuint (world->counts.faults[FAULT_ISOLATE], ==, 1);
  g_assert_cmpuint (world->counts.faults[FAULT_PAUSE], ==, 1);
}

/* Its end is shown late, and its second next life, sent when the order was fast again, must not
 * come before it. */
static void
test_ghost_comes_twice (void)
{
  static const char *const texts[] = {
    "at 100ms", "ghost C",   "at 101ms", "spike 100 times for 5ms",
    "at 103ms", "restart C", "at 107ms", "crash C",
    "at 108ms", "restart C", NULL,
  };
  g_autoptr (Timeline) timeline = timeline_new ();
  SimOptions options = calm_options (timeline);
  g_autoptr (World) world = NULL;

  add_entries (timeline, texts);
  world = world_new (&options);
  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
  g_assert_cmpuint (world->counts.faults[FAULT_RESTART], ==, 2);
}

/* Each place, on a member that is joined by another, or on that other. */
static void
test_site (gconstpointer data)
{
  FaultSite site = (FaultSite) GPOINTER_TO_UINT (data);
  g_autofree char *donor = g_strdup_printf ("site A %s for ever", fault_site_names[site]);
  g_autofree char *newcomer = g_strdup_printf ("site C %s for ever", fault_site_names[site]);
  const char *const texts[] = {
    "at 1us",   donor,
    "at 1us",   newcomer,
    "at 100ms", "crash C for 20ms",
    "at 150ms", "crash C for 20ms",
    "at 200ms", "crash C for 20ms",
    "at 250ms", "crash C for 20ms",
    NULL,
  };
  g_autoptr (Timeline) timeline = timeline_new ();
  SimOptions options = calm_options (timeline);
  g_autoptr (World) world = NULL;

  add_entries (timeline, texts);
  options.members = 3;
  world = world_new (&options);
  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
  g_assert_cmpuint (world->counts.sites[site], >, 0);
}

static gboolean
has_a_case (FaultKind kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (cases[i].kind == kind)
      return TRUE;
  return kind == FAULT_CLOSE || kind == FAULT_SLOW_READER || kind == FAULT_CLOCK_JUMP
         || kind == FAULT_CLOCK_DRIFT;
}

/* What breaks the contract is tested with the checkers that find it. */
static void
test_all_kinds_are_here (void)
{
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    if (fault_kinds[i].group != FAULT_GROUP_MUTANT && !has_a_case ((FaultKind) i))
      g_error ("no case for %s", fault_kinds[i].name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sim/faults/%s", fault_kinds[cases[i].kind].name);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  for (guint i = 0; i < G_N_ELEMENTS (named_cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sim/faults/%s", named_cases[i].name);

      g_test_add_data_func (path, &named_cases[i], test_named_case);
    }
  g_test_add_func ("/sim/faults/close", test_close);
  g_test_add_func ("/sim/faults/slow-reader", test_slow_reader);
  g_test_add_data_func ("/sim/faults/clock-jump", "clock-jump A 60s", test_clock);
  g_test_add_data_func ("/sim/faults/clock-drift", "clock-drift A 10000 percent", test_clock);
  g_test_add_data_func ("/sim/faults/crash-for-ever", "crash A for ever", test_for_ever);
  g_test_add_data_func ("/sim/faults/partition-for-ever", "partition A B | C D E for ever",
                        test_for_ever);
  for (guint i = 0; i < N_FAULT_SITES; i++)
    {
      g_autofree char *path = g_strdup_printf ("/sim/faults/site/%s", fault_site_names[i]);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_site);
    }
  g_test_add_func ("/sim/faults/what-cannot-strike-is-told", test_what_cannot_strike_is_told);
  g_test_add_func ("/sim/faults/triggers-find-when-and-whom", test_triggers);
  g_test_add_func ("/sim/faults/a-ghost-comes-twice", test_ghost_comes_twice);
  g_test_add_func ("/sim/faults/all-kinds-are-here", test_all_kinds_are_here);
  return g_test_run ();
}
