/* SPDX-License-Identifier: MIT */
/* How channels, connections and members end, and what becomes of what they held. */
#include "core/session/client_edge.h"
#include "tests/node/harness.h"

static void
open_channel (TestClient *client, Harness *harness, guint16 channel)
{
  Method method = { .id = METHOD_CHANNEL_OPEN };

  test_client_method (client, channel, &method);
  test_client_expect (client, harness, METHOD_CHANNEL_OPEN_OK, NULL);
}

static void
consume (TestClient *client, Harness *harness, guint16 channel, const char *queue, gboolean no_ack)
{
  Method method = { .id = METHOD_BASIC_CONSUME };

  method.basic_consume.queue = slice_of_text (queue);
  method.basic_consume.no_ack = no_ack;
  test_client_method (client, channel, &method);
  test_client_expect (client, harness, METHOD_BASIC_CONSUME_OK, NULL);
}

/* One message, whole. */
static void
expect_delivery (TestClient *client, Harness *harness)
{
  Frame frame;
  Method method;

  test_client_expect (client, harness, METHOD_BASIC_DELIVER, NULL);
  g_assert_true (test_client_next (client, &frame, &method));
  g_assert_true (test_client_next (client, &frame, &method));
}

/* The next message of the queue is this one, and was delivered before. */
static void
expect_redelivery (TestClient *client, Harness *harness, const char *queue, const char *body)
{
  Method method = { .id = METHOD_BASIC_GET };
  Frame frame;

  method.basic_get.queue = slice_of_text (queue);
  test_client_method (client, 1, &method);
  test_client_expect (client, harness, METHOD_BASIC_GET_OK, &method);
  g_assert_true (method.basic_get_ok.redelivered);
  g_assert_true (test_client_next (client, &frame, &method));
  g_assert_true (test_client_next (client, &frame, &method));
  g_assert_true (slice_equal_text (frame.payload, body));
}

/* One channel has a message it did not acknowledge; another channel of the same connection takes
 * without acknowledging. When both end at once nobody is there to take it. */
static void
test_connection_takes_nothing_along (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) lost = test_client_new (harness, 0);
  g_autoptr (TestClient) other = test_client_new (harness, 1);

  test_client_declare (other, harness, "q");
  open_channel (lost, harness, 2);
  consume (lost, harness, 1, "q", FALSE);
  test_client_publish (other, "q", "1");
  expect_delivery (lost, harness);
  consume (lost, harness, 2, "q", TRUE);
  node_client_gone (lost->node, lost->client);
  harness_settle (harness);
  expect_redelivery (other, harness, "q", "1");
  harness_check_digests (harness);
}

/* The same with two connections of one member. */
static void
test_member_takes_nothing_along (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) first = test_client_new (harness, 0);
  g_autoptr (TestClient) second = test_client_new (harness, 0);
  g_autoptr (TestClient) other = test_client_new (harness, 1);

  test_client_declare (other, harness, "q");
  consume (first, harness, 1, "q", FALSE);
  test_client_publish (other, "q", "1");
  expect_delivery (first, harness);
  consume (second, harness, 1, "q", TRUE);
  harness_crash (harness, 0);
  harness_settle (harness);
  expect_redelivery (other, harness, "q", "1");
  harness_check_digests (harness);
}

/* An error at delivery and the client's own close cross: it is told of the error, and answered. */
static void
test_close_behind_an_error_is_answered (void)
{
  g_autoptr (Harness) harness = harness_new (2, 2);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  Method method = { .id = METHOD_EXCHANGE_DECLARE };

  method.exchange_declare.exchange = slice_of_text ("x");
  method.exchange_declare.type = slice_of_text ("no such type");
  test_client_method (client, 1, &method);
  method = (Method){ .id = METHOD_CONNECTION_CLOSE };
  test_client_method (client, 0, &method);
  test_client_expect (client, harness, METHOD_CONNECTION_CLOSE, &method);
  g_assert_cmpuint (method.connection_close.reply_code, ==, 503);
  test_client_expect (client, harness, METHOD_CONNECTION_CLOSE_OK, NULL);
  g_assert_true (client_is_finished (client->client));
}

