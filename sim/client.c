/* SPDX-License-Identifier: MIT */
#include "sim/client.h"
#include "core/amqp/field_table.h"
#include "core/amqp/frame_reader.h"
#include "core/amqp/frame_writer.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "sim/channel_order.h"
#include "sim/client_assembly.h"
#include "sim/client_ears.h"
#include "sim/link.h"
#include "sim/tape_test.h"
#include "sim/member.h"

/* A member that says nothing for so long is given up. */
#define PATIENCE_US  200000
#define CHANNELS_MAX 4
/* Some clients want heartbeats. */
#define HEARTBEAT_US      G_USEC_PER_SEC
#define HEARTBEAT_SECONDS 1

typedef enum Stage
{
  STAGE_AWAY,      /* no link; connect_us tells when it tries again */
  STAGE_HANDSHAKE, /* until connection.open-ok */
  STAGE_OPEN,
  STAGE_CLOSING, /* sent connection.close */
  STAGE_GONE     /* for good */
} Stage;

typedef struct ClientWire
{
  Stage stage;
  gboolean for_good;
  Link *link;
  guint member;
  SimStream random;  /* where it connects, and when */
  gint64 connect_us; /* when it connects, or gives up the handshake; G_MAXINT64: neither */
  gint64 timer_us;
  FrameReader reader;
  FrameWriter *writer;
  ClientAssembly assemblies[CHANNELS_MAX];
  ChannelOrder orders[CHANNELS_MAX];
  Conversation *conversation; /* of this connection; NULL: nobody asks for it */
  gint64 heartbeat_us;        /* when it is to say something; G_MAXINT64: not */
  gint64 heard_us;
} ClientWire;

static void
set_connect_timer (SimClient *client, gint64 delay_us)
{
  ClientWire *wire = client->wire;

  wire->connect_us = world_now_us (client->world) + delay_us;
  clock_at (client->world->clock, wire->connect_us, CLOCK_CLIENT, client->number, NULL);
}

static void
set_heartbeat_timer (SimClient *client)
{
  ClientWire *wire = client->wire;

  wire->heartbeat_us = world_now_us (client->world) + HEARTBEAT_US / 2;
  clock_at (client->world->clock, wire->heartbeat_us, CLOCK_CLIENT, client->number, NULL);
}

void
sim_client_set_timer (SimClient *client, gint64 delay_us)
{
  ClientWire *wire = client->wire;

  wire->timer_us = world_now_us (client->world) + MAX (delay_us, 1);
  clock_at (client->world->clock, wire->timer_us, CLOCK_CLIENT, client->number, NULL);
}

SimClient *
sim_client_new (World *world, guint number, const ClientRole *role, gpointer role_data,
                gint64 delay_us)
{
  SimClient *client = g_new0 (SimClient, 1);
  ClientWire *wire = g_new0 (ClientWire, 1);

  client->world = world;
  client->number = number;
  client->name = g_strdup_printf ("%s-%u", role->name, number);
  client->role = role;
  client->role_data = role_data;
  client->random = world_stream (world, number, SIM_PURPOSE_WORKLOAD);
  client->wire = wire;
  wire->random = world_stream (world, 1000000 + number, SIM_PURPOSE_LINK);
  wire->timer_us = wire->heartbeat_us = G_MAXINT64;
  client->ears = client_ears_new ();
  for (guint i = 0; i < CHANNELS_MAX; i++)
    wire->assemblies[i].body = g_byte_array_new ();
  set_connect_timer (client, delay_us);
  return client;
}

/* Nothing of the connection is left. */
static void
wire_reset (ClientWire *wire)
{
  frame_reader_clear (&wire->reader);
  wire->heartbeat_us = G_MAXINT64;
  g_clear_pointer (&wire->writer, frame_writer_free);
  for (guint i = 0; i < CHANNELS_MAX; i++)
    client_assembly_clear (&wire->assemblies[i]);
  memset (wire->orders, 0, sizeof wire->orders);
}

