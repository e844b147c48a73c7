/* SPDX-License-Identifier: MIT */
/* The edge of one client: handshake, mistakes, ends, time, credit. What it asks of its member is
 * written down. */
#include "core/base/limits.h"
#include "core/handlers/handlers.h"
#include "core/session/client_edge.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)

typedef struct Fixture
{
  Env env;
  gint64 now_us;
  ClientPort port;
  FrameHandler chain[2];
  gboolean full;
  const char *why_not;
  GString *asked; /* "opening; frame; failed 501; ..." */
  guint64 drained;
  guint n_touched;
  Client *client;
  FrameWriter *writer;
  FrameReader reader;
} Fixture;

static gint64
now (Env *env)
{
  return ((Fixture *) env)->now_us;
}

static guint64
no_random (Env *env)
{
  (void) env;
  return 4;
}

static void
on_frame (FrameHandler *handler, SessionFrame *frame)
{
  Fixture *fixture = handler->context;

  (void) frame;
  g_string_append (fixture->asked, "frame; ");
}

static const FrameHandlerType frame_type = { .name = "Frame", .handle = on_frame };

static const char *
why_not (gpointer user_data)
{
  return ((Fixture *) user_data)->why_not;
}

static gboolean
user_is_known (gpointer user_data, Slice user, Slice password)
{
  (void) user_data;
  return slice_equal_text (user, "guest") && slice_equal_text (password, "guest");
}

static gboolean
is_full (gpointer user_data)
{
  return ((Fixture *) user_data)->full;
}

static ConnectionId
draw_id (gpointer user_data)
{
  (void) user_data;
  return (ConnectionId){ 1, 1 };
}

static void
draw_session (gpointer user_data, SessionOpening *ret_opening)
{
  (void) user_data;
  *ret_opening = (SessionOpening){ .id = { 1, 2 } };
}

static void
on_opening (gpointer user_data, Client *client, const ConnectionOpening *opening)
{
  Fixture *fixture = user_data;

  g_assert_true (client == fixture->client);
  g_string_append_printf (fixture->asked, "opening %u %u %u; ", opening->channel_max,
                          opening->frame_max, opening->heartbeat_seconds);
}

static void
on_closed (gpointer user_data, ConnectionId id)
{
  (void) id;
  g_string_append (((Fixture *) user_data)->asked, "closed; ");
}

static void
on_lost (gpointer user_data, ConnectionId id)
{
  (void) id;
  g_string_append (((Fixture *) user_data)->asked, "lost; ");
}

static void
on_failed (gpointer user_data, ConnectionId id, const GError *error, guint16 class_id,
           guint16 method_id)
{
  (void) id;
  g_string_append_printf (((Fixture *) user_data)->asked, "failed %d %u.%u; ", error->code,
                          class_id, method_id);
}

static void
on_session_opening (gpointer user_data, ConnectionId id, const SessionOpening *opening)
{
  (void) id;
  g_string_append_printf (((Fixture *) user_data)->asked, "session %u; ", opening->channel);
}

static void
on_drained (gpointer user_data, ConnectionId id, guint32 bytes)
{
  (void) id;
  ((Fixture *) user_data)->drained += bytes;
}

static void
on_touched (gpointer user_data, Client *client)
{
  (void) client;
  ((Fixture *) user_data)->n_touched++;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  (void) data;
  fixture->env = (Env){ now, no_random };
  fixture->asked = g_string_new (NULL);
  fixture->chain[0]
      = (FrameHandler){ .type = &connection_frame_handler_type, .next = &fixture->chain[1] };
  fixture->chain[1] = (FrameHandler){ .type = &frame_type, .context = fixture };
  fixture->port = (ClientPort){
    .env = &fixture->env,
    .receive = fixture->chain,
    .user_data = fixture,
    .member = "A",
    .channel_max = 100,
    .frame_max = 65536,
    .heartbeat_seconds = 60,
    .why_not_serving = why_not,
    .user_is_known = user_is_known,
    .is_full = is_full,
    .draw_connection_id = draw_id,
    .draw_session = draw_session,
    .opening = on_opening,
    .closed = on_closed,
    .lost = on_lost,
    .failed = on_failed,
    .session_opening = on_session_opening,
    .drained = on_drained,
    .touched = on_touched,
  };
  fixture->client = client_new (&fixture->port, "test");
  fixture->writer = frame_writer_new ();
  frame_reader_init (&fixture->reader, LIMIT_FRAME_MAX);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  (void) data;
  client_free (fixture->client);
  frame_writer_free (fixture->writer);
  frame_reader_clear (&fixture->reader);
  g_string_free (fixture->asked, TRUE);
}

