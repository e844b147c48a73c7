/* SPDX-License-Identifier: MIT */
#include "core/session/frame_handler.h"

void
frame_handler_trace (const FrameHandler *handler, const SessionFrame *frame)
{
  char id[ID_TEXT_SIZE] = "-";

  if (!session_id_is_none (frame->session_id))
    session_id_to_text (frame->session_id, id);
  trace_write (handler->trace, handler->member,
               "handler %s session=%s position=%" G_GUINT64_FORMAT " %s", handler->type->name, id,
               frame->position,
               frame->method != NULL ? method_name (frame->method->id)
                                     : frame_type_name (frame->frame.type));
}
