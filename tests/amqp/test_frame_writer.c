/* SPDX-License-Identifier: MIT */
#include "core/amqp/frame_reader.h"
#include "core/amqp/frame_writer.h"
#include "core/base/limits.h"

#define MAX_SLICES 64

/* Takes all that waits, in writes of `step` bytes at the most. */
static Buffer *
drain (FrameWriter *writer, gsize step)
{
  ByteWriter out = byte_writer_init ();

  while (frame_writer_pending (writer) > 0)
    {
      Slice slices[MAX_SLICES];
      guint n = frame_writer_peek (writer, slices, MAX_SLICES);
      gsize left = step;

      g_assert_cmpuint (n, >, 0);
      for (guint i = 0; i < n && left > 0; i++)
        {
          gsize some = MIN (left, slices[i].length);

          g_assert_cmpuint (slices[i].length, >, 0);
          byte_writer_bytes (&out, slices[i].bytes, some);
          left -= some;
        }
      frame_writer_consume (writer, step - left);
    }
  return byte_writer_finish (&out);
}

static Buffer *
pattern (gsize size)
{
  Buffer *buffer = buffer_new (size);

  for (gsize i = 0; i < size; i++)
    buffer->bytes[i] = (guint8) (i * 7 + i / 251);
  return buffer;
}

/* The frames in those bytes: the sizes of bodies into `sizes`, their bytes joined. */
static Buffer *
join_bodies (const Buffer *bytes, guint32 frame_max, GArray *sizes)
{
  ByteReader reader = byte_reader_init (slice_new (bytes->bytes, bytes->size, NULL));
  ByteWriter bodies = byte_writer_init ();
  Frame frame;

  g_assert_true (frame_decode (&reader, &frame));
  g_assert_cmpuint (frame.type, ==, FRAME_HEADER);
  g_assert_true (slice_equal_text (frame.payload, "header"));
  while (byte_reader_left (&reader) > 0)
    {
      g_assert_true (frame_decode (&reader, &frame));
      g_assert_cmpuint (frame.type, ==, FRAME_BODY);
      g_assert_cmpuint (frame.channel, ==, 3);
      g_assert_cmpuint (frame.payload.length, >, 0);
      g_assert_cmpuint (frame.payload.length, <=, frame_max - LIMIT_FRAME_OVERHEAD);
      g_array_append_val (sizes, frame.payload.length);
      byte_writer_slice (&bodies, frame.payload);
    }
  return byte_writer_finish (&bodies);
}

static void
test_method (void)
{
  g_autoptr (FrameWriter) writer = frame_writer_new ();
  Method ack = { .id = METHOD_BASIC_ACK, .basic_ack = { .delivery_tag = 2 } };
  g_autoptr (Buffer) out = NULL;

  frame_writer_method (writer, PROTOCOL_0_9_1, 0x102, &ack);
  frame_writer_heartbeat (writer);
  g_assert_cmpuint (frame_writer_pending (writer), ==, 7 + 13 + 1 + 8);
  out = drain (writer, G_MAXSIZE);
  g_assert_cmpmem (out->bytes, out->size,
                   "\1\1\2\0\0\0\x0d\0\x3c\0\x50\0\0\0\0\0\0\0\2\0\xce"
                   "\x08\0\0\0\0\0\0\xce",
                   29);
}

static void
test_small_frames_gather (void)
{
  g_autoptr (FrameWriter) writer = frame_writer_new ();
  Method ack = { .id = METHOD_BASIC_ACK };
  Slice slices[MAX_SLICES];

  for (guint i = 0; i < 500; i++)
    frame_writer_method (writer, PROTOCOL_0_9_1, 1, &ack);
  g_assert_cmpuint (frame_writer_peek (writer, slices, MAX_SLICES), ==, 1);
  g_assert_cmpuint (slices[0].length, ==, 500 * 21);
}

