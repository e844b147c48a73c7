/* SPDX-License-Identifier: MIT */
/* Checkpoints as text, and the bisection of two runs by them. */
#include "core/base/error.h"
#include "sim/checkpoints.h"
#include "sim/watch.h"

/* A run of `n` events, the first `n_common` of which are those of every other. */
static Checkpoints *
make (EventRange range, guint64 n, guint64 n_common, Ingredient differs)
{
  Checkpoints *checkpoints = checkpoints_new ("consort-sim run --seed 1", range);
  Checkpoint now = { 0 };

  checkpoints_look (checkpoints, &now);
  for (guint64 i = 1; i <= n; i++)
    {
      now.event = i;
      now.time_us = (gint64) i * 3;
      fingerprint_add (&now.fingerprint, INGREDIENT_TIME, i);
      fingerprint_add (&now.fingerprint, differs, i <= n_common ? 0 : i);
      checkpoints_look (checkpoints, &now);
    }
  checkpoints_end (checkpoints);
  return checkpoints;
}

static Checkpoint
get (const Checkpoints *checkpoints, gsize index)
{
  Checkpoint checkpoint;

  g_assert_true (checkpoints_get (checkpoints, index, &checkpoint, NULL));
  return checkpoint;
}

static void
test_keeps_both_ends_and_every_nth (void)
{
  g_autoptr (Checkpoints) checkpoints = make ((EventRange){ 21, 55, 10 }, 100, 0, INGREDIENT_ORDER);
  static const guint64 events[] = { 20, 30, 40, 50, 55 };

  g_assert_cmpuint (checkpoints_count (checkpoints), ==, G_N_ELEMENTS (events));
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    {
      g_assert_cmpuint (get (checkpoints, i).event, ==, events[i]);
      g_assert_cmpint (get (checkpoints, i).time_us, ==, (gint64) events[i] * 3);
    }
}

static Checkpoints *
read_text (const char *text, gsize length, GError **error)
{
  return checkpoints_new_take_text (g_strndup (text, length), length, error);
}

static void
test_are_read_as_they_were_written (void)
{
  g_autoptr (Checkpoints) written = make (EVENT_RANGE_ALL, 2500, 1200, INGREDIENT_VIEWS);
  g_autoptr (Checkpoints) read = NULL;
  gsize length;
  const char *text = checkpoints_text (written, &length);
  Difference difference;

  read = read_text (text, length, NULL);
  g_assert_cmpstr (checkpoints_command (read), ==, "consort-sim run --seed 1");
  g_assert_cmpuint (checkpoints_range (read).every, ==, 1000);
  g_assert_cmpuint (checkpoints_range (read).last, ==, G_MAXUINT64);
  g_assert_cmpuint (checkpoints_count (read), ==, 4);
  g_assert_true (checkpoints_compare (written, read, &difference, NULL));
  g_assert_false (difference.found);
}

static void
test_broken_files_are_refused (void)
{
  g_autoptr (Checkpoints) written = make (EVENT_RANGE_ALL, 2500, 0, INGREDIENT_VIEWS);
  gsize length;
  const char *text = checkpoints_text (written, &length);
  g_autofree char *other_version = g_strndup (text, length);
  g_autofree char *bad_row = g_strndup (text, length);
  g_autoptr (Checkpoints) with_bad_row = NULL;
  Checkpoint checkpoint;
  Difference difference;

  for (gsize cut = 0; cut < length; cut++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (Checkpoints) read = read_text (text, cut, &error);

      /* Whole lines are a shorter file. */
      if (read == NULL)
        g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_MALFORMED);
      else
        g_assert_true (text[cut - 1] == '\n' && checkpoints_count (read) < 4);
    }
  *strchr (other_version, '1') = '2';
  {
    g_autoptr (GError) error = NULL;

    g_assert_null (read_text (other_version, length, &error));
    g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_VERSION);
  }
  bad_row[length - 3] = 'x';
  with_bad_row = read_text (bad_row, length, NULL);
  g_assert_false (checkpoints_get (with_bad_row, 3, &checkpoint, NULL));
  g_assert_true (checkpoints_get (with_bad_row, 2, &checkpoint, NULL));
  g_assert_false (checkpoints_compare (with_bad_row, written, &difference, NULL));
}

/* Wherever it is, it is found exactly, by looking at few. */
static void
test_first_difference_is_bisected (void)
{
  EventRange range = { 1, G_MAXUINT64, 1 };
  g_autoptr (Checkpoints) a = make (range, 1000, 1000, INGREDIENT_STATE);

  for (guint64 n_common = 0; n_common < 1000; n_common += 37)
    {
      g_autoptr (Checkpoints) b = make (range, 1000, n_common, INGREDIENT_STATE);
      Difference difference;

      g_assert_true (checkpoints_compare (a, b, &difference, NULL));
      g_assert_true (difference.found);
      g_assert_cmpuint (get (b, difference.index).event, ==, n_common + 1);
      g_assert_cmpuint (difference.n_looked, <=, 10);
    }
}

