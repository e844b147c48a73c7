/* SPDX-License-Identifier: MIT */
/* Class channel (0-9-1 section 1.5), and class access of the versions before, which some clients
 * still ask. */
#include "core/session/methods.h"

static gboolean
channel_open (Session *session, GError **error)
{
  g_autofree char *channel_id = NULL;
  Method reply = { .id = METHOD_CHANNEL_OPEN_OK };

  if (session->state != SESSION_OPENING)
    return reply_error (error, REPLY_CHANNEL_ERROR, "second 'channel.open' seen on channel %u",
                        session->channel);
  session->state = SESSION_OPEN;
  channel_id = session_channel_id (session);
  reply.channel_open_ok.channel_id = slice_of_text (channel_id);
  session_send (session, &reply);
  return TRUE;
}

/* Everything that was asked before is answered before (the confirms, too); then the session is
 * gone, and late frames find nobody. */
static gboolean
channel_close (Session *session)
{
  Method reply = { .id = METHOD_CHANNEL_CLOSE_OK };

  session_send_confirms (session);
  session_send (session, &reply);
  session_close (session);
  return TRUE;
}

gboolean
methods_channel (Session *session, const Method *method, GError **error)
{
  Method reply = { .id = METHOD_CHANNEL_FLOW_OK };

  if (method->id == METHOD_CHANNEL_OPEN)
    return channel_open (session, error);
  if (method->id == METHOD_CHANNEL_CLOSE)
    return channel_close (session);
  if (method->id == METHOD_CHANNEL_CLOSE_OK)
    return reply_error (error, REPLY_COMMAND_INVALID, "channel.close-ok without channel.close");
  if (method->id == METHOD_CHANNEL_FLOW_OK)
    return reply_error (error, REPLY_COMMAND_INVALID, "channel.flow-ok without channel.flow");
  /* As RabbitMQ: a client that wants to be given less uses basic.qos. */
  if (!method->channel_flow.active)
    return reply_error (error, REPLY_NOT_IMPLEMENTED, "channel.flow active=false");
  reply.channel_flow_ok.active = TRUE;
  session_send (session, &reply);
  return TRUE;
}

gboolean
methods_access (Session *session, const Method *method, GError **error)
{
  Method reply = { .id = METHOD_ACCESS_REQUEST_OK };

  (void) method;
  (void) error;
  reply.access_request_ok.ticket = 1;
  session_send (session, &reply);
  return TRUE;
}
