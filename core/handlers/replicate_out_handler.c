/* SPDX-License-Identifier: MIT */
/* ReplicateOutHandler: takes the frame out of local processing. It goes into the outgoing
 * envelope with its session's id, and has no effect, here or anywhere, until the group delivers
 * it ("a node that sends a message cannot take actions associated with that message until it is
 * self-delivered", the note). */
#include "core/cluster/multicast_outbox.h"
#include "core/handlers/handlers.h"
#include "core/session/client_edge.h"

static void
replicate_out_handle (FrameHandler *handler, SessionFrame *frame)
{
  multicast_outbox_frame (handler->context, frame->session_id, frame->client->version,
                          &frame->frame);
}

const FrameHandlerType replicate_out_handler_type = {
  .name = "ReplicateOutHandler",
  .handle = replicate_out_handle,
};
