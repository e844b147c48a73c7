/* SPDX-License-Identifier: MIT */
#include "core/cluster/multicast_outbox.h"
#include "core/base/limits.h"

struct MulticastOutbox
{
  gsize fill;
  OutboxStamp stamp;
  OutboxSent sent;
  gpointer user_data;

  ByteWriter filling;       /* the envelope that entries gather in; empty: none was begun */
  gboolean has_open_frames; /* its last entry is frames of `open_session` */
  SessionId open_session;
  gsize open_offset;

  GQueue waiting; /* of Buffer, whole envelopes in order */
  gsize waiting_bytes;
  GQueue window; /* of Buffer, sent and not seen delivered, in order */
  gsize window_bytes;
  gboolean is_paced;
  gsize pace; /* bytes that may be sent now, if it is paced */
  guint64 next_sequence;
};

MulticastOutbox *
multicast_outbox_new (gsize fill, OutboxStamp stamp, OutboxSent sent, gpointer user_data)
{
  MulticastOutbox *outbox = g_new0 (MulticastOutbox, 1);

  outbox->fill = fill;
  outbox->stamp = stamp;
  outbox->sent = sent;
  outbox->user_data = user_data;
  g_queue_init (&outbox->waiting);
  g_queue_init (&outbox->window);
  return outbox;
}

void
multicast_outbox_free (MulticastOutbox *outbox)
{
  multicast_outbox_clear (outbox);
  g_free (outbox);
}

void
multicast_outbox_clear (MulticastOutbox *outbox)
{
  byte_writer_clear (&outbox->filling);
  outbox->has_open_frames = FALSE;
  g_queue_clear_full (&outbox->waiting, (GDestroyNotify) buffer_unref);
  g_queue_clear_full (&outbox->window, (GDestroyNotify) buffer_unref);
  outbox->waiting_bytes = outbox->window_bytes = 0;
  outbox->next_sequence = 0;
}

static void
close_envelope (MulticastOutbox *outbox)
{
  Buffer *bytes;

  if (outbox->filling.length == 0)
    return;
  bytes = byte_writer_finish (&outbox->filling);
  outbox->has_open_frames = FALSE;
  g_queue_push_tail (&outbox->waiting, bytes);
  outbox->waiting_bytes += bytes->size;
}

ByteWriter *
multicast_outbox_entry (MulticastOutbox *outbox)
{
  if (outbox->filling.length == 0)
    envelope_begin (&outbox->filling);
  outbox->has_open_frames = FALSE;
  return &outbox->filling;
}

void
multicast_outbox_done (MulticastOutbox *outbox)
{
  g_assert (outbox->filling.length <= LIMIT_TRANSPORT_MESSAGE);
  if (outbox->filling.length >= outbox->fill)
    close_envelope (outbox);
}

void
multicast_outbox_frame (MulticastOutbox *outbox, SessionId id, ProtocolVersion version,
                        const Frame *frame)
{
  if (!outbox->has_open_frames || !session_id_equal (outbox->open_session, id))
    {
      ByteWriter *writer = multicast_outbox_entry (outbox);

      outbox->open_offset = envelope_put_frames (writer, id, version);
      outbox->open_session = id;
      outbox->has_open_frames = TRUE;
    }
  envelope_put_frame (&outbox->filling, outbox->open_offset, frame);
  multicast_outbox_done (outbox);
}

void
multicast_outbox_pace (MulticastOutbox *outbox, gsize bytes)
{
  outbox->is_paced = bytes != G_MAXSIZE;
  outbox->pace = bytes;
}

/* Who is paced shall not let its clients wait behind much that was said before. */
gboolean
multicast_outbox_is_full (const MulticastOutbox *outbox)
{
  gsize max = outbox->is_paced ? 2 * LIMIT_SLOW_BYTES : LIMIT_OUTBOX_BACKLOG;

  return outbox->waiting_bytes + outbox->filling.length >= max;
}

gboolean
multicast_outbox_is_empty (const MulticastOutbox *outbox)
{
  return outbox->waiting_bytes + outbox->filling.length + outbox->window_bytes == 0;
}

OutboxLoad
multicast_outbox_load (const MulticastOutbox *outbox)
{
  return (OutboxLoad){
    .waiting = outbox->waiting_bytes + outbox->filling.length,
    .window = outbox->window_bytes,
  };
}

/* Under that header; a copy if the transport still holds the former one. */
static Buffer *
seal (Buffer *bytes, const EnvelopeHeader *header)
{
  Buffer *copy;

  if (bytes->ref_count == 1)
    {
      envelope_seal (bytes, header);
      return bytes;
    }
  copy = envelope_restamp (bytes, header);
  buffer_unref (bytes);
  return copy;
}

gboolean
multicast_outbox_flush (MulticastOutbox *outbox, Transport *transport)
{
  if (outbox->window.length + outbox->waiting.length < LIMIT_OWN_ENVELOPES)
    close_envelope (outbox);
  while (outbox->waiting.length > 0)
    {
      Buffer *bytes = g_queue_peek_head (&outbox->waiting);
      EnvelopeHeader header;

      if (outbox->window_bytes > 0 && outbox->window_bytes + bytes->size > LIMIT_OWN_WINDOW)
        return FALSE;
      if (outbox->is_paced && outbox->pace == 0)
        return FALSE;
      outbox->stamp (outbox->user_data, outbox->next_sequence, &header);
      bytes = seal (bytes, &header);
      outbox->waiting.head->data = bytes;
      if (transport_multicast (transport, bytes) != TRANSPORT_SENT)
        return TRUE;
      outbox->pace -= MIN (outbox->pace, bytes->size);
      g_queue_pop_head (&outbox->waiting);
      outbox->waiting_bytes -= bytes->size;
      g_queue_push_tail (&outbox->window, bytes);
      outbox->window_bytes += bytes->size;
      outbox->next_sequence++;
      outbox->sent (outbox->user_data, &header);
    }
  return FALSE;
}

gboolean
multicast_outbox_delivered (MulticastOutbox *outbox, guint64 sequence)
{
  Buffer *bytes;

  if (outbox->window.length == 0 || outbox->next_sequence - outbox->window.length != sequence)
    return FALSE;
  bytes = g_queue_pop_head (&outbox->window);
  outbox->window_bytes -= bytes->size;
  buffer_unref (bytes);
  return TRUE;
}

void
multicast_outbox_resend (MulticastOutbox *outbox)
{
  close_envelope (outbox);
  while (outbox->window.length > 0)
    {
      Buffer *bytes = g_queue_pop_tail (&outbox->window);

      outbox->waiting_bytes += bytes->size;
      g_queue_push_head (&outbox->waiting, bytes);
    }
  outbox->window_bytes = 0;
  outbox->next_sequence = 0;
}
