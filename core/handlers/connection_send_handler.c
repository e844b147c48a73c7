/* SPDX-License-Identifier: MIT */
/* ConnectionSendHandler (the note's "send to the client"): the end of the sending chain, on the
 * session's primary. A client that is gone already is told nothing; its detach is in the order. */
#include "core/handlers/handlers.h"
#include "core/session/client_answers.h"
#include "core/session/session.h"

static void
connection_send_handle (FrameHandler *handler, SessionFrame *frame)
{
  Client *client = frame->session->connection->client;

  if (client == NULL)
    return;
  trace_point (handler->trace, handler->member, "send %s channel=%u",
               method_name (frame->method->id), frame->frame.channel);
  client_answer_frame (client, frame->frame.channel, frame->method, frame->content);
}

const FrameHandlerType connection_send_handler_type = {
  .name = "ConnectionSendHandler",
  .handle = connection_send_handle,
};
