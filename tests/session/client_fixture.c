/* SPDX-License-Identifier: MIT */
#include "tests/session/client_fixture.h"

static gint64
now (Env *env)
{
  return ((ClientFixture *) env)->now_us;
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
  ClientFixture *fixture = handler->context;

  (void) frame;
  g_string_append (fixture->asked, "frame; ");
}

static const FrameHandlerType frame_type = { .name = "Frame", .handle = on_frame };

static const char *
why_not (gpointer user_data)
{
  return ((ClientFixture *) user_data)->why_not;
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
  return ((ClientFixture *) user_data)->full;
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
  ClientFixture *fixture = user_data;

  g_assert_true (client == fixture->client);
  g_string_append_printf (fixture->asked, "opening %u %u %u; ", opening->channel_max,
                          opening->frame_max, opening->heartbeat_seconds);
}

static void
on_closed (gpointer user_data, ConnectionId id)
{
  (void) id;
  g_string_append (((ClientFixture *) user_data)->asked, "closed; ");
}

static void
on_lost (gpointer user_data, ConnectionId id)
{
  (void) id;
  g_string_append (((ClientFixture *) user_data)->asked, "lost; ");
}

static void
on_failed (gpointer user_data, ConnectionId id, const GError *error, guint16 class_id,
           guint16 method_id)
{
  (void) id;
  g_string_append_printf (((ClientFixture *) user_data)->asked, "failed %d %u.%u; ", error->code,
                          class_id, method_id);
}

static void
on_session_opening (gpointer user_data, ConnectionId id, const SessionOpening *opening)
{
  (void) id;
  g_string_append_printf (((ClientFixture *) user_data)->asked, "session %u; ", opening->channel);
}

static void
on_drained (gpointer user_data, ConnectionId id, guint32 bytes)
{
  (void) id;
  ((ClientFixture *) user_data)->drained += bytes;
}

static void
on_gated (gpointer user_data, Client *client)
{
  (void) user_data;
  client->gated = TRUE;
}

static void
on_touched (gpointer user_data, Client *client)
{
  (void) client;
  ((ClientFixture *) user_data)->n_touched++;
}

void
client_fixture_set_up (ClientFixture *fixture, gconstpointer data)
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
    .gated = on_gated,
    .touched = on_touched,
  };
  fixture->client = client_new (&fixture->port, "test");
  fixture->writer = frame_writer_new ();
  frame_reader_init (&fixture->reader, LIMIT_FRAME_MAX);
}

void
client_fixture_tear_down (ClientFixture *fixture, gconstpointer data)
{
  (void) data;
  client_free (fixture->client);
  frame_writer_free (fixture->writer);
  frame_reader_clear (&fixture->reader);
  g_string_free (fixture->asked, TRUE);
}

/* --- both directions --- */

void
give_bytes (ClientFixture *fixture, const void *bytes, gsize length)
{
  gsize room;
  guint8 *space = client_read_space (fixture->client, &room);

  g_assert_cmpuint (length, <=, room);
  memcpy (space, bytes, length);
  client_bytes_read (fixture->client, length);
}

void
give (ClientFixture *fixture, guint16 channel, const Method *method)
{
  Slice slice;

  frame_writer_method (fixture->writer, PROTOCOL_0_9_1, channel, method);
  while (frame_writer_peek (fixture->writer, &slice, 1) > 0)
    {
      give_bytes (fixture, slice.bytes, slice.length);
      frame_writer_consume (fixture->writer, slice.length);
    }
}

void
give_id (ClientFixture *fixture, guint16 channel, MethodId id)
{
  Method method = { .id = id };

  give (fixture, channel, &method);
}

/* Everything that waits is written to the socket; the first frame of it. */
gboolean
take (ClientFixture *fixture, Frame *ret_frame)
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

Method
expect (ClientFixture *fixture, MethodId id)
{
  Frame frame;
  Method method;

  g_assert_true (take (fixture, &frame));
  g_assert_true (method_decode_from_broker (PROTOCOL_0_9_1, frame.payload, &method, NULL));
  g_assert_cmpstr (method_name (method.id), ==, method_name (id));
  return method;
}

void
expect_close (ClientFixture *fixture, guint code)
{
  Method method = expect (fixture, METHOD_CONNECTION_CLOSE);

  g_assert_cmpuint (method.connection_close.reply_code, ==, code);
}

void
expect_nothing (ClientFixture *fixture)
{
  Frame frame;

  g_assert_false (take (fixture, &frame));
}

void
greet (ClientFixture *fixture)
{
  give_bytes (fixture, protocol_header_preferred (), PROTOCOL_HEADER_SIZE);
  expect (fixture, METHOD_CONNECTION_START);
}

void
give_start_ok (ClientFixture *fixture, const char *password)
{
  g_autoptr (GString) response = g_string_new (NULL);
  Method method = { .id = METHOD_CONNECTION_START_OK };

  g_string_append_len (response, "\0guest\0", 7);
  g_string_append (response, password);
  method.connection_start_ok.mechanism = slice_of_text ("PLAIN");
  method.connection_start_ok.response = slice_new (response->str, response->len, NULL);
  give (fixture, 0, &method);
}

void
give_tune_ok (ClientFixture *fixture, guint16 channel_max, guint32 frame_max)
{
  Method method = { .id = METHOD_CONNECTION_TUNE_OK };

  method.connection_tune_ok.channel_max = channel_max;
  method.connection_tune_ok.frame_max = frame_max;
  method.connection_tune_ok.heartbeat = 7;
  give (fixture, 0, &method);
}

void
start (ClientFixture *fixture)
{
  greet (fixture);
  give_start_ok (fixture, "guest");
  expect (fixture, METHOD_CONNECTION_TUNE);
}

void
open_connection (ClientFixture *fixture)
{
  start (fixture);
  give_tune_ok (fixture, 10, 8192);
  give_id (fixture, 0, METHOD_CONNECTION_OPEN);
  assert_asked (fixture, "opening 10 8192 7; ");
  client_answer_opened (fixture->client);
  expect (fixture, METHOD_CONNECTION_OPEN_OK);
}
