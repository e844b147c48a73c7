/* SPDX-License-Identifier: MIT */
/* Who gets the next message.
 *
 * Available consumers stand in a line, lowest turn first. The first one is asked; whoever takes
 * a message gets the next turn and goes to the end, whoever cannot leaves the line until its
 * owner says consumer_available. So a message costs the same however many consumers there are,
 * and those that cannot take are not asked again and again. */
#include "core/broker/broker_internal.h"

guint64
queue_take_turn (Queue *queue)
{
  queue_add_to_digest (queue, queue_turn_weight (queue));
  return queue->next_turn++;
}

/* A new turn is the highest: then the place is the end, and found at once. */
void
consumer_line_up (Consumer *consumer)
{
  Queue *queue = consumer->queue;
  Consumer *before = queue->last_available;

  while (before != NULL && before->turn > consumer->turn)
    before = before->previous_available;
  consumer->previous_available = before;
  consumer->next_available = before == NULL ? queue->first_available : before->next_available;
  if (before == NULL)
    queue->first_available = consumer;
  else
    before->next_available = consumer;
  if (consumer->next_available == NULL)
    queue->last_available = consumer;
  else
    consumer->next_available->previous_available = consumer;
}

void
consumer_leave_line (Consumer *consumer)
{
  Queue *queue = consumer->queue;

  if (consumer->previous_available == NULL)
    queue->first_available = consumer->next_available;
  else
    consumer->previous_available->next_available = consumer->next_available;
  if (consumer->next_available == NULL)
    queue->last_available = consumer->previous_available;
  else
    consumer->next_available->previous_available = consumer->previous_available;
  consumer->previous_available = NULL;
  consumer->next_available = NULL;
}

void
consumer_available (Consumer *consumer)
{
  guint64 was;

  if (consumer->queue == NULL || consumer->available)
    return;
  was = consumer_digest (consumer);
  consumer->available = TRUE;
  consumer->turn = queue_take_turn (consumer->queue);
  queue_add_to_digest (consumer->queue, consumer_digest (consumer) - was);
  consumer_line_up (consumer);
}

static void
consumer_unavailable (Consumer *consumer)
{
  guint64 was = consumer_digest (consumer);

  consumer_leave_line (consumer);
  consumer->available = FALSE;
  queue_add_to_digest (consumer->queue, consumer_digest (consumer) - was);
}

/* It gets a message now: its turn is over. */
static void
consumer_served (Consumer *consumer)
{
  Queue *queue = consumer->queue;
  guint64 turn = queue_take_turn (queue);

  queue_add_to_digest (queue, consumer->weight * 2 * (turn - consumer->turn));
  consumer->turn = turn;
  if (consumer == queue->last_available)
    return;
  consumer_leave_line (consumer);
  consumer_line_up (consumer);
}

/* The one whose turn it is, of those who can; NULL: nobody. */
static Consumer *
find_taker (Queue *queue)
{
  while (queue->first_available != NULL)
    {
      Consumer *consumer = queue->first_available;

      if (consumer->type->can_take (consumer))
        return consumer;
      consumer_unavailable (consumer);
    }
  return NULL;
}

void
queue_dispatch (Queue *queue)
{
  while (queue->n_ready > 0)
    {
      Consumer *consumer = find_taker (queue);
      QueueDelivery delivery;

      if (consumer == NULL || !queue_get (queue, consumer->no_ack, &delivery))
        return;
      consumer_served (consumer);
      consumer->type->deliver (consumer, delivery.position, delivery.message, delivery.redelivered);
      message_unref (delivery.message);
    }
}

void
queue_publish (Queue *queue, Message *message)
{
  Consumer *consumer;
  guint64 position;

  /* After this either nothing waits, or nobody can take. */
  queue_dispatch (queue);
  consumer = find_taker (queue);
  if (consumer == NULL)
    {
      queue_enqueue (queue, message);
      return;
    }
  position = consumer->no_ack ? queue_pass (queue) : queue_append_unacked (queue, message);
  consumer_served (consumer);
  consumer->type->deliver (consumer, position, message, FALSE);
}
