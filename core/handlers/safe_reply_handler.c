/* SPDX-License-Identifier: MIT */
/* SafeReplyHandler (ours; the note has none): holds back what a client may not be told before
 * enough members are known to have what caused it. Self-delivery proves nothing about others: a
 * member that tells its client at once, and dies, may take the only copy with it.
 *
 * It stands behind RecordSessionHandler, on the primary only: the record is what every member knows
 * that the client is sent, in the order of events; when it leaves is a local matter and must not
 * become state (doc/decisions/safe-reply-after-record.md). */
#include "core/cluster/cluster.h"
#include "core/handlers/handlers.h"
#include "core/session/client_answers.h"
#include "core/session/session.h"

static void
safe_reply_handle (FrameHandler *handler, SessionFrame *frame)
{
  Client *client = frame->session->connection->client;
  const GatedReply reply = {
    .channel = frame->frame.channel,
    .must_be_safe = frame->must_be_safe,
    .position = frame->position,
    .method = frame->method,
    .content = frame->content,
  };

  if (client == NULL)
    return;
  if (client_gate_passes (client, &reply, cluster_limit (handler->context)))
    {
      frame_handler_pass (handler, frame);
      return;
    }
  trace_reached (handler->trace, handler->member, "reply-held");
  cluster_awaits_release (handler->context);
}

const FrameHandlerType safe_reply_handler_type = {
  .name = "SafeReplyHandler",
  .handle = safe_reply_handle,
};