void
sim_client_free (SimClient *client)
{
  ClientWire *wire = client->wire;

  if (wire->link != NULL)
    link_end_by_client (wire->link, TRUE);
  wire_reset (wire);
  client_ears_free (client->ears);
  for (guint i = 0; i < CHANNELS_MAX; i++)
    g_byte_array_unref (wire->assemblies[i].body);
  client->role->free (client->role_data);
  g_free (wire);
  g_free (client->name);
  g_free (client);
}

/* --- coming and going ------------------------------------------------------------------- */

/* What was sent since the last write goes in one: publishes made together arrive together. */
static void
write_out (SimClient *client)
{
  ClientWire *wire = client->wire;
  Slice slices[64];
  guint n_slices;

  if (wire->link == NULL)
    return;
  while ((n_slices = frame_writer_peek (wire->writer, slices, G_N_ELEMENTS (slices))) > 0)
    {
      gsize count = 0;

      for (guint i = 0; i < n_slices; i++)
        count += slices[i].length;
      link_to_member (wire->link, slices, n_slices);
      frame_writer_consume (wire->writer, count);
    }
}

static void
connect_to_some_member (SimClient *client)
{
  ClientWire *wire = client->wire;
  guint member = sim_stream_below (&wire->random, client->world->members->len);

  wire->member = member;
  wire->link = link_open (client->world, client->number, member);
  if (client->world->tape_test != NULL)
    wire->conversation = tape_test_connect (client->world->tape_test, link_number (wire->link),
                                            client->number, member);
  wire->stage = STAGE_HANDSHAKE;
  wire->writer = frame_writer_new ();
  client->frame_max = LIMIT_FRAME_MIN;
  frame_reader_init (&wire->reader, LIMIT_FRAME_MAX);
  frame_writer_raw (wire->writer, slice_new ("AMQP\0\0\11\1", PROTOCOL_HEADER_SIZE, NULL));
  set_connect_timer (client, PATIENCE_US);
}

static void
disconnected (SimClient *client)
{
  ClientWire *wire = client->wire;
  gboolean was_open = wire->stage == STAGE_OPEN || wire->stage == STAGE_CLOSING;

  wire->link = NULL;
  wire->connect_us = G_MAXINT64;
  wire_reset (wire);
  wire->stage = wire->for_good ? STAGE_GONE : STAGE_AWAY;
  if (was_open)
    client->role->lost (client);
  if (!wire->for_good)
    set_connect_timer (client, sim_stream_between (&wire->random, 500, 10000));
}

static void
hang_up (SimClient *client, gboolean torn)
{
  write_out (client);
  link_end_by_client (client->wire->link, torn);
  disconnected (client);
}

void
sim_client_link_ended (SimClient *client)
{
  disconnected (client);
}

/* Two intervals without a byte: the member is dead. */
static void
beat (SimClient *client)
{
  ClientWire *wire = client->wire;
  gint64 now_us = world_now_us (client->world);

  if (now_us - wire->heard_us > 2 * HEARTBEAT_US)
    {
      client->world->counts.heartbeats_missed++;
      hang_up (client, TRUE);
      return;
    }
  frame_writer_heartbeat (wire->writer);
  set_heartbeat_timer (client);
}

void
sim_client_timer (SimClient *client, gint64 time_us)
{
  ClientWire *wire = client->wire;

  if (time_us == wire->connect_us)
    {
      wire->connect_us = G_MAXINT64;
      if (wire->stage == STAGE_AWAY)
        connect_to_some_member (client);
      else if (wire->stage == STAGE_HANDSHAKE || wire->stage == STAGE_CLOSING)
        hang_up (client, FALSE);
    }
  if (time_us == wire->heartbeat_us)
    beat (client);
  if (time_us == wire->timer_us)
    {
      wire->timer_us = G_MAXINT64;
      client->role->timer (client);
    }
  write_out (client);
}

Link *
sim_client_peek_link (const SimClient *client)
{
  return client->wire->link;
}

gboolean
sim_client_is_open (const SimClient *client)
{
  return client->wire->stage == STAGE_OPEN;
}

guint
sim_client_member (const SimClient *client)
{
  return client->wire->member;
}

gboolean
sim_client_is_closed_for_good (const SimClient *client)
{
  return client->wire->stage == STAGE_GONE;
}

