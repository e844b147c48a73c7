/* SPDX-License-Identifier: MIT */
/* All members keep the same: after every delivered message, through joins and losses. */
#include "tests/node/harness.h"

/* Runs the group event by event, and compares after each. */
static void
step_and_check (Harness *harness)
{
  while (harness_step (harness))
    harness_check_digests (harness);
  harness_check_digests (harness);
}

/* --- a conversation drawn from a seed ------------------------------------------------------------
 */

static const char *const queues[] = { "a", "b", "c" };

static Slice
some_queue (GRand *random)
{
  return slice_of_text (queues[g_rand_int_range (random, 0, G_N_ELEMENTS (queues))]);
}

/* One method of a client who does not look at answers. */
static void
say_something (TestClient *client, GRand *random, guint64 *delivery_tag)
{
  Method method = { 0 };

  switch (g_rand_int_range (random, 0, 12))
    {
    case 0:
      method.id = METHOD_QUEUE_DECLARE;
      method.queue_declare.queue = some_queue (random);
      break;
    case 1:
      method.id = METHOD_BASIC_CONSUME;
      method.basic_consume.queue = some_queue (random);
      method.basic_consume.no_ack = g_rand_boolean (random);
      break;
    case 2:
      method.id = METHOD_BASIC_GET;
      method.basic_get.queue = some_queue (random);
      break;
    case 3:
      method.id = METHOD_BASIC_NACK;
      method.basic_nack.requeue = g_rand_boolean (random);
      method.basic_nack.multiple = TRUE;
      break;
    case 4:
      method.id = METHOD_BASIC_QOS;
      method.basic_qos.prefetch_count = (guint16) g_rand_int_range (random, 0, 4);
      method.basic_qos.global = g_rand_boolean (random);
      break;
    case 5:
      method.id = METHOD_BASIC_ACK;
      method.basic_ack.delivery_tag = ++*delivery_tag; /* often unknown: a channel error */
      break;
    case 6:
      method.id = g_rand_int_range (random, 0, 5) == 0 ? METHOD_QUEUE_DELETE : METHOD_QUEUE_PURGE;
      if (method.id == METHOD_QUEUE_DELETE)
        method.queue_delete.queue = some_queue (random);
      else
        method.queue_purge.queue = some_queue (random);
      break;
    case 7:
      method.id = METHOD_CONFIRM_SELECT;
      break;
    case 8:
      method.id = METHOD_QUEUE_BIND;
      method.queue_bind.queue = some_queue (random);
      method.queue_bind.exchange = slice_of_text ("amq.fanout");
      break;
    case 9: /* a channel that an error closed is opened again */
      method.id = METHOD_CHANNEL_CLOSE_OK;
      test_client_method (client, 1, &method);
      method = (Method){ .id = METHOD_CHANNEL_OPEN };
      *delivery_tag = 0;
      break;
    default:
      method.id = METHOD_BASIC_PUBLISH;
      method.basic_publish.routing_key = some_queue (random);
      method.basic_publish.mandatory = g_rand_boolean (random);
      if (g_rand_boolean (random))
        method.basic_publish.exchange = slice_of_text ("amq.fanout");
      test_client_method (client, 1, &method);
      test_client_content (client, 1, "body");
      return;
    }
  test_client_method (client, 1, &method);
}

#define N_CLIENTS 4

typedef struct Conversation
{
  Harness *harness;
  GRand *random;
  TestClient *clients[N_CLIENTS];
  guint homes[N_CLIENTS];
  guint64 delivery_tags[N_CLIENTS];
} Conversation;

/* A client whose connection was closed, or whose member is gone, comes again. */
static void
renew_client (Conversation *conversation, guint index)
{
  guint home = conversation->homes[index];

  g_clear_pointer (&conversation->clients[index], test_client_free);
  while (conversation->harness->members[home].node == NULL
         || node_state (conversation->harness->members[home].node) != NODE_ACTIVE)
    home = (home + 1) % conversation->harness->n_members;
  conversation->homes[index] = home;
  conversation->delivery_tags[index] = 0;
  conversation->clients[index] = test_client_new (conversation->harness, home);
}

