/* SPDX-License-Identifier: MIT */
#include "core/base/byte_writer.h"

#define FIRST_ROOM 256

void
byte_writer_clear (ByteWriter *writer)
{
  g_clear_pointer (&writer->buffer, buffer_unref);
  writer->length = 0;
}

Buffer *
byte_writer_finish (ByteWriter *writer)
{
  Buffer *buffer = g_steal_pointer (&writer->buffer);
  gsize length = writer->length;

  writer->length = 0;
  if (buffer == NULL)
    return buffer_new (0);
  g_assert (buffer->ref_count == 1);
  buffer = g_realloc (buffer, sizeof (Buffer) + length);
  buffer->size = length;
  return buffer;
}

guint8 *
byte_writer_extend (ByteWriter *writer, gsize count)
{
  gsize needed = writer->length + count;
  guint8 *start;

  if (writer->buffer == NULL)
    {
      writer->buffer = buffer_new (MAX (needed, FIRST_ROOM));
    }
  else if (needed > writer->buffer->size)
    {
      gsize room = MAX (needed, writer->buffer->size * 2);

      g_assert (writer->buffer->ref_count == 1);
      writer->buffer = g_realloc (writer->buffer, sizeof (Buffer) + room);
      writer->buffer->size = room;
    }
  start = writer->buffer->bytes + writer->length;
  writer->length = needed;
  return start;
}

static void
store_u32 (guint8 *to, guint32 value)
{
  to[0] = (guint8) (value >> 24);
  to[1] = (guint8) (value >> 16);
  to[2] = (guint8) (value >> 8);
  to[3] = (guint8) value;
}

void
byte_writer_u8 (ByteWriter *writer, guint8 value)
{
  *byte_writer_extend (writer, 1) = value;
}

void
byte_writer_u16 (ByteWriter *writer, guint16 value)
{
  guint8 *to = byte_writer_extend (writer, 2);

  to[0] = (guint8) (value >> 8);
  to[1] = (guint8) value;
}

void
byte_writer_u32 (ByteWriter *writer, guint32 value)
{
  store_u32 (byte_writer_extend (writer, 4), value);
}

void
byte_writer_u64 (ByteWriter *writer, guint64 value)
{
  guint8 *to = byte_writer_extend (writer, 8);

  store_u32 (to, (guint32) (value >> 32));
  store_u32 (to + 4, (guint32) value);
}

void
byte_writer_bytes (ByteWriter *writer, const void *bytes, gsize length)
{
  if (length > 0)
    memcpy (byte_writer_extend (writer, length), bytes, length);
}

void
byte_writer_slice (ByteWriter *writer, Slice slice)
{
  byte_writer_bytes (writer, slice.bytes, slice.length);
}

void
byte_writer_short_string (ByteWriter *writer, Slice slice)
{
  g_assert (slice.length <= G_MAXUINT8);
  byte_writer_u8 (writer, (guint8) slice.length);
  byte_writer_slice (writer, slice);
}

void
byte_writer_long_string (ByteWriter *writer, Slice slice)
{
  g_assert (slice.length <= G_MAXUINT32);
  byte_writer_u32 (writer, (guint32) slice.length);
  byte_writer_slice (writer, slice);
}

void
byte_writer_patch_u32 (ByteWriter *writer, gsize offset, guint32 value)
{
  g_assert (offset + 4 <= writer->length);
  store_u32 (writer->buffer->bytes + offset, value);
}

void
byte_writer_patch_u64 (ByteWriter *writer, gsize offset, guint64 value)
{
  byte_writer_patch_u32 (writer, offset, (guint32) (value >> 32));
  byte_writer_patch_u32 (writer, offset + 4, (guint32) value);
}
