/* SPDX-License-Identifier: MIT */
/* What real corosync daemons told their members, in each situation that was recorded
 * (tests/cpg/record.py), is something that the simulated network can tell: exactly that, to all
 * members, with some seed. And what breaks the contract is not.
 *
 *     test_recordings [DIRECTORY of other recordings] */
#include "tests/transport/recording.h"

#define SEEDS      5000
#define SEEDS_LIE  500 /* enough, where none should do */
#define RECORDINGS "tests/transport/recordings"

static Recording *
read_recording (const char *path)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  Recording *recording;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  recording = recording_parse (text, &error);
  g_assert_no_error (error);
  return recording;
}

/* The first seed that tells it; `n_seeds`: none does. */
static guint64
seed_of (const Recording *recording, guint64 n_seeds)
{
  guint64 seed = 0;

  while (seed < n_seeds && !recording_replay (recording, seed))
    seed++;
  return seed;
}

static void
test_recording (gconstpointer path)
{
  g_autoptr (Recording) recording = read_recording (path);
  guint64 seed = seed_of (recording, SEEDS);

  g_assert_cmpuint (recording->tapes->len, >, 0);
  g_test_message ("%s: seed %" G_GUINT64_FORMAT, (const char *) path, seed);
  g_assert_cmpuint (seed, <, SEEDS);
}

/* --- the test bites ----------------------------------------------------------------------------
 */

/* The n-th event of that sort of the last tape. */
static guint
find (const Tape *tape, ToldKind kind, guint n)
{
  for (guint i = 0; i < tape->told->len; i++)
    if (tape_told (tape, i)->kind == kind && n-- == 0)
      return i;
  g_assert_not_reached ();
}

static void
drop_message (Tape *tape)
{
  g_array_remove_index (tape->told, find (tape, TOLD_MESSAGE, 5));
}

static void
repeat_message (Tape *tape)
{
  ToldEvent again = *tape_told (tape, find (tape, TOLD_MESSAGE, 5));

  g_array_insert_val (tape->told, find (tape, TOLD_MESSAGE, 7), again);
}

static void
swap_messages (Tape *tape)
{
  guint place = find (tape, TOLD_MESSAGE, 5);
  ToldEvent first = *tape_told (tape, place);

  g_array_index (tape->told, ToldEvent, place) = *tape_told (tape, place + 1);
  g_array_index (tape->told, ToldEvent, place + 1) = first;
}

static void
drop_view (Tape *tape)
{
  g_array_remove_index (tape->told, find (tape, TOLD_VIEW, 1));
}

static void
change_reason (Tape *tape)
{
  const ToldEvent *view = tape_told (tape, find (tape, TOLD_VIEW, 1));

  g_array_index (view->left, ViewChange, 0).reason = VIEW_REASON_PROCESS_DOWN;
}

/* A message of the other side, told behind the view that lost it. */
static void
tell_posthumously (Tape *tape)
{
  ToldEvent message = *tape_told (tape, find (tape, TOLD_MESSAGE, 0));
  guint view = find (tape, TOLD_VIEW, 1);

  for (guint i = 0; i < view; i++)
    if (tape_told (tape, i)->kind == TOLD_MESSAGE
        && !member_id_equal (tape_told (tape, i)->sender, tape->member))
      message = *tape_told (tape, i);
  g_array_insert_val (tape->told, view + 1, message);
}

typedef struct Falsification
{
  const char *name;
  void (*falsify) (Tape *tape);
} Falsification;

static const Falsification falsifications[] = {
  { "dropped-message", drop_message },   { "repeated-message", repeat_message },
  { "swapped-messages", swap_messages }, { "dropped-view", drop_view },
  { "other-reason", change_reason },     { "posthumous-message", tell_posthumously },
};

static void
test_refuses (gconstpointer data)
{
  const Falsification *falsification = data;
  g_autofree char *path = g_build_filename (g_getenv ("top_srcdir"), RECORDINGS, "heal.txt", NULL);
  g_autoptr (Recording) recording = read_recording (path);

  falsification->falsify (recording_tape (recording, recording->tapes->len - 1));
  g_assert_cmpuint (seed_of (recording, SEEDS_LIE), ==, SEEDS_LIE);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

static void
add_recordings (const char *directory)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) files = g_dir_open (directory, 0, &error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (files)) != NULL)
    if (g_str_has_suffix (name, ".txt"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_assert_cmpuint (names->len, >, 0);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *situation = g_strndup (names->pdata[i], strlen (names->pdata[i]) - 4);
      g_autofree char *test = g_strconcat ("/transport/recordings/", situation, NULL);

      g_test_add_data_func_full (test, g_build_filename (directory, names->pdata[i], NULL),
                                 test_recording, g_free);
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *own = NULL;

  g_test_init (&argc, &argv, NULL);
  own = g_build_filename (g_getenv ("top_srcdir"), RECORDINGS, NULL);
  add_recordings (argc > 1 ? argv[1] : own);
  for (guint i = 0; argc == 1 && i < G_N_ELEMENTS (falsifications); i++)
    {
      g_autofree char *test
          = g_strconcat ("/transport/recordings/refuses/", falsifications[i].name, NULL);

      g_test_add_data_func (test, &falsifications[i], test_refuses);
    }
  return g_test_run ();
}
