/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "sim/command.h"
#include "sim/watch.h"

#include <stdio.h>
#include <string.h>

/* Lines of the trace that are printed of one event. */
#define LINES_MAX 200

/* One of the two that are compared. */
typedef struct Side
{
  const char *name;
  Scenario *scenario; /* its options are those of the run; NULL: it is a file of checkpoints */
  char *command;
  Checkpoints *checkpoints;
  GPtrArray *lines; /* of the trace */
  WorldEvent event;
} Side;

static void
side_clear (Side *side)
{
  g_free (side->command);
  g_clear_pointer (&side->scenario, scenario_free);
  g_clear_pointer (&side->checkpoints, checkpoints_free);
  g_clear_pointer (&side->lines, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Side, side_clear)

/* --- what is printed -------------------------------------------------------------------------- */

static void
print_ingredients (const Checkpoint *a, const Checkpoint *b)
{
  for (guint i = 0; i < N_INGREDIENTS; i++)
    if (a->fingerprint.of[i].a != b->fingerprint.of[i].a
        || a->fingerprint.of[i].b != b->fingerprint.of[i].b)
      printf ("  differs     %s: %s\n", ingredient_name (i), ingredient_meaning (i));
}

static void
print_event (const Side *side)
{
  static const char *const what[] = {
    [CLOCK_START] = "a start of member number",   [CLOCK_TO_MEMBER] = "bytes for member number",
    [CLOCK_TICK] = "a deadline of member number", [CLOCK_TO_CLIENT] = "bytes for client number",
    [CLOCK_CLIENT] = "a timer of client number",
  };
  const WorldEvent *event = &side->event;

  printf ("  %s           ", side->name);
  if (event->number == 0)
    printf ("nothing happened yet\n");
  else if (event->is_order)
    printf ("event %" G_GUINT64_FORMAT ": the group's order until %" G_GINT64_FORMAT "us\n",
            event->number, event->time_us);
  else if (event->is_fault)
    printf ("event %" G_GUINT64_FORMAT ": a fault, at %" G_GINT64_FORMAT "us\n", event->number,
            event->time_us);
  else
    printf ("event %" G_GUINT64_FORMAT ": %s %u, at %" G_GINT64_FORMAT "us\n", event->number,
            what[event->kind], event->owner, event->time_us);
}

static const char *
line_of (const Side *side, guint index)
{
  return index < side->lines->len ? g_ptr_array_index (side->lines, index) : NULL;
}

static void
print_lines (const Side *a, const Side *b)
{
  guint n = MAX (a->lines->len, b->lines->len);

  for (guint i = 0; i < MIN (n, LINES_MAX); i++)
    if (g_strcmp0 (line_of (a, i), line_of (b, i)) == 0)
      printf ("  =  %s\n", line_of (a, i));
    else
      {
        if (line_of (a, i) != NULL)
          printf ("  A  %s\n", line_of (a, i));
        if (line_of (b, i) != NULL)
          printf ("  B  %s\n", line_of (b, i));
      }
  if (n > LINES_MAX)
    printf ("  ... and %u lines more\n", n - LINES_MAX);
}

static int
print_equal (const Side *a, const Difference *difference)
{
  Checkpoint last;
  char text[FINGERPRINT_TEXT_SIZE];

  if (!checkpoints_get (a->checkpoints, difference->index - 1, &last, NULL))
    g_assert_not_reached ();
  printf ("equal: %" G_GUINT64_FORMAT " events, fingerprint %s\n", last.event,
          fingerprint_text (&last.fingerprint, text));
  return VERDICT_PASS;
}

/* --- where they part -------------------------------------------------------------------------- */

/* The last checkpoint that is equal, and the first of each that is not; the last that is there if
 * one has none. FALSE: they differ before the first event, so that no checkpoint is equal. */
static gboolean
find_interval (const Side *a, const Side *b, const Difference *difference, Checkpoint *ret_equal,
               Checkpoint *ret_a, Checkpoint *ret_b)
{
  gsize of_a = MIN (difference->index, checkpoints_count (a->checkpoints) - 1);
  gsize of_b = MIN (difference->index, checkpoints_count (b->checkpoints) - 1);

  if (!checkpoints_get (a->checkpoints, of_a, ret_a, NULL)
      || !checkpoints_get (b->checkpoints, of_b, ret_b, NULL))
    g_assert_not_reached ();
  return difference->index > 0
         && checkpoints_get (a->checkpoints, difference->index - 1, ret_equal, NULL);
}

/* --- two files -------------------------------------------------------------------------------- */

static gboolean
read_file (const char *name, Side *side)
{
  g_autoptr (GError) error = NULL;
  char *text;
  gsize length;

  if (g_file_get_contents (name, &text, &length, &error))
    side->checkpoints = checkpoints_new_take_text (text, length, &error);
  if (side->checkpoints == NULL)
    fprintf (stderr, "consort-sim: %s: %s\n", name, error->message);
  return side->checkpoints != NULL;
}

static void
print_next_step (const Side *side, const char *options)
{
  printf ("  %s           %s %s\n", side->name, checkpoints_command (side->checkpoints), options);
}

static void
print_how_to_go_on (const Side *a, const Side *b, guint64 first, guint64 last)
{
  g_autofree char *range
      = g_strdup_printf ("--events %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT, first, last);

  if (first == last)
    {
      g_autofree char *trace = g_strdup_printf ("%s --trace -", range);

      printf ("  what it does, each in its build:\n");
      print_next_step (a, trace);
      print_next_step (b, trace);
    }
  else
    {
      g_autofree char *into_a = g_strdup_printf ("%s --every 1 --checkpoints A", range);
      g_autofree char *into_b = g_strdup_printf ("%s --every 1 --checkpoints B", range);

      printf ("  which event, each in its build:\n");
      print_next_step (a, into_a);
      print_next_step (b, into_b);
      printf ("              consort-sim diff A B\n");
    }
}

static int
compare_files (const char *name_a, const char *name_b)
{
  g_auto (Side) a = { .name = "A" }, b = { .name = "B" };
  g_autoptr (GError) error = NULL;
  Checkpoint equal = { 0 }, of_a, of_b;
  Difference difference;

  if (!read_file (name_a, &a) || !read_file (name_b, &b))
    return EXIT_USAGE;
  if (!checkpoints_compare (a.checkpoints, b.checkpoints, &difference, &error))
    {
      fprintf (stderr, "consort-sim: %s and %s: %s\n", name_a, name_b, error->message);
      return EXIT_USAGE;
    }
  if (!difference.found)
    return print_equal (&a, &difference);
  if (find_interval (&a, &b, &difference, &equal, &of_a, &of_b))
    printf ("different: after event %" G_GUINT64_FORMAT " at %" G_GINT64_FORMAT
            "us, by event %" G_GUINT64_FORMAT "\n",
            equal.event, equal.time_us, MAX (of_a.event, of_b.event));
  else
    printf ("different: before event %" G_GUINT64_FORMAT "\n", MAX (of_a.event, of_b.event) + 1);
  print_ingredients (&of_a, &of_b);
  printf ("  looked at   %u of %" G_GSIZE_FORMAT " checkpoints\n", difference.n_looked,
          checkpoints_count (a.checkpoints));
  if (difference.index > 0)
    print_how_to_go_on (&a, &b, equal.event + 1, MAX (of_a.event, of_b.event));
  return VERDICT_NON_DETERMINISM;
}

/* --- two runs --------------------------------------------------------------------------------- */

typedef struct Listener
{
  Trace trace;
  Side *side;
  World *world;
} Listener;

static void
hear_line (Trace *trace, const char *member, const char *text)
{
  const Listener *listener = (Listener *) trace;

  g_ptr_array_add (listener->side->lines,
                   g_strdup_printf ("%12" G_GINT64_FORMAT "us %s > %s",
                                    world_now_us (listener->world), member, text));
}

/* Runs it again, with its checkpoints in `range`, and its trace if `heard`. */
static void
run_side (Side *side, EventRange range, gboolean heard)
{
  /* Outlives the world, whose end has trace points, too. */
  Listener listener = { .trace.emit = hear_line, .side = side };
  g_autoptr (World) world = world_new (&side->scenario->options);
  Watch watch;

  g_clear_pointer (&side->checkpoints, checkpoints_free);
  g_clear_pointer (&side->lines, g_ptr_array_unref);
  side->checkpoints = checkpoints_new (side->command, range);
  side->lines = g_ptr_array_new_with_free_func (g_free);
  listener.world = world;
  if (heard)
    world_set_trace (world, &listener.trace);
  watch_begin (&watch, world, range, heard ? &listener.trace : NULL, side->checkpoints);
  while (world->event.number < range.last && world_step (world))
    ;
  checkpoints_end (side->checkpoints);
  side->event = world->event;
}

static Difference
run_and_compare (Side *a, Side *b, EventRange range, gboolean heard)
{
  Difference difference;

  run_side (a, range, heard);
  run_side (b, range, heard);
  if (!checkpoints_compare (a->checkpoints, b->checkpoints, &difference, NULL))
    g_assert_not_reached ();
  return difference;
}

static int
compare_runs (Side *a, Side *b, guint64 every)
{
  EventRange range = { 1, G_MAXUINT64, every };
  Difference difference = run_and_compare (a, b, range, FALSE);
  gsize n_checkpoints = checkpoints_count (a->checkpoints);
  guint n_looked = difference.n_looked;
  Checkpoint equal, of_a, of_b;

  if (!difference.found)
    return print_equal (a, &difference);
  /* Finer and finer; the last time to hear what the one event does. */
  while (find_interval (a, b, &difference, &equal, &of_a, &of_b))
    {
      gboolean is_exact = range.first == range.last;

      if (is_exact)
        break;
      range.first = equal.event + 1;
      range.last = MAX (of_a.event, of_b.event);
      range.every = 1;
      difference = run_and_compare (a, b, range, range.first == range.last);
      n_looked += difference.n_looked;
      if (!difference.found)
        {
          printf ("different, but not when run again: by event %" G_GUINT64_FORMAT "\n",
                  range.last);
          return VERDICT_NON_DETERMINISM;
        }
    }
  if (difference.index == 0)
    printf ("different: before the first event\n");
  else
    printf ("different: first at event %" G_GUINT64_FORMAT "\n", range.first);
  print_ingredients (&of_a, &of_b);
  if (difference.index > 0)
    {
      print_event (a);
      print_event (b);
    }
  printf ("  looked at   %u pairs, of %" G_GSIZE_FORMAT " checkpoints and a finer stretch\n",
          n_looked, n_checkpoints);
  print_lines (a, b);
  return VERDICT_NON_DETERMINISM;
}

/* --- the command ------------------------------------------------------------------------------ */

/* A scenario, if it comes first, and options, up to "--" or the end. */
static gboolean
take_side (Arguments *arguments, Side *side, guint64 *every, GError **error)
{
  const char *word = arguments_next (arguments);
  SimOptions base;

  if (word != NULL && !g_str_has_prefix (word, "--"))
    {
      side->scenario = command_read_scenario (word);
      word = arguments_next (arguments);
    }
  else
    side->scenario = scenario_new ();
  if (side->scenario == NULL)
    return system_error (error, SYSTEM_ERROR_SETTING, "diff needs scenarios without mistakes");
  base = side->scenario->options;
  for (; word != NULL && strcmp (word, "--") != 0; word = arguments_next (arguments))
    {
      g_autoptr (GError) mistake = NULL;

      if (strcmp (word, "--every") == 0)
        {
          if (!arguments_number (arguments, word, 1, G_MAXUINT64, every, error))
            return FALSE;
        }
      else if (!sim_options_take (&side->scenario->options, arguments, word, &mistake))
        {
          if (mistake == NULL)
            return arguments_unknown ("diff", word, error);
          g_propagate_error (error, g_steal_pointer (&mistake));
          return FALSE;
        }
    }
  side->command = command_again (side->scenario, &base, &side->scenario->options);
  return sim_options_check (&side->scenario->options, error);
}

static int
run (Arguments *arguments)
{
  g_auto (Side) a = { .name = "A" }, b = { .name = "B" };
  Arguments first = *arguments;
  g_autoptr (GError) error = NULL;
  guint64 every = EVENT_RANGE_ALL.every;

  if (arguments->left == 2 && !g_str_has_prefix (arguments->next[0], "--")
      && !g_str_has_prefix (arguments->next[1], "--"))
    return compare_files (arguments->next[0], arguments->next[1]);
  if (!take_side (arguments, &a, &every, &error))
    return command_mistake (error);
  /* Without a second one the first is held against its repetition. */
  if (!take_side (arguments->left > 0 ? arguments : &first, &b, &every, &error))
    return command_mistake (error);
  return compare_runs (&a, &b, every);
}

static void
print_help (void)
{
  g_autofree char *options = sim_options_help ();

  printf (
      "Finds the first event that is not the same in two runs, or in one and its repetition:\n"
      "runs them again, with finer and finer checkpoints where they part. With two files of\n"
      "run --checkpoints, of two builds for example, says how to find it. Exit status 0: they\n"
      "are equal; 5: they differ.\n\n"
      "Options of each run:\n%s"
      "  --every N                 the first time, one checkpoint for N events (default 1000)\n",
      options);
}

const Command command_diff = {
  .name = "diff",
  .arguments = "FILE FILE | [SCENARIO] [OPTION...] [-- [SCENARIO] [OPTION...]]",
  .what = "the first event that is not the same in two runs",
  .print_help = print_help,
  .run = run,
};
