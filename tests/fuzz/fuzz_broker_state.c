/* SPDX-License-Identifier: MIT */
/* Whatever bytes a newcomer is given as state: either it says that they are none, or it has a
 * broker that holds together, works, and is written as a state with the same digest. Input: what
 * broker_state writes. */
#include "core/broker/vhost.h"
#include "tests/fuzz/fuzz.h"

static void
assert_digest (Broker *broker)
{
  g_assert (broker_digest (broker) == broker_digest_in_full (broker));
}

static void
assert_written_alike (Broker *broker)
{
  g_autoptr (StateCodec) writer = state_codec_new_writer ();
  g_autoptr (StateCodec) reader = NULL;
  g_autoptr (Buffer) bytes = NULL;
  g_autoptr (Broker) copy = broker_new ();

  broker_state (writer, broker);
  bytes = state_codec_finish (writer);
  reader = state_codec_new_reader (slice_of_buffer (bytes));
  g_assert (broker_state (reader, copy) && state_is_complete (reader));
  g_assert (broker_digest (copy) == broker_digest (broker));
}

/* Each queue gives a message, takes it back, and is emptied and deleted. */
static void
use_queue (Vhost *vhost, Queue *queue)
{
  QueueDelivery delivery;
  guint64 n_messages;

  if (queue_get (queue, FALSE, &delivery))
    {
      g_assert (queue_peek_unacked (queue, delivery.position) == delivery.message);
      queue_requeue (queue, delivery.position);
      queue_enqueue (queue, delivery.message);
      message_unref (delivery.message);
    }
  queue_purge (queue);
  g_assert (queue->n_ready == 0);
  vhost_delete_queue (vhost, queue, FALSE, FALSE, &n_messages, NULL);
}

static void
use_vhost (Vhost *vhost)
{
  NameMapIter iter = name_map_iter (vhost->queues);
  gpointer queue;

  while (name_map_next (&iter, NULL, &queue))
    {
      use_queue (vhost, queue);
      assert_digest (vhost->broker);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (StateCodec) codec = state_codec_new_reader (slice_new (data, size, NULL));
  g_autoptr (Broker) broker = broker_new ();
  gboolean good = broker_state (codec, broker);
  NameMapIter iter = name_map_iter (broker_vhosts (broker));
  gpointer vhost;

  g_assert (good == state_is_good (codec));
  assert_digest (broker);
  if (!good)
    return 0;
  assert_written_alike (broker);
  broker_connection_gone (broker, (ConnectionId){ 1, 1 });
  while (name_map_next (&iter, NULL, &vhost))
    use_vhost (vhost);
  while (broker_reap (broker))
    ;
  assert_digest (broker);
  return 0;
}
