/* SPDX-License-Identifier: MIT */
#include "core/amqp/frame.h"

void
frame_encode (const Frame *frame, ByteWriter *writer)
{
  byte_writer_u8 (writer, frame->type);
  byte_writer_u16 (writer, frame->channel);
  byte_writer_long_string (writer, frame->payload);
  byte_writer_u8 (writer, FRAME_END);
}

gboolean
frame_decode (ByteReader *reader, Frame *ret_frame)
{
  Frame frame;

  frame.type = byte_reader_u8 (reader);
  frame.channel = byte_reader_u16 (reader);
  frame.payload = byte_reader_long_string (reader);
  if (byte_reader_u8 (reader) != FRAME_END || !frame_type_is_known (frame.type))
    return FALSE;
  *ret_frame = frame;
  return TRUE;
}

gboolean
frame_type_is_known (guint8 type)
{
  return type == FRAME_METHOD || type == FRAME_HEADER || type == FRAME_BODY
         || type == FRAME_HEARTBEAT;
}

const char *
frame_type_name (guint8 type)
{
  if (!frame_type_is_known (type))
    return "?";
  switch ((FrameType) type)
    {
    case FRAME_METHOD:
      return "METHOD";
    case FRAME_HEADER:
      return "HEADER";
    case FRAME_BODY:
      return "BODY";
    case FRAME_HEARTBEAT:
      return "HEARTBEAT";
    }
  g_assert_not_reached ();
}
