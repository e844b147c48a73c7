/* SPDX-License-Identifier: MIT */
/* One AMQP frame (0-9-1 section 2.3.5): type, channel, and a payload that is a slice of the
 * buffer it was read into. */
#pragma once

#include "core/amqp/protocol.h"
#include "core/base/byte_reader.h"
#include "core/base/byte_writer.h"

typedef struct Frame
{
  guint8 type;
  guint16 channel;
  Slice payload;
} Frame;

/* With its seven bytes of head and its end octet. */
void frame_encode (const Frame *frame, ByteWriter *writer);
/* The next whole frame of bytes that hold nothing but whole frames (an envelope's entry); FALSE:
 * they do not. */
gboolean frame_decode (ByteReader *reader, Frame *ret_frame);
gboolean frame_type_is_known (guint8 type);
/* "METHOD", "HEADER", "BODY", "HEARTBEAT", "?" */
const char *frame_type_name (guint8 type);