/* What was published before is confirmed before close-ok, in whatever pieces it came. */
static void
test_confirms_go_before_close_ok (void)
{
  g_autoptr (Harness) harness = harness_new (2, 2);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  Method method = { .id = METHOD_CONFIRM_SELECT };

  test_client_declare (client, harness, "q");
  test_client_method (client, 1, &method);
  test_client_expect (client, harness, METHOD_CONFIRM_SELECT_OK, NULL);
  test_client_publish (client, "q", "1");
  method = (Method){ .id = METHOD_CONNECTION_CLOSE };
  test_client_method (client, 0, &method);
  test_client_expect (client, harness, METHOD_BASIC_ACK, NULL);
  test_client_expect (client, harness, METHOD_CONNECTION_CLOSE_OK, NULL);
}

/* And before a connection.close that another channel's mistake brings. */
static void
test_confirms_go_before_close (void)
{
  g_autoptr (Harness) harness = harness_new (2, 2);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  Method method = { .id = METHOD_CONFIRM_SELECT };

  test_client_declare (client, harness, "q");
  open_channel (client, harness, 2);
  test_client_method (client, 1, &method);
  test_client_expect (client, harness, METHOD_CONFIRM_SELECT_OK, NULL);
  test_client_publish (client, "q", "1");
  method = (Method){ .id = METHOD_TX_SELECT };
  test_client_method (client, 2, &method);
  test_client_expect (client, harness, METHOD_BASIC_ACK, NULL);
  test_client_expect (client, harness, METHOD_CONNECTION_CLOSE, &method);
  g_assert_cmpuint (method.connection_close.reply_code, ==, 540);
}

/* A client that hears channel.close in the middle of a message need not send the rest of it. */
static void
test_close_ok_within_content (void)
{
  g_autoptr (Harness) harness = harness_new (2, 2);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  Method method = { .id = METHOD_BASIC_GET };

  method.basic_get.queue = slice_of_text ("none");
  test_client_method (client, 1, &method);
  method = (Method){ .id = METHOD_BASIC_PUBLISH };
  test_client_method (client, 1, &method);
  test_client_expect (client, harness, METHOD_CHANNEL_CLOSE, &method);
  g_assert_cmpuint (method.channel_close.reply_code, ==, 404);
  method = (Method){ .id = METHOD_CHANNEL_CLOSE_OK };
  test_client_method (client, 1, &method);
  open_channel (client, harness, 1);
  test_client_declare (client, harness, "q");
}

/* connection.open is under way when the member stops: after connection.close comes no open-ok. */
static void
test_nothing_after_close (void)
{
  g_autoptr (Harness) harness = harness_new (1, 1);
  g_autoptr (TestClient) client = test_client_new_bare (harness, 0);
  Frame frame;
  Method method;

  test_client_shake_hands (client, harness);
  method = (Method){ .id = METHOD_CONNECTION_OPEN };
  method.connection_open.virtual_host = slice_of_text ("/");
  test_client_method (client, 0, &method);
  test_client_flush (client);
  client_force_close (client->client, REPLY_CONNECTION_FORCED, "enough");
  test_client_expect (client, harness, METHOD_CONNECTION_CLOSE, NULL);
  g_assert_false (test_client_next (client, &frame, &method));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node/ends/connection-takes-nothing-along",
                   test_connection_takes_nothing_along);
  g_test_add_func ("/node/ends/member-takes-nothing-along", test_member_takes_nothing_along);
  g_test_add_func ("/node/ends/close-behind-an-error-is-answered",
                   test_close_behind_an_error_is_answered);
  g_test_add_func ("/node/ends/confirms-go-before-close-ok", test_confirms_go_before_close_ok);
  g_test_add_func ("/node/ends/confirms-go-before-close", test_confirms_go_before_close);
  g_test_add_func ("/node/ends/close-ok-within-content", test_close_ok_within_content);
  g_test_add_func ("/node/ends/nothing-after-close", test_nothing_after_close);
  return g_test_run ();
}