static void
test_large_payloads_are_referenced (void)
{
  g_autoptr (FrameWriter) writer = frame_writer_new ();
  g_autoptr (Buffer) body = pattern (LIMIT_WRITE_COPY + 1);
  Slice slice = slice_of_buffer (body);
  Slice slices[MAX_SLICES];

  frame_writer_content (writer, 3, slice_of_text ("header"), &slice, 1, LIMIT_FRAME_MAX);
  g_assert_cmpuint (body->ref_count, ==, 2);
  g_assert_cmpuint (frame_writer_peek (writer, slices, MAX_SLICES), ==, 3);
  g_assert_true (slices[1].bytes == body->bytes);
  g_assert_cmpuint (frame_writer_peek (writer, slices, 2), ==, 2);
  frame_writer_consume (writer, slices[0].length + slices[1].length);
  g_assert_cmpuint (body->ref_count, ==, 1);
  g_assert_cmpuint (frame_writer_pending (writer), ==, 1);
}

static void
test_small_payloads_are_copied (void)
{
  g_autoptr (FrameWriter) writer = frame_writer_new ();
  g_autoptr (Buffer) body = pattern (LIMIT_WRITE_COPY);
  Slice slice = slice_of_buffer (body);

  frame_writer_content (writer, 3, slice_of_text ("header"), &slice, 1, LIMIT_FRAME_MAX);
  g_assert_cmpuint (body->ref_count, ==, 1);
}

/* Bytes that no Buffer owns may be gone when they are written. */
static void
test_bytes_without_an_owner_are_copied (void)
{
  g_autoptr (FrameWriter) writer = frame_writer_new ();
  g_autoptr (Buffer) expected = pattern (50000);
  g_autoptr (Buffer) out = NULL;
  guint8 *bytes = g_memdup2 (expected->bytes, expected->size);

  frame_writer_raw (writer, slice_new (bytes, expected->size, NULL));
  memset (bytes, 0, expected->size);
  g_free (bytes);
  out = drain (writer, G_MAXSIZE);
  g_assert_cmpmem (out->bytes, out->size, expected->bytes, expected->size);
}

typedef struct ContentRow
{
  const char *claim;
  guint32 frame_max;
  guint n_bodies;
  gsize bodies[4];
  guint n_frames;
  gsize frames[5];
} ContentRow;

static const ContentRow content_rows[] = {
  { "no-body-is-no-frame", 4096, 0, { 0 }, 0, { 0 } },
  { "empty-bodies-are-no-frame", 4096, 2, { 0, 0 }, 0, { 0 } },
  { "one-body-as-it-came", 4096, 1, { 4088 }, 1, { 4088 } },
  { "a-large-body-is-cut", 4096, 1, { 10000 }, 3, { 4088, 4088, 1824 } },
  { "small-bodies-are-joined", 4096, 3, { 10, 0, 20 }, 1, { 30 } },
  { "cut-and-joined", 4096, 3, { 5000, 3000, 4264 }, 3, { 4088, 4088, 4088 } },
  { "one-byte-too-many", 4096, 2, { 4088, 1 }, 2, { 4088, 1 } },
  { "a-large-frame-max", 131072, 2, { 131000, 125 }, 2, { 131064, 61 } },
};

static void
test_content (gconstpointer data)
{
  const ContentRow *row = data;
  static const gsize steps[] = { 1, 3, 1000, 4096, 60000, G_MAXSIZE };
  gsize total = row->bodies[0] + row->bodies[1] + row->bodies[2] + row->bodies[3];
  g_autoptr (Buffer) body = pattern (total);
  Slice bodies[4];
  gsize offset = 0;

  for (guint i = 0; i < row->n_bodies; i++)
    {
      bodies[i] = slice_sub (slice_of_buffer (body), offset, row->bodies[i]);
      offset += row->bodies[i];
    }
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (FrameWriter) writer = frame_writer_new ();
      g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (gsize));
      g_autoptr (Buffer) out = NULL;
      g_autoptr (Buffer) joined = NULL;

      frame_writer_content (writer, 3, slice_of_text ("header"), bodies, row->n_bodies,
                            row->frame_max);
      out = drain (writer, steps[i]);
      joined = join_bodies (out, row->frame_max, sizes);
      g_assert_cmpmem (joined->bytes, joined->size, body->bytes, body->size);
      g_assert_cmpuint (sizes->len, ==, row->n_frames);
      for (guint frame = 0; frame < sizes->len; frame++)
        g_assert_cmpuint (g_array_index (sizes, gsize, frame), ==, row->frames[frame]);
      g_assert_cmpuint (body->ref_count, ==, 1);
    }
}

