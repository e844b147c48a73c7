/* SPDX-License-Identifier: MIT */
/* A stream of bytes, cut into frames without copying them: a frame's payload is a slice of the
 * buffer that was read into. Nothing is allocated for a frame's claimed size before the size was
 * checked.
 *
 *     space = frame_reader_space (&reader, &size); n = read (fd, space, size);
 *     frame_reader_filled (&reader, n);
 *     while ((result = frame_reader_next (&reader, &frame, &error)) == FRAME_READER_FRAME) ...
 */
#pragma once

#include "core/amqp/frame.h"

typedef struct FrameReader
{
  Buffer *buffer;
  gsize start;       /* of what was not cut yet */
  gsize end;         /* of what was filled */
  guint32 frame_max; /* whole frames, head and end octet included */
} FrameReader;

typedef enum FrameReaderResult
{
  FRAME_READER_FRAME, /* *ret_frame is one; its payload borrows the buffer (slice_hold to keep) */
  FRAME_READER_NEEDS_MORE,
  FRAME_READER_ERROR /* REPLY_FRAME_ERROR (501): unknown type, too large, wrong end octet, a
                        heartbeat that is more than one; for ever */
} FrameReaderResult;

void frame_reader_init (FrameReader *reader, guint32 frame_max);
void frame_reader_clear (FrameReader *reader);
/* After tune-ok. Applies from the next frame on. */
void frame_reader_set_frame_max (FrameReader *reader, guint32 frame_max);

/* Where to read into, never less than LIMIT_READ_ROOM bytes; valid until the next call. */
guint8 *frame_reader_space (FrameReader *reader, gsize *ret_size);
void frame_reader_filled (FrameReader *reader, gsize count);
/* The first bytes not cut yet, when at least `count` are there, cut off raw (the protocol
 * header); FALSE: fewer are there. */
gboolean frame_reader_take_raw (FrameReader *reader, gsize count, Slice *ret_bytes);
FrameReaderResult frame_reader_next (FrameReader *reader, Frame *ret_frame, GError **error);
