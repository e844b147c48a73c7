/* SPDX-License-Identifier: MIT */
#include "tests/broker/random_world.h"

#define AUTO_EXCHANGE 4 /* its place among these */

static const char *const exchange_names[N_EXCHANGES]
    = { "", "amq.direct", "amq.fanout", "amq.topic", AUTO_EXCHANGE_NAME, "amq.direct" };
static const char *const binding_keys[] = { "", "a", "a.b", "*.b", "#", "a.#", "q1" };
static const char *const routing_keys[]
    = { "", "a", "a.b", "b.b", "a.b.c", "q0", "q1", "q2", "q3" };

static guint throw (RandomWorld * world, guint sides)
{
  return dice_throw (&world->dice, sides);
}

static void
note (RandomWorld *world, guint64 value)
{
  world->history = digest_combine (world->history, value);
}

/* --- the model */

static Entry *
first_ready (const ModelQueue *q)
{
  for (guint i = 0; i < q->entries->len; i++)
    if (!g_array_index (q->entries, Entry, i).unacked)
      return &g_array_index (q->entries, Entry, i);
  return NULL;
}

guint
model_queue_count (const ModelQueue *q, gboolean unacked)
{
  guint count = 0;

  for (guint i = 0; i < q->entries->len; i++)
    count += g_array_index (q->entries, Entry, i).unacked == unacked ? 1 : 0;
  return count;
}

static void
remove_entry (ModelQueue *q, const Entry *entry)
{
  g_array_remove_index (q->entries, (guint) (entry - (const Entry *) (gpointer) q->entries->data));
}

static gboolean
exchange_exists (const RandomWorld *world, guint exchange)
{
  return exchange != AUTO_EXCHANGE || world->auto_exchange_exists;
}

static gboolean
wire_matches (const Wire *wire, guint exchange, const char *key)
{
  if (strcmp (exchange_names[wire->exchange], exchange_names[exchange]) != 0)
    return FALSE;
  if (strcmp (exchange_names[exchange], "amq.fanout") == 0)
    return TRUE;
  if (strcmp (exchange_names[exchange], "amq.direct") == 0)
    return strcmp (binding_keys[wire->key], key) == 0;
  return topic_matches (binding_keys[wire->key], key);
}

static gboolean
is_reached (const RandomWorld *world, const ModelQueue *q, guint exchange, const char *key)
{
  if (q->queue == NULL)
    return FALSE;
  if (exchange == 0)
    return strcmp (q->name, key) == 0;
  for (guint i = 0; i < world->wires->len; i++)
    {
      const Wire *wire = &g_array_index (world->wires, Wire, i);

      if (&world->queues[wire->queue] == q && wire_matches (wire, exchange, key))
        return TRUE;
    }
  return FALSE;
}

static void
auto_exchange_may_go (RandomWorld *world, guint exchange)
{
  if (exchange != AUTO_EXCHANGE)
    return;
  for (guint i = 0; i < world->wires->len; i++)
    if (g_array_index (world->wires, Wire, i).exchange == AUTO_EXCHANGE)
      return;
  world->auto_exchange_exists = FALSE;
}

static void
model_delete (RandomWorld *world, ModelQueue *q)
{
  q->queue = NULL;
  g_array_set_size (q->entries, 0);
  g_assert_cmpuint (q->line->len, ==, 0);
  for (guint i = world->wires->len; i > 0; i--)
    {
      Wire wire = g_array_index (world->wires, Wire, i - 1);

      if (&world->queues[wire.queue] != q)
        continue;
      g_array_remove_index (world->wires, i - 1);
      auto_exchange_may_go (world, wire.exchange);
    }
}

static void
add_debt (RandomWorld *world, ModelQueue *q, guint64 position, Player *player)
{
  Debt debt
      = { queue_ref (q->queue), q, q->life, position, player, player == NULL ? 0 : player->stint };

  g_array_append_val (world->debts, debt);
}

/* --- consumers */

static Player *
player_of (Consumer *consumer)
{
  return (Player *) consumer;
}

static gboolean
can_take (Consumer *consumer)
{
  Player *player = player_of (consumer);

  g_assert_true (player->on->line->pdata[0] == player);
  if (player->n_unacked < player->window)
    return TRUE;
  g_ptr_array_remove_index (player->on->line, 0);
  return FALSE;
}

