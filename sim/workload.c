/* SPDX-License-Identifier: MIT */
#include "sim/workload.h"

#define DIRECT (1u << 0)
#define TOPIC  (1u << 1)
#define FANOUT (1u << 2)
#define AUTO   (1u << 3)

const DeliveryQueue workload_queues[] = {
  { "kept.direct", TRUE },
  { "kept.topic", TRUE },
  { "kept.fanout", TRUE },
  { "lossy.auto", FALSE },
};
const guint n_workload_queues = G_N_ELEMENTS (workload_queues);

/* The bindings are workload_steward.c's. */
const Route workload_routes[] = {
  { "", "kept.direct", DIRECT, FALSE },
  { "sim.direct", "d", DIRECT, TRUE },
  { "sim.direct", "l", AUTO, FALSE },
  { "sim.topic", "a.b.c", TOPIC, FALSE },
  { "sim.topic", "a.b.z", TOPIC | FANOUT, FALSE },
  { "sim.topic", "x.z", FANOUT, FALSE },
  { "sim.topic", "x.y", 0, FALSE },
  { "sim.fanout", "any", FANOUT | AUTO, TRUE },
  { "", "nowhere", 0, TRUE },
};
const guint n_workload_routes = G_N_ELEMENTS (workload_routes);

/* --- messages --------------------------------------------------------------------------- */

/* Byte i is number * 31 + i * 7 + i / 256, modulo 256: within each block of 256 that is a part of
 * `steps`, which has the multiples of 7 twice. */
#define BLOCK 256
/* Of 7, modulo 256. */
#define INVERSE 183

static const guint8 *
block_of (guint32 number, gsize block)
{
  static guint8 steps[2 * BLOCK];

  for (guint i = 0; steps[1] == 0 && i < sizeof steps; i++)
    steps[sizeof steps - 1 - i] = (guint8) ((sizeof steps - 1 - i) * 7);
  return &steps[(guint8) ((number * 31 + block) * INVERSE)];
}

void
workload_fill_body (guint32 number, guint8 *bytes, gsize size)
{
  for (gsize at = 0; at < size; at += BLOCK)
    memcpy (bytes + at, block_of (number, at / BLOCK), MIN (size - at, BLOCK));
}

static gboolean
is_body (guint32 number, Slice body)
{
  for (gsize at = 0; at < body.length; at += BLOCK)
    if (memcmp (body.bytes + at, block_of (number, at / BLOCK), MIN (body.length - at, BLOCK)) != 0)
      return FALSE;
  return TRUE;
}

gsize
workload_draw_size (SimClient *client)
{
  guint kind = sim_stream_below (&client->random, 1000);

  if (client->world->options->small_messages)
    return sim_stream_below (&client->random, 200);
  if (kind < 100)
    return 0;
  if (kind < 800)
    return 1 + sim_stream_below (&client->random, 200);
  if (kind < 950)
    return 1 + sim_stream_below (&client->random, 5000);
  if (kind < 997)
    return 1 + sim_stream_below (&client->random, 20000);
  return 1 + sim_stream_below (&client->random, 300000);
}

void
workload_publish (SimClient *client, const Route *route, guint32 number, gsize size)
{
  g_autofree guint8 *body = g_malloc (size);
  char id[40];
  Properties properties = { .flags = PROPERTY_MESSAGE_ID | PROPERTY_DELIVERY_MODE };
  Method method = { .id = METHOD_BASIC_PUBLISH };

  workload_fill_body (number, body, size);
  g_snprintf (id, sizeof id, "%u.%" G_GSIZE_FORMAT, number, size);
  properties.message_id = slice_of_text (id);
  properties.delivery_mode = number % 2 == 0 ? 1 : 2;
  method.basic_publish = (BasicPublish){
    .exchange = slice_of_text (route->exchange),
    .routing_key = slice_of_text (route->key),
    .mandatory = route->mandatory,
  };
  sim_client_send_content (client, 1, &method, &properties, slice_new (body, size, NULL));
}

guint32
workload_read (const Content *content, gboolean *ret_unaltered)
{
  g_autofree char *id = slice_to_text (content->properties.message_id);
  char *dot = id;
  guint32 number = (guint32) g_ascii_strtoull (id, &dot, 10);

  *ret_unaltered = *dot == '.' && g_ascii_strtoull (dot + 1, NULL, 10) == content->body.length
                   && is_body (number, content->body);
  return number;
}

/* --- common to roles ------------------------------------------------------------------------ */

void
workload_open_channel (SimClient *client)
{
  Method open = { .id = METHOD_CHANNEL_OPEN };

  sim_client_send (client, 1, &open);
}

gboolean
workload_mischief (SimClient *client, guint n)
{
  gboolean drawn = sim_stream_chance (&client->random, n, 1000);

  return drawn && client->world->phase == PHASE_WORK && !client->world->options->quiet_clients;
}

void
workload_channel_closed (SimClient *client, const ChannelClose *close, guint provoked)
{
  g_autofree char *text = slice_to_text (close->reply_text);

  client->world->counts.channel_errors++;
  if (close->reply_code == provoked)
    return;
  findings_add (client->world->findings, "no-unprovoked-close",
                "a channel of %s is closed at %" G_GINT64_FORMAT
                "us with %u '%s' (class %u method %u), but what it provoked was %u",
                client->name, world_now_us (client->world), close->reply_code, text,
                close->class_id, close->method_id, provoked);
}

/* --- who there is ------------------------------------------------------------------------------
 */

typedef struct Roles
{
  guint n_publishers;
  guint n_consumers;
  guint n_churn;
} Roles;

/* Two publishers of five unless it is said; of six or more clients one in eight only
 * disturbs, at least one; the rest consume. */
static Roles
roles_of (const SimOptions *options)
{
  Roles roles = { .n_publishers = options->publishers };

  if (options->publishers == SIM_PUBLISHERS_DRAWN)
    roles.n_publishers = MAX (1, options->clients * 2 / 5);
  roles.n_churn = sim_options_churn (options);
  roles.n_consumers = options->clients - roles.n_publishers - roles.n_churn;
  return roles;
}

gboolean
workload_has_client (const SimOptions *options, const char *name)
{
  Roles roles = roles_of (options);

  for (guint i = 0; i <= options->clients; i++)
    {
      const char *role = i < roles.n_publishers                       ? "publisher"
                         : i < roles.n_publishers + roles.n_consumers ? "consumer"
                         : i < options->clients                       ? "churn"
                                                                      : "steward";
      g_autofree char *known = g_strdup_printf ("%s-%u", role, i);

      if (g_str_equal (known, name))
        return TRUE;
    }
  return FALSE;
}

void
workload_populate (World *world)
{
  Roles roles = roles_of (world->options);
  guint messages = world->options->messages;

  for (guint i = 0; i < world->options->clients; i++)
    {
      SimClient *client;

      if (i < roles.n_publishers)
        client = workload_publisher_new (
            world, i, messages / roles.n_publishers + (i < messages % roles.n_publishers));
      else if (i < roles.n_publishers + roles.n_consumers)
        client = workload_consumer_new (world, i, i - roles.n_publishers, roles.n_consumers);
      else
        client = workload_churn_new (world, i);
      g_ptr_array_add (world->clients, client);
    }
  world->publishers_left = roles.n_publishers;
  g_ptr_array_add (world->clients, workload_steward_new (world, world->options->clients));
}
