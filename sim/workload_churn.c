/* SPDX-License-Identifier: MIT */
/* Declares, uses and deletes queues and exchanges of its own, some of them in vain: the parts of
 * the protocol that the others leave alone. What it publishes is nobody's concern; that it is
 * answered is, and that members agree about all of it. */
#include "sim/workload.h"
#include "core/base/error.h"

typedef struct Churn
{
  gboolean channel_is_open;
  gboolean waiting; /* for an answer */
} Churn;

typedef void (*ChurnStep) (SimClient *client);

static const char *const queue_names[] = { "churn.0", "churn.1", "churn.2" };
static const char *const exchange_names[] = { "churn.x", "churn.y" };
static const char *const exchange_types[] = { "direct", "fanout", "topic" };

static Slice
draw_name (SimClient *client, const char *const *names, guint n_names)
{
  return slice_of_text (names[sim_stream_below (&client->random, n_names)]);
}

static Slice
draw_queue (SimClient *client)
{
  return draw_name (client, queue_names, G_N_ELEMENTS (queue_names));
}

static Slice
draw_exchange (SimClient *client)
{
  return draw_name (client, exchange_names, G_N_ELEMENTS (exchange_names));
}

static gboolean
flip (SimClient *client)
{
  return sim_stream_chance (&client->random, 1, 2);
}

static void
ask (SimClient *client, const Method *method)
{
  Churn *self = client->role_data;

  self->waiting = TRUE;
  sim_client_send (client, 1, method);
}

/* Not always as it was declared before: 406; another connection's exclusive queue: 405. */
static void
declare_queue (SimClient *client)
{
  Method method = { .id = METHOD_QUEUE_DECLARE };

  method.queue_declare.queue = draw_queue (client);
  method.queue_declare.durable = sim_stream_chance (&client->random, 1, 10);
  method.queue_declare.exclusive = sim_stream_chance (&client->random, 1, 10);
  method.queue_declare.auto_delete = sim_stream_chance (&client->random, 1, 10);
  ask (client, &method);
}

static void
declare_named_by_broker (SimClient *client)
{
  Method method = { .id = METHOD_QUEUE_DECLARE };

  method.queue_declare.exclusive = TRUE;
  method.queue_declare.auto_delete = flip (client);
  ask (client, &method);
}

static void
delete_queue (SimClient *client)
{
  Method method = { .id = METHOD_QUEUE_DELETE };

  method.queue_delete.queue = draw_queue (client);
  method.queue_delete.if_empty = sim_stream_chance (&client->random, 1, 4);
  ask (client, &method);
}

static void
purge_queue (SimClient *client)
{
  Method method = { .id = METHOD_QUEUE_PURGE };

  method.queue_purge.queue = draw_queue (client);
  ask (client, &method);
}

static void
bind_queue (SimClient *client)
{
  Method method = { .id = METHOD_QUEUE_BIND };

  method.queue_bind.queue = draw_queue (client);
  method.queue_bind.exchange = flip (client) ? slice_of_text ("sim.topic") : draw_exchange (client);
  method.queue_bind.routing_key = slice_of_text ("a.#");
  ask (client, &method);
}

static void
unbind_queue (SimClient *client)
{
  Method method = { .id = METHOD_QUEUE_UNBIND };

  method.queue_unbind.queue = draw_queue (client);
  method.queue_unbind.exchange = slice_of_text ("sim.topic");
  method.queue_unbind.routing_key = slice_of_text ("a.#");
  ask (client, &method);
}

static void
declare_exchange (SimClient *client)
{
  Method method = { .id = METHOD_EXCHANGE_DECLARE };

  method.exchange_declare.exchange = draw_exchange (client);
  method.exchange_declare.type = draw_name (client, exchange_types, G_N_ELEMENTS (exchange_types));
  ask (client, &method);
}

static void
delete_exchange (SimClient *client)
{
  Method method = { .id = METHOD_EXCHANGE_DELETE };

  method.exchange_delete.exchange = draw_exchange (client);
  method.exchange_delete.if_unused = flip (client);
  ask (client, &method);
}

static void
get_message (SimClient *client)
{
  Method method = { .id = METHOD_BASIC_GET };

  method.basic_get.queue = draw_queue (client);
  method.basic_get.no_ack = flip (client);
  ask (client, &method);
}