#define assert_asked(fixture, text)                                                                \
  do                                                                                               \
    {                                                                                              \
      g_assert_cmpstr ((fixture)->asked->str, ==, (text));                                         \
      g_string_truncate ((fixture)->asked, 0);                                                     \
    }                                                                                              \
  while (0)

/* --- both directions ----------------------------------------------------------------------------
 */

static void
give_bytes (Fixture *fixture, const void *bytes, gsize length)
{
  gsize room;
  guint8 *space = client_read_space (fixture->client, &room);

  g_assert_cmpuint (length, <=, room);
  memcpy (space, bytes, length);
  client_bytes_read (fixture->client, length);
}

static void
give (Fixture *fixture, guint16 channel, const Method *method)
{
  Slice slice;

  frame_writer_method (fixture->writer, PROTOCOL_0_9_1, channel, method);
  while (frame_writer_peek (fixture->writer, &slice, 1) > 0)
    {
      give_bytes (fixture, slice.bytes, slice.length);
      frame_writer_consume (fixture->writer, slice.length);
    }
}

static void
give_id (Fixture *fixture, guint16 channel, MethodId id)
{
  Method method = { .id = id };

  give (fixture, channel, &method);
}

/* Everything that waits is written to the socket; the first frame of it. */
static gboolean
take (Fixture *fixture, Frame *ret_frame)
{
  Slice slice;

  while (client_peek_output (fixture->client, &slice, 1) > 0)
    {
      gsize room;
      guint8 *space = frame_reader_space (&fixture->reader, &room);
      gsize count = MIN (room, slice.length);

      memcpy (space, slice.bytes, count);
      frame_reader_filled (&fixture->reader, count);
      client_output_written (fixture->client, count);
    }
  return frame_reader_next (&fixture->reader, ret_frame, NULL) == FRAME_READER_FRAME;
}

static Method
expect (Fixture *fixture, MethodId id)
{
  Frame frame;
  Method method;

  g_assert_true (take (fixture, &frame));
  g_assert_true (method_decode_from_broker (PROTOCOL_0_9_1, frame.payload, &method, NULL));
  g_assert_cmpstr (method_name (method.id), ==, method_name (id));
  return method;
}

static void
expect_close (Fixture *fixture, guint code)
{
  Method method = expect (fixture, METHOD_CONNECTION_CLOSE);

  g_assert_cmpuint (method.connection_close.reply_code, ==, code);
}

static void
expect_nothing (Fixture *fixture)
{
  Frame frame;

  g_assert_false (take (fixture, &frame));
}

static void
greet (Fixture *fixture)
{
  give_bytes (fixture, protocol_header_preferred (), PROTOCOL_HEADER_SIZE);
  expect (fixture, METHOD_CONNECTION_START);
}

static void
give_start_ok (Fixture *fixture, const char *password)
{
  g_autoptr (GString) response = g_string_new (NULL);
  Method method = { .id = METHOD_CONNECTION_START_OK };

  g_string_append_len (response, "\0guest\0", 7);
  g_string_append (response, password);
  method.connection_start_ok.mechanism = slice_of_text ("PLAIN");
  method.connection_start_ok.response = slice_new (response->str, response->len, NULL);
  give (fixture, 0, &method);
}

static void
give_tune_ok (Fixture *fixture, guint16 channel_max, guint32 frame_max)
{
  Method method = { .id = METHOD_CONNECTION_TUNE_OK };

  method.connection_tune_ok.channel_max = channel_max;
  method.connection_tune_ok.frame_max = frame_max;
  method.connection_tune_ok.heartbeat = 7;
  give (fixture, 0, &method);
}

static void
start (Fixture *fixture)
{
  greet (fixture);
  give_start_ok (fixture, "guest");
  expect (fixture, METHOD_CONNECTION_TUNE);
}

static void
open_connection (Fixture *fixture)
{
  start (fixture);
  give_tune_ok (fixture, 10, 8192);
  give_id (fixture, 0, METHOD_CONNECTION_OPEN);
  assert_asked (fixture, "opening 10 8192 7; ");
  client_answer_opened (fixture->client);
  expect (fixture, METHOD_CONNECTION_OPEN_OK);
}

/* --- handshake
 * ------------------------------------------------------------------------------------ */

static void
test_other_protocol (Fixture *fixture, gconstpointer data)
{
  Slice output;

  (void) data;
  give_bytes (fixture, "GET / HTTP/1.1\r\n", 16);
  g_assert_cmpuint (client_peek_output (fixture->client, &output, 1), ==, 1);
  g_assert_true (
      slice_equal (output, slice_new (protocol_header_preferred (), PROTOCOL_HEADER_SIZE, NULL)));
  g_assert_true (client_is_finished (fixture->client));
  assert_asked (fixture, "");
}

