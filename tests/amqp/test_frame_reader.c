/* SPDX-License-Identifier: MIT */
#include "core/amqp/frame_reader.h"
#include "core/base/error.h"
#include "core/base/limits.h"

static FrameReader
new_reader (guint32 frame_max)
{
  FrameReader reader;

  frame_reader_init (&reader, frame_max);
  return reader;
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FrameReader, frame_reader_clear)

static void
feed (FrameReader *reader, const void *bytes, gsize length)
{
  gsize size;
  guint8 *space = frame_reader_space (reader, &size);

  g_assert_cmpuint (size, >=, MIN (length, LIMIT_READ_ROOM));
  g_assert_cmpuint (size, >=, length);
  memcpy (space, bytes, length);
  frame_reader_filled (reader, length);
}

/* A body frame of that many bytes of payload, all of value `fill`. */
static Buffer *
body_frame (gsize size, guint8 fill)
{
  g_autofree guint8 *payload = g_malloc (size + 1);
  Frame frame = { .type = FRAME_BODY, .channel = 1, .payload = { payload, size, NULL } };
  ByteWriter writer = byte_writer_init ();

  memset (payload, fill, size);
  frame_encode (&frame, &writer);
  return byte_writer_finish (&writer);
}

/* --- what is refused, and as early as possible */

static const struct
{
  const char *claim;
  gsize length;
  const char *bytes;
  const char *text;
} rows[] = {
#define BYTES(text) sizeof (text) - 1, text
  { "an-unknown-type-at-its-first-octet", BYTES ("\4"), "frame type 4 is unknown" },
  { "another-protocol", BYTES ("G"), "frame type 71 is unknown" },
  { "type-zero", BYTES ("\0"), "frame type 0 is unknown" },
  { "a-large-size-with-its-last-octet", BYTES ("\3\0\1\0\0\x0f\xf9"),
    "frame with 4089 bytes of payload, frame-max is 4096" },
  { "a-size-that-would-wrap", BYTES ("\3\0\1\xff\xff\xff\xff"),
    "frame with 4294967295 bytes of payload, frame-max is 4096" },
  { "a-wrong-end-octet", BYTES ("\3\0\1\0\0\0\1xy"), "frame ends with octet 0x79" },
  { "a-heartbeat-of-a-channel", BYTES ("\x08\0\1\0\0\0\0"),
    "heartbeat with channel 1 and 0 bytes" },
  { "a-heartbeat-with-a-payload", BYTES ("\x08\0\0\0\0\0\1"),
    "heartbeat with channel 0 and 1 bytes" },
#undef BYTES
};

static void
test_refuses (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (FrameReader) reader = new_reader (LIMIT_FRAME_MIN);
  Frame frame = { .type = 77 };

  for (gsize i = 0; i < rows[row].length; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (frame_reader_next (&reader, &frame, &error), ==, FRAME_READER_NEEDS_MORE);
      g_assert_no_error (error);
      feed (&reader, rows[row].bytes + i, 1);
    }
  for (guint again = 0; again < 2; again++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (frame_reader_next (&reader, &frame, &error), ==, FRAME_READER_ERROR);
      g_assert_error (error, REPLY_ERROR, REPLY_FRAME_ERROR);
      g_assert_cmpstr (error->message, ==, rows[row].text);
      g_assert_cmpuint (frame.type, ==, 77);
    }
}

static void
test_allocates_nothing_for_a_claim (void)
{
  g_auto (FrameReader) reader = new_reader (LIMIT_FRAME_MIN);
  gsize size;

  feed (&reader, "\3\0\1\0\1\0\0", 7);
  frame_reader_space (&reader, &size);
  g_assert_cmpuint (reader.buffer->size, ==, LIMIT_READ_BUFFER);
}