/* The first half of a publish, and nothing more. */
void
sim_client_tear (SimClient *client)
{
  static const guint8 half[] = { FRAME_METHOD, 0, 1, 0, 0, 0, 40, 0, 60, 0, 40, 0, 0 };

  g_assert (client->wire->stage == STAGE_OPEN);
  client->world->counts.cuts++;
  frame_writer_raw (client->wire->writer, slice_new (half, sizeof half, NULL));
  hang_up (client, TRUE);
}

void
sim_client_close (SimClient *client, gboolean for_good)
{
  ClientWire *wire = client->wire;
  Method close = { .id = METHOD_CONNECTION_CLOSE,
                   .connection_close = { .reply_code = 200, .reply_text = slice_of_text ("bye") } };

  wire->for_good = for_good;
  switch (wire->stage)
    {
    case STAGE_AWAY:
      if (!for_good)
        break;
      wire->connect_us = G_MAXINT64;
      wire->stage = STAGE_GONE;
      break;
    case STAGE_HANDSHAKE:
      hang_up (client, FALSE);
      break;
    case STAGE_OPEN:
      sim_client_send (client, 0, &close);
      write_out (client);
      wire->stage = STAGE_CLOSING;
      set_connect_timer (client, PATIENCE_US);
      break;
    case STAGE_CLOSING:
    case STAGE_GONE:
      break;
    }
}

/* --- sending ---------------------------------------------------------------------------------- */

void
sim_client_send (SimClient *client, guint16 channel, const Method *method)
{
  ClientWire *wire = client->wire;

  g_assert (wire->writer != NULL);
  channel_order_sent (&wire->orders[channel], method->id);
  frame_writer_method (wire->writer, PROTOCOL_0_9_1, channel, method);
}

void
sim_client_send_content (SimClient *client, guint16 channel, const Method *method,
                         const Properties *properties, Slice body)
{
  ClientWire *wire = client->wire;
  g_auto (ByteWriter) header = byte_writer_init ();

  content_header_encode (properties, body.length, &header);
  frame_writer_method (wire->writer, PROTOCOL_0_9_1, channel, method);
  frame_writer_content (wire->writer, channel, byte_writer_peek (&header), &body, 1,
                        client->frame_max);
}

/* --- the connection's methods --------------------------------------------------------------------
 */

static void
send_start_ok (SimClient *client)
{
  static const char response[] = "\0guest\0guest";
  g_auto (ByteWriter) properties = byte_writer_init ();
  Method method = { .id = METHOD_CONNECTION_START_OK };

  field_table_put_text (&properties, "product", slice_of_text ("consort-sim"));
  method.connection_start_ok = (ConnectionStartOk){
    .client_properties = byte_writer_peek (&properties),
    .mechanism = slice_of_text ("PLAIN"),
    .response = slice_new (response, sizeof response - 1, NULL),
    .locale = slice_of_text ("en_US"),
  };
  sim_client_send (client, 0, &method);
}

/* Small frames for some, so that messages of a few kilobytes have several bodies. */
static void
send_tune_ok (SimClient *client, const ConnectionTune *tune)
{
  Method tune_ok = { .id = METHOD_CONNECTION_TUNE_OK };
  Method open = { .id = METHOD_CONNECTION_OPEN,
                  .connection_open = { .virtual_host = slice_of_text ("/") } };
  guint32 frame_max = client->number % 2 == 0 ? LIMIT_FRAME_MIN : LIMIT_FRAME_MAX;

  client->frame_max = tune->frame_max == 0 ? frame_max : MIN (frame_max, tune->frame_max);
  tune_ok.connection_tune_ok = (ConnectionTuneOk){
    .channel_max = tune->channel_max == 0 ? 16 : MIN (16, tune->channel_max),
    .frame_max = client->frame_max,
    .heartbeat = client->number % 3 == 1 ? HEARTBEAT_SECONDS : 0,
  };
  sim_client_send (client, 0, &tune_ok);
  frame_reader_set_frame_max (&client->wire->reader, client->frame_max);
  sim_client_send (client, 0, &open);
}

