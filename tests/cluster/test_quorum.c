/* SPDX-License-Identifier: MIT */
/* Majorities: who serves, and what is told when. */
#include "core/base/limits.h"
#include "core/node/node_parts.h"
#include "tests/node/harness.h"

static NodeState
state_of (const Harness *harness, guint index)
{
  return node_state (harness->members[index].node);
}

static void
select_confirms (TestClient *client, Harness *harness)
{
  const Method select = { .id = METHOD_CONFIRM_SELECT };

  test_client_method (client, 1, &select);
  test_client_expect (client, harness, METHOD_CONFIRM_SELECT_OK, NULL);
}

/* The next method that the client is told now, without anything moving; NULL: none. */
static const char *
told (TestClient *client)
{
  Frame frame;
  Method method;

  return test_client_next (client, &frame, &method) ? method_name (method.id) : NULL;
}

/* One flush of a member, and what it sent delivered to one member only. */
static void
deliver_to (Harness *harness, guint index)
{
  while (sim_network_dispatch_member (harness->network, harness->members[index].id, 100))
    ;
}

/* Self-delivery is not enough: the confirm waits for the report of a second of three. */
static void
test_confirm_waits_for_majority (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) client = test_client_new (harness, 0);

  test_client_declare (client, harness, "q");
  select_confirms (client, harness);
  test_client_publish (client, "q", "hello");
  node_flush (harness->members[0].node);
  deliver_to (harness, 0);
  node_flush (harness->members[0].node);
  deliver_to (harness, 0);
  g_assert_null (told (client));
  deliver_to (harness, 1);
  node_flush (harness->members[1].node);
  g_assert_null (told (client));
  deliver_to (harness, 0);
  g_assert_cmpstr (told (client), ==, "basic.ack");
  harness_settle (harness);
  harness_check_digests (harness);
}

/* A member delivers its own publish, and dies before anyone else has seen it. Was it confirmed, and
 * is it there afterwards? */
static void
lose_a_suffix (ReplyWhen reply_when, gboolean *ret_confirmed, gboolean *ret_kept)
{
  g_autoptr (Harness) harness = harness_new_empty (3, 3);
  g_autoptr (TestClient) client = NULL, other = NULL;
  Method declare = { .id = METHOD_QUEUE_DECLARE };

  harness->reply_when = reply_when;
  harness_start_all (harness);
  client = test_client_new (harness, 0);
  other = test_client_new (harness, 1);
  test_client_declare (client, harness, "q");
  select_confirms (client, harness);
  test_client_publish (client, "q", "hello");
  node_flush (harness->members[0].node);
  deliver_to (harness, 0);
  *ret_confirmed = told (client) != NULL;
  harness_crash_with_suffix (harness, 0);
  harness_settle (harness);
  declare.queue_declare.queue = slice_of_text ("q");
  declare.queue_declare.passive = TRUE;
  test_client_method (other, 1, &declare);
  test_client_expect (other, harness, METHOD_QUEUE_DECLARE_OK, &declare);
  *ret_kept = declare.queue_declare_ok.message_count == 1;
  harness_check_digests (harness);
}

/* "self" tells at once, and the loss of one member takes a confirmed message along; with "majority"
 * and "all" the same message is lost, but nobody was told that it was safe. */
static void
test_suffix_loss (void)
{
  gboolean confirmed, kept;

  lose_a_suffix (REPLY_WHEN_SELF, &confirmed, &kept);
  g_assert_true (confirmed && !kept);
  lose_a_suffix (REPLY_WHEN_MAJORITY, &confirmed, &kept);
  g_assert_true (!confirmed && !kept);
  lose_a_suffix (REPLY_WHEN_ALL, &confirmed, &kept);
  g_assert_true (!confirmed && !kept);
}

static void
test_reply_when_all (void)
{
  g_autoptr (Harness) harness = harness_new_empty (3, 3);
  g_autoptr (TestClient) client = NULL;

  harness->reply_when = REPLY_WHEN_ALL;
  harness_start_all (harness);
  client = test_client_new (harness, 0);
  test_client_declare (client, harness, "q");
  select_confirms (client, harness);
  test_client_publish (client, "q", "hello");
  node_flush (harness->members[0].node);
  for (guint i = 0; i < 5; i++)
    for (guint member = 0; member < 2; member++)
      {
        deliver_to (harness, member);
        node_flush (harness->members[member].node);
      }
  g_assert_null (told (client));
  harness_settle (harness);
  g_assert_cmpstr (told (client), ==, "basic.ack");
}

