/* SPDX-License-Identifier: MIT */
/* Class connection (0-9-1 section 1.4), which is the edge's own: it is not multicast. Only that a
 * connection opens and ends enters the order. */
#include "config.h"

#include "core/amqp/field_table.h"
#include "core/session/authentication.h"
#include "core/session/client_edge.h"
#include "core/base/limits.h"
#include "core/base/log.h"

/* Only what is true. */
static const char *const capabilities[] = {
  "publisher_confirms",           "basic.nack",       "consumer_cancel_notify",
  "authentication_failure_close", "per_consumer_qos",
};

static void
send_start (Client *client)
{
  g_auto (ByteWriter) capability_table = byte_writer_init ();
  g_auto (ByteWriter) table = byte_writer_init ();
  Method method = { .id = METHOD_CONNECTION_START };

  for (guint i = 0; i < G_N_ELEMENTS (capabilities); i++)
    field_table_put_boolean (&capability_table, capabilities[i], TRUE);
  field_table_put_table (&table, "capabilities", byte_writer_peek (&capability_table));
  field_table_put_text (&table, "product", slice_of_text ("Consort"));
  field_table_put_text (&table, "version", slice_of_text (PACKAGE_VERSION));
  field_table_put_text (&table, "platform", slice_of_text ("C"));
  field_table_put_text (&table, "member", slice_of_text (client->port->member));
  method.connection_start.version_major = 0;
  method.connection_start.version_minor = 9;
  method.connection_start.server_properties = byte_writer_peek (&table);
  method.connection_start.mechanisms = slice_of_text (AUTHENTICATION_MECHANISMS);
  method.connection_start.locales = slice_of_text ("en_US");
  client_send (client, 0, &method);
  client->state = CLIENT_START;
}

void
client_greet (Client *client, Slice protocol_header)
{
  if (protocol_header_decode (protocol_header, &client->version))
    {
      send_start (client);
      return;
    }
  log_info (client->port->member, "client %s: a protocol header that is not ours", client->peer);
  client->n_queued += PROTOCOL_HEADER_SIZE;
  frame_writer_raw (client->writer,
                    slice_new (protocol_header_preferred (), PROTOCOL_HEADER_SIZE, NULL));
  client_finish (client);
}

static void refuse (Client *client, MethodId id, ReplyCode code, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

static void
refuse (Client *client, MethodId id, ReplyCode code, const char *format, ...)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (&error, REPLY_ERROR, (int) code, text);
  client_mistake (client, error, method_class_id (client->version, id),
                  method_method_id (client->version, id));
}

static void
send_tune (Client *client)
{
  Method method = { .id = METHOD_CONNECTION_TUNE };

  method.connection_tune.channel_max = client->port->channel_max;
  method.connection_tune.frame_max = client->port->frame_max;
  method.connection_tune.heartbeat = client->port->heartbeat_seconds;
  client_send (client, 0, &method);
  client->state = CLIENT_TUNE;
}

static gboolean
announces (Slice client_properties, const char *capability)
{
  FieldValue table;
  gboolean there = FALSE;

  return field_table_lookup (client_properties, "capabilities", &table) && table.type == 'F'
         && field_table_lookup_boolean (table.bytes, capability, &there) && there;
}

static void
start_ok (Client *client, const ConnectionStartOk *start_ok)
{
  Slice user, password;
  gboolean is_known
      = authentication_read (start_ok->mechanism, start_ok->response, &user, &password)
        && client->port->user_is_known (client->port->user_data, user, password);

  if (is_known)
    {
      client->user = slice_hold (user);
      client->client_properties = slice_hold (start_ok->client_properties);
      send_tune (client);
      return;
    }
  if (announces (start_ok->client_properties, "authentication_failure_close"))
    {
      refuse (client, METHOD_CONNECTION_START_OK, REPLY_ACCESS_REFUSED,
              "Login was refused using authentication mechanism %.*s.",
              (int) start_ok->mechanism.length, (const char *) start_ok->mechanism.bytes);
      return;
    }
  log_info (client->port->member, "client %s: login refused", client->peer);
  client_finish (client);
}

/* Zero means the other side's value. */
static guint32
agreed (guint32 ours, guint32 theirs)
{
  if (ours == 0 || theirs == 0)
    return MAX (ours, theirs);
  return MIN (ours, theirs);
}