static void
test_takes_frames_up_to_frame_max (void)
{
  g_auto (FrameReader) reader = new_reader (LIMIT_FRAME_MIN);
  g_autoptr (Buffer) fits = body_frame (LIMIT_FRAME_MIN - LIMIT_FRAME_OVERHEAD, 'a');
  g_autoptr (Buffer) too_large = body_frame (LIMIT_FRAME_MIN - LIMIT_FRAME_OVERHEAD + 1, 'b');
  g_autoptr (GError) error = NULL;
  Frame frame;

  feed (&reader, fits->bytes, fits->size);
  g_assert_cmpint (frame_reader_next (&reader, &frame, NULL), ==, FRAME_READER_FRAME);
  feed (&reader, too_large->bytes, too_large->size);
  frame_reader_set_frame_max (&reader, LIMIT_FRAME_MAX);
  g_assert_cmpint (frame_reader_next (&reader, &frame, NULL), ==, FRAME_READER_FRAME);
  feed (&reader, too_large->bytes, too_large->size);
  frame_reader_set_frame_max (&reader, LIMIT_FRAME_MIN);
  g_assert_cmpint (frame_reader_next (&reader, &frame, &error), ==, FRAME_READER_ERROR);
  g_assert_error (error, REPLY_ERROR, REPLY_FRAME_ERROR);
}

/* --- nothing is copied, and nothing that is held moves */

static void
test_payloads_are_slices_of_the_buffer (void)
{
  g_auto (FrameReader) reader = new_reader (LIMIT_FRAME_MAX);
  Slice greeting;
  Frame frame;

  feed (&reader, "AMQP\0\0\x09\1\1\0\5\0\0\0\2hi\xce\x08\0\0\0\0\0\0\xce", 8 + 10 + 8);
  g_assert_false (frame_reader_take_raw (&reader, 100, &greeting));
  g_assert_true (frame_reader_take_raw (&reader, 8, &greeting));
  g_assert_cmpmem (greeting.bytes, greeting.length, "AMQP\0\0\x09\1", 8);
  g_assert_cmpint (frame_reader_next (&reader, &frame, NULL), ==, FRAME_READER_FRAME);
  g_assert_cmpuint (frame.type, ==, FRAME_METHOD);
  g_assert_cmpuint (frame.channel, ==, 5);
  g_assert_true (frame.payload.owner == reader.buffer);
  g_assert_true (frame.payload.bytes == greeting.bytes + 8 + 7);
  g_assert_cmpint (frame_reader_next (&reader, &frame, NULL), ==, FRAME_READER_FRAME);
  g_assert_cmpuint (frame.type, ==, FRAME_HEARTBEAT);
  g_assert_cmpuint (frame.payload.length, ==, 0);
  g_assert_cmpint (frame_reader_next (&reader, &frame, NULL), ==, FRAME_READER_NEEDS_MORE);
}

/* Frames larger and smaller than a read buffer, in reads of many sizes; every other one is kept,
 * and all that were kept are intact in the end. */
static void
test_held_payloads_survive (void)
{
  static const gsize sizes[] = { 0,
                                 1,
                                 5000,
                                 20000,
                                 LIMIT_READ_BUFFER - 8,
                                 LIMIT_READ_BUFFER,
                                 30,
                                 LIMIT_FRAME_MAX - LIMIT_FRAME_OVERHEAD,
                                 40000,
                                 40000,
                                 2 };
  g_auto (FrameReader) reader = new_reader (LIMIT_FRAME_MAX);
  Slice held[100] = { 0 };
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    {
      g_autoptr (Buffer) bytes = body_frame (sizes[i % G_N_ELEMENTS (sizes)], (guint8) i);
      gsize sent = 0;

      while (sent < bytes->size)
        {
          gsize size;
          guint8 *space = frame_reader_space (&reader, &size);
          gsize some = MIN (MIN (size, bytes->size - sent), 1 + i * 997);
          Frame frame;

          g_assert_cmpuint (size, >=, LIMIT_READ_ROOM);
          memcpy (space, bytes->bytes + sent, some);
          frame_reader_filled (&reader, some);
          sent += some;
          while (frame_reader_next (&reader, &frame, NULL) == FRAME_READER_FRAME)
            {
              g_assert_cmpuint (frame.payload.length, ==, sizes[n % G_N_ELEMENTS (sizes)]);
              held[n++] = i % 2 == 0 ? slice_hold (frame.payload) : (Slice){ 0 };
            }
        }
    }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (held));
  for (guint i = 0; i < n; i++)
    {
      for (gsize at = 0; at < held[i].length; at++)
        g_assert_cmpuint (held[i].bytes[at], ==, (guint8) i);
      slice_release (&held[i]);
    }
}

