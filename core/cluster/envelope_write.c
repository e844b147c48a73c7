/* SPDX-License-Identifier: MIT */
/* Envelopes on their way out: entries as they gather, and the kinds that have none. */
#include "core/base/limits.h"
#include "core/cluster/envelope.h"

#define ENTRY_HEAD_SIZE 5

/* An entry is its type, its length, and so many bytes. */
static gsize
begin_entry (ByteWriter *writer, EntryType type)
{
  gsize offset = writer->length;

  byte_writer_u8 (writer, (guint8) type);
  byte_writer_u32 (writer, 0);
  return offset;
}

static void
end_entry (ByteWriter *writer, gsize offset)
{
  byte_writer_patch_u32 (writer, offset + 1, (guint32) (writer->length - offset - ENTRY_HEAD_SIZE));
}

static void
put_connection_id (ByteWriter *writer, ConnectionId id)
{
  byte_writer_u64 (writer, id.incarnation);
  byte_writer_u64 (writer, id.counter);
}

static void
put_session_id (ByteWriter *writer, SessionId id)
{
  byte_writer_u64 (writer, id.incarnation);
  byte_writer_u64 (writer, id.counter);
}

void
envelope_put_connection_opened (ByteWriter *writer, const ConnectionOpening *opening)
{
  gsize offset = begin_entry (writer, ENTRY_CONNECTION_OPENED);

  put_connection_id (writer, opening->id);
  byte_writer_u8 (writer, (guint8) opening->version);
  byte_writer_short_string (writer, opening->vhost);
  byte_writer_long_string (writer, opening->user);
  byte_writer_short_string (writer, opening->peer);
  byte_writer_u16 (writer, opening->channel_max);
  byte_writer_u32 (writer, opening->frame_max);
  byte_writer_u16 (writer, opening->heartbeat_seconds);
  byte_writer_long_string (writer, opening->client_properties);
  end_entry (writer, offset);
}

static void
put_connection_entry (ByteWriter *writer, EntryType type, ConnectionId id)
{
  gsize offset = begin_entry (writer, type);

  put_connection_id (writer, id);
  end_entry (writer, offset);
}

void
envelope_put_connection_closed (ByteWriter *writer, ConnectionId id)
{
  put_connection_entry (writer, ENTRY_CONNECTION_CLOSED, id);
}

void
envelope_put_connection_lost (ByteWriter *writer, ConnectionId id)
{
  put_connection_entry (writer, ENTRY_CONNECTION_LOST, id);
}

void
envelope_put_connection_failed (ByteWriter *writer, ConnectionId id, const GError *error,
                                guint16 class_id, guint16 method_id)
{
  gsize offset = begin_entry (writer, ENTRY_CONNECTION_FAILED);
  gsize length = MIN (strlen (error->message), LIMIT_NAME);

  g_assert (error->domain == REPLY_ERROR);
  put_connection_id (writer, id);
  byte_writer_u16 (writer, (guint16) error->code);
  byte_writer_u16 (writer, class_id);
  byte_writer_u16 (writer, method_id);
  byte_writer_short_string (writer, slice_new (error->message, length, NULL));
  end_entry (writer, offset);
}

void
envelope_put_session_opened (ByteWriter *writer, ConnectionId connection,
                             const SessionOpening *opening)
{
  gsize offset = begin_entry (writer, ENTRY_SESSION_OPENED);

  put_connection_id (writer, connection);
  put_session_id (writer, opening->id);
  byte_writer_u16 (writer, opening->channel);
  byte_writer_u64 (writer, opening->secret[0]);
  byte_writer_u64 (writer, opening->secret[1]);
  byte_writer_u64 (writer, opening->name_seed);
  end_entry (writer, offset);
}

void
envelope_put_credit (ByteWriter *writer, ConnectionId id, guint32 bytes)
{
  gsize offset = begin_entry (writer, ENTRY_CREDIT);

  put_connection_id (writer, id);
  byte_writer_u32 (writer, bytes);
  end_entry (writer, offset);
}

gsize
envelope_put_frames (ByteWriter *writer, SessionId id, ProtocolVersion version)
{
  gsize offset = begin_entry (writer, ENTRY_FRAMES);

  put_session_id (writer, id);
  byte_writer_u8 (writer, (guint8) version);
  end_entry (writer, offset);
  return offset;
}

void
envelope_put_frame (ByteWriter *writer, gsize offset, const Frame *frame)
{
  frame_encode (frame, writer);
  end_entry (writer, offset);
}

Buffer *
envelope_new_bare (const EnvelopeHeader *header)
{
  Buffer *bytes = buffer_new (ENVELOPE_HEADER_SIZE);

  envelope_seal (bytes, header);
  return bytes;
}

static void
put_cut (ByteWriter *writer, JoinCut cut)
{
  byte_writer_u64 (writer, cut.incarnation);
  byte_writer_u64 (writer, cut.number);
}

Buffer *
envelope_new_cut (const EnvelopeHeader *header, JoinCut cut)
{
  ByteWriter writer = byte_writer_init ();
  Buffer *bytes;

  envelope_begin (&writer);
  put_cut (&writer, cut);
  bytes = byte_writer_finish (&writer);
  envelope_seal (bytes, header);
  return bytes;
}

Buffer *
envelope_new_vote (const EnvelopeHeader *header, Epoch epoch, gboolean all_present)
{
  ByteWriter writer = byte_writer_init ();
  Buffer *bytes;

  envelope_begin (&writer);
  byte_writer_u64 (&writer, epoch.number);
  byte_writer_u64 (&writer, epoch.id);
  byte_writer_u8 (&writer, all_present ? 1 : 0);
  bytes = byte_writer_finish (&writer);
  envelope_seal (bytes, header);
  return bytes;
}

Buffer *
envelope_new_state (const EnvelopeHeader *header, JoinCut cut, guint32 number, ChunkEnd end,
                    Slice chunk)
{
  ByteWriter writer = byte_writer_init ();
  Buffer *bytes;

  envelope_begin (&writer);
  put_cut (&writer, cut);
  byte_writer_u32 (&writer, number);
  byte_writer_u32 (&writer, (guint32) end);
  byte_writer_slice (&writer, chunk);
  bytes = byte_writer_finish (&writer);
  envelope_seal (bytes, header);
  return bytes;
}