/* What is not gated passes at once, what follows a held reply on its lane waits behind it. */
static void
test_lanes_keep_their_order (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  Method durable = { .id = METHOD_QUEUE_DECLARE }, transient = { .id = METHOD_QUEUE_DECLARE };
  Method close = { .id = METHOD_CHANNEL_CLOSE };
  Method answer;
  Frame frame;

  durable.queue_declare.queue = slice_of_text ("durable");
  durable.queue_declare.durable = TRUE;
  transient.queue_declare.queue = slice_of_text ("transient");
  test_client_method (client, 1, &transient);
  test_client_flush (client);
  node_flush (harness->members[0].node);
  deliver_to (harness, 0);
  g_assert_cmpstr (told (client), ==, "queue.declare-ok");
  test_client_method (client, 1, &durable);
  test_client_method (client, 1, &transient);
  test_client_method (client, 1, &close);
  test_client_flush (client);
  node_flush (harness->members[0].node);
  deliver_to (harness, 0);
  g_assert_null (told (client));
  harness_settle (harness);
  g_assert_true (test_client_next (client, &frame, &answer));
  g_assert_true (slice_equal_text (answer.queue_declare_ok.queue, "durable"));
  g_assert_true (test_client_next (client, &frame, &answer));
  g_assert_true (slice_equal_text (answer.queue_declare_ok.queue, "transient"));
  g_assert_cmpstr (told (client), ==, "channel.close-ok");
}

/* The last word on a connection comes after what is held for it. */
static void
test_farewell_comes_last (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  const Method close = { .id = METHOD_CONNECTION_CLOSE };

  test_client_declare (client, harness, "q");
  select_confirms (client, harness);
  test_client_publish (client, "q", "hello");
  test_client_method (client, 0, &close);
  test_client_flush (client);
  node_flush (harness->members[0].node);
  deliver_to (harness, 0);
  g_assert_null (told (client));
  harness_settle (harness);
  g_assert_cmpstr (told (client), ==, "basic.ack");
  g_assert_cmpstr (told (client), ==, "connection.close-ok");
  g_assert_true (client_is_finished (client->client));
}

/* Many publishes, few words: while a report is under way no other is sent. */
static void
test_reports_coalesce (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  guint64 before;

  test_client_declare (client, harness, "q");
  select_confirms (client, harness);
  before = node_position (harness->members[0].node);
  for (guint i = 0; i < LIMIT_OWN_ENVELOPES; i++)
    {
      test_client_publish (client, "q", "hello");
      node_flush (harness->members[0].node);
    }
  harness_settle (harness);
  g_assert_cmpuint (node_position (harness->members[0].node) - before, <=, LIMIT_OWN_ENVELOPES + 8);
  g_assert_cmpuint (cluster_limit (harness->members[0].node->cluster), >=,
                    before + LIMIT_OWN_ENVELOPES);
}

/* A member that is left with a minority serves nobody, keeps what it holds, and goes on when the
 * others are back: they come empty, so its state is the one that counts. */
static void
test_minority_is_suspended (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  g_autoptr (TestClient) again = NULL;
  Method method;
  Frame frame;

  test_client_declare (client, harness, "q");
  test_client_publish (client, "q", "kept");
  harness_settle (harness);
  harness_crash (harness, 1);
  harness_settle (harness);
  g_assert_cmpint (state_of (harness, 0), ==, NODE_ACTIVE);
  harness_crash (harness, 2);
  harness_settle (harness);
  g_assert_cmpint (state_of (harness, 0), ==, NODE_IDLE);
  g_assert_true (test_client_next (client, &frame, &method));
  g_assert_cmpint (method.id, ==, METHOD_CONNECTION_CLOSE);
  g_assert_cmpuint (method.connection_close.reply_code, ==, 320);
  harness_start (harness, 1);
  harness_settle (harness);
  /* One holder and one blank of three: the third might hold more. */
  g_assert_cmpint (state_of (harness, 0), ==, NODE_IDLE);
  harness_start (harness, 2);
  for (guint i = 0; i < 200; i++)
    harness_settle (harness);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (state_of (harness, i), ==, NODE_ACTIVE);
  harness_check_digests (harness);
  again = test_client_new (harness, 2);
  method = (Method){ .id = METHOD_QUEUE_DECLARE };
  method.queue_declare.queue = slice_of_text ("q");
  method.queue_declare.passive = TRUE;
  test_client_method (again, 1, &method);
  test_client_expect (again, harness, METHOD_QUEUE_DECLARE_OK, &method);
  g_assert_cmpuint (method.queue_declare_ok.message_count, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cluster/quorum/confirm-waits-for-majority", test_confirm_waits_for_majority);
  g_test_add_func ("/cluster/quorum/suffix-loss", test_suffix_loss);
  g_test_add_func ("/cluster/quorum/reply-when-all", test_reply_when_all);
  g_test_add_func ("/cluster/quorum/lanes-keep-their-order", test_lanes_keep_their_order);
  g_test_add_func ("/cluster/quorum/farewell-comes-last", test_farewell_comes_last);
  g_test_add_func ("/cluster/quorum/reports-coalesce", test_reports_coalesce);
  g_test_add_func ("/cluster/quorum/minority-is-suspended", test_minority_is_suspended);
  return g_test_run ();
}