static void
converse (Conversation *conversation, guint n_turns)
{
  for (guint turn = 0; turn < n_turns; turn++)
    {
      guint index = (guint) g_rand_int_range (conversation->random, 0, N_CLIENTS);
      TestClient *client = conversation->clients[index];
      Frame frame;
      Method method;

      for (guint i = 0; i < 3; i++)
        say_something (client, conversation->random, &conversation->delivery_tags[index]);
      test_client_flush (client);
      step_and_check (conversation->harness);
      while (test_client_next (client, &frame, &method))
        ;
      if (client_is_finished (client->client) || !client_wants_bytes (client->client))
        {
          node_client_gone (client->node, client->client);
          renew_client (conversation, index);
        }
    }
}

static void
begin (Conversation *conversation, Harness *harness, guint32 seed)
{
  *conversation = (Conversation){ .harness = harness, .random = g_rand_new_with_seed (seed) };
  for (guint i = 0; i < N_CLIENTS; i++)
    {
      conversation->homes[i] = i % 3;
      renew_client (conversation, i);
    }
}

static void
end (Conversation *conversation)
{
  for (guint i = 0; i < N_CLIENTS; i++)
    test_client_free (conversation->clients[i]);
  g_rand_free (conversation->random);
}

static void
test_equal_after_every_message (void)
{
  for (guint32 seed = 1; seed <= 10; seed++)
    {
      g_autoptr (Harness) harness = harness_new (3, 3);
      Conversation conversation;

      begin (&conversation, harness, seed);
      converse (&conversation, 150);
      end (&conversation);
    }
}

/* A newcomer in the middle: its digest is the donor's, and stays so. */
static void
test_newcomer_is_equal (void)
{
  for (guint32 seed = 1; seed <= 10; seed++)
    {
      g_autoptr (Harness) harness = harness_new (4, 3);
      Conversation conversation;

      begin (&conversation, harness, seed);
      converse (&conversation, 60);
      harness_start (harness, 3);
      converse (&conversation, 2); /* its request is under way while others speak */
      harness_settle (harness);
      g_assert_cmpint (node_state (harness->members[3].node), ==, NODE_ACTIVE);
      g_assert_cmpuint (node_position (harness->members[3].node), ==,
                        node_position (harness->members[0].node));
      harness_check_digests (harness);
      converse (&conversation, 60);
      end (&conversation);
    }
}

/* The member that clients are at is lost, and comes back. */
static void
test_equal_through_losses (void)
{
  for (guint32 seed = 1; seed <= 10; seed++)
    {
      g_autoptr (Harness) harness = harness_new (3, 3);
      Conversation conversation;

      begin (&conversation, harness, seed);
      for (guint round = 0; round < 4; round++)
        {
          guint lost = (guint) g_rand_int_range (conversation.random, 0, 3);

          converse (&conversation, 25);
          harness_crash (harness, lost);
          step_and_check (harness);
          for (guint i = 0; i < N_CLIENTS; i++)
            if (conversation.homes[i] == lost)
              renew_client (&conversation, i);
          converse (&conversation, 25);
          harness_start (harness, lost);
          harness_settle (harness);
          g_assert_cmpint (node_state (harness->members[lost].node), ==, NODE_ACTIVE);
          harness_check_digests (harness);
        }
      end (&conversation);
    }
}

/* --- what a loss means ---------------------------------------------------------------------------
 */

static void
expect_delivery (TestClient *client, Harness *harness, const char *body, gboolean redelivered)
{
  Method method;
  Frame frame;

  test_client_expect (client, harness, METHOD_BASIC_DELIVER, &method);
  g_assert_cmpint (method.basic_deliver.redelivered, ==, redelivered);
  g_assert_true (test_client_next (client, &frame, &method));
  g_assert_cmpint (frame.type, ==, FRAME_HEADER);
  g_assert_true (test_client_next (client, &frame, &method));
  g_assert_true (slice_equal_text (frame.payload, body));
}

/* Unacked messages of the lost member's clients return to their old places, before what came
 * after them, and say that they were delivered before. */