static void
deliver (Consumer *consumer, guint64 position, Message *message, gboolean redelivered)
{
  Player *player = player_of (consumer);
  ModelQueue *q = player->on;
  Entry *entry = first_ready (q);

  g_assert_nonnull (entry);
  g_assert_cmpuint (entry->position, ==, position);
  g_assert_cmpuint (entry->number, ==, message_number (message));
  g_assert_cmpint (entry->redelivered, ==, redelivered);
  g_assert_true (q->line->pdata[0] == player);
  g_ptr_array_remove_index (q->line, 0);
  g_ptr_array_add (q->line, player);
  note (player->world, entry->number);
  note (player->world, consumer->identity);
  if (consumer->no_ack)
    {
      remove_entry (q, entry);
      return;
    }
  entry->unacked = TRUE;
  player->n_unacked++;
  add_debt (player->world, q, position, player);
}

static void
leave (Player *player)
{
  g_ptr_array_remove (player->on->line, player);
  player->on = NULL;
  player->n_unacked = 0;
}

static void
cancelled (Consumer *consumer)
{
  Player *player = player_of (consumer);

  note (player->world, consumer->identity);
  leave (player);
}

const ConsumerType player_type
    = { .can_take = can_take, .deliver = deliver, .cancelled = cancelled };

/* --- steps */

static ModelQueue *
any_queue (RandomWorld *world)
{
  return &world->queues[throw (world, N_QUEUES)];
}

static void
step_declare_queue (RandomWorld *world)
{
  ModelQueue *q = any_queue (world);
  QueueDeclaration declaration = {
    .name = slice_of_text (q->name),
    .durable = throw (world, 2) == 0,
    .auto_delete = throw (world, 6) == 0,
    .exclusive = throw (world, 3) == 0,
  };
  ConnectionId owner = { 1, 1 + throw (world, 2) };

  if (q->queue != NULL)
    return;
  q->queue = vhost_declare_queue (world->vhost, &declaration, owner, NULL);
  q->life++;
  q->next_position = 0;
  g_assert_nonnull (q->queue);
}

static gboolean
has_player (RandomWorld *world, const ModelQueue *q)
{
  for (guint i = 0; i < N_PLAYERS; i++)
    if (world->players[i].on == q)
      return TRUE;
  return FALSE;
}

static void
step_delete_queue (RandomWorld *world)
{
  ModelQueue *q = any_queue (world);
  gboolean if_unused = throw (world, 2) == 0, if_empty = throw (world, 2) == 0;
  guint n_ready = model_queue_count (q, FALSE);
  gboolean expected
      = !(if_unused && has_player (world, q)) && !(if_empty && first_ready (q) != NULL);
  guint64 n_messages;

  if (q->queue == NULL)
    return;
  g_assert_cmpint (
      vhost_delete_queue (world->vhost, q->queue, if_unused, if_empty, &n_messages, NULL), ==,
      expected);
  if (!expected)
    return;
  g_assert_cmpuint (n_messages, ==, n_ready);
  model_delete (world, q);
}

static void
step_publish (RandomWorld *world)
{
  guint exchange = throw (world, N_EXCHANGES);
  const char *key = routing_keys[throw (world, G_N_ELEMENTS (routing_keys))];
  Entry entry = { .number = world->n_published++ };
  g_autofree char *body = g_strdup_printf ("%" G_GUINT64_FORMAT, entry.number);
  Slice name = slice_of_text (exchange_names[exchange]);
  g_autoptr (Message) message = message_of_text (name, key, body);
  gboolean any = FALSE;

  if (!exchange_exists (world, exchange))
    return;
  for (guint i = 0; i < N_QUEUES; i++)
    if (is_reached (world, &world->queues[i], exchange, key))
      {
        entry.position = world->queues[i].next_position++;
        g_array_append_val (world->queues[i].entries, entry);
        any = TRUE;
      }
  g_assert_cmpint (
      vhost_publish (world->vhost, vhost_lookup_exchange (world->vhost, name), message), ==, any);
}

static void
step_get (RandomWorld *world)
{
  ModelQueue *q = any_queue (world);
  gboolean no_ack = throw (world, 2) == 0;
  Entry *entry = first_ready (q);
  QueueDelivery delivery;

  if (q->queue == NULL)
    return;
  g_assert_cmpint (queue_get (q->queue, no_ack, &delivery), ==, entry != NULL);
  if (entry == NULL)
    return;
  g_assert_cmpuint (delivery.position, ==, entry->position);
  g_assert_cmpuint (message_number (delivery.message), ==, entry->number);
  g_assert_cmpint (delivery.redelivered, ==, entry->redelivered);
  message_unref (delivery.message);
  note (world, entry->number);
  entry->unacked = TRUE;
  if (no_ack)
    remove_entry (q, entry);
  else
    add_debt (world, q, delivery.position, NULL);
}