/* The header may come octet by octet, and everything up to open at once. */
static void
test_any_pieces (Fixture *fixture, gconstpointer data)
{
  (void) data;
  for (guint i = 0; i < PROTOCOL_HEADER_SIZE; i++)
    give_bytes (fixture, protocol_header_preferred () + i, 1);
  give_start_ok (fixture, "guest");
  give_tune_ok (fixture, 0, 0);
  give_id (fixture, 0, METHOD_CONNECTION_OPEN);
  give_id (fixture, 1, METHOD_CHANNEL_OPEN);
  assert_asked (fixture, "opening 100 65536 7; session 1; frame; ");
}

static void
test_refused_tuning (Fixture *fixture, gconstpointer data)
{
  static const guint rows[][2] = { { 101, 8192 }, { 10, 65537 }, { 10, 4095 } };
  guint row = GPOINTER_TO_UINT (data);

  start (fixture);
  give_tune_ok (fixture, (guint16) rows[row][0], rows[row][1]);
  expect_close (fixture, REPLY_NOT_ALLOWED);
  give_id (fixture, 0, METHOD_CONNECTION_OPEN); /* not heard any more */
  assert_asked (fixture, "");
  give_id (fixture, 0, METHOD_CONNECTION_CLOSE_OK);
  g_assert_true (client_is_finished (fixture->client));
}

static void
test_wrong_password (Fixture *fixture, gconstpointer data)
{
  (void) data;
  greet (fixture);
  give_start_ok (fixture, "wrong");
  expect_nothing (fixture);
  g_assert_true (client_is_finished (fixture->client));
}

static void
test_out_of_turn (Fixture *fixture, gconstpointer data)
{
  (void) data;
  greet (fixture);
  give_id (fixture, 0, METHOD_CONNECTION_OPEN);
  expect_close (fixture, REPLY_COMMAND_INVALID);
  assert_asked (fixture, "");
}

static void
test_channel_before_open (Fixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture);
  give_id (fixture, 1, METHOD_CHANNEL_OPEN);
  expect_close (fixture, REPLY_CHANNEL_ERROR);
  assert_asked (fixture, "");
}

static void
test_not_serving (Fixture *fixture, gconstpointer data)
{
  (void) data;
  fixture->why_not = "not now";
  start (fixture);
  give_tune_ok (fixture, 0, 0);
  give_id (fixture, 0, METHOD_CONNECTION_OPEN);
  expect_close (fixture, REPLY_CONNECTION_FORCED);
  assert_asked (fixture, "");
}

/* --- mistakes and ends
 * ------------------------------------------------------------------------------ */

/* Before the order knows of it, close is answered here and now. */
static void
test_close_early (Fixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture);
  give_id (fixture, 0, METHOD_CONNECTION_CLOSE);
  expect (fixture, METHOD_CONNECTION_CLOSE_OK);
  g_assert_true (client_is_finished (fixture->client));
  assert_asked (fixture, "");
}

static void
test_close_is_ordered (Fixture *fixture, gconstpointer data)
{
  (void) data;
  open_connection (fixture);
  give_id (fixture, 1, METHOD_CHANNEL_OPEN);
  give_id (fixture, 0, METHOD_CONNECTION_CLOSE);
  give_id (fixture, 2, METHOD_CHANNEL_OPEN); /* not heard any more */
  assert_asked (fixture, "session 1; frame; closed; ");
  expect_nothing (fixture);
  client_answer_closed (fixture->client);
  expect (fixture, METHOD_CONNECTION_CLOSE_OK);
  g_assert_true (client_is_finished (fixture->client));
}

/* A mistake goes into the order behind what came before it; the rest of the bytes is no AMQP. */
static void
test_broken_frame (Fixture *fixture, gconstpointer data)
{
  (void) data;
  open_connection (fixture);
  give_id (fixture, 1, METHOD_CHANNEL_OPEN);
  give_bytes (fixture, "\x01\0\x01\0\0\0\x01?!", 9); /* 0xCE is missing */
  give_id (fixture, 2, METHOD_CHANNEL_OPEN);
  assert_asked (fixture, "session 1; frame; failed 501 0.0; ");
  client_answer_failed (fixture->client, 501, "FRAME_ERROR", 0, 0);
  expect_close (fixture, 501);
}

static void
test_above_channel_max (Fixture *fixture, gconstpointer data)
{
  (void) data;
  open_connection (fixture);
  give_id (fixture, 11, METHOD_CHANNEL_OPEN);
  assert_asked (fixture, "failed 504 20.10; ");
}

