/* SPDX-License-Identifier: MIT */
#include "core/session/client_edge.h"
#include "core/base/limits.h"
#include "core/base/log.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)

Client *
client_new (const ClientPort *port, const char *peer)
{
  Client *client = g_new0 (Client, 1);
  gint64 now = env_now_us (port->env);

  client->port = port;
  client->peer = g_strdup (peer);
  client->version = PROTOCOL_0_9_1;
  client->frame_max = port->frame_max;
  client->channel_max = port->channel_max;
  frame_reader_init (&client->reader, port->frame_max);
  client->writer = frame_writer_new ();
  client->gate = reply_gate_new ();
  client->deadline_us = now + LIMIT_HANDSHAKE_SECONDS * SECOND_US;
  client->last_read_us = client->last_written_us = now;
  return client;
}

void
client_free (Client *client)
{
  frame_reader_clear (&client->reader);
  frame_writer_free (client->writer);
  reply_gate_free (client->gate);
  g_clear_pointer (&client->farewell, buffer_unref);
  slice_release (&client->user);
  slice_release (&client->client_properties);
  g_free (client->channels);
  g_free (client->peer);
  g_free (client);
}

void
client_set_user_data (Client *client, gpointer user_data)
{
  client->user_data = user_data;
}

gpointer
client_get_user_data (const Client *client)
{
  return client->user_data;
}

void
client_touch (Client *client)
{
  client->port->touched (client->port->user_data, client);
}

void
client_finish (Client *client)
{
  client->state = CLIENT_FINISHED;
  client_touch (client);
}

ClientChannel *
client_channel (Client *client, guint16 channel)
{
  if (channel >= client->n_channels)
    {
      guint n = MIN (MAX (channel + 1u, client->n_channels * 2), client->channel_max + 1u);

      g_assert (channel < n);
      client->channels = g_renew (ClientChannel, client->channels, n);
      memset (client->channels + client->n_channels, 0,
              (n - client->n_channels) * sizeof (ClientChannel));
      client->n_channels = n;
    }
  return &client->channels[channel];
}

/* --- bytes in ------------------------------------------------------------------------------- */

guint8 *
client_read_space (Client *client, gsize *ret_size)
{
  guint8 *space = frame_reader_space (&client->reader, ret_size);

  if (fault_site_strikes (client->port->fault_sites, "read-little"))
    *ret_size = 1;
  return space;
}

/* Swallows what cannot be cut into frames any more. */
static void
swallow (Client *client)
{
  Slice bytes;

  frame_reader_take_raw (&client->reader, client->reader.end - client->reader.start, &bytes);
}

static void
frame_error (Client *client, const GError *error)
{
  client->stream_is_broken = TRUE;
  if (client->state < CLIENT_ENDING)
    client_mistake (client, error, 0, 0);
  swallow (client);
}

static void
read_frames (Client *client)
{
  while (client->state != CLIENT_FINISHED)
    {
      g_autoptr (GError) error = NULL;
      SessionFrame frame = { .client = client };

      switch (frame_reader_next (&client->reader, &frame.frame, &error))
        {
        case FRAME_READER_FRAME:
          frame_handler_handle (client->port->receive, &frame);
          break;
        case FRAME_READER_NEEDS_MORE:
          return;
        case FRAME_READER_ERROR:
          frame_error (client, error);
          return;
        }
    }
}

void
client_bytes_read (Client *client, gsize count)
{
  Slice header;

  g_assert (count > 0);
  client->last_read_us = env_now_us (client->port->env);
  frame_reader_filled (&client->reader, count);
  if (client->stream_is_broken || client->state == CLIENT_FINISHED)
    {
      swallow (client);
      return;
    }
  if (client->state == CLIENT_GREETING)
    {
      if (!frame_reader_take_raw (&client->reader, PROTOCOL_HEADER_SIZE, &header))
        return;
      client_greet (client, header);
    }
  read_frames (client);
}

void
client_end_of_file (Client *client)
{
  if (client->state == CLIENT_FINISHED)
    return;
  if (client->state >= CLIENT_OPENING && client->state <= CLIENT_ENDING)
    client->port->lost (client->port->user_data, client->id);
  client_finish (client);
}

gboolean
client_wants_bytes (Client *client)
{
  gboolean wants = client->state != CLIENT_FINISHED
                   && frame_writer_pending (client->writer) < LIMIT_CLIENT_BACKLOG
                   && !client->port->is_full (client->port->user_data);

  client->held = !wants;
  return wants;
}

