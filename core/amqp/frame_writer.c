/* SPDX-License-Identifier: MIT */
#include "core/amqp/frame_writer.h"

#include "core/base/limits.h"

/* What waits is a row of pieces: stretches of a gather buffer, where small things are copied, and
 * payloads that are referenced. Each piece holds its buffer. */
struct FrameWriter
{
  GArray *pieces; /* of Slice; NULL when nothing waits */
  guint first;    /* those before it have left */
  gsize pending;
  Buffer *gather; /* also held by its pieces; NULL until needed */
  gsize gathered;
  ByteWriter scratch; /* one method while it is encoded; its room is kept until all has left */
};

FrameWriter *
frame_writer_new (void)
{
  return g_new0 (FrameWriter, 1);
}

static Slice *
piece_at (FrameWriter *writer, guint i)
{
  return &g_array_index (writer->pieces, Slice, i);
}

/* Idle clients are many: one with nothing to write costs no more than the struct. */
static void
give_back (FrameWriter *writer)
{
  if (writer->pieces != NULL)
    for (guint i = writer->first; i < writer->pieces->len; i++)
      slice_release (piece_at (writer, i));
  g_clear_pointer (&writer->pieces, g_array_unref);
  writer->first = 0;
  writer->pending = 0;
  g_clear_pointer (&writer->gather, buffer_unref);
  writer->gathered = 0;
  byte_writer_clear (&writer->scratch);
}

void
frame_writer_free (FrameWriter *writer)
{
  give_back (writer);
  g_free (writer);
}

/* The piece owns a reference to its buffer from here on. */
static void
take_piece (FrameWriter *writer, Slice piece)
{
  if (writer->pieces == NULL)
    writer->pieces = g_array_new (FALSE, FALSE, sizeof (Slice));
  g_array_append_val (writer->pieces, piece);
  writer->pending += piece.length;
}

/* Into what is left of the gather buffer; the last piece grows if it ends there. */
static void
gather_some (FrameWriter *writer, const guint8 *bytes, gsize length)
{
  guint8 *to = writer->gather->bytes + writer->gathered;
  Slice *last = writer->pieces == NULL || writer->pieces->len == writer->first
                    ? NULL
                    : piece_at (writer, writer->pieces->len - 1);

  memcpy (to, bytes, length);
  writer->gathered += length;
  if (last != NULL && last->bytes + last->length == to)
    {
      last->length += length;
      writer->pending += length;
    }
  else
    {
      take_piece (writer, slice_new (to, length, buffer_ref (writer->gather)));
    }
}

static void
gather (FrameWriter *writer, const guint8 *bytes, gsize length)
{
  while (length > 0)
    {
      gsize some;

      if (writer->gather == NULL || writer->gathered == writer->gather->size)
        {
          g_clear_pointer (&writer->gather, buffer_unref);
          writer->gather = buffer_new (LIMIT_WRITE_BUFFER);
          writer->gathered = 0;
        }
      some = MIN (length, writer->gather->size - writer->gathered);
      gather_some (writer, bytes, some);
      bytes += some;
      length -= some;
    }
}

void
frame_writer_raw (FrameWriter *writer, Slice bytes)
{
  if (bytes.length <= LIMIT_WRITE_COPY || bytes.owner == NULL)
    {
      gather (writer, bytes.bytes, bytes.length);
    }
  else
    {
      buffer_ref (bytes.owner);
      take_piece (writer, bytes);
    }
}

static void
begin_frame (FrameWriter *writer, FrameType type, guint16 channel, gsize size)
{
  const guint8 head[] = {
    (guint8) type,         (guint8) (channel >> 8), (guint8) channel,     (guint8) (size >> 24),
    (guint8) (size >> 16), (guint8) (size >> 8),    (guint8) (size >> 0),
  };

  g_assert (size <= G_MAXUINT32 - LIMIT_FRAME_OVERHEAD);
  gather (writer, head, sizeof head);
}

static void
end_frame (FrameWriter *writer)
{
  const guint8 end = FRAME_END;

  gather (writer, &end, 1);
}

void
frame_writer_method (FrameWriter *writer, ProtocolVersion version, guint16 channel,
                     const Method *method)
{
  Slice payload;

  writer->scratch.length = 0;
  method_encode (version, method, &writer->scratch);
  payload = byte_writer_peek (&writer->scratch);
  begin_frame (writer, FRAME_METHOD, channel, payload.length);
  gather (writer, payload.bytes, payload.length);
  end_frame (writer);
}

/* The next `size` bytes of the bodies; *body is where they begin and *offset how much of that body
 * has been written before. */
static void
write_some_of_bodies (FrameWriter *writer, const Slice **body, gsize *offset, gsize size)
{
  while (size > 0)
    {
      gsize some = MIN (size, (*body)->length - *offset);

      if (some > 0)
        frame_writer_raw (writer, slice_sub (**body, *offset, some));
      size -= some;
      *offset += some;
      if (*offset == (*body)->length)
        {
          (*body)++;
          *offset = 0;
        }
    }
}

/* A header is one frame (0-9-1 section 2.3.5.2): one that is larger than the frame_max of its
 * receiver cannot be cut, and goes as it is. */
void
frame_writer_content (FrameWriter *writer, guint16 channel, Slice header, const Slice *bodies,
                      guint n_bodies, guint32 frame_max)
{
  const Slice *body = bodies;
  gsize offset = 0;
  gsize left = 0;

  g_assert (frame_max > LIMIT_FRAME_OVERHEAD);
  begin_frame (writer, FRAME_HEADER, channel, header.length);
  frame_writer_raw (writer, header);
  end_frame (writer);
  for (guint i = 0; i < n_bodies; i++)
    left += bodies[i].length;
  while (left > 0)
    {
      gsize size = MIN (left, frame_max - LIMIT_FRAME_OVERHEAD);

      begin_frame (writer, FRAME_BODY, channel, size);
      write_some_of_bodies (writer, &body, &offset, size);
      end_frame (writer);
      left -= size;
    }
}

void
frame_writer_heartbeat (FrameWriter *writer)
{
  begin_frame (writer, FRAME_HEARTBEAT, 0, 0);
  end_frame (writer);
}

gsize
frame_writer_pending (const FrameWriter *writer)
{
  return writer->pending;
}

guint
frame_writer_peek (FrameWriter *writer, Slice *slices, guint max)
{
  guint n = writer->pieces == NULL ? 0 : MIN (max, writer->pieces->len - writer->first);

  for (guint i = 0; i < n; i++)
    slices[i] = *piece_at (writer, writer->first + i);
  return n;
}

void
frame_writer_consume (FrameWriter *writer, gsize count)
{
  Slice *piece;

  g_assert (count <= writer->pending);
  if (count == writer->pending)
    {
      give_back (writer);
      return;
    }
  writer->pending -= count;
  while (count >= piece_at (writer, writer->first)->length)
    {
      count -= piece_at (writer, writer->first)->length;
      slice_release (piece_at (writer, writer->first));
      writer->first++;
    }
  piece = piece_at (writer, writer->first);
  *piece = slice_sub (*piece, count, piece->length - count);
  /* Those that have left are removed when they are more than the rest: cheap for each. */
  if (writer->first > writer->pieces->len / 2)
    {
      g_array_remove_range (writer->pieces, 0, writer->first);
      writer->first = 0;
    }
}
