/* SPDX-License-Identifier: MIT */
/* What the frames of an entry are read as: a publish and its whole content are one. */
#include "core/cluster/envelope.h"

#define BODY "0123"

typedef struct Row
{
  const char *name;
  /* P: publish, A: ack, H: header for two bodies, E: header for none, B: body, |: another entry */
  const char *sent;
  /* W: publish with its content; the others as above */
  const char *read;
} Row;

static const Row rows[] = {
  { "whole", "PHBB", "W" },
  { "no-body", "PE", "W" },
  { "many", "PHBBPEPHBBA", "WWWA" },
  { "no-content", "AA", "AA" },
  { "publish-alone", "P", "P" },
  { "in-two-entries", "PHB|B", "PHBB" },
  { "pieces-then-whole", "B|PHBB", "BW" },
  { "broken-off", "PHBA", "PHBA" },
  { "broken-off-by-another", "PHBPHBB", "PHBW" },
  { "header-twice", "PHHBB", "PHHBB" },
  { "body-too-many", "PHBBB", "WB" },
  { "body-before-header", "PBHBB", "PBHBB" },
  { "header-without-publish", "HBB", "HBB" },
};

static void
put_payload (char sent, ByteWriter *payload)
{
  const Properties properties = { .flags = 0 };
  Method method = { .id = sent == 'P' ? METHOD_BASIC_PUBLISH : METHOD_BASIC_ACK };

  if (sent == 'P')
    method.basic_publish.routing_key = slice_of_text ("key");
  if (sent == 'P' || sent == 'A')
    method_encode (PROTOCOL_0_9_1, &method, payload);
  else if (sent == 'B')
    byte_writer_slice (payload, slice_of_text (BODY));
  else
    content_header_encode (&properties, sent == 'H' ? 2 * strlen (BODY) : 0, payload);
}

static Buffer *
write_frames (const char *sent)
{
  const EnvelopeHeader header = { .kind = ENVELOPE_ORDERED, .incarnation = 1 };
  const SessionId session = { 7, 2 };
  ByteWriter writer = byte_writer_init ();
  gsize offset;
  Buffer *bytes;

  envelope_begin (&writer);
  offset = envelope_put_frames (&writer, session, PROTOCOL_0_9_1);
  for (; *sent != '\0'; sent++)
    {
      g_auto (ByteWriter) payload = byte_writer_init ();
      Frame frame = { .channel = 1 };

      if (*sent == '|')
        {
          offset = envelope_put_frames (&writer, session, PROTOCOL_0_9_1);
          continue;
        }
      put_payload (*sent, &payload);
      frame.type = *sent == 'P' || *sent == 'A' ? FRAME_METHOD
                   : *sent == 'B'               ? FRAME_BODY
                                                : FRAME_HEADER;
      frame.payload = byte_writer_peek (&payload);
      envelope_put_frame (&writer, offset, &frame);
    }
  bytes = byte_writer_finish (&writer);
  envelope_seal (bytes, &header);
  return bytes;
}

static char
letter_of (const Envelope *envelope, const EntryFrame *frame)
{
  if (frame->frame.type == FRAME_BODY)
    return 'B';
  if (frame->frame.type == FRAME_HEADER)
    return 'H';
  if (frame->content != NULL)
    return 'W';
  return g_array_index (envelope->methods, Method, frame->method).id == METHOD_BASIC_PUBLISH ? 'P'
                                                                                             : 'A';
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (Buffer) bytes = write_frames (row->sent);
  g_autoptr (Envelope) envelope = envelope_decode (bytes, 0, NULL);
  g_autoptr (GString) read = g_string_new (NULL);

  g_assert_nonnull (envelope);
  g_assert_null (envelope->malformed);
  for (guint i = 0; i < envelope->entries->len; i++)
    {
      const Entry *entry = &g_array_index (envelope->entries, Entry, i);

      for (guint j = 0; j < entry->frames.count; j++)
        {
          const EntryFrame *frame
              = &g_array_index (envelope->frames, EntryFrame, entry->frames.first + j);

          g_string_append_c (read, letter_of (envelope, frame));
          if (frame->content != NULL)
            g_assert_true (slice_equal_text (frame->content->routing_key, "key"));
        }
    }
  g_assert_cmpstr (read->str, ==, row->read);
}

/* The message outlives the envelope: queues hold it. */
static void
test_message_is_kept (void)
{
  g_autoptr (Buffer) bytes = write_frames ("PHBB");
  Envelope *envelope = envelope_decode (bytes, 0, NULL);
  g_autoptr (Message) message
      = message_ref (g_array_index (envelope->frames, EntryFrame, 0).content);

  envelope_unref (envelope);
  g_assert_cmpuint (message->body_size, ==, 2 * strlen (BODY));
  g_assert_cmpuint (message->n_bodies, ==, 2);
  g_assert_true (slice_equal_text (message->bodies[1], BODY));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/cluster/envelope-frames/%s", rows[i].name);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/cluster/envelope-frames/message-is-kept", test_message_is_kept);
  return g_test_run ();
}
