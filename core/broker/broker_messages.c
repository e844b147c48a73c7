/* SPDX-License-Identifier: MIT */
/* What stands in the queues as bytes and back, some at a time. Queue by queue, in the order of
 * names: for each message an octet that says how it stands there, its position unless it follows
 * the one before, and the message; then an octet 0.
 *
 * A writer walks captures of the queues' segments: they are taken at once, cost little, and stay
 * as they are while service goes on (queue_segments.h). */
#include "core/broker/broker.h"
#include "core/broker/broker_internal.h"

#define PLACE_IS_THERE    1
#define PLACE_UNACKED     2
#define PLACE_REDELIVERED 4
#define PLACE_FOLLOWS     8 /* its position is the next one */

typedef struct QueueContents
{
  Queue *queue;            /* borrowed; only a reader looks at it */
  QueueSegments *captured; /* owned */
} QueueContents;

struct BrokerMessages
{
  GArray *queues; /* of QueueContents */
  guint index;    /* of the one that is on */
  QueueSegmentsIter iter;
  guint64 next_position;
};

static void
contents_clear (gpointer data)
{
  QueueContents *contents = data;

  g_clear_pointer (&contents->captured, queue_segments_free);
}

static void
begin_queue (BrokerMessages *messages)
{
  messages->next_position = 0;
  if (messages->index < messages->queues->len)
    messages->iter = queue_segments_iter (
        g_array_index (messages->queues, QueueContents, messages->index).captured);
}

BrokerMessages *
broker_messages_new (Broker *broker)
{
  BrokerMessages *messages = g_new0 (BrokerMessages, 1);
  NameMapIter vhosts = name_map_iter (broker_vhosts (broker));
  gpointer vhost, queue;

  messages->queues = g_array_new (FALSE, FALSE, sizeof (QueueContents));
  g_array_set_clear_func (messages->queues, contents_clear);
  while (name_map_next (&vhosts, NULL, &vhost))
    for (NameMapIter iter = name_map_iter (((const Vhost *) vhost)->queues);
         name_map_next (&iter, NULL, &queue);)
      {
        QueueContents contents = { queue, NULL };

        contents.captured = queue_segments_capture (((const Queue *) queue)->segments);
        g_array_append_val (messages->queues, contents);
      }
  begin_queue (messages);
  return messages;
}

void
broker_messages_free (BrokerMessages *messages)
{
  g_array_unref (messages->queues);
  g_free (messages);
}

void
broker_messages_free_later (BrokerMessages *messages, Broker *broker)
{
  for (guint i = 0; i < messages->queues->len; i++)
    broker_free_later (
        broker, g_steal_pointer (&g_array_index (messages->queues, QueueContents, i).captured));
  broker_messages_free (messages);
}

static void
write_next (StateCodec *codec, BrokerMessages *messages)
{
  guint8 how = 0;
  Place place;

  if (!queue_segments_next (&messages->iter, &place))
    {
      state_u8 (codec, &how);
      messages->index++;
      begin_queue (messages);
      return;
    }
  how = PLACE_IS_THERE | (place.unacked ? PLACE_UNACKED : 0)
        | (place.redelivered ? PLACE_REDELIVERED : 0)
        | (place.position == messages->next_position ? PLACE_FOLLOWS : 0);
  state_u8 (codec, &how);
  if ((how & PLACE_FOLLOWS) == 0)
    state_u64 (codec, &place.position);
  message_state (codec, &place.message);
  messages->next_position = place.position + 1;
}

/* What it adds to the digest and to the counts. */
static void
count (Queue *queue, const Place *place)
{
  guint64 digest = place_digest (queue, place);

  queue->messages_digest += digest;
  queue_add_to_digest (queue, digest);
  if (place->unacked)
    {
      queue->n_unacked++;
      return;
    }
  queue->n_ready++;
  queue->ready_bytes += place->message->body_size;
  queue->ready_digest += digest;
}

static void
end_queue (StateCodec *codec, BrokerMessages *messages, const Queue *queue)
{
  if (!queue_is_conserved (queue))
    state_fail (codec);
  messages->index++;
  begin_queue (messages);
}

static void
read_next (StateCodec *codec, BrokerMessages *messages)
{
  Queue *queue = g_array_index (messages->queues, QueueContents, messages->index).queue;
  Place place = { .position = messages->next_position };
  guint8 how = 0;

  state_u8 (codec, &how);
  if (state_is_good (codec) && how == 0)
    {
      end_queue (codec, messages, queue);
      return;
    }
  if ((how & PLACE_IS_THERE) == 0 || how >= 2 * PLACE_FOLLOWS)
    state_fail (codec);
  if ((how & PLACE_FOLLOWS) == 0)
    state_u64 (codec, &place.position);
  place.unacked = (how & PLACE_UNACKED) != 0;
  place.redelivered = (how & PLACE_REDELIVERED) != 0;
  if (!message_state (codec, &place.message))
    return;
  if (!queue_segments_restore (queue->segments, &place))
    {
      message_unref (place.message);
      state_fail (codec);
      return;
    }
  count (queue, &place);
  messages->next_position = place.position + 1;
}

gboolean
broker_messages_state (StateCodec *codec, BrokerMessages *messages, gsize size)
{
  while (messages->index < messages->queues->len && state_part_goes_on (codec, size))
    {
      if (state_is_reading (codec))
        read_next (codec, messages);
      else
        write_next (codec, messages);
    }
  return messages->index == messages->queues->len && state_is_good (codec);
}
