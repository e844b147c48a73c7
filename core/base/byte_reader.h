/* SPDX-License-Identifier: MIT */
/* A cursor over untrusted bytes, big-endian as AMQP is (0-9-1 section 4.2.5).
 *
 * A read past the end returns zero or an empty slice and marks the reader failed; once failed,
 * it stays failed and moves no further. So a decoder reads everything and asks once. */
#pragma once

#include "core/base/slice.h"

typedef struct ByteReader
{
  Slice bytes;
  gsize offset;
  gboolean failed;
} ByteReader;

static inline ByteReader
byte_reader_init (Slice bytes)
{
  return (ByteReader){ .bytes = bytes };
}

static inline gsize
byte_reader_left (const ByteReader *reader)
{
  return reader->bytes.length - reader->offset;
}

/* Every byte was read, and none past the end. */
static inline gboolean
byte_reader_is_complete (const ByteReader *reader)
{
  return !reader->failed && byte_reader_left (reader) == 0;
}

static inline const guint8 *
byte_reader_take (ByteReader *reader, gsize count)
{
  const guint8 *bytes;

  if (reader->failed || count > byte_reader_left (reader))
    {
      reader->failed = TRUE;
      return NULL;
    }
  bytes = reader->bytes.bytes + reader->offset;
  reader->offset += count;
  return bytes;
}

static inline guint8
byte_reader_u8 (ByteReader *reader)
{
  const guint8 *b = byte_reader_take (reader, 1);

  return b == NULL ? 0 : b[0];
}

static inline guint16
byte_reader_u16 (ByteReader *reader)
{
  const guint8 *b = byte_reader_take (reader, 2);

  return b == NULL ? 0 : (guint16) (b[0] << 8 | b[1]);
}

static inline guint32
byte_reader_u32 (ByteReader *reader)
{
  const guint8 *b = byte_reader_take (reader, 4);

  return b == NULL ? 0 : (guint32) b[0] << 24 | (guint32) b[1] << 16 | (guint32) b[2] << 8 | b[3];
}

static inline guint64
byte_reader_u64 (ByteReader *reader)
{
  guint64 high;

  if (byte_reader_left (reader) < 8)
    reader->failed = TRUE;
  high = byte_reader_u32 (reader);
  return high << 32 | byte_reader_u32 (reader);
}

static inline Slice
byte_reader_slice (ByteReader *reader, gsize length)
{
  const guint8 *b = byte_reader_take (reader, length);

  return b == NULL ? (Slice){ 0 } : slice_new (b, length, reader->bytes.owner);
}

/* A length octet and that many bytes. */
static inline Slice
byte_reader_short_string (ByteReader *reader)
{
  return byte_reader_slice (reader, byte_reader_u8 (reader));
}

/* Four length octets and that many bytes. */
static inline Slice
byte_reader_long_string (ByteReader *reader)
{
  return byte_reader_slice (reader, byte_reader_u32 (reader));
}