static void
test_uses_its_buffer_again (void)
{
  g_auto (FrameReader) reader = new_reader (LIMIT_FRAME_MAX);
  g_autoptr (Buffer) bytes = body_frame (30000, 'x');
  Buffer *first;
  Frame frame;

  feed (&reader, bytes->bytes, bytes->size);
  first = reader.buffer;
  for (guint i = 0; i < 20; i++)
    {
      g_assert_cmpint (frame_reader_next (&reader, &frame, NULL), ==, FRAME_READER_FRAME);
      feed (&reader, bytes->bytes, bytes->size);
      g_assert_true (reader.buffer == first);
    }
}

/* Who holds a payload costs us no new buffer while the old one has room. */
static void
test_fills_a_held_buffer (void)
{
  g_auto (FrameReader) reader = new_reader (LIMIT_FRAME_MAX);
  g_autoptr (Buffer) bytes = body_frame (20000, 'x');
  Slice held[2];
  Frame frame;

  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    {
      feed (&reader, bytes->bytes, bytes->size);
      g_assert_cmpint (frame_reader_next (&reader, &frame, NULL), ==, FRAME_READER_FRAME);
      held[i] = slice_hold (frame.payload);
    }
  g_assert_true (held[0].owner == held[1].owner);
  g_assert_true (held[1].bytes == held[0].bytes + bytes->size);
  slice_release (&held[0]);
  slice_release (&held[1]);
}

static void
test_a_large_buffer_is_given_back (void)
{
  g_auto (FrameReader) reader = new_reader (LIMIT_FRAME_MAX);
  g_autoptr (Buffer) large = body_frame (100000, 'x');
  gsize size;
  Frame frame;

  feed (&reader, large->bytes, 7);
  feed (&reader, large->bytes + 7, large->size - 7);
  g_assert_cmpuint (reader.buffer->size, >, LIMIT_READ_BUFFER);
  g_assert_cmpint (frame_reader_next (&reader, &frame, NULL), ==, FRAME_READER_FRAME);
  frame_reader_space (&reader, &size);
  g_assert_cmpuint (reader.buffer->size, ==, LIMIT_READ_BUFFER);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/amqp/frame-reader/refuses/%s", rows[i].claim);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_refuses);
    }
  g_test_add_func ("/amqp/frame-reader/allocates-nothing-for-a-claim",
                   test_allocates_nothing_for_a_claim);
  g_test_add_func ("/amqp/frame-reader/takes-frames-up-to-frame-max",
                   test_takes_frames_up_to_frame_max);
  g_test_add_func ("/amqp/frame-reader/payloads-are-slices-of-the-buffer",
                   test_payloads_are_slices_of_the_buffer);
  g_test_add_func ("/amqp/frame-reader/held-payloads-survive", test_held_payloads_survive);
  g_test_add_func ("/amqp/frame-reader/uses-its-buffer-again", test_uses_its_buffer_again);
  g_test_add_func ("/amqp/frame-reader/fills-a-held-buffer", test_fills_a_held_buffer);
  g_test_add_func ("/amqp/frame-reader/a-large-buffer-is-given-back",
                   test_a_large_buffer_is_given_back);
  return g_test_run ();
}
