/* SPDX-License-Identifier: MIT */
/* Consumes some of the queues on one channel, and settles what comes in every way there is. */
#include "sim/workload.h"
#include "core/base/error.h"

typedef enum ConsumerStage
{
  CONSUMER_AWAY,
  CONSUMER_OPENING,
  CONSUMER_READY,
  CONSUMER_CLOSING
} ConsumerStage;

typedef enum Subscription
{
  SUBSCRIPTION_NONE,
  SUBSCRIPTION_ASKED,
  SUBSCRIPTION_HELD,
  SUBSCRIPTION_CANCELLING
} Subscription;

typedef struct Consumer
{
  ConsumerStage stage;
  guint32 queues; /* that it consumes: a bit for each of workload_queues */
  Subscription subscriptions[DELIVERY_QUEUES_MAX];
  guint consumers[DELIVERY_QUEUES_MAX]; /* number on the tape, by queue */
  ChannelTape *tape;                    /* NULL: no channel */
  gboolean recovering;                  /* what comes is given back, until the answer */
  gboolean asking;                      /* for an answer, to know what was heard */
  int getting;                          /* the queue of a basic.get under way; -1: none */
  guint provoked;
} Consumer;

static gboolean
is_kept (guint queue)
{
  return workload_queues[queue].kept;
}

static void
begin_closing (Consumer *self)
{
  self->stage = CONSUMER_CLOSING;
  channel_tape_closing (self->tape);
}

static void
channel_over (SimClient *client)
{
  Consumer *self = client->role_data;

  if (self->tape != NULL)
    channel_tape_over (self->tape);
  self->tape = NULL;
  self->stage = CONSUMER_AWAY;
  memset (self->subscriptions, 0, sizeof self->subscriptions);
  self->asking = FALSE;
  self->recovering = FALSE;
  self->getting = -1;
  self->provoked = 0;
}

/* What went before is heard, and safe, when a durable declaration is answered: that answer waits
 * for a majority (most others do not). */
static void
ask (SimClient *client)
{
  Consumer *self = client->role_data;
  Method qos = { .id = METHOD_BASIC_QOS };
  Method declare = { .id = METHOD_EXCHANGE_DECLARE };

  qos.basic_qos.prefetch_count = (guint16) (1 + sim_stream_below (&client->random, 30));
  self->asking = TRUE;
  channel_tape_asks (self->tape);
  channel_tape_qos (self->tape, qos.basic_qos.prefetch_count);
  sim_client_send (client, 1, &qos);
  declare.exchange_declare.exchange = slice_of_text ("heard");
  declare.exchange_declare.type = slice_of_text ("fanout");
  declare.exchange_declare.durable = TRUE;
  sim_client_send (client, 1, &declare);
}

/* For the whole channel, besides those of its consumers. */
static void
set_channel_window (SimClient *client)
{
  Consumer *self = client->role_data;
  Method qos = { .id = METHOD_BASIC_QOS, .basic_qos.global = TRUE };

  qos.basic_qos.prefetch_count = (guint16) (1 + sim_stream_below (&client->random, 30));
  channel_tape_window (self->tape, qos.basic_qos.prefetch_count);
  sim_client_send (client, 1, &qos);
}

static void
open_channel (SimClient *client)
{
  Consumer *self = client->role_data;

  self->stage = CONSUMER_OPENING;
  self->tape = channel_tape_new (client->world->checker_delivery, client->name,
                                 sim_client_member (client));
  workload_open_channel (client);
  if (!client->world->options->quiet_clients && sim_stream_chance (&client->random, 1, 3))
    set_channel_window (client);
  ask (client);
}

static void
consumer_opened (SimClient *client)
{
  open_channel (client);
}

static void
consumer_lost (SimClient *client)
{
  channel_over (client);
}

/* --- subscribing ---------------------------------------------------------------------------- */

static void
subscribe (SimClient *client, guint queue)
{
  Consumer *self = client->role_data;
  Method consume = { .id = METHOD_BASIC_CONSUME };
  char tag[16];

  self->consumers[queue] = channel_tape_consume (self->tape, queue, !is_kept (queue));
  self->subscriptions[queue] = SUBSCRIPTION_ASKED;
  g_snprintf (tag, sizeof tag, "c%u", self->consumers[queue]);
  consume.basic_consume = (BasicConsume){
    .queue = slice_of_text (workload_queues[queue].name),
    .consumer_tag = slice_of_text (tag),
    .no_ack = !is_kept (queue),
  };
  sim_client_send (client, 1, &consume);
}

static void
cancel (SimClient *client, guint queue)
{
  Consumer *self = client->role_data;
  Method method = { .id = METHOD_BASIC_CANCEL };
  char tag[16];

  self->subscriptions[queue] = SUBSCRIPTION_CANCELLING;
  g_snprintf (tag, sizeof tag, "c%u", self->consumers[queue]);
  method.basic_cancel.consumer_tag = slice_of_text (tag);
  sim_client_send (client, 1, &method);
}

