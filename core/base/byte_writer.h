/* SPDX-License-Identifier: MIT */
/* A growing block of bytes, written big-endian. The counterpart of ByteReader. */
#pragma once

#include "core/base/slice.h"

typedef struct ByteWriter
{
  Buffer *buffer; /* its size is the room, not what was written; NULL until the first byte */
  gsize length;
} ByteWriter;

static inline ByteWriter
byte_writer_init (void)
{
  return (ByteWriter){ 0 };
}

/* Frees what was written. */
void byte_writer_clear (ByteWriter *writer);
/* The written bytes as a Buffer of just that size, yours; the writer is empty again. */
Buffer *byte_writer_finish (ByteWriter *writer);
/* Room for `count` more bytes, already counted as written; the caller fills it. */
guint8 *byte_writer_extend (ByteWriter *writer, gsize count);

void byte_writer_u8 (ByteWriter *writer, guint8 value);
void byte_writer_u16 (ByteWriter *writer, guint16 value);
void byte_writer_u32 (ByteWriter *writer, guint32 value);
void byte_writer_u64 (ByteWriter *writer, guint64 value);
void byte_writer_bytes (ByteWriter *writer, const void *bytes, gsize length);
void byte_writer_slice (ByteWriter *writer, Slice slice);
/* At most 255 bytes: longer ones are a mistake of ours. */
void byte_writer_short_string (ByteWriter *writer, Slice slice);
void byte_writer_long_string (ByteWriter *writer, Slice slice);
/* Overwrites four bytes written before: a size that is known only afterwards. */
void byte_writer_patch_u32 (ByteWriter *writer, gsize offset, guint32 value);
void byte_writer_patch_u64 (ByteWriter *writer, gsize offset, guint64 value);

/* What was written so far; valid until the next write. */
static inline Slice
byte_writer_peek (const ByteWriter *writer)
{
  return writer->buffer == NULL ? (Slice){ 0 }
                                : slice_new (writer->buffer->bytes, writer->length, writer->buffer);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ByteWriter, byte_writer_clear)
