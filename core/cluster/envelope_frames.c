/* SPDX-License-Identifier: MIT */
/* The frames of one entry: each is decoded, and a publish whose whole content is here becomes one
 * message, which all members of this process share. */
#include "core/cluster/envelope_frames.h"

#include "core/session/content_assembler.h"

/* What was read of a publish so far. */
typedef struct Gathering
{
  ContentAssembler content;
  guint publish; /* its place in the envelope's frames */
} Gathering;

/* What is out of order stays a frame of its own, to be judged where it takes effect. */
static void
gather (Envelope *envelope, Gathering *gathering, gboolean in_order)
{
  if (!in_order)
    content_assembler_clear (&gathering->content);
  else if (content_assembler_is_whole (&gathering->content))
    {
      EntryFrame *publish = &g_array_index (envelope->frames, EntryFrame, gathering->publish);

      publish->content = content_assembler_take (&gathering->content);
      g_array_set_size (envelope->frames, gathering->publish + 1);
    }
}

static gboolean
read_method (Envelope *envelope, ProtocolVersion version, EntryFrame *frame, Gathering *gathering)
{
  Method method;

  if (!method_decode (version, frame->frame.payload, &method, NULL))
    return FALSE;
  frame->method = envelope->methods->len;
  g_array_append_val (envelope->methods, method);
  content_assembler_clear (&gathering->content);
  gathering->publish = envelope->frames->len;
  g_array_append_val (envelope->frames, *frame);
  if (method.id == METHOD_BASIC_PUBLISH)
    content_assembler_publish (&gathering->content, &method.basic_publish);
  return TRUE;
}

static gboolean
read_header (Envelope *envelope, EntryFrame *frame, Gathering *gathering)
{
  Slice payload = frame->frame.payload;
  ContentHeader header;

  if (!content_header_decode (payload, &header, NULL))
    return FALSE;
  frame->digest = message_piece_digest (payload);
  g_array_append_val (envelope->frames, *frame);
  gather (envelope, gathering,
          content_assembler_header (&gathering->content, payload, frame->digest, &header));
  return TRUE;
}

static gboolean
read_frame (Envelope *envelope, ProtocolVersion version, ByteReader *reader, Gathering *gathering)
{
  EntryFrame frame = { .content = NULL };

  if (!frame_decode (reader, &frame.frame))
    return FALSE;
  switch (frame.frame.type)
    {
    case FRAME_METHOD:
      return read_method (envelope, version, &frame, gathering);
    case FRAME_HEADER:
      return read_header (envelope, &frame, gathering);
    case FRAME_BODY:
      frame.digest = message_piece_digest (frame.frame.payload);
      g_array_append_val (envelope->frames, frame);
      gather (envelope, gathering,
              content_assembler_body (&gathering->content, frame.frame.payload, frame.digest));
      return TRUE;
    }
  return FALSE;
}

gboolean
envelope_read_frames (Envelope *envelope, ProtocolVersion version, ByteReader *reader)
{
  Gathering gathering = { .publish = 0 };
  gboolean is_good = TRUE;

  while (is_good && byte_reader_left (reader) > 0)
    is_good = read_frame (envelope, version, reader, &gathering);
  content_assembler_clear (&gathering.content);
  return is_good;
}

void
envelope_clear_frame (gpointer frame)
{
  g_clear_pointer (&((EntryFrame *) frame)->content, message_unref);
}