/* --- mistakes and ends ---------------------------------------------------------------------- */

void
client_mistake (Client *client, const GError *error, guint16 class_id, guint16 method_id)
{
  g_autofree char *text = reply_error_text (error);

  log_info (client->port->member, "client %s: %s", client->peer, text);
  if (client->state >= CLIENT_OPENING)
    {
      client->state = CLIENT_ENDING;
      client->port->failed (client->port->user_data, client->id, error, class_id, method_id);
      return;
    }
  client_send_close (client, (guint16) error->code, text, class_id, method_id);
}

static void
await_close_ok (Client *client)
{
  client->state = CLIENT_CLOSING;
  client->deadline_us = env_now_us (client->port->env) + LIMIT_CLOSE_SECONDS * SECOND_US;
}

void
client_send_close (Client *client, guint16 code, const char *text, guint16 class_id,
                   guint16 method_id)
{
  Method method = { .id = METHOD_CONNECTION_CLOSE };

  method.connection_close.reply_code = code;
  method.connection_close.reply_text = slice_of_text (text);
  method.connection_close.class_id = class_id;
  method.connection_close.method_id = method_id;
  g_clear_pointer (&client->farewell, buffer_unref);
  client_send (client, 0, &method);
  await_close_ok (client);
}

void
client_force_close (Client *client, ReplyCode code, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = NULL;

  g_set_error_literal (&error, REPLY_ERROR, (int) code, text);
  whole = reply_error_text (error);
  if (client->state == CLIENT_GREETING)
    client_finish (client);
  else if (client->state < CLIENT_CLOSING)
    client_send_close (client, code, whole, 0, 0);
}

/* The last word on the connection; it comes after everything that is held. */
static void
say_farewell (Client *client, const Method *method)
{
  client->state = MAX (client->state, CLIENT_ENDING);
  if (!reply_gate_is_empty (client->gate))
    {
      ByteWriter writer = byte_writer_init ();

      method_encode (client->version, method, &writer);
      g_clear_pointer (&client->farewell, buffer_unref);
      client->farewell = byte_writer_finish (&writer);
      return;
    }
  client_send (client, 0, method);
  if (method->id == METHOD_CONNECTION_CLOSE)
    await_close_ok (client);
  else
    client_finish (client);
}

/* --- what the order answers ----------------------------------------------------------------- */

void
client_answer_opened (Client *client)
{
  Method method = { .id = METHOD_CONNECTION_OPEN_OK };

  if (client->state >= CLIENT_CLOSING)
    return;
  if (client->state == CLIENT_OPENING)
    {
      client->state = CLIENT_OPEN;
      client->deadline_us = ENV_NEVER;
    }
  client_send (client, 0, &method);
}

void
client_answer_closed (Client *client)
{
  const Method method = { .id = METHOD_CONNECTION_CLOSE_OK };

  if (client->state != CLIENT_FINISHED)
    say_farewell (client, &method);
}

void
client_answer_failed (Client *client, guint16 code, const char *text, guint16 class_id,
                      guint16 method_id)
{
  Method method = { .id = METHOD_CONNECTION_CLOSE };

  method.connection_close.reply_code = code;
  method.connection_close.reply_text = slice_of_text (text);
  method.connection_close.class_id = class_id;
  method.connection_close.method_id = method_id;
  if (client->state < CLIENT_CLOSING)
    say_farewell (client, &method);
}

/* What was queued last costs so much: it comes back when all up to there has drained. */
static void
mark_used_credit (Client *client, gsize bytes)
{
  client->later_credit += bytes;
  if (client->mark_credit > 0)
    return;
  client->mark_credit = client->later_credit;
  client->later_credit = 0;
  client->mark_offset = client->n_queued;
}

gboolean
client_gate_passes (Client *client, const GatedReply *reply, guint64 limit)
{
  client->last_was_held = !reply_gate_passes (client->gate, reply, limit);
  if (client->last_was_held)
    client->port->gated (client->port->user_data, client);
  return !client->last_was_held;
}

static void
send_released (gpointer user_data, guint16 channel, const Method *method, const Message *content,
               gsize credit)
{
  Client *client = user_data;

  client_answer_frame (client, channel, method, content);
  if (credit > 0)
    mark_used_credit (client, credit);
}

gboolean
client_release (Client *client, guint64 limit)
{
  g_autoptr (Buffer) farewell = NULL;
  Method method;

  reply_gate_release (client->gate, limit, send_released, client);
  if (client->farewell == NULL || !reply_gate_is_empty (client->gate))
    return !reply_gate_is_empty (client->gate);
  farewell = g_steal_pointer (&client->farewell);
  if (!method_decode_from_broker (client->version, slice_of_buffer (farewell), &method, NULL))
    g_assert_not_reached ();
  say_farewell (client, &method);
  return FALSE;
}

