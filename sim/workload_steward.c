/* SPDX-License-Identifier: MIT */
/* Declares what the others use, before they begin; in the end it watches the queues run empty. */
#include "sim/workload.h"

/* One request after the other, each answered before the next. */
typedef enum StepKind
{
  STEP_EXCHANGE,
  STEP_QUEUE,
  STEP_BIND
} StepKind;

typedef struct Step
{
  StepKind kind;
  const char *name; /* of the exchange or the queue */
  const char *type; /* of the exchange, or the exchange to bind to */
  const char *key;
} Step;

static const Step steps[] = {
  { STEP_EXCHANGE, "sim.direct", "direct", NULL },
  { STEP_EXCHANGE, "sim.topic", "topic", NULL },
  { STEP_EXCHANGE, "sim.fanout", "fanout", NULL },
  { STEP_QUEUE, "kept.direct", NULL, NULL },
  { STEP_QUEUE, "kept.topic", NULL, NULL },
  { STEP_QUEUE, "kept.fanout", NULL, NULL },
  { STEP_QUEUE, "lossy.auto", NULL, NULL },
  { STEP_BIND, "kept.direct", "sim.direct", "d" },
  { STEP_BIND, "kept.topic", "sim.topic", "a.*.c" },
  { STEP_BIND, "kept.topic", "sim.topic", "a.#" },
  { STEP_BIND, "kept.fanout", "sim.topic", "#.z" },
  { STEP_BIND, "kept.fanout", "sim.fanout", "" },
  { STEP_BIND, "lossy.auto", "sim.fanout", "" },
  { STEP_BIND, "lossy.auto", "sim.direct", "l" },
};

typedef struct Steward
{
  gboolean channel_is_open;
  guint next_step;
  gboolean looking; /* a passive declare is under way */
  guint next_queue;
  guint n_ready; /* in the queues looked at in this round */
} Steward;

static void
send_step (SimClient *client, const Step *step)
{
  Method method = { .id = METHOD_EXCHANGE_DECLARE };

  switch (step->kind)
    {
    case STEP_EXCHANGE:
      method.exchange_declare.exchange = slice_of_text (step->name);
      method.exchange_declare.type = slice_of_text (step->type);
      method.exchange_declare.durable = TRUE;
      break;
    case STEP_QUEUE:
      method.id = METHOD_QUEUE_DECLARE;
      method.queue_declare = (QueueDeclare){ .queue = slice_of_text (step->name), .durable = TRUE };
      break;
    case STEP_BIND:
      method.id = METHOD_QUEUE_BIND;
      method.queue_bind = (QueueBind){ .queue = slice_of_text (step->name),
                                       .exchange = slice_of_text (step->type),
                                       .routing_key = slice_of_text (step->key) };
      break;
    }
  sim_client_send (client, 1, &method);
}

static void
look_at_queue (SimClient *client)
{
  Steward *self = client->role_data;
  Method method = { .id = METHOD_QUEUE_DECLARE };

  self->looking = TRUE;
  method.queue_declare.queue = slice_of_text (workload_queues[self->next_queue].name);
  method.queue_declare.passive = TRUE;
  sim_client_send (client, 1, &method);
}

/* Consumers settle what they have within a few milliseconds, or lose it with their connection, and
 * then it is queued again. Longer than this, nothing is to come from empty queues. */
#define EMPTY_US 500000

/* One round found the queues so. They count what is ready, not what consumers have. */
static void
looked_at_all (World *world, gboolean all_empty)
{
  if (!all_empty)
    world->empty_since_us = 0;
  else if (world->empty_since_us == 0)
    world->empty_since_us = world_now_us (world);
  world->drained = all_empty
                   && (checker_delivery_missing (world->checker_delivery) == 0
                       || world_now_us (world) - world->empty_since_us > EMPTY_US);
}

static void
looked_at_queue (SimClient *client, guint n_ready)
{
  Steward *self = client->role_data;

  self->looking = FALSE;
  self->n_ready += n_ready;
  if (++self->next_queue < n_workload_queues)
    {
      look_at_queue (client);
      return;
    }
  looked_at_all (client->world, self->n_ready == 0);
  self->next_queue = 0;
  self->n_ready = 0;
}

static void
steward_opened (SimClient *client)
{
  workload_open_channel (client);
}

static void
steward_lost (SimClient *client)
{
  Steward *self = client->role_data;

  if (self->next_step < G_N_ELEMENTS (steps))
    self->next_step = 0;
  self->channel_is_open = FALSE;
  self->looking = FALSE;
  self->next_queue = 0;
  self->n_ready = 0;
}

static void
steward_method (SimClient *client, G_GNUC_UNUSED guint16 channel, const Method *method,
                G_GNUC_UNUSED const Content *content)
{
  Steward *self = client->role_data;

  if (method->id == METHOD_CHANNEL_CLOSE)
    {
      workload_channel_closed (client, &method->channel_close, 0);
      return;
    }
  self->channel_is_open = TRUE;
  if (self->looking)
    {
      looked_at_queue (client, method->queue_declare_ok.message_count);
      return;
    }
  if (method->id != METHOD_CHANNEL_OPEN_OK)
    self->next_step++;
  if (self->next_step < G_N_ELEMENTS (steps))
    send_step (client, &steps[self->next_step]);
  else if (client->world->phase == PHASE_SETUP)
    world_setup_done (client->world);
}

static void
steward_timer (SimClient *client)
{
  Steward *self = client->role_data;

  sim_client_set_timer (client, 3000);
  if (client->world->phase == PHASE_DRAIN && client->world->publishers_left == 0
      && sim_client_is_open (client) && self->channel_is_open && !self->looking)
    look_at_queue (client);
}

static const ClientRole steward_role = {
  .name = "steward",
  .opened = steward_opened,
  .method = steward_method,
  .lost = steward_lost,
  .timer = steward_timer,
  .free = g_free,
};

SimClient *
workload_steward_new (World *world, guint number)
{
  SimClient *client = sim_client_new (world, number, &steward_role, g_new0 (Steward, 1), 1000);

  sim_client_set_timer (client, 3000);
  return client;
}