/* 320 says that the member goes, or does not serve now: the client comes to another. */
static void
closed_by_broker (SimClient *client, const ConnectionClose *close)
{
  Method close_ok = { .id = METHOD_CONNECTION_CLOSE_OK };
  g_autofree char *text = slice_to_text (close->reply_text);

  if (client->wire->stage == STAGE_HANDSHAKE)
    probes_reach (&client->world->probes, PROBE_REFUSED_SERVICE);
  if (close->reply_code != REPLY_CONNECTION_FORCED)
    findings_add (client->world->findings, "no-unprovoked-close",
                  "the connection of %s is closed at %" G_GINT64_FORMAT
                  "us with %u '%s' (class %u method %u): it did nothing wrong",
                  client->name, world_now_us (client->world), close->reply_code, text,
                  close->class_id, close->method_id);
  sim_client_send (client, 0, &close_ok);
  hang_up (client, FALSE);
}

static void
connection_method (SimClient *client, const Method *method)
{
  if (method->id == METHOD_CONNECTION_START)
    send_start_ok (client);
  else if (method->id == METHOD_CONNECTION_TUNE)
    send_tune_ok (client, &method->connection_tune);
  else if (method->id == METHOD_CONNECTION_OPEN_OK)
    {
      client->wire->stage = STAGE_OPEN;
      client->wire->connect_us = G_MAXINT64;
      if (client->number % 3 == 1)
        set_heartbeat_timer (client);
      client->role->opened (client);
    }
  else if (method->id == METHOD_CONNECTION_CLOSE)
    closed_by_broker (client, &method->connection_close);
  else if (method->id == METHOD_CONNECTION_CLOSE_OK)
    {
      if (client->world->tape_test != NULL)
        tape_test_closed (client->world->tape_test, link_number (client->wire->link));
      hang_up (client, FALSE);
    }
}

/* --- receiving ----------------------------------------------------------------------------------
 */

static void
not_amqp (SimClient *client, const char *what)
{
  findings_add (client->world->findings, "broker-speaks-amqp",
                "what %s receives at %" G_GINT64_FORMAT "us cannot be understood: %s", client->name,
                world_now_us (client->world), what);
  hang_up (client, TRUE);
}

static gboolean
is_in_order (SimClient *client, guint16 channel, MethodId id)
{
  ChannelStage stage = client->wire->orders[channel].stage;
  gboolean in_order = channel_order_heard (&client->wire->orders[channel], id);

  if (!in_order)
    findings_add (client->world->findings, "channel-is-open",
                  "%s is told %s at %" G_GINT64_FORMAT "us on channel %u, which is %s",
                  client->name, method_name (id), world_now_us (client->world), channel,
                  channel_stage_name (stage));
  return in_order;
}

/* The role hears nothing more once it began to close. */
static void
channel_method (SimClient *client, guint16 channel, const Method *method, Slice header,
                const Content *content)
{
  Method close_ok = { .id = METHOD_CHANNEL_CLOSE_OK };

  conversation_heard (client->wire->conversation, channel, method, header,
                      content == NULL ? NULL : &content->body, world_now_us (client->world));
  if (client->wire->stage != STAGE_OPEN || !is_in_order (client, channel, method->id))
    return;
  if (method->id == METHOD_CHANNEL_CLOSE)
    sim_client_send (client, channel, &close_ok);
  client->role->method (client, channel, method, content);
}

static void
content_complete (SimClient *client, guint16 channel, ClientAssembly *assembly)
{
  Method method;
  ContentHeader header;
  Content content;
  ClientAssembly taken = *assembly;

  assembly->method = assembly->header = (Slice){ 0 };
  assembly->body = g_byte_array_new ();
  assembly->under_way = assembly->has_header = FALSE;
  if (method_decode_from_broker (PROTOCOL_0_9_1, taken.method, &method, NULL)
      && content_header_decode (taken.header, &header, NULL))
    {
      properties_decode (header.properties, &content.properties);
      content.body = slice_new (taken.body->data, taken.body->len, NULL);
      channel_method (client, channel, &method, taken.header, &content);
    }
  slice_release (&taken.method);
  slice_release (&taken.header);
  g_byte_array_unref (taken.body);
}