/* The number behind the "c" of a consumer tag. */
static guint
consumer_of_tag (Slice tag)
{
  g_autofree char *text = slice_to_text (tag);
  guint64 number;

  if (text[0] != 'c' || !g_ascii_string_to_unsigned (text + 1, 10, 0, G_MAXINT, &number, NULL))
    return G_MAXUINT;
  return (guint) number;
}

static void
subscription_changed (SimClient *client, Slice tag, Subscription now)
{
  Consumer *self = client->role_data;
  guint consumer = consumer_of_tag (tag);

  for (guint queue = 0; queue < n_workload_queues; queue++)
    if (self->subscriptions[queue] != SUBSCRIPTION_NONE && self->consumers[queue] == consumer)
      self->subscriptions[queue] = now;
  if (now == SUBSCRIPTION_NONE)
    channel_tape_cancelled (self->tape, consumer);
}

/* --- settling -----------------------------------------------------------------------------------
 */

static void
send_settlement (SimClient *client, guint64 tag, gboolean multiple, Settlement how,
                 gboolean by_reject)
{
  Consumer *self = client->role_data;
  gboolean requeue = how == SETTLED_REQUEUED;
  Method method = { .id = METHOD_BASIC_ACK };

  if (how == SETTLED_ACKED)
    method.basic_ack = (BasicAck){ .delivery_tag = tag, .multiple = multiple };
  else if (by_reject && !multiple)
    {
      method.id = METHOD_BASIC_REJECT;
      method.basic_reject = (BasicReject){ .delivery_tag = tag, .requeue = requeue };
    }
  else
    {
      method.id = METHOD_BASIC_NACK;
      method.basic_nack
          = (BasicNack){ .delivery_tag = tag, .multiple = multiple, .requeue = requeue };
    }
  channel_tape_settle (self->tape, tag, multiple, how);
  sim_client_send (client, 1, &method);
}

static void
settle_some (SimClient *client)
{
  Consumer *self = client->role_data;
  guint n_unsettled = channel_tape_unsettled (self->tape);
  gboolean draining = client->world->phase != PHASE_WORK;
  Settlement how = SETTLED_ACKED;
  gboolean multiple;
  guint index;

  if (n_unsettled == 0 || self->recovering || client->habit == HABIT_SETTLES_NOTHING)
    return;
  if (client->habit == HABIT_REQUEUES_ALL)
    {
      send_settlement (client, channel_tape_unsettled_tag (self->tape, n_unsettled - 1), TRUE,
                       SETTLED_REQUEUED, FALSE);
      return;
    }
  index = draining ? n_unsettled - 1 : sim_stream_below (&client->random, n_unsettled);
  multiple = draining || sim_stream_chance (&client->random, 1, 2);
  if (workload_mischief (client, 80))
    how = SETTLED_REQUEUED;
  else if (workload_mischief (client, 40))
    how = SETTLED_DROPPED;
  send_settlement (client, channel_tape_unsettled_tag (self->tape, index), multiple, how,
                   index % 2 == 0);
}

/* --- mischief --------------------------------------------------------------------------------- */

static void
get_one (SimClient *client, guint queue)
{
  Consumer *self = client->role_data;
  Method get = { .id = METHOD_BASIC_GET };

  self->getting = (int) queue;
  get.basic_get.queue = slice_of_text (workload_queues[queue].name);
  get.basic_get.no_ack = !is_kept (queue);
  sim_client_send (client, 1, &get);
}

static void
ack_unknown_tag (SimClient *client)
{
  Consumer *self = client->role_data;
  Method ack = { .id = METHOD_BASIC_ACK, .basic_ack = { .delivery_tag = 1000000000 } };

  self->provoked = REPLY_PRECONDITION_FAILED;
  begin_closing (self);
  sim_client_send (client, 1, &ack);
}

static void
declare_missing_queue (SimClient *client)
{
  Consumer *self = client->role_data;
  Method declare = { .id = METHOD_QUEUE_DECLARE };

  declare.queue_declare.queue = slice_of_text ("sim.missing");
  declare.queue_declare.passive = TRUE;
  self->provoked = REPLY_NOT_FOUND;
  begin_closing (self);
  sim_client_send (client, 1, &declare);
}

static void
close_channel (SimClient *client)
{
  Consumer *self = client->role_data;
  Method close = { .id = METHOD_CHANNEL_CLOSE, .channel_close = { .reply_code = 200 } };

  begin_closing (self);
  sim_client_send (client, 1, &close);
}

/* All comes again. What is on its way until the answer was given back, too. */
static void
recover (SimClient *client)
{
  Consumer *self = client->role_data;
  Method method = { .id = METHOD_BASIC_RECOVER, .basic_recover = { .requeue = TRUE } };

  self->recovering = TRUE;
  sim_client_send (client, 1, &method);
}

