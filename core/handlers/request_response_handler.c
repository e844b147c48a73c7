/* SPDX-License-Identifier: MIT */
/* RequestResponseHandler: the numbering of requests and responses that one dialect of AMQP 0-9
 * has. Sessions of all other versions have none, and their frames pass unchanged; so do those of
 * 0-9 until its dialect is spoken here (protocol_header_decode takes 0-9-1 alone). */
#include "core/handlers/handlers.h"
#include "core/session/session.h"

static void
request_response_handle (FrameHandler *handler, SessionFrame *frame)
{
  g_assert (frame->session->connection->version == PROTOCOL_0_9_1);
  frame_handler_pass (handler, frame);
}

const FrameHandlerType request_response_handler_type = {
  .name = "RequestResponseHandler",
  .handle = request_response_handle,
};
