/* SPDX-License-Identifier: MIT */
#include "tests/broker/random_world.h"

#define N_STEPS 20000

static guint64
run (guint64 seed, guint move_every)
{
  g_autoptr (RandomWorld) world = random_world_new (seed);

  for (guint i = 1; i <= N_STEPS; i++)
    {
      random_world_step (world);
      if (move_every > 0 && i % move_every == 0)
        {
          random_world_move (world);
          random_world_check (world);
        }
    }
  return world->history;
}

/* A member that was given the state goes on exactly as those that lived through it. */
static void
test_newcomer_goes_on_alike (void)
{
  for (guint64 seed = 1; seed <= 3; seed++)
    {
      guint64 history = run (seed, 0);

      g_assert_cmphex (run (seed, 1000), ==, history);
      g_assert_cmphex (run (seed, 37), ==, history);
    }
}

static Buffer *
some_state (void)
{
  g_autoptr (RandomWorld) world = random_world_new (5);
  g_autoptr (StateCodec) codec = state_codec_new_writer ();

  for (guint i = 0; i < 400; i++)
    random_world_step (world);
  broker_state (codec, world->broker);
  return state_codec_finish (codec);
}

static gboolean
read_state (Slice bytes)
{
  g_autoptr (StateCodec) codec = state_codec_new_reader (bytes);
  g_autoptr (Broker) broker = broker_new ();
  gboolean good = broker_state (codec, broker) && state_is_complete (codec);

  g_assert_cmphex (broker_digest (broker), ==, broker_digest_in_full (broker));
  return good;
}

static void
test_every_cut_fails (void)
{
  g_autoptr (Buffer) bytes = some_state ();

  g_assert_true (read_state (slice_of_buffer (bytes)));
  for (gsize length = 0; length < bytes->size; length++)
    g_assert_false (read_state (slice_new (bytes->bytes, length, NULL)));
}

static void
test_messages_in_many_queues_go_once (void)
{
  g_autoptr (Broker) broker = broker_new ();
  g_autoptr (Broker) copy = broker_new ();
  g_autoptr (StateCodec) writer = state_codec_new_writer ();
  g_autoptr (StateCodec) reader = NULL;
  g_autoptr (Buffer) bytes = NULL;
  g_autofree char *body = g_strnfill (10000, 'x');
  g_autoptr (Message) message = message_of_text (slice_of_text (""), "q", body);

  for (guint i = 0; i < 10; i++)
    {
      g_autofree char *name = g_strdup_printf ("q%u", i);

      queue_enqueue (declare (root_vhost (broker), name), message);
    }
  broker_state (writer, broker);
  bytes = state_codec_finish (writer);
  g_assert_cmpuint (bytes->size, <, 20000);
  reader = state_codec_new_reader (slice_of_buffer (bytes));
  g_assert_true (broker_state (reader, copy));
  g_assert_cmphex (broker_digest (copy), ==, broker_digest (broker));
  message_unref (g_steal_pointer (&message));
  {
    Queue *queue = vhost_lookup_queue (root_vhost (copy), slice_of_text ("q7"));
    QueueDelivery delivery;

    g_assert_true (queue_get (queue, TRUE, &delivery));
    g_assert_cmpuint (delivery.message->ref_count, ==, 10);
    message_unref (delivery.message);
  }
}

/* Two virtual hosts, each with the same names in it. */
static void
test_virtual_hosts_are_apart (void)
{
  g_autoptr (Broker) broker = broker_new ();
  g_autoptr (Broker) copy = broker_new ();
  g_autoptr (StateCodec) writer = state_codec_new_writer ();
  g_autoptr (StateCodec) reader = NULL;
  g_autoptr (Buffer) bytes = NULL;
  Vhost *other = broker_add_vhost (broker, slice_of_text ("other"));

  declare (other, "q");
  publish_number (declare (root_vhost (broker), "q"), 7);
  g_assert_cmphex (broker_digest (broker), ==, broker_digest_in_full (broker));
  broker_state (writer, broker);
  bytes = state_codec_finish (writer);
  reader = state_codec_new_reader (slice_of_buffer (bytes));
  g_assert_true (broker_state (reader, copy));
  g_assert_true (state_is_complete (reader));
  g_assert_cmphex (broker_digest (copy), ==, broker_digest (broker));
  other = broker_lookup_vhost (copy, slice_of_text ("other"));
  g_assert_cmpuint (vhost_lookup_queue (other, slice_of_text ("q"))->n_ready, ==, 0);
  g_assert_cmpuint (vhost_lookup_queue (root_vhost (copy), slice_of_text ("q"))->n_ready, ==, 1);
}

static const struct
{
  const char *wrong;
  guint64 added;
  guint64 turn;
  gboolean is_good;
} consumer_rows[] = {
  { "nothing", 5, 6, TRUE },
  { "turn-of-the-future", 5, 10, FALSE },
  { "turn-before-it-came", 6, 5, FALSE },
  { "place-of-another", 0, 6, FALSE },
  { "turn-of-another", 1, 3, FALSE },
};

/* Consumer a is on the queue, in place 0 with turn 3 of 10 turns. */
static void
test_consumer_row (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (Broker) broker = broker_new ();
  Queue *queue = declare (root_vhost (broker), "q");
  g_autoptr (TestConsumer) a = test_consumer_new ('a', G_MAXUINT, FALSE);
  g_autoptr (TestConsumer) b = test_consumer_new ('b', G_MAXUINT, FALSE);
  g_autoptr (StateCodec) writer = state_codec_new_writer ();
  g_autoptr (StateCodec) reader = NULL;
  g_autoptr (Buffer) bytes = NULL;

  queue_add_consumer (queue, &a->consumer, NULL);
  for (guint64 i = 1; i <= 3; i++)
    publish_number (queue, i);
  queue_dispatch (queue);
  while (queue->next_turn < 10)
    queue_take_turn (queue);
  b->consumer.added = consumer_rows[row].added;
  b->consumer.turn = consumer_rows[row].turn;
  b->consumer.available = TRUE;
  consumer_state (writer, &b->consumer);
  bytes = state_codec_finish (writer);
  reader = state_codec_new_reader (slice_of_buffer (bytes));
  b->consumer.queue = queue;
  g_assert_cmpint (consumer_state (reader, &b->consumer), ==, consumer_rows[row].is_good);
  g_assert_true (b->consumer.queue == (consumer_rows[row].is_good ? queue : NULL));
  g_assert_cmpint (state_is_good (reader), ==, consumer_rows[row].is_good);
  g_assert_cmphex (broker_digest (broker), ==, broker_digest_in_full (broker));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(claim, test) g_test_add_func ("/broker/state/" claim, test)
  ADD ("newcomer-goes-on-alike", test_newcomer_goes_on_alike);
  ADD ("every-cut-fails", test_every_cut_fails);
  ADD ("messages-in-many-queues-go-once", test_messages_in_many_queues_go_once);
  ADD ("virtual-hosts-are-apart", test_virtual_hosts_are_apart);
#undef ADD
  for (guint i = 0; i < G_N_ELEMENTS (consumer_rows); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/broker/state/consumer-with-%s-wrong", consumer_rows[i].wrong);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_consumer_row);
    }
  return g_test_run ();
}