/* --- bytes out ------------------------------------------------------------------------------ */

/* Counts what the writer was given. */
static void
queued (Client *client, gsize before)
{
  client->n_queued += frame_writer_pending (client->writer) - before;
  client_touch (client);
}

void
client_send (Client *client, guint16 channel, const Method *method)
{
  gsize before = frame_writer_pending (client->writer);

  frame_writer_method (client->writer, client->version, channel, method);
  queued (client, before);
}

void
client_answer_frame (Client *client, guint16 channel, const Method *method, const Message *content)
{
  gsize before = frame_writer_pending (client->writer);

  if (client->state >= CLIENT_CLOSING)
    return;
  frame_writer_method (client->writer, client->version, channel, method);
  if (content != NULL)
    frame_writer_content (client->writer, channel, content->header, content->bodies,
                          content->n_bodies, client->frame_max);
  queued (client, before);
}

void
client_answer_used_credit (Client *client, gsize bytes)
{
  if (client->last_was_held)
    reply_gate_charge (client->gate, bytes);
  else
    mark_used_credit (client, bytes);
}

/* The mark was passed: what it was worth is due, and the next mark stands at the end of what
 * waits now. A client that waits for credit has used more than is told at a time, so all of it
 * comes back. */
static void
return_credit (Client *client)
{
  while (client->mark_credit > 0 && client->n_written >= client->mark_offset)
    {
      client->due_credit += client->mark_credit;
      client->mark_credit = client->later_credit;
      client->later_credit = 0;
      client->mark_offset = client->n_queued;
    }
  if (client->due_credit < LIMIT_CREDIT_REPORT || client->state != CLIENT_OPEN)
    return;
  client->port->drained (client->port->user_data, client->id,
                         (guint32) MIN (client->due_credit, G_MAXUINT32));
  client->due_credit = 0;
}

guint
client_peek_output (Client *client, Slice *slices, guint max)
{
  gboolean little = fault_site_strikes (client->port->fault_sites, "write-little");
  guint n_slices = frame_writer_peek (client->writer, slices, little ? 1 : max);

  if (little && n_slices > 0)
    slices[0].length = 1;
  return n_slices;
}

void
client_output_written (Client *client, gsize count)
{
  frame_writer_consume (client->writer, count);
  client->n_written += count;
  client->last_written_us = env_now_us (client->port->env);
  return_credit (client);
  if (client->held && frame_writer_pending (client->writer) < LIMIT_CLIENT_BACKLOG / 2)
    client_touch (client);
}

gboolean
client_has_output (const Client *client)
{
  return frame_writer_pending (client->writer) > 0;
}

gboolean
client_is_finished (const Client *client)
{
  return client->state == CLIENT_FINISHED;
}

/* --- time ----------------------------------------------------------------------------------- */

/* A peer is dead after two intervals without a byte (0-9-1 section 4.2.7); one that we do not read
 * is not. We send something twice in an interval. */
static void
tick_heartbeat (Client *client, gint64 now_us)
{
  gint64 interval = client->heartbeat_seconds * SECOND_US;

  if (interval == 0 || client->state < CLIENT_OPENING || client->state > CLIENT_ENDING)
    return;
  if (client->held)
    client->last_read_us = now_us;
  if (now_us - client->last_read_us >= 2 * interval)
    {
      log_warning (client->port->member, "client %s: no heartbeat for %u s", client->peer,
                   2u * client->heartbeat_seconds);
      client_end_of_file (client);
      return;
    }
  if (now_us - client->last_written_us >= interval / 2 && !client_has_output (client))
    {
      gsize before = frame_writer_pending (client->writer);

      frame_writer_heartbeat (client->writer);
      queued (client, before);
    }
}

void
client_tick (Client *client, gint64 now_us)
{
  gboolean has_deadline = client->state < CLIENT_OPENING || client->state == CLIENT_CLOSING;

  if (has_deadline && now_us >= client->deadline_us)
    {
      log_info (client->port->member, "client %s: %s", client->peer,
                client->state == CLIENT_CLOSING ? "no close-ok in time"
                                                : "the handshake took too long");
      frame_writer_consume (client->writer, frame_writer_pending (client->writer));
      client_finish (client);
      return;
    }
  tick_heartbeat (client, now_us);
}