static Entry *
entry_at (const ModelQueue *q, guint64 position)
{
  for (guint i = 0; i < q->entries->len; i++)
    if (g_array_index (q->entries, Entry, i).position == position)
      return &g_array_index (q->entries, Entry, i);
  g_assert_not_reached ();
}

static void
settle_in_model (const Debt *debt, gboolean requeue)
{
  Entry *entry;

  if (debt->of->queue == NULL || debt->of->life != debt->life)
    return;
  entry = entry_at (debt->of, debt->position);
  g_assert_true (entry->unacked);
  entry->unacked = FALSE;
  entry->redelivered = TRUE;
  if (!requeue)
    remove_entry (debt->of, entry);
}

static void
step_settle (RandomWorld *world)
{
  guint kind = throw (world, 4), index;
  Debt debt;

  if (world->debts->len == 0)
    return;
  index = throw (world, world->debts->len);
  debt = g_array_index (world->debts, Debt, index);
  g_array_remove_index (world->debts, index);
  if (kind == 0)
    queue_requeue (debt.queue, debt.position);
  else if (kind == 1)
    queue_reject (debt.queue, debt.position);
  else
    queue_acknowledge (debt.queue, debt.position);
  settle_in_model (&debt, kind == 0);
  if (debt.player != NULL && debt.player->on != NULL && debt.player->stint == debt.stint)
    debt.player->n_unacked--;
  queue_unref (debt.queue);
}

static void
step_purge (RandomWorld *world)
{
  ModelQueue *q = any_queue (world);
  guint count = model_queue_count (q, FALSE);

  if (q->queue == NULL)
    return;
  g_assert_cmpuint (queue_purge (q->queue), ==, count);
  for (guint i = q->entries->len; i > 0; i--)
    if (!g_array_index (q->entries, Entry, i - 1).unacked)
      g_array_remove_index (q->entries, i - 1);
}

static void
step_dispatch (RandomWorld *world)
{
  ModelQueue *q = any_queue (world);

  if (q->queue == NULL)
    return;
  queue_dispatch (q->queue);
  g_assert_true (q->line->len == 0 || first_ready (q) == NULL);
}

static Player *
any_player (RandomWorld *world)
{
  return &world->players[throw (world, N_PLAYERS)];
}

static void
step_add_consumer (RandomWorld *world)
{
  Player *player = any_player (world);
  ModelQueue *q = any_queue (world);
  gboolean held;

  if (player->on != NULL || q->queue == NULL)
    return;
  player->consumer.no_ack = throw (world, 3) == 0;
  player->consumer.exclusive = throw (world, 6) == 0;
  player->window = throw (world, 40);
  held = has_player (world, q)
         && (player->consumer.exclusive
             || ((const Consumer *) q->queue->consumers->pdata[0])->exclusive);
  g_assert_cmpint (queue_add_consumer (q->queue, &player->consumer, NULL), ==, !held);
  if (held)
    return;
  player->on = q;
  player->stint++;
  g_ptr_array_add (q->line, player);
}

static void
step_remove_consumer (RandomWorld *world)
{
  Player *player = any_player (world);
  ModelQueue *q = player->on;
  gboolean is_last;
  guint64 n_messages;

  if (q == NULL)
    return;
  is_last = queue_remove_consumer (q->queue, &player->consumer);
  leave (player);
  g_assert_cmpint (is_last, ==, q->queue->auto_delete && !has_player (world, q));
  if (!is_last)
    return;
  g_assert_true (vhost_delete_queue (world->vhost, q->queue, FALSE, FALSE, &n_messages, NULL));
  model_delete (world, q);
}

static void
step_available (RandomWorld *world)
{
  Player *player = any_player (world);

  player->window = throw (world, 60);
  if (player->on == NULL)
    return;
  consumer_available (&player->consumer);
  if (!g_ptr_array_find (player->on->line, player, NULL))
    g_ptr_array_add (player->on->line, player);
}

static gboolean
find_wire (const RandomWorld *world, const Wire *wire, guint *ret_index)
{
  for (guint i = 0; i < world->wires->len; i++)
    {
      const Wire *other = &g_array_index (world->wires, Wire, i);

      *ret_index = i;
      if (strcmp (exchange_names[other->exchange], exchange_names[wire->exchange]) == 0
          && other->queue == wire->queue && other->key == wire->key)
        return TRUE;
    }
  return FALSE;
}

