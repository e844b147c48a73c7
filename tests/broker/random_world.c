/* SPDX-License-Identifier: MIT */
#include "tests/broker/random_world.h"

static void
check_queue (const ModelQueue *q)
{
  QueueSegmentsIter iter;
  guint64 ready_bytes = 0;
  Place place;

  if (q->queue == NULL)
    return;
  g_assert_cmpuint (q->queue->n_ready, ==, model_queue_count (q, FALSE));
  g_assert_cmpuint (q->queue->n_unacked, ==, model_queue_count (q, TRUE));
  iter = queue_segments_iter (q->queue->segments);
  for (guint i = 0; i < q->entries->len; i++)
    {
      const Entry *entry = &g_array_index (q->entries, Entry, i);

      g_assert_true (queue_segments_next (&iter, &place));
      g_assert_cmpuint (place.position, ==, entry->position);
      g_assert_cmpuint (message_number (place.message), ==, entry->number);
      g_assert_cmpint (place.unacked, ==, entry->unacked);
      g_assert_cmpint (place.redelivered, ==, entry->redelivered);
      ready_bytes += place.unacked ? 0 : place.message->body_size;
    }
  g_assert_false (queue_segments_next (&iter, &place));
  g_assert_cmpuint (q->queue->ready_bytes, ==, ready_bytes);
}

void
random_world_check (RandomWorld *world)
{
  g_assert_cmphex (broker_digest (world->broker), ==, broker_digest_in_full (world->broker));
  g_assert_cmpint (vhost_lookup_exchange (world->vhost, slice_of_text (AUTO_EXCHANGE_NAME)) != NULL,
                   ==, world->auto_exchange_exists);
  for (guint i = 0; i < N_QUEUES; i++)
    {
      const ModelQueue *q = &world->queues[i];

      g_assert_true (vhost_lookup_queue (world->vhost, slice_of_text (q->name)) == q->queue);
      check_queue (q);
    }
}

RandomWorld *
random_world_new (guint64 seed)
{
  RandomWorld *world = g_new0 (RandomWorld, 1);

  world->dice.seed = seed;
  world->broker = broker_new ();
  world->vhost = root_vhost (world->broker);
  world->debts = g_array_new (FALSE, FALSE, sizeof (Debt));
  world->wires = g_array_new (FALSE, FALSE, sizeof (Wire));
  for (guint i = 0; i < N_QUEUES; i++)
    {
      g_snprintf (world->queues[i].name, sizeof world->queues[i].name, "q%u", i);
      world->queues[i].entries = g_array_new (FALSE, FALSE, sizeof (Entry));
      world->queues[i].line = g_ptr_array_new ();
    }
  for (guint i = 0; i < N_PLAYERS; i++)
    {
      world->players[i].consumer.type = &player_type;
      world->players[i].consumer.identity = 1000 + i;
      world->players[i].world = world;
    }
  return world;
}

void
random_world_free (RandomWorld *world)
{
  broker_free (world->broker);
  g_clear_pointer (&world->capture, queue_segments_free);
  for (guint i = 0; i < world->debts->len; i++)
    queue_unref (g_array_index (world->debts, Debt, i).queue);
  g_array_unref (world->debts);
  g_array_unref (world->wires);
  for (guint i = 0; i < N_QUEUES; i++)
    {
      g_array_unref (world->queues[i].entries);
      g_ptr_array_unref (world->queues[i].line);
    }
  g_free (world);
}

Buffer *
random_world_write (RandomWorld *world)
{
  g_autoptr (StateCodec) codec = state_codec_new_writer ();

  broker_state (codec, world->broker);
  for (guint i = 0; i < N_PLAYERS; i++)
    if (world->players[i].on != NULL)
      consumer_state (codec, &world->players[i].consumer);
  return state_codec_finish (codec);
}

/* Those who hold on to a queue of the old broker take the new one in its place. */
static void
change_queues (RandomWorld *world)
{
  for (guint i = 0; i < N_QUEUES; i++)
    {
      ModelQueue *q = &world->queues[i];

      if (q->queue != NULL)
        q->queue = vhost_lookup_queue (world->vhost, slice_of_text (q->name));
    }
  for (guint i = 0; i < world->debts->len; i++)
    {
      Debt *debt = &g_array_index (world->debts, Debt, i);

      if (debt->of->queue == NULL || debt->of->life != debt->life)
        continue;
      queue_unref (debt->queue);
      debt->queue = queue_ref (debt->of->queue);
    }
}

void
random_world_move (RandomWorld *world)
{
  g_autoptr (Buffer) bytes = random_world_write (world);
  g_autoptr (StateCodec) codec = state_codec_new_reader (slice_of_buffer (bytes));
  g_autoptr (Buffer) bytes_again = NULL;
  guint64 digest = broker_digest (world->broker);

  broker_free (world->broker);
  world->broker = broker_new ();
  world->vhost = root_vhost (world->broker);
  g_assert_true (broker_state (codec, world->broker));
  change_queues (world);
  for (guint i = 0; i < N_PLAYERS; i++)
    {
      Player *player = &world->players[i];

      if (player->on == NULL)
        continue;
      player->consumer.queue = player->on->queue;
      g_assert_true (consumer_state (codec, &player->consumer));
    }
  g_assert_true (state_is_complete (codec));
  g_assert_cmphex (broker_digest (world->broker), ==, digest);
  bytes_again = random_world_write (world);
  /* Numbers of what is shared depend on who else holds it, and nothing else may differ. */
  g_assert_cmpuint (bytes_again->size, ==, bytes->size);
  g_assert_cmphex (broker_digest_in_full (world->broker), ==, digest);
}