static void
do_mischief (SimClient *client)
{
  Consumer *self = client->role_data;
  guint queue = sim_stream_below (&client->random, n_workload_queues);

  if (self->subscriptions[queue] == SUBSCRIPTION_HELD && workload_mischief (client, 20))
    cancel (client, queue);
  else if (self->getting < 0 && workload_mischief (client, 20))
    get_one (client, queue);
  else if (!self->recovering && workload_mischief (client, 5))
    recover (client);
  else if (workload_mischief (client, 5))
    close_channel (client);
  else if (workload_mischief (client, 5))
    ack_unknown_tag (client);
  else if (workload_mischief (client, 5))
    declare_missing_queue (client);
  else if (workload_mischief (client, 5))
    sim_client_tear (client);
  else if (workload_mischief (client, 3))
    sim_client_close (client, FALSE);
}

static void
consumer_timer (SimClient *client)
{
  Consumer *self = client->role_data;

  sim_client_set_timer (client, sim_stream_between (&client->random, 100, 2000));
  if (self->stage == CONSUMER_AWAY && sim_client_is_open (client))
    open_channel (client);
  if (self->stage != CONSUMER_READY || !sim_client_is_open (client))
    return;
  for (guint queue = 0; queue < n_workload_queues; queue++)
    if ((self->queues & 1u << queue) != 0 && self->subscriptions[queue] == SUBSCRIPTION_NONE)
      subscribe (client, queue);
  settle_some (client);
  if (!self->asking && sim_stream_chance (&client->random, 1, 5))
    ask (client);
  do_mischief (client);
}

/* --- hearing ---------------------------------------------------------------------------------- */

static void
message_arrived (SimClient *client, const Method *method, const Content *content)
{
  Consumer *self = client->role_data;
  gint64 now_us = world_now_us (client->world);
  Arrival arrival;

  arrival.number = workload_read (content, &arrival.unaltered);
  if (method->id == METHOD_BASIC_DELIVER)
    {
      arrival.tag = method->basic_deliver.delivery_tag;
      arrival.redelivered = method->basic_deliver.redelivered;
      channel_tape_delivered (self->tape, now_us,
                              consumer_of_tag (method->basic_deliver.consumer_tag), arrival);
    }
  else
    {
      guint queue = (guint) self->getting;

      arrival.tag = method->basic_get_ok.delivery_tag;
      arrival.redelivered = method->basic_get_ok.redelivered;
      self->getting = -1;
      channel_tape_got (self->tape, now_us, queue, !is_kept (queue), arrival);
    }
  client->world->counts.delivered++;
  client->world->counts.redelivered += arrival.redelivered;
}

static void
consumer_method (SimClient *client, guint16 channel, const Method *method, const Content *content)
{
  Consumer *self = client->role_data;

  g_assert (channel == 1);
  if (content != NULL)
    message_arrived (client, method, content);
  else if (method->id == METHOD_EXCHANGE_DECLARE_OK)
    {
      self->asking = FALSE;
      channel_tape_answered (self->tape, world_now_us (client->world));
      if (self->stage == CONSUMER_OPENING)
        self->stage = CONSUMER_READY;
    }
  else if (method->id == METHOD_BASIC_CONSUME_OK)
    subscription_changed (client, method->basic_consume_ok.consumer_tag, SUBSCRIPTION_HELD);
  else if (method->id == METHOD_BASIC_CANCEL_OK)
    subscription_changed (client, method->basic_cancel_ok.consumer_tag, SUBSCRIPTION_NONE);
  else if (method->id == METHOD_BASIC_GET_EMPTY)
    self->getting = -1;
  else if (method->id == METHOD_BASIC_RECOVER_OK)
    {
      channel_tape_settle (self->tape, G_MAXUINT64, TRUE, SETTLED_REQUEUED);
      self->recovering = FALSE;
    }
  else if (method->id == METHOD_CHANNEL_CLOSE)
    {
      workload_channel_closed (client, &method->channel_close, self->provoked);
      channel_over (client);
    }
  else if (method->id == METHOD_CHANNEL_CLOSE_OK)
    channel_over (client);
}

static const ClientRole consumer_role = {
  .name = "consumer",
  .opened = consumer_opened,
  .method = consumer_method,
  .lost = consumer_lost,
  .timer = consumer_timer,
  .free = g_free,
};

/* Each queue has some consumer: with few of them, one has several queues. With enough, two compete
 * for a queue, and each is given messages of two queues on one channel, in one order. */
SimClient *
workload_consumer_new (World *world, guint number, guint index, guint n_consumers)
{
  Consumer *self = g_new0 (Consumer, 1);

  self->getting = -1;
  for (guint queue = 0; queue < n_workload_queues; queue++)
    if (queue % n_consumers == index || index % n_workload_queues == queue
        || (n_consumers >= n_workload_queues && (index + 1) % n_workload_queues == queue))
      self->queues |= 1u << queue;
  return sim_client_new (world, number, &consumer_role, self, 20000 + 100 * number);
}
