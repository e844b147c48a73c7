/* SPDX-License-Identifier: MIT */
/* What goes to a client: how much waits, how long frames are, when credit comes back. */
#include "tests/session/client_fixture.h"

static Message *
message_of_size (gsize size)
{
  g_autoptr (Buffer) body = buffer_new (size);
  g_auto (ByteWriter) header = byte_writer_init ();
  const Properties properties = { 0 };
  Slice slice = slice_of_buffer (body);

  memset (body->bytes, 'x', size);
  content_header_encode (&properties, size, &header);
  return message_new ((Slice){ 0 }, (Slice){ 0 }, byte_writer_peek (&header), &slice, 1);
}

static void
deliver (ClientFixture *fixture, Message *message)
{
  Method method = { .id = METHOD_BASIC_DELIVER };

  client_answer_frame (fixture->client, 1, &method, message);
}

static void
write_out (ClientFixture *fixture, gsize count)
{
  Slice slice;

  while (count > 0 && client_peek_output (fixture->client, &slice, 1) > 0)
    {
      gsize n = MIN (count, slice.length);

      client_output_written (fixture->client, n);
      count -= n;
    }
}

/* No frame is longer than agreed. */
static void
test_frame_max (ClientFixture *fixture, gconstpointer data)
{
  g_autoptr (Message) message = message_of_size (30000);
  gsize body_size = 0;
  Frame frame;

  (void) data;
  open_connection (fixture);
  deliver (fixture, message);
  frame_reader_set_frame_max (&fixture->reader, 8192);
  while (take (fixture, &frame))
    body_size += frame.type == FRAME_BODY ? frame.payload.length : 0;
  g_assert_cmpuint (body_size, ==, 30000);
}

/* Too much waits for the socket: not read, until half of it is gone. */
static void
test_backlog (ClientFixture *fixture, gconstpointer data)
{
  g_autoptr (Message) message = message_of_size (LIMIT_CLIENT_BACKLOG);

  (void) data;
  open_connection (fixture);
  deliver (fixture, message);
  g_assert_false (client_wants_bytes (fixture->client));
  fixture->n_touched = 0;
  write_out (fixture, LIMIT_CLIENT_BACKLOG / 4);
  g_assert_cmpuint (fixture->n_touched, ==, 0);
  write_out (fixture, LIMIT_CLIENT_BACKLOG / 2);
  g_assert_cmpuint (fixture->n_touched, >, 0);
  g_assert_true (client_wants_bytes (fixture->client));
}

/* Credit is told as the bytes drain: never more than was used, never before they have, and all of
 * it but less than one report, however used and drained. */
static void
test_credit_comes_back (ClientFixture *fixture, gconstpointer data)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (Message) small = message_of_size (100), large = message_of_size (700000);
  guint64 used = 0;

  (void) data;
  open_connection (fixture);
  for (guint i = 0; i < 3000; i++)
    {
      gsize before = frame_writer_pending (fixture->client->writer);
      gsize bytes;

      deliver (fixture, g_rand_int_range (random, 0, 100) == 0 ? large : small);
      bytes = frame_writer_pending (fixture->client->writer) - before;
      client_answer_used_credit (fixture->client, bytes);
      used += bytes;
      if (g_rand_int_range (random, 0, 4) == 0)
        write_out (fixture, (gsize) g_rand_int_range (random, 1, 200000));
      g_assert_cmpuint (fixture->drained + frame_writer_pending (fixture->client->writer), <=,
                        used);
    }
  write_out (fixture, G_MAXSIZE);
  g_assert_cmpuint (used - fixture->drained, <, LIMIT_CREDIT_REPORT);
}

/* What is held has not drained, whatever else is written meanwhile: its credit comes back after
 * it has left. */
static void
test_held_keeps_its_credit (ClientFixture *fixture, gconstpointer data)
{
  g_autoptr (Message) message = message_of_size (100);
  Method declare_ok = { .id = METHOD_QUEUE_DECLARE_OK }, method = { .id = METHOD_BASIC_DELIVER };
  GatedReply reply = { .channel = 1, .must_be_safe = TRUE, .position = 5, .method = &declare_ok };

  (void) data;
  open_connection (fixture);
  g_assert_false (client_gate_passes (fixture->client, &reply, 4));
  reply = (GatedReply){ .channel = 1, .position = 5, .method = &method, .content = message };
  g_assert_false (client_gate_passes (fixture->client, &reply, 4));
  client_answer_used_credit (fixture->client, LIMIT_CREDIT_REPORT);
  reply.channel = 2;
  g_assert_true (client_gate_passes (fixture->client, &reply, 4));
  client_answer_frame (fixture->client, 2, &method, message);
  client_answer_used_credit (fixture->client, LIMIT_CREDIT_REPORT + 1);
  write_out (fixture, G_MAXSIZE);
  g_assert_cmpuint (fixture->drained, ==, LIMIT_CREDIT_REPORT + 1);
  client_release (fixture->client, 5);
  g_assert_cmpuint (fixture->drained, ==, LIMIT_CREDIT_REPORT + 1);
  write_out (fixture, G_MAXSIZE);
  g_assert_cmpuint (fixture->drained, ==, 2 * LIMIT_CREDIT_REPORT + 1);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (ClientFixture *fixture, gconstpointer data);
    guint row;
  } tests[] = {
    { "/session/output/frame-max", test_frame_max, 0 },
    { "/session/output/backlog", test_backlog, 0 },
    { "/session/output/credit-comes-back", test_credit_comes_back, 0 },
    { "/session/output/held-keeps-its-credit", test_held_keeps_its_credit, 0 },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, ClientFixture, GUINT_TO_POINTER (tests[i].row),
                client_fixture_set_up, tests[i].run, client_fixture_tear_down);
  return g_test_run ();
}