static void
test_end_of_file (Fixture *fixture, gconstpointer data)
{
  (void) data;
  open_connection (fixture);
  client_end_of_file (fixture->client);
  client_end_of_file (fixture->client);
  assert_asked (fixture, "lost; ");
  g_assert_true (client_is_finished (fixture->client));
}

static void
test_end_of_file_early (Fixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture);
  client_end_of_file (fixture->client);
  assert_asked (fixture, "");
  g_assert_true (client_is_finished (fixture->client));
}

/* --- time
 * ------------------------------------------------------------------------------------------- */

static void
tick_after (Fixture *fixture, gint64 seconds)
{
  fixture->now_us += seconds * SECOND_US;
  client_tick (fixture->client, fixture->now_us);
}

static void
test_deadlines (Fixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture);
  tick_after (fixture, LIMIT_HANDSHAKE_SECONDS - 1);
  g_assert_false (client_is_finished (fixture->client));
  give_tune_ok (fixture, 101, 0);
  expect_close (fixture, REPLY_NOT_ALLOWED);
  tick_after (fixture, LIMIT_CLOSE_SECONDS - 1);
  g_assert_false (client_is_finished (fixture->client));
  tick_after (fixture, 1);
  g_assert_true (client_is_finished (fixture->client));
}

/* Heartbeats of 7 seconds were agreed. */
static void
test_heartbeats (Fixture *fixture, gconstpointer data)
{
  Frame frame;

  (void) data;
  open_connection (fixture);
  tick_after (fixture, 3);
  expect_nothing (fixture);
  tick_after (fixture, 1);
  g_assert_true (take (fixture, &frame));
  g_assert_cmpint (frame.type, ==, FRAME_HEARTBEAT);
  give_bytes (fixture, "\x08\0\0\0\0\0\0\xCE", 8);
  tick_after (fixture, 13);
  assert_asked (fixture, "");
  tick_after (fixture, 1);
  assert_asked (fixture, "lost; ");
}

/* A client that we do not read is not dead. */
static void
test_held_is_not_dead (Fixture *fixture, gconstpointer data)
{
  (void) data;
  open_connection (fixture);
  fixture->full = TRUE;
  g_assert_false (client_wants_bytes (fixture->client));
  for (guint i = 0; i < 10; i++)
    tick_after (fixture, 10);
  fixture->full = FALSE;
  g_assert_true (client_wants_bytes (fixture->client));
  tick_after (fixture, 13);
  assert_asked (fixture, "");
}

/* --- output
 * ------------------------------------------------------------------------------------------ */

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
deliver (Fixture *fixture, Message *message)
{
  Method method = { .id = METHOD_BASIC_DELIVER };

  client_answer_frame (fixture->client, 1, &method, message);
}

static void
write_out (Fixture *fixture, gsize count)
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
test_frame_max (Fixture *fixture, gconstpointer data)
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
test_backlog (Fixture *fixture, gconstpointer data)
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
test_credit_comes_back (Fixture *fixture, gconstpointer data)
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

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (Fixture *fixture, gconstpointer data);
    guint row;
  } tests[] = {
    { "/session/client/other-protocol", test_other_protocol, 0 },
    { "/session/client/any-pieces", test_any_pieces, 0 },
    { "/session/client/tuned-to-too-many-channels", test_refused_tuning, 0 },
    { "/session/client/tuned-to-too-long-frames", test_refused_tuning, 1 },
    { "/session/client/tuned-to-too-short-frames", test_refused_tuning, 2 },
    { "/session/client/wrong-password", test_wrong_password, 0 },
    { "/session/client/out-of-turn", test_out_of_turn, 0 },
    { "/session/client/channel-before-open", test_channel_before_open, 0 },
    { "/session/client/not-serving", test_not_serving, 0 },
    { "/session/client/close-early", test_close_early, 0 },
    { "/session/client/close-is-ordered", test_close_is_ordered, 0 },
    { "/session/client/broken-frame", test_broken_frame, 0 },
    { "/session/client/above-channel-max", test_above_channel_max, 0 },
    { "/session/client/end-of-file", test_end_of_file, 0 },
    { "/session/client/end-of-file-early", test_end_of_file_early, 0 },
    { "/session/client/deadlines", test_deadlines, 0 },
    { "/session/client/heartbeats", test_heartbeats, 0 },
    { "/session/client/held-is-not-dead", test_held_is_not_dead, 0 },
    { "/session/client/frame-max", test_frame_max, 0 },
    { "/session/client/backlog", test_backlog, 0 },
    { "/session/client/credit-comes-back", test_credit_comes_back, 0 },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, GUINT_TO_POINTER (tests[i].row), set_up, tests[i].run,
                tear_down);
  return g_test_run ();
}