static Wire
any_wire (RandomWorld *world)
{
  Wire wire = { .exchange = 1 + throw (world, N_EXCHANGES - 1) };

  wire.queue = throw (world, N_QUEUES);
  wire.key = throw (world, G_N_ELEMENTS (binding_keys));
  return wire;
}

static void
step_bind (RandomWorld *world)
{
  Wire wire = any_wire (world);
  Queue *queue = world->queues[wire.queue].queue;
  guint index;

  if (queue == NULL)
    return;
  g_assert_cmpint (vhost_bind_queue (world->vhost, queue,
                                     slice_of_text (exchange_names[wire.exchange]),
                                     slice_of_text (binding_keys[wire.key]), (Slice){ 0 }, NULL),
                   ==, exchange_exists (world, wire.exchange));
  if (exchange_exists (world, wire.exchange) && !find_wire (world, &wire, &index))
    g_array_append_val (world->wires, wire);
}

static void
step_unbind (RandomWorld *world)
{
  Wire wire = any_wire (world);
  Queue *queue = world->queues[wire.queue].queue;
  guint index;

  if (queue == NULL)
    return;
  vhost_unbind_queue (world->vhost, queue, slice_of_text (exchange_names[wire.exchange]),
                      slice_of_text (binding_keys[wire.key]), (Slice){ 0 }, NULL);
  if (!find_wire (world, &wire, &index))
    return;
  g_array_remove_index (world->wires, index);
  auto_exchange_may_go (world, wire.exchange);
}

static void
step_declare_exchange (RandomWorld *world)
{
  ExchangeDeclaration declaration = {
    .name = slice_of_text (AUTO_EXCHANGE_NAME),
    .type = slice_of_text ("topic"),
    .auto_delete = TRUE,
  };

  g_assert_nonnull (vhost_declare_exchange (world->vhost, &declaration, NULL));
  world->auto_exchange_exists = TRUE;
}

static void
step_delete_exchange (RandomWorld *world)
{
  g_assert_true (
      vhost_delete_exchange (world->vhost, slice_of_text (AUTO_EXCHANGE_NAME), FALSE, NULL));
  world->auto_exchange_exists = FALSE;
  for (guint i = world->wires->len; i > 0; i--)
    if (g_array_index (world->wires, Wire, i - 1).exchange == AUTO_EXCHANGE)
      g_array_remove_index (world->wires, i - 1);
}

static void
step_connection_gone (RandomWorld *world)
{
  ConnectionId connection = { 1, 1 + throw (world, 2) };
  gboolean goes[N_QUEUES];

  for (guint i = 0; i < N_QUEUES; i++)
    goes[i] = world->queues[i].queue != NULL && world->queues[i].queue->exclusive
              && connection_id_equal (world->queues[i].queue->owner, connection);
  broker_connection_gone (world->broker, connection);
  for (guint i = 0; i < N_QUEUES; i++)
    if (goes[i])
      model_delete (world, &world->queues[i]);
}

static void
step_capture (RandomWorld *world)
{
  ModelQueue *q = any_queue (world);

  g_clear_pointer (&world->capture, queue_segments_free);
  if (q->queue != NULL)
    world->capture = queue_segments_capture (q->queue->segments);
}

static void
step_reap (RandomWorld *world)
{
  broker_reap (world->broker);
}

void
random_world_step (RandomWorld *world)
{
  static const struct
  {
    void (*take) (RandomWorld *world);
    guint weight;
  } steps[] = {
    { step_publish, 300 },        { step_get, 150 },           { step_settle, 290 },
    { step_dispatch, 100 },       { step_available, 80 },      { step_add_consumer, 20 },
    { step_remove_consumer, 10 }, { step_bind, 40 },           { step_unbind, 30 },
    { step_declare_queue, 30 },   { step_delete_queue, 1 },    { step_declare_exchange, 6 },
    { step_delete_exchange, 1 },  { step_connection_gone, 1 }, { step_purge, 2 },
    { step_capture, 10 },         { step_reap, 10 },
  };
  guint total = 0, thrown;

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    total += steps[i].weight;
  thrown = throw (world, total);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      if (thrown < steps[i].weight)
        {
          steps[i].take (world);
          break;
        }
      thrown -= steps[i].weight;
    }
  note (world, broker_digest (world->broker));
}
