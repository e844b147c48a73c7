/* SPDX-License-Identifier: MIT */
/* RecordSessionHandler: keeps what the client has been sent.
 *
 * "Non-primary nodes don't send any frames back to the client, they just record the fact that the
 * primary node would have" (the note). The primary keeps the same record: so all members' session
 * records are equal, and any of them can take up the session. */
#include "core/base/digest.h"
#include "core/handlers/handlers.h"
#include "core/session/session.h"

static void
record_session_handle (FrameHandler *handler, SessionFrame *frame)
{
  SessionRecord *record = &frame->session->record;

  record->frames_sent++;
  record->tape = method_digest (frame->method, record->tape);
  if (frame->content != NULL)
    record->tape = digest_combine (record->tape, frame->content->digest);
  if (frame->method->id == METHOD_BASIC_DELIVER)
    record->delivery_tag_sent = frame->method->basic_deliver.delivery_tag;
  else if (frame->method->id == METHOD_BASIC_GET_OK)
    record->delivery_tag_sent = frame->method->basic_get_ok.delivery_tag;
  frame_handler_pass (handler, frame);
}

const FrameHandlerType record_session_handler_type = {
  .name = "RecordSessionHandler",
  .handle = record_session_handle,
};
