/* SPDX-License-Identifier: MIT */
/* SafeReplyHandler (ours; the note has none): the gate that holds back what a client may not be
 * told before enough members are known to have what caused it. It decides on output only, never on
 * state. Members do not report their positions yet, so every position counts as released as soon
 * as it is delivered here ("reply-when = self"), and nothing is held. */
#include "core/handlers/handlers.h"

static void
safe_reply_handle (FrameHandler *handler, SessionFrame *frame)
{
  frame_handler_pass (handler, frame);
}

const FrameHandlerType safe_reply_handler_type = {
  .name = "SafeReplyHandler",
  .handle = safe_reply_handle,
};