static void
consume_queue (SimClient *client)
{
  Method method = { .id = METHOD_BASIC_CONSUME };

  method.basic_consume.queue = draw_queue (client);
  method.basic_consume.no_ack = flip (client);
  method.basic_consume.exclusive = sim_stream_chance (&client->random, 1, 4);
  ask (client, &method);
}

/* It never acknowledges: what is in its windows stays there until it recovers, or the channel ends.
 */
static void
set_window (SimClient *client)
{
  Method method = { .id = METHOD_BASIC_QOS };

  method.basic_qos.global = flip (client);
  method.basic_qos.prefetch_count = (guint16) sim_stream_below (&client->random, 6);
  ask (client, &method);
}

static void
recover (SimClient *client)
{
  Method method = { .id = METHOD_BASIC_RECOVER, .basic_recover.requeue = TRUE };

  ask (client, &method);
}

static void
publish_some (SimClient *client)
{
  static const Route routes[] = {
    { "", "churn.0", 0, FALSE },
    { "", "churn.1", 0, FALSE },
    { "", "churn.2", 0, FALSE },
  };

  for (guint i = 0; i < 5; i++)
    {
      /* Two draws in one call would come in an order that each compiler chooses. */
      gsize size = workload_draw_size (client) % 2000;
      guint route = sim_stream_below (&client->random, G_N_ELEMENTS (routes));

      workload_publish (client, &routes[route], 0, size);
    }
}

static void
reopen_channel (SimClient *client)
{
  Method method = { .id = METHOD_CHANNEL_CLOSE, .channel_close = { .reply_code = 200 } };

  ask (client, &method);
}

static const ChurnStep churn_steps[] = {
  declare_queue,    declare_queue,   declare_queue, declare_named_by_broker,
  delete_queue,     purge_queue,     bind_queue,    unbind_queue,
  declare_exchange, delete_exchange, get_message,   get_message,
  consume_queue,    consume_queue,   set_window,    recover,
  publish_some,     publish_some,    publish_some,  reopen_channel,
};

static void
open_channel (SimClient *client)
{
  Churn *self = client->role_data;

  self->waiting = TRUE;
  workload_open_channel (client);
}

static void
churn_lost (SimClient *client)
{
  Churn *self = client->role_data;

  *self = (Churn){ 0 };
}

static void
churn_timer (SimClient *client)
{
  Churn *self = client->role_data;

  sim_client_set_timer (client, sim_stream_between (&client->random, 200, 4000));
  if (!sim_client_is_open (client) || self->waiting || client->world->phase != PHASE_WORK)
    return;
  if (!self->channel_is_open)
    open_channel (client);
  else if (workload_mischief (client, 5))
    sim_client_tear (client);
  else
    churn_steps[sim_stream_below (&client->random, G_N_ELEMENTS (churn_steps))](client);
}

static void
churn_method (SimClient *client, G_GNUC_UNUSED guint16 channel, const Method *method,
              G_GNUC_UNUSED const Content *content)
{
  Churn *self = client->role_data;
  guint code = method->channel_close.reply_code;

  if (method->id == METHOD_BASIC_DELIVER || method->id == METHOD_BASIC_CANCEL)
    return;
  self->waiting = FALSE;
  self->channel_is_open
      = method->id != METHOD_CHANNEL_CLOSE && method->id != METHOD_CHANNEL_CLOSE_OK;
  if (method->id == METHOD_CHANNEL_CLOSE)
    workload_channel_closed (client, &method->channel_close,
                             code == REPLY_NOT_FOUND || code == REPLY_RESOURCE_LOCKED
                                     || code == REPLY_PRECONDITION_FAILED
                                     || code == REPLY_ACCESS_REFUSED
                                 ? code
                                 : 0);
}

static const ClientRole churn_role = {
  .name = "churn",
  .opened = open_channel,
  .method = churn_method,
  .lost = churn_lost,
  .timer = churn_timer,
  .free = g_free,
};

SimClient *
workload_churn_new (World *world, guint number)
{
  return sim_client_new (world, number, &churn_role, g_new0 (Churn, 1), 20000 + 100 * number);
}
