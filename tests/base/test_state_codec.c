/* SPDX-License-Identifier: MIT */
#include "core/base/state_codec.h"

typedef struct Song
{
  char *title;
  guint32 bars;
  gboolean encore;
  ConnectionId owner;
  Slice score;
} Song;

static gboolean
song_state (StateCodec *codec, Song *song)
{
  state_text (codec, &song->title);
  state_u32 (codec, &song->bars);
  state_boolean (codec, &song->encore);
  state_connection_id (codec, &song->owner);
  state_slice (codec, &song->score);
  return state_is_good (codec);
}

static Buffer *
write_song (void)
{
  g_autoptr (StateCodec) codec = state_codec_new_writer ();
  Song song = { (char *) "Bolero", 340, TRUE, { 7, 9 }, slice_of_text ("ta-tatata") };

  g_assert_true (song_state (codec, &song));
  return state_codec_finish (codec);
}

static void
clear_song (Song *song)
{
  g_free (song->title);
  slice_release (&song->score);
}

static void
test_reads_what_it_wrote (void)
{
  g_autoptr (Buffer) bytes = write_song ();
  g_autoptr (StateCodec) codec = state_codec_new_reader (slice_of_buffer (bytes));
  Song song = { 0 };

  g_assert_true (song_state (codec, &song));
  g_assert_true (state_is_complete (codec));
  g_assert_cmpstr (song.title, ==, "Bolero");
  g_assert_cmpuint (song.bars, ==, 340);
  g_assert_true (song.encore);
  g_assert_cmpuint (song.owner.counter, ==, 9);
  g_assert_true (slice_equal_text (song.score, "ta-tatata"));
  clear_song (&song);
}

static void
test_every_cut_fails (void)
{
  g_autoptr (Buffer) bytes = write_song ();

  for (gsize length = 0; length < bytes->size; length++)
    {
      g_autoptr (StateCodec) codec
          = state_codec_new_reader (slice_new (bytes->bytes, length, NULL));
      Song song = { 0 };

      g_assert_false (song_state (codec, &song));
      clear_song (&song);
    }
}

static void
test_counts_stay_within_the_bytes (void)
{
  static const guint8 bytes[] = { 0xff, 0xff, 0xff, 0xff, 1, 2, 3 };
  g_autoptr (StateCodec) codec = state_codec_new_reader (slice_new (bytes, sizeof bytes, NULL));

  g_assert_cmpuint (state_count (codec, 0), ==, 0);
  g_assert_false (state_is_good (codec));
}

static void
test_shared_objects_go_once (void)
{
  g_autoptr (StateCodec) writer = state_codec_new_writer ();
  g_autoptr (StateCodec) reader = NULL;
  g_autoptr (Buffer) bytes = NULL;
  int a, b, made_a, made_b;
  gpointer order[] = { &a, &b, &a }, object;

  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (state_shared (writer, &order[i], FALSE), ==, i < 2);
  bytes = state_codec_finish (writer);
  reader = state_codec_new_reader (slice_of_buffer (bytes));
  g_assert_true (state_shared (reader, &object, FALSE));
  state_shared_made (reader, &made_a);
  g_assert_true (state_shared (reader, &object, FALSE));
  state_shared_made (reader, &made_b);
  g_assert_false (state_shared (reader, &object, FALSE));
  g_assert_true (object == &made_a);
  g_assert_true (state_is_complete (reader));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/state-codec/reads-what-it-wrote", test_reads_what_it_wrote);
  g_test_add_func ("/base/state-codec/every-cut-fails", test_every_cut_fails);
  g_test_add_func ("/base/state-codec/counts-stay-within-the-bytes",
                   test_counts_stay_within_the_bytes);
  g_test_add_func ("/base/state-codec/shared-objects-go-once", test_shared_objects_go_once);
  return g_test_run ();
}