static void
tune_ok (Client *client, const ConnectionTuneOk *tune_ok)
{
  guint32 frame_max = agreed (client->port->frame_max, tune_ok->frame_max);

  if (tune_ok->frame_max > client->port->frame_max)
    refuse (client, METHOD_CONNECTION_TUNE_OK, REPLY_NOT_ALLOWED,
            "negotiated frame_max = %u is higher than the maximum allowed value (%u)",
            tune_ok->frame_max, client->port->frame_max);
  else if (frame_max < LIMIT_FRAME_MIN)
    refuse (client, METHOD_CONNECTION_TUNE_OK, REPLY_NOT_ALLOWED,
            "negotiated frame_max = %u is lower than the minimum allowed value (%u)", frame_max,
            LIMIT_FRAME_MIN);
  else if (tune_ok->channel_max > client->port->channel_max)
    refuse (client, METHOD_CONNECTION_TUNE_OK, REPLY_NOT_ALLOWED,
            "negotiated channel_max = %u is higher than the maximum allowed value (%u)",
            tune_ok->channel_max, client->port->channel_max);
  else
    {
      client->frame_max = frame_max;
      client->channel_max = (guint16) agreed (client->port->channel_max, tune_ok->channel_max);
      client->heartbeat_seconds = tune_ok->heartbeat;
      frame_reader_set_frame_max (&client->reader, frame_max);
      client->state = CLIENT_TUNED;
    }
}

static void
open_connection (Client *client, const ConnectionOpen *open)
{
  const ClientPort *port = client->port;
  const char *why_not = port->why_not_serving (port->user_data);
  ConnectionOpening opening = {
    .version = client->version,
    .vhost = open->virtual_host,
    .user = client->user,
    .peer = slice_of_text (client->peer),
    .channel_max = client->channel_max,
    .frame_max = client->frame_max,
    .heartbeat_seconds = client->heartbeat_seconds,
    .client_properties = client->client_properties,
  };

  if (why_not != NULL)
    {
      refuse (client, METHOD_CONNECTION_OPEN, REPLY_CONNECTION_FORCED, "%s", why_not);
      return;
    }
  client->id = opening.id = port->draw_connection_id (port->user_data);
  client->state = CLIENT_OPENING;
  port->opening (port->user_data, client, &opening);
}

/* What the client asked for is over; nothing of it is in the order before OPENING. */
static void
close_connection (Client *client)
{
  if (client->state < CLIENT_OPENING || client->state == CLIENT_CLOSING)
    {
      client_answer_closed (client);
      return;
    }
  client->state = CLIENT_ENDING;
  client->port->closed (client->port->user_data, client->id);
}

/* Which method each state waits for. */
static gboolean
is_awaited (const Client *client, MethodId id)
{
  switch (client->state)
    {
    case CLIENT_START:
      return id == METHOD_CONNECTION_START_OK;
    case CLIENT_TUNE:
      return id == METHOD_CONNECTION_TUNE_OK;
    case CLIENT_TUNED:
      return id == METHOD_CONNECTION_OPEN;
    case CLIENT_CLOSING:
      return id == METHOD_CONNECTION_CLOSE_OK;
    case CLIENT_OPENING:
    case CLIENT_OPEN:
      return id == METHOD_CONNECTION_UPDATE_SECRET;
    case CLIENT_GREETING:
    case CLIENT_ENDING:
    case CLIENT_FINISHED:
      return FALSE;
    }
  return FALSE;
}

void
client_handshake (Client *client, const Method *method)
{
  if (client->state == CLIENT_ENDING || client->state == CLIENT_FINISHED)
    return;
  if (method->id == METHOD_CONNECTION_CLOSE)
    {
      close_connection (client);
      return;
    }
  if (!is_awaited (client, method->id))
    {
      if (client->state != CLIENT_CLOSING)
        refuse (client, method->id, REPLY_COMMAND_INVALID, "%s is not expected now",
                method_name (method->id));
      return;
    }
  if (method->id == METHOD_CONNECTION_START_OK)
    start_ok (client, &method->connection_start_ok);
  else if (method->id == METHOD_CONNECTION_TUNE_OK)
    tune_ok (client, &method->connection_tune_ok);
  else if (method->id == METHOD_CONNECTION_OPEN)
    open_connection (client, &method->connection_open);
  else if (method->id == METHOD_CONNECTION_CLOSE_OK)
    client_finish (client);
  else
    refuse (client, method->id, REPLY_NOT_IMPLEMENTED, "%s is not implemented",
            method_name (method->id));
}
