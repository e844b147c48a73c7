/* SPDX-License-Identifier: MIT */
/* Which frame may come next on a channel (0-9-1 section 2.3.5.2): a method with content is
 * followed by its header, and by bodies until the header's size is reached. The edge checks it
 * before anything is multicast, so that what is delivered is in order. */
#pragma once

#include "core/amqp/frame.h"
#include "core/amqp/method.h"
#include "core/amqp/properties.h"

typedef struct ContentSequence
{
  gboolean expects_header;
  guint16 class_id;  /* of the method whose content is under way */
  guint64 body_left; /* bytes of body still to come */
} ContentSequence;

static inline gboolean
content_sequence_is_complete (const ContentSequence *sequence)
{
  return !sequence->expects_header && sequence->body_left == 0;
}

/* REPLY_UNEXPECTED_FRAME (505) if a method may not come now. */
gboolean content_sequence_method (ContentSequence *sequence, ProtocolVersion version,
                                  const Method *method, GError **error);
/* 505 if no header may come now, or for another class; REPLY_SYNTAX_ERROR (502) for a malformed
 * one; 311-like sizes above LIMIT_MESSAGE_SIZE are REPLY_RESOURCE_ERROR (506). */
gboolean content_sequence_header (ContentSequence *sequence, const ContentHeader *header,
                                  GError **error);
/* 505 if no body may come now; REPLY_FRAME_ERROR (501) for more bytes than the header said, and for
 * none. */
gboolean content_sequence_body (ContentSequence *sequence, gsize length, GError **error);
