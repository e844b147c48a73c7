/* SPDX-License-Identifier: MIT */
#include "core/amqp/content_sequence.h"

#include "core/base/error.h"
#include "core/base/limits.h"

gboolean
content_sequence_method (ContentSequence *sequence, ProtocolVersion version, const Method *method,
                         GError **error)
{
  if (!content_sequence_is_complete (sequence))
    return reply_error (error, REPLY_UNEXPECTED_FRAME, "%s where a content %s is due",
                        method_name (method->id), sequence->expects_header ? "header" : "body");
  if (method_has_content (method->id))
    {
      sequence->expects_header = TRUE;
      sequence->class_id = method_class_id (version, method->id);
    }
  return TRUE;
}

gboolean
content_sequence_header (ContentSequence *sequence, const ContentHeader *header, GError **error)
{
  if (!sequence->expects_header)
    return reply_error (error, REPLY_UNEXPECTED_FRAME, "content header where none is due");
  if (header->class_id != sequence->class_id)
    return reply_error (error, REPLY_UNEXPECTED_FRAME,
                        "content header of class %u where one of class %u is due", header->class_id,
                        sequence->class_id);
  if (header->body_size > LIMIT_MESSAGE_SIZE)
    return reply_error (error, REPLY_RESOURCE_ERROR,
                        "body of %" G_GUINT64_FORMAT " bytes, %u are the most", header->body_size,
                        LIMIT_MESSAGE_SIZE);
  sequence->expects_header = FALSE;
  sequence->body_left = header->body_size;
  return TRUE;
}

gboolean
content_sequence_body (ContentSequence *sequence, gsize length, GError **error)
{
  if (sequence->expects_header || sequence->body_left == 0)
    return reply_error (error, REPLY_UNEXPECTED_FRAME, "content body where none is due");
  /* Empty ones would let a client send bodies for ever, and every member keep them. */
  if (length == 0)
    return reply_error (error, REPLY_FRAME_ERROR, "empty content body");
  if (length > sequence->body_left)
    return reply_error (error, REPLY_FRAME_ERROR,
                        "content body of %" G_GSIZE_FORMAT " bytes, %" G_GUINT64_FORMAT " are due",
                        length, sequence->body_left);
  sequence->body_left -= length;
  return TRUE;
}
