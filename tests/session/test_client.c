/* SPDX-License-Identifier: MIT */
/* The edge of one client: handshake, mistakes, ends, time. */
#include "tests/session/client_fixture.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)

/* --- handshake --- */

static void
test_other_protocol (ClientFixture *fixture, gconstpointer data)
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
test_any_pieces (ClientFixture *fixture, gconstpointer data)
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
test_refused_tuning (ClientFixture *fixture, gconstpointer data)
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
test_wrong_password (ClientFixture *fixture, gconstpointer data)
{
  (void) data;
  greet (fixture);
  give_start_ok (fixture, "wrong");
  expect_nothing (fixture);
  g_assert_true (client_is_finished (fixture->client));
}

static void
test_out_of_turn (ClientFixture *fixture, gconstpointer data)
{
  (void) data;
  greet (fixture);
  give_id (fixture, 0, METHOD_CONNECTION_OPEN);
  expect_close (fixture, REPLY_COMMAND_INVALID);
  assert_asked (fixture, "");
}

static void
test_channel_before_open (ClientFixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture);
  give_id (fixture, 1, METHOD_CHANNEL_OPEN);
  expect_close (fixture, REPLY_CHANNEL_ERROR);
  assert_asked (fixture, "");
}

static void
test_not_serving (ClientFixture *fixture, gconstpointer data)
{
  (void) data;
  fixture->why_not = "not now";
  start (fixture);
  give_tune_ok (fixture, 0, 0);
  give_id (fixture, 0, METHOD_CONNECTION_OPEN);
  expect_close (fixture, REPLY_CONNECTION_FORCED);
  assert_asked (fixture, "");
}

/* --- mistakes and ends --- */

/* Before the order knows of it, close is answered here and now. */
static void
test_close_early (ClientFixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture);
  give_id (fixture, 0, METHOD_CONNECTION_CLOSE);
  expect (fixture, METHOD_CONNECTION_CLOSE_OK);
  g_assert_true (client_is_finished (fixture->client));
  assert_asked (fixture, "");
}

static void
test_close_is_ordered (ClientFixture *fixture, gconstpointer data)
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
test_broken_frame (ClientFixture *fixture, gconstpointer data)
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
test_above_channel_max (ClientFixture *fixture, gconstpointer data)
{
  (void) data;
  open_connection (fixture);
  give_id (fixture, 11, METHOD_CHANNEL_OPEN);
  assert_asked (fixture, "failed 504 20.10; ");
}

static void
test_end_of_file (ClientFixture *fixture, gconstpointer data)
{
  (void) data;
  open_connection (fixture);
  client_end_of_file (fixture->client);
  client_end_of_file (fixture->client);
  assert_asked (fixture, "lost; ");
  g_assert_true (client_is_finished (fixture->client));
}

static void
test_end_of_file_early (ClientFixture *fixture, gconstpointer data)
{
  (void) data;
  start (fixture);
  client_end_of_file (fixture->client);
  assert_asked (fixture, "");
  g_assert_true (client_is_finished (fixture->client));
}

/* --- time --- */

static void
tick_after (ClientFixture *fixture, gint64 seconds)
{
  fixture->now_us += seconds * SECOND_US;
  client_tick (fixture->client, fixture->now_us);
}

static void
test_deadlines (ClientFixture *fixture, gconstpointer data)
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
test_heartbeats (ClientFixture *fixture, gconstpointer data)
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
test_held_is_not_dead (ClientFixture *fixture, gconstpointer data)
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

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (ClientFixture *fixture, gconstpointer data);
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
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, ClientFixture, GUINT_TO_POINTER (tests[i].row),
                client_fixture_set_up, tests[i].run, client_fixture_tear_down);
  return g_test_run ();
}
