/* SPDX-License-Identifier: MIT */
/* MulticastFrameHandler: "Frame arrives via multicast" begins here (the note).
 *
 * Finds the session by its cluster-wide id and sets the frame's channel and where its answers go:
 * the sending chain if this member is the session's primary, the recording chain otherwise. A frame
 * whose session is gone, or that does not come from the session's primary, ends here. */
#include "core/handlers/handlers.h"
#include "core/session/session.h"

static void
multicast_frame_handle (FrameHandler *handler, SessionFrame *frame)
{
  Session *session = session_map_lookup_session (handler->context, frame->session_id);

  if (session == NULL || !member_id_equal (session->connection->primary, frame->sender))
    return;
  frame->session = session;
  frame->frame.channel = session->channel;
  frame->send = session->send;
  frame_handler_pass (handler, frame);
}

const FrameHandlerType multicast_frame_handler_type = {
  .name = "MulticastFrameHandler",
  .handle = multicast_frame_handle,
};
