/* SPDX-License-Identifier: MIT */
#include "core/amqp/frame_reader.h"

#include "core/base/error.h"
#include "core/base/limits.h"

/* Type, channel and size: what is known of a frame before its payload comes. */
#define HEAD_SIZE 7

void
frame_reader_init (FrameReader *reader, guint32 frame_max)
{
  *reader = (FrameReader){ 0 };
  frame_reader_set_frame_max (reader, frame_max);
}

void
frame_reader_clear (FrameReader *reader)
{
  g_clear_pointer (&reader->buffer, buffer_unref);
  reader->start = reader->end = 0;
}

void
frame_reader_set_frame_max (FrameReader *reader, guint32 frame_max)
{
  g_assert (frame_max > LIMIT_FRAME_OVERHEAD);
  reader->frame_max = frame_max;
}

static ByteReader
uncut (const FrameReader *reader)
{
  if (reader->start == reader->end)
    return byte_reader_init ((Slice){ 0 });
  return byte_reader_init (slice_new (reader->buffer->bytes + reader->start,
                                      reader->end - reader->start, reader->buffer));
}

/* What can be said of the frame under way: reads as much of its head as is there. Every claim is
 * judged as soon as its octets came, before anything is allocated for it. */
static gboolean
check_head (const FrameReader *reader, ByteReader *bytes, Frame *ret_frame, guint32 *ret_size,
            GError **error)
{
  Frame frame = { .type = byte_reader_u8 (bytes) };
  guint32 size;

  if (!bytes->failed && !frame_type_is_known (frame.type))
    return reply_error (error, REPLY_FRAME_ERROR, "frame type %u is unknown", frame.type);
  frame.channel = byte_reader_u16 (bytes);
  size = byte_reader_u32 (bytes);
  if (bytes->failed)
    return TRUE;
  if (size > reader->frame_max - LIMIT_FRAME_OVERHEAD)
    return reply_error (error, REPLY_FRAME_ERROR, "frame with %u bytes of payload, frame-max is %u",
                        size, reader->frame_max);
  /* 0-9-1 section 4.2.7. */
  if (frame.type == FRAME_HEARTBEAT && (frame.channel != 0 || size != 0))
    return reply_error (error, REPLY_FRAME_ERROR, "heartbeat with channel %u and %u bytes",
                        frame.channel, size);
  *ret_frame = frame;
  *ret_size = size;
  return TRUE;
}

/* How long the frame under way is, head and end octet included; 0: not known, or refused. */
static gsize
size_under_way (const FrameReader *reader)
{
  ByteReader bytes = uncut (reader);
  Frame frame;
  guint32 size = 0;

  if (!check_head (reader, &bytes, &frame, &size, NULL) || bytes.failed)
    return 0;
  return (gsize) size + LIMIT_FRAME_OVERHEAD;
}

/* What was not cut yet goes to the beginning of a buffer that nobody else holds. A buffer that was
 * made for one large frame is not kept after it. */
static void
move_tail (FrameReader *reader, gsize room)
{
  gsize tail = reader->end - reader->start;
  Buffer *buffer = reader->buffer;

  if (buffer->ref_count == 1 && buffer->size == room)
    {
      memmove (buffer->bytes, buffer->bytes + reader->start, tail);
    }
  else
    {
      reader->buffer = buffer_new (room);
      memcpy (reader->buffer->bytes, buffer->bytes + reader->start, tail);
      buffer_unref (buffer);
    }
  reader->start = 0;
  reader->end = tail;
}

guint8 *
frame_reader_space (FrameReader *reader, gsize *ret_size)
{
  gsize tail = reader->end - reader->start;
  gsize needed = MAX (size_under_way (reader), tail + LIMIT_READ_ROOM);

  if (reader->buffer == NULL)
    reader->buffer = buffer_new (LIMIT_READ_BUFFER);
  else if (reader->buffer->size - reader->start < needed
           || (tail == 0 && reader->buffer->ref_count == 1))
    move_tail (reader, MAX (needed, LIMIT_READ_BUFFER));
  *ret_size = reader->buffer->size - reader->end;
  return reader->buffer->bytes + reader->end;
}

void
frame_reader_filled (FrameReader *reader, gsize count)
{
  g_assert (reader->buffer != NULL && count <= reader->buffer->size - reader->end);
  reader->end += count;
}

gboolean
frame_reader_take_raw (FrameReader *reader, gsize count, Slice *ret_bytes)
{
  ByteReader bytes = uncut (reader);
  Slice raw = byte_reader_slice (&bytes, count);

  if (bytes.failed)
    return FALSE;
  reader->start += count;
  *ret_bytes = raw;
  return TRUE;
}

FrameReaderResult
frame_reader_next (FrameReader *reader, Frame *ret_frame, GError **error)
{
  ByteReader bytes = uncut (reader);
  Frame frame = { 0 };
  guint32 size = 0;
  guint8 end_octet;

  if (!check_head (reader, &bytes, &frame, &size, error))
    return FRAME_READER_ERROR;
  if (bytes.failed)
    return FRAME_READER_NEEDS_MORE;
  frame.payload = byte_reader_slice (&bytes, size);
  end_octet = byte_reader_u8 (&bytes);
  if (bytes.failed)
    return FRAME_READER_NEEDS_MORE;
  if (end_octet != FRAME_END)
    {
      reply_error (error, REPLY_FRAME_ERROR, "frame ends with octet 0x%02x", end_octet);
      return FRAME_READER_ERROR;
    }
  reader->start += bytes.offset;
  *ret_frame = frame;
  return FRAME_READER_FRAME;
}