/* Writes and reads that never catch up: what has left is forgotten, what waits keeps its order. */
static void
test_keeps_order_while_it_never_drains (void)
{
  g_autoptr (FrameWriter) writer = frame_writer_new ();
  g_autoptr (Buffer) body = pattern (3000);
  Slice slice = slice_of_buffer (body);
  FrameReader reader;
  guint tags = 0;

  frame_reader_init (&reader, LIMIT_FRAME_MAX);
  frame_writer_heartbeat (writer);
  for (guint round = 0; round < 3000; round++)
    {
      Method ack = { .id = METHOD_BASIC_ACK, .basic_ack = { .delivery_tag = round } };
      Slice first;
      gsize size;
      Frame frame;

      frame_writer_method (writer, PROTOCOL_0_9_1, 1, &ack);
      frame_writer_content (writer, 1, slice_of_text ("header"), &slice, 1, LIMIT_FRAME_MAX);
      for (guint i = 0; i < 3 && frame_writer_pending (writer) > 5000; i++)
        {
          g_assert_cmpuint (frame_writer_peek (writer, &first, 1), ==, 1);
          memcpy (frame_reader_space (&reader, &size), first.bytes, first.length);
          frame_reader_filled (&reader, first.length);
          frame_writer_consume (writer, first.length);
        }
      while (frame_reader_next (&reader, &frame, NULL) == FRAME_READER_FRAME)
        if (frame.type == FRAME_METHOD)
          {
            Method method;

            g_assert_true (method_decode (PROTOCOL_0_9_1, frame.payload, &method, NULL));
            g_assert_cmpuint (method.basic_ack.delivery_tag, ==, tags++);
          }
    }
  g_assert_cmpuint (tags, >, 2990);
  frame_reader_clear (&reader);
}

static void
test_gives_references_back (void)
{
  FrameWriter *writer = frame_writer_new ();
  g_autoptr (Buffer) body = pattern (5000);

  frame_writer_raw (writer, slice_of_buffer (body));
  g_assert_cmpuint (body->ref_count, ==, 2);
  frame_writer_consume (writer, 5000);
  g_assert_cmpuint (body->ref_count, ==, 1);
  g_assert_cmpuint (frame_writer_peek (writer, NULL, 0), ==, 0);
  frame_writer_raw (writer, slice_of_buffer (body));
  frame_writer_consume (writer, 4999);
  g_assert_cmpuint (body->ref_count, ==, 2);
  frame_writer_free (writer);
  g_assert_cmpuint (body->ref_count, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/amqp/frame-writer/method", test_method);
  g_test_add_func ("/amqp/frame-writer/small-frames-gather", test_small_frames_gather);
  g_test_add_func ("/amqp/frame-writer/large-payloads-are-referenced",
                   test_large_payloads_are_referenced);
  g_test_add_func ("/amqp/frame-writer/small-payloads-are-copied", test_small_payloads_are_copied);
  g_test_add_func ("/amqp/frame-writer/bytes-without-an-owner-are-copied",
                   test_bytes_without_an_owner_are_copied);
  for (guint i = 0; i < G_N_ELEMENTS (content_rows); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/amqp/frame-writer/content/%s", content_rows[i].claim);

      g_test_add_data_func (path, &content_rows[i], test_content);
    }
  g_test_add_func ("/amqp/frame-writer/keeps-order-while-it-never-drains",
                   test_keeps_order_while_it_never_drains);
  g_test_add_func ("/amqp/frame-writer/gives-references-back", test_gives_references_back);
  return g_test_run ();
}
