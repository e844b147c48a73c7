/* SPDX-License-Identifier: MIT */
/* Publishes with confirms. What was not confirmed when its channel or connection is lost goes
 * again, under a new number: so a duplicate of it is two messages, each of which comes once. */
#include "sim/client_ears.h"
#include "sim/partitions.h"
#include "sim/workload.h"
#include "core/base/error.h"

#define WINDOW_MAX 20
/* So long a confirm may take: many times what order, lags and links do together. */
#define CONFIRM_US 200000

typedef enum PublisherStage
{
  PUBLISHER_AWAY,
  PUBLISHER_OPENING,
  PUBLISHER_READY,
  PUBLISHER_CLOSING /* the channel, in an orderly way */
} PublisherStage;

/* A message that is not confirmed. */
typedef struct Pending
{
  const Route *route;
  gsize size;
  guint64 tag; /* its place among the publishes of this channel; 0: to be sent (again) */
} Pending;

typedef struct Publisher
{
  PublisherStage stage;
  guint quota; /* still to be made */
  guint window;
  GArray *pending; /* of Pending, in the order in which they were made */
  guint64 last_tag;
  ChannelTape *tape; /* NULL: no channel */
  guint provoked;
  gboolean done;
} Publisher;

/* The channel is gone: what was not confirmed on it is to be sent again. */
static void
channel_over (SimClient *client)
{
  Publisher *self = client->role_data;

  if (self->tape != NULL)
    channel_tape_over (self->tape);
  self->tape = NULL;
  self->stage = PUBLISHER_AWAY;
  self->last_tag = 0;
  self->provoked = 0;
  for (guint i = 0; i < self->pending->len; i++)
    g_array_index (self->pending, Pending, i).tag = 0;
}

static void
open_channel (SimClient *client)
{
  Publisher *self = client->role_data;
  Method select = { .id = METHOD_CONFIRM_SELECT };

  self->stage = PUBLISHER_OPENING;
  self->window = 1 + sim_stream_below (&client->random, WINDOW_MAX);
  self->tape = channel_tape_new (client->world->checker_delivery, client->name,
                                 sim_client_member (client));
  workload_open_channel (client);
  sim_client_send (client, 1, &select);
}

static void
publisher_opened (SimClient *client)
{
  open_channel (client);
}

static void
publisher_lost (SimClient *client)
{
  channel_over (client);
}

/* --- sending ------------------------------------------------------------------------------ */

static void
send_pending (SimClient *client, Pending *pending)
{
  Publisher *self = client->role_data;
  const Route *route = pending->route;
  guint32 number;

  number = channel_tape_publish (self->tape, world_now_us (client->world), route->reaches,
                                 route->mandatory);
  pending->tag = ++self->last_tag;
  client->world->counts.published++;
  workload_publish (client, route, number, pending->size);
}

static guint
n_sent (const Publisher *self)
{
  guint count = 0;

  for (guint i = 0; i < self->pending->len; i++)
    count += g_array_index (self->pending, Pending, i).tag != 0;
  return count;
}

/* Old ones first: they are at the head. */
static void
send_burst (SimClient *client)
{
  Publisher *self = client->role_data;
  guint room = self->window - MIN (self->window, n_sent (self));

  for (guint i = 0; i < self->pending->len && room > 0; i++)
    {
      Pending *pending = &g_array_index (self->pending, Pending, i);

      if (pending->tag != 0)
        continue;
      client->world->counts.resent++;
      send_pending (client, pending);
      room--;
    }
  room = MIN (room, 1 + sim_stream_below (&client->random, 6));
  for (; room > 0 && self->quota > 0 && client->world->phase == PHASE_WORK; room--)
    {
      Pending pending = { .size = workload_draw_size (client) };

      pending.route = &workload_routes[sim_stream_below (&client->random, n_workload_routes)];
      self->quota--;
      g_array_append_val (self->pending, pending);
      send_pending (client, &g_array_index (self->pending, Pending, self->pending->len - 1));
    }
}

/* 404, and what was published behind it is not heard. */
static void
publish_to_missing_exchange (SimClient *client)
{
  static const Route missing = { "sim.missing", "x", 0, FALSE };
  Publisher *self = client->role_data;
  guint32 number = channel_tape_publish (self->tape, world_now_us (client->world), 0, FALSE);

  self->last_tag++;
  self->provoked = REPLY_NOT_FOUND;
  workload_publish (client, &missing, number, 10);
  send_burst (client);
  self->stage = PUBLISHER_CLOSING;
}

