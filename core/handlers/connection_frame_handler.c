/* SPDX-License-Identifier: MIT */
/* ConnectionFrameHandler: "Frame arrives on network" begins here (the note).
 *
 * Between a connection and its sessions. Every frame is decoded completely before any of it can be
 * multicast, so that no other member ever sees bytes that are not AMQP. Channel 0 stays here. The
 * mapping from channel number to session id changes only when channel.open arrives: late frames of
 * a closed channel keep the old id, and die when they are delivered. */
#include "core/handlers/handlers.h"
#include "core/session/client_edge.h"

static gboolean
is_connection_class (MethodId id)
{
  return method_class_id (PROTOCOL_0_9_1, id) == 10;
}

/* The order of a channel's frames, and that they are whole. */
static gboolean
check_content (Client *client, ClientChannel *channel, const SessionFrame *frame, GError **error)
{
  ContentHeader header;

  /* A client that is told to close in the middle of a message leaves it there. */
  if (frame->method != NULL && frame->method->id == METHOD_CHANNEL_CLOSE_OK)
    channel->content = (ContentSequence){ 0 };
  if (frame->method != NULL)
    return content_sequence_method (&channel->content, client->version, frame->method, error);
  if (frame->frame.type == FRAME_BODY)
    return content_sequence_body (&channel->content, frame->frame.payload.length, error);
  return content_header_decode (frame->frame.payload, &header, error)
         && content_sequence_header (&channel->content, &header, error);
}

static void
open_channel (Client *client, ClientChannel *channel, guint16 number)
{
  SessionOpening opening = { 0 };

  client->port->draw_session (client->port->user_data, &opening);
  opening.channel = number;
  channel->session_id = opening.id;
  channel->content = (ContentSequence){ 0 };
  client->port->session_opening (client->port->user_data, client->id, &opening);
}

/* Checks a frame of a channel other than 0, and says whose it is. */
static gboolean
find_session (Client *client, SessionFrame *frame, GError **error)
{
  guint16 number = frame->frame.channel;
  ClientChannel *channel;

  if (client->state != CLIENT_OPENING && client->state != CLIENT_OPEN)
    return reply_error (error, REPLY_CHANNEL_ERROR, "a frame on channel %u before connection.open",
                        number);
  if (number > client->channel_max)
    return reply_error (error, REPLY_CHANNEL_ERROR,
                        "channel %u is above the agreed channel_max, %u", number,
                        client->channel_max);
  if (frame->method != NULL && is_connection_class (frame->method->id))
    return reply_error (error, REPLY_COMMAND_INVALID, "%s on channel %u",
                        method_name (frame->method->id), number);
  channel = client_channel (client, number);
  if (frame->method != NULL && frame->method->id == METHOD_CHANNEL_OPEN)
    open_channel (client, channel, number);
  if (session_id_is_none (channel->session_id))
    return reply_error (error, REPLY_CHANNEL_ERROR, "expected 'channel.open' on channel %u",
                        number);
  frame->session_id = channel->session_id;
  return check_content (client, channel, frame, error);
}

static gboolean
handle_channel_0 (Client *client, const SessionFrame *frame, GError **error)
{
  if (frame->method == NULL)
    return reply_error (error, REPLY_UNEXPECTED_FRAME, "a %s frame on channel 0",
                        frame_type_name (frame->frame.type));
  if (!is_connection_class (frame->method->id))
    return reply_error (error, REPLY_COMMAND_INVALID, "%s on channel 0",
                        method_name (frame->method->id));
  client_handshake (client, frame->method);
  return TRUE;
}

static void
connection_frame_handle (FrameHandler *handler, SessionFrame *frame)
{
  Client *client = frame->client;
  SessionFrame decoded = *frame;
  g_autoptr (GError) error = NULL;
  guint16 class_id = 0, method_id = 0;
  gboolean is_good = TRUE;
  Method method;

  if (frame->frame.type == FRAME_HEARTBEAT || client->state == CLIENT_ENDING)
    return;
  if (client->state == CLIENT_CLOSING && frame->frame.channel != 0)
    return;
  if (frame->frame.type == FRAME_METHOD)
    {
      method_peek_ids (frame->frame.payload, &class_id, &method_id);
      is_good = method_decode (client->version, frame->frame.payload, &method, &error);
      decoded.method = &method;
    }
  if (is_good && frame->frame.channel == 0)
    is_good = handle_channel_0 (client, &decoded, &error);
  else if (is_good)
    {
      is_good = find_session (client, &decoded, &error);
      if (is_good)
        frame_handler_pass (handler, &decoded);
    }
  if (!is_good && client->state < CLIENT_ENDING)
    client_mistake (client, error, class_id, method_id);
}

const FrameHandlerType connection_frame_handler_type = {
  .name = "ConnectionFrameHandler",
  .handle = connection_frame_handle,
};