static gboolean
method_arrived (SimClient *client, const Frame *frame, GError **error)
{
  ClientAssembly *assembly = &client->wire->assemblies[frame->channel];
  Method method;

  if (!method_decode_from_broker (PROTOCOL_0_9_1, frame->payload, &method, error))
    return FALSE;
  if (assembly->under_way)
    return system_error (error, SYSTEM_ERROR_MALFORMED, "a method amid the content of another");
  if (frame->channel == 0)
    connection_method (client, &method);
  else if (method_has_content (method.id))
    {
      assembly->method = slice_hold (frame->payload);
      assembly->under_way = TRUE;
    }
  else
    channel_method (client, frame->channel, &method, (Slice){ 0 }, NULL);
  return TRUE;
}

static gboolean
content_arrived (SimClient *client, const Frame *frame, GError **error)
{
  ClientAssembly *assembly = &client->wire->assemblies[frame->channel];
  ContentHeader header;

  if (!assembly->under_way || assembly->has_header == (frame->type == FRAME_HEADER))
    return system_error (error, SYSTEM_ERROR_MALFORMED, "content in the wrong place");
  if (frame->type == FRAME_HEADER)
    {
      if (!content_header_decode (frame->payload, &header, error))
        return FALSE;
      assembly->header = slice_hold (frame->payload);
      assembly->body_size = header.body_size;
      assembly->has_header = TRUE;
    }
  else
    g_byte_array_append (assembly->body, frame->payload.bytes, (guint) frame->payload.length);
  if (assembly->body->len > assembly->body_size)
    return system_error (error, SYSTEM_ERROR_MALFORMED, "more body than the header says");
  if (assembly->body->len == assembly->body_size)
    content_complete (client, frame->channel, assembly);
  return TRUE;
}

static gboolean
frame_arrived (SimClient *client, const Frame *frame, GError **error)
{
  if (frame->channel >= CHANNELS_MAX)
    return system_error (error, SYSTEM_ERROR_MALFORMED, "a channel that was never opened");
  switch ((FrameType) frame->type)
    {
    case FRAME_METHOD:
      return method_arrived (client, frame, error);
    case FRAME_HEADER:
    case FRAME_BODY:
      return content_arrived (client, frame, error);
    case FRAME_HEARTBEAT:
      return TRUE;
    }
  return system_error (error, SYSTEM_ERROR_MALFORMED, "frame type %u", frame->type);
}

static void
read_frames (SimClient *client, const guint8 *bytes, gsize length)
{
  ClientWire *wire = client->wire;
  const Link *link = wire->link;

  while (length > 0 && wire->link == link)
    {
      g_autoptr (GError) error = NULL;
      FrameReaderResult result;
      gsize room;
      guint8 *space = frame_reader_space (&wire->reader, &room);
      gsize count = MIN (room, length);
      Frame frame;

      memcpy (space, bytes, count);
      frame_reader_filled (&wire->reader, count);
      bytes += count;
      length -= count;
      while ((result = frame_reader_next (&wire->reader, &frame, &error)) == FRAME_READER_FRAME)
        {
          /* The role may hang up, which clears the reader. */
          g_autoptr (Buffer) kept = buffer_ref (wire->reader.buffer);

          if (!frame_arrived (client, &frame, &error))
            {
              not_amqp (client, error->message);
              return;
            }
          if (wire->link != link)
            return;
        }
      if (result == FRAME_READER_ERROR)
        {
          not_amqp (client, error->message);
          return;
        }
    }
}

void
sim_client_arrived (SimClient *client, const guint8 *bytes, gsize length)
{
  World *world = client->world;

  world->counts.client_bytes += length;
  client->wire->heard_us = world_now_us (world);
  fingerprint_add (&world->fingerprint, INGREDIENT_CLIENTS, client->number);
  fingerprint_add (&world->fingerprint, INGREDIENT_CLIENTS, (guint64) world_now_us (world));
  fingerprint_add_bytes (&world->fingerprint, INGREDIENT_CLIENTS, bytes, length);
  read_frames (client, bytes, length);
  write_out (client);
}