static void
test_a_run_that_ends_sooner_differs_there (void)
{
  EventRange range = { 1, G_MAXUINT64, 10 };
  g_autoptr (Checkpoints) a = make (range, 100, 100, INGREDIENT_STATE);
  g_autoptr (Checkpoints) b = make (range, 70, 100, INGREDIENT_STATE);
  g_autoptr (Checkpoints) c = make (range, 65, 100, INGREDIENT_STATE);
  Difference difference;

  g_assert_true (checkpoints_compare (a, b, &difference, NULL));
  g_assert_true (difference.found);
  g_assert_cmpuint (difference.index, ==, 8);
  g_assert_true (checkpoints_compare (a, c, &difference, NULL));
  g_assert_true (difference.found);
  g_assert_cmpuint (difference.index, ==, 7);
}

static void
test_other_ranges_are_not_compared (void)
{
  g_autoptr (Checkpoints) a = make (EVENT_RANGE_ALL, 10, 10, INGREDIENT_STATE);
  g_autoptr (Checkpoints) b = make ((EventRange){ 1, 10, 2 }, 10, 10, INGREDIENT_STATE);
  g_autoptr (GError) error = NULL;
  Difference difference;

  g_assert_false (checkpoints_compare (a, b, &difference, &error));
  g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_REFUSED);
}

/* A draw too many, at one event: it and its kind are found. */
static void
test_one_draw_more_is_found (void)
{
  SimOptions options = sim_options_default ();
  Checkpoints *checkpoints[2];
  Difference difference;

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (World) world = world_new (&options);
      SimStream random = world_stream (world, 77, SIM_PURPOSE_FAULT);
      Checkpoint now = { 0 };

      checkpoints[i] = checkpoints_new ("", (EventRange){ 1, G_MAXUINT64, 1 });
      checkpoints_look (checkpoints[i], &now);
      while (world_step (world))
        {
          if (i == 1 && world->event.number == 1234)
            sim_stream_u64 (&random);
          now = (Checkpoint){ world->event.number, world->event.time_us, world->fingerprint };
          checkpoints_look (checkpoints[i], &now);
        }
      checkpoints_end (checkpoints[i]);
    }
  g_assert_true (checkpoints_compare (checkpoints[0], checkpoints[1], &difference, NULL));
  g_assert_true (difference.found);
  for (guint i = 0; i < N_INGREDIENTS; i++)
    {
      Fingerprint a = get (checkpoints[0], difference.index).fingerprint;
      Fingerprint b = get (checkpoints[1], difference.index).fingerprint;

      g_assert_cmpuint (get (checkpoints[1], difference.index).event, ==, 1234);
      g_assert_true ((a.of[i].a != b.of[i].a) == (i == INGREDIENT_RANDOM));
    }
  checkpoints_free (checkpoints[0]);
  checkpoints_free (checkpoints[1]);
}

static void
hear (Trace *trace, G_GNUC_UNUSED const char *member, G_GNUC_UNUSED const char *text)
{
  guint *n_lines = (guint *) (trace + 1);

  ++*n_lines;
}

static void
test_trace_is_heard_in_its_range (void)
{
  static const EventRange ranges[] = { { 1, G_MAXUINT64, 1 }, { 500, 600, 1 }, { 550, 550, 1 } };
  SimOptions options = sim_options_default ();
  guint last = G_MAXUINT;

  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    {
      g_autoptr (World) world = world_new (&options);
      struct
      {
        Trace trace;
        guint n_lines;
      } listener = { { .emit = hear }, 0 };
      Watch watch;

      world_set_trace (world, &listener.trace);
      watch_begin (&watch, world, ranges[i], &listener.trace, NULL);
      g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
      g_assert_cmpuint (listener.n_lines, <, last);
      last = listener.n_lines;
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/checkpoints/both-ends-and-every-nth-are-kept",
                   test_keeps_both_ends_and_every_nth);
  g_test_add_func ("/sim/checkpoints/are-read-as-they-were-written",
                   test_are_read_as_they_were_written);
  g_test_add_func ("/sim/checkpoints/broken-files-are-refused", test_broken_files_are_refused);
  g_test_add_func ("/sim/checkpoints/first-difference-is-bisected",
                   test_first_difference_is_bisected);
  g_test_add_func ("/sim/checkpoints/a-run-that-ends-sooner-differs-there",
                   test_a_run_that_ends_sooner_differs_there);
  g_test_add_func ("/sim/checkpoints/other-ranges-are-not-compared",
                   test_other_ranges_are_not_compared);
  g_test_add_func ("/sim/checkpoints/one-draw-more-is-found", test_one_draw_more_is_found);
  g_test_add_func ("/sim/trace/is-heard-in-its-range", test_trace_is_heard_in_its_range);
  return g_test_run ();
}
