/* SPDX-License-Identifier: MIT */
/* ProcessFrameHandler: the end of the incoming chain, where a frame takes effect: on every member,
 * at its place of the order. */
#include "core/handlers/handlers.h"
#include "core/session/methods.h"

/* The ids of basic.publish, for errors that its content brings to light. */
#define CLASS_BASIC    60
#define METHOD_PUBLISH 40

/* A piece of a publish that came in several events. */
static gboolean
process_content (SessionFrame *frame, GError **error)
{
  Session *session = frame->session;
  ContentAssembler *content = &session->content;
  gboolean mandatory = content->mandatory;
  g_autoptr (Message) message = NULL;
  ContentHeader header;
  gboolean in_order;

  session_touch (session);
  if (frame->frame.type == FRAME_HEADER)
    in_order
        = content_header_decode (frame->frame.payload, &header, NULL)
          && content_assembler_header (content, frame->frame.payload, frame->piece_digest, &header);
  else
    in_order = content_assembler_body (content, frame->frame.payload, frame->piece_digest);
  if (!in_order)
    return reply_error (error, REPLY_UNEXPECTED_FRAME, "a %s frame out of order",
                        frame_type_name (frame->frame.type));
  if (!content_assembler_is_whole (content))
    return TRUE;
  message = content_assembler_take (content);
  return methods_basic_published (session, message, mandatory, error);
}

/* A closing channel hears only that the client agrees, or that it wanted to close too. */
static void
process_when_closing (SessionFrame *frame)
{
  Method reply = { .id = METHOD_CHANNEL_CLOSE_OK };

  if (frame->method == NULL)
    return;
  if (frame->method->id == METHOD_CHANNEL_CLOSE)
    session_send (frame->session, &reply);
  if (frame->method->id == METHOD_CHANNEL_CLOSE || frame->method->id == METHOD_CHANNEL_CLOSE_OK)
    session_close (frame->session);
}

static void
process_frame_handle (FrameHandler *handler, SessionFrame *frame)
{
  g_autoptr (GError) error = NULL;
  Session *session = frame->session;
  gboolean is_good;

  (void) handler;
  if (session->state == SESSION_CLOSING)
    {
      process_when_closing (frame);
      return;
    }
  is_good = frame->method != NULL ? methods_apply (session, frame->method, frame->content, &error)
                                  : process_content (frame, &error);
  if (is_good)
    return;
  if (frame->method != NULL)
    session_fail (session, error, method_class_id (PROTOCOL_0_9_1, frame->method->id),
                  method_method_id (PROTOCOL_0_9_1, frame->method->id));
  else
    session_fail (session, error, CLASS_BASIC, METHOD_PUBLISH);
}

const FrameHandlerType process_frame_handler_type = {
  .name = "ProcessFrameHandler",
  .handle = process_frame_handle,
};