static void
close_channel (SimClient *client)
{
  Publisher *self = client->role_data;
  Method close = { .id = METHOD_CHANNEL_CLOSE, .channel_close = { .reply_code = 200 } };

  self->stage = PUBLISHER_CLOSING;
  sim_client_send (client, 1, &close);
}

/* What a publisher does when it is not heard any more. */
static void
look_if_done (SimClient *client)
{
  Publisher *self = client->role_data;
  gboolean ended = self->quota == 0 || client->world->phase > PHASE_WORK;

  if (self->done || !ended || self->pending->len > 0)
    return;
  self->done = TRUE;
  client->world->publishers_left--;
}

static void
publisher_timer (SimClient *client)
{
  Publisher *self = client->role_data;

  sim_client_set_timer (client, sim_stream_between (&client->random, 50, 3000));
  if (self->stage == PUBLISHER_AWAY && sim_client_is_open (client))
    open_channel (client);
  if (self->stage == PUBLISHER_READY && sim_client_is_open (client))
    {
      if (partitions_none_paused (client->world->partitions, CONFIRM_US)
          && sim_client_hears_for_us (client) >= CONFIRM_US)
        channel_tape_look (self->tape, world_now_us (client->world), CONFIRM_US);
      send_burst (client);
      if (workload_mischief (client, 2))
        publish_to_missing_exchange (client);
      else if (workload_mischief (client, 2))
        close_channel (client);
      else if (workload_mischief (client, 2))
        sim_client_tear (client);
      else if (workload_mischief (client, 1))
        sim_client_close (client, FALSE);
    }
  look_if_done (client);
}

/* --- hearing ---------------------------------------------------------------------------------- */

static void
confirmed (SimClient *client, guint64 tag, gboolean multiple, gboolean refused)
{
  Publisher *self = client->role_data;

  channel_tape_confirmed (self->tape, world_now_us (client->world), tag, multiple, refused);
  for (guint i = 0; i < self->pending->len;)
    {
      Pending *pending = &g_array_index (self->pending, Pending, i);
      gboolean meant = multiple ? tag == 0 || pending->tag <= tag : pending->tag == tag;

      if (pending->tag == 0 || !meant)
        i++;
      else if (refused)
        pending->tag = 0;
      else
        {
          client->world->counts.confirmed++;
          g_array_remove_index (self->pending, i);
        }
    }
  look_if_done (client);
}

static void
publisher_method (SimClient *client, guint16 channel, const Method *method, const Content *content)
{
  Publisher *self = client->role_data;
  gboolean unaltered;

  g_assert (channel == 1);
  if (method->id == METHOD_CONFIRM_SELECT_OK)
    self->stage = PUBLISHER_READY;
  else if (method->id == METHOD_BASIC_ACK)
    confirmed (client, method->basic_ack.delivery_tag, method->basic_ack.multiple, FALSE);
  else if (method->id == METHOD_BASIC_NACK)
    confirmed (client, method->basic_nack.delivery_tag, method->basic_nack.multiple, TRUE);
  else if (method->id == METHOD_BASIC_RETURN)
    {
      client->world->counts.returned++;
      channel_tape_returned (self->tape, world_now_us (client->world),
                             workload_read (content, &unaltered));
    }
  else if (method->id == METHOD_CHANNEL_CLOSE)
    {
      workload_channel_closed (client, &method->channel_close, self->provoked);
      channel_over (client);
    }
  else if (method->id == METHOD_CHANNEL_CLOSE_OK)
    channel_over (client);
}

static void
publisher_free (gpointer data)
{
  Publisher *self = data;

  g_array_unref (self->pending);
  g_free (self);
}

static const ClientRole publisher_role = {
  .name = "publisher",
  .opened = publisher_opened,
  .method = publisher_method,
  .lost = publisher_lost,
  .timer = publisher_timer,
  .free = publisher_free,
};

SimClient *
workload_publisher_new (World *world, guint number, guint quota)
{
  Publisher *self = g_new0 (Publisher, 1);
  SimClient *client;

  self->quota = quota;
  self->pending = g_array_new (FALSE, FALSE, sizeof (Pending));
  client = sim_client_new (world, number, &publisher_role, self, 20000 + 100 * number);
  return client;
}