static void
test_unacked_return_in_order (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) lost = test_client_new (harness, 0);
  g_autoptr (TestClient) other = test_client_new (harness, 1);
  Method qos = { .id = METHOD_BASIC_QOS };

  test_client_declare (other, harness, "q");
  qos.basic_qos.prefetch_count = 2;
  test_client_method (lost, 1, &qos);
  test_client_expect (lost, harness, METHOD_BASIC_QOS_OK, NULL);
  test_client_consume (lost, harness, "q", "first");
  test_client_publish (other, "q", "1");
  test_client_publish (other, "q", "2");
  test_client_publish (other, "q", "3");
  expect_delivery (lost, harness, "1", FALSE);
  expect_delivery (lost, harness, "2", FALSE);
  harness_crash (harness, 0);
  harness_settle (harness);
  test_client_consume (other, harness, "q", "second");
  expect_delivery (other, harness, "1", TRUE);
  expect_delivery (other, harness, "2", TRUE);
  expect_delivery (other, harness, "3", FALSE);
  harness_check_digests (harness);
}

/* Exclusive queues of the lost member's clients go, on all others. */
static void
test_exclusive_queues_go (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) lost = test_client_new (harness, 0);
  g_autoptr (TestClient) other = test_client_new (harness, 1);
  Method declare = { .id = METHOD_QUEUE_DECLARE }, answer;

  declare.queue_declare.queue = slice_of_text ("mine");
  declare.queue_declare.exclusive = TRUE;
  test_client_method (lost, 1, &declare);
  test_client_expect (lost, harness, METHOD_QUEUE_DECLARE_OK, NULL);
  declare.queue_declare.passive = TRUE;
  test_client_method (other, 1, &declare);
  test_client_expect (other, harness, METHOD_CHANNEL_CLOSE, &answer);
  g_assert_cmpuint (answer.channel_close.reply_code, ==, 405);
  answer = (Method){ .id = METHOD_CHANNEL_CLOSE_OK };
  test_client_method (other, 1, &answer);
  answer = (Method){ .id = METHOD_CHANNEL_OPEN };
  test_client_method (other, 1, &answer);
  test_client_expect (other, harness, METHOD_CHANNEL_OPEN_OK, NULL);
  harness_crash (harness, 0);
  harness_settle (harness);
  test_client_method (other, 1, &declare);
  test_client_expect (other, harness, METHOD_CHANNEL_CLOSE, &answer);
  g_assert_cmpuint (answer.channel_close.reply_code, ==, 404);
}

/* Session ids are the cluster's: two members' first sessions differ, and so do two lives' of one.
 */
static void
test_session_ids_are_unique (void)
{
  g_autoptr (Harness) harness = harness_new (2, 2);
  g_autoptr (TestClient) a = test_client_new (harness, 0);
  g_autoptr (TestClient) b = test_client_new (harness, 1);
  g_autoptr (TestClient) again = NULL;
  g_autofree char *ids[3] = { NULL };
  TestClient *clients[2] = { a, b };
  Method open = { .id = METHOD_CHANNEL_OPEN }, answer;

  for (guint i = 0; i < 3; i++)
    {
      if (i == 2)
        {
          harness_crash (harness, 0);
          harness_settle (harness);
          harness_start (harness, 0);
          harness_settle (harness);
          again = test_client_new (harness, 0);
        }
      test_client_method (i == 2 ? again : clients[i], 2, &open);
      test_client_expect (i == 2 ? again : clients[i], harness, METHOD_CHANNEL_OPEN_OK, &answer);
      ids[i] = slice_to_text (answer.channel_open_ok.channel_id);
    }
  g_assert_cmpstr (ids[0], !=, ids[1]);
  g_assert_cmpstr (ids[0], !=, ids[2]);
  g_assert_cmpstr (ids[1], !=, ids[2]);
  g_free (ids[1]);
  g_free (ids[2]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node/replicas/equal-after-every-message", test_equal_after_every_message);
  g_test_add_func ("/node/replicas/newcomer-is-equal", test_newcomer_is_equal);
  g_test_add_func ("/node/replicas/equal-through-losses", test_equal_through_losses);
  g_test_add_func ("/node/replicas/unacked-return-in-order", test_unacked_return_in_order);
  g_test_add_func ("/node/replicas/exclusive-queues-go", test_exclusive_queues_go);
  g_test_add_func ("/node/replicas/session-ids-are-unique", test_session_ids_are_unique);
  return g_test_run ();
}
