/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/cluster/envelope.h"

#define CLUSTER_ID 42

static const EnvelopeHeader ordered = {
  .kind = ENVELOPE_ORDERED,
  .cluster_id = CLUSTER_ID,
  .incarnation = 0x1122334455667788,
  .epoch = { 3, 99 },
  .sequence = 17,
  .key_number = 3,
  .key_position = 1000,
  .claim = -1,
  .promise = { 3, 98 },
  .position = 1001,
  .view = 5,
  .elapsed_us = 123456789,
};

static const ConnectionId connection = { 7, 1 };
static const SessionId session = { 7, 2 };

/* One entry of each type. */
static Buffer *
write_all (void)
{
  ByteWriter writer = byte_writer_init ();
  g_auto (ByteWriter) payload = byte_writer_init ();
  g_autoptr (GError) error = NULL;
  const ConnectionOpening opening = {
    .id = connection,
    .version = PROTOCOL_0_9_1,
    .vhost = slice_of_text ("/"),
    .user = slice_of_text ("guest"),
    .peer = slice_of_text ("127.0.0.1:1"),
    .channel_max = 10,
    .frame_max = 4096,
    .heartbeat_seconds = 60,
  };
  const SessionOpening session_opening = { session, 3, { 11, 12 }, 13 };
  Method method = { .id = METHOD_BASIC_ACK };
  gsize frames;
  Buffer *bytes;

  method.basic_ack.delivery_tag = 5;
  method_encode (PROTOCOL_0_9_1, &method, &payload);
  g_set_error_literal (&error, REPLY_ERROR, REPLY_SYNTAX_ERROR, "cut short");
  envelope_begin (&writer);
  envelope_put_connection_opened (&writer, &opening);
  envelope_put_session_opened (&writer, connection, &session_opening);
  frames = envelope_put_frames (&writer, session, PROTOCOL_0_9_1);
  for (guint i = 0; i < 2; i++)
    envelope_put_frame (&writer, frames, &(Frame){ FRAME_METHOD, 3, byte_writer_peek (&payload) });
  envelope_put_credit (&writer, connection, 1000);
  envelope_put_connection_failed (&writer, connection, error, 60, 40);
  envelope_put_connection_closed (&writer, connection);
  envelope_put_connection_lost (&writer, connection);
  bytes = byte_writer_finish (&writer);
  envelope_seal (bytes, &ordered);
  return bytes;
}

static const Entry *
entry_at (const Envelope *envelope, guint index, EntryType type)
{
  const Entry *entry = &g_array_index (envelope->entries, Entry, index);

  g_assert_cmpint (entry->type, ==, type);
  return entry;
}

static void
test_reads_what_it_wrote (void)
{
  g_autoptr (Buffer) bytes = write_all ();
  g_autoptr (Envelope) envelope = envelope_decode (bytes, CLUSTER_ID, NULL);
  const Entry *entry;

  g_assert_nonnull (envelope);
  g_assert_cmpmem (&envelope->header, sizeof ordered, &ordered, sizeof ordered);
  g_assert_cmpuint (envelope->entries->len, ==, 7);
  entry = entry_at (envelope, 0, ENTRY_CONNECTION_OPENED);
  g_assert_true (slice_equal_text (entry->opening.user, "guest"));
  g_assert_cmpuint (entry->opening.frame_max, ==, 4096);
  entry = entry_at (envelope, 1, ENTRY_SESSION_OPENED);
  g_assert_cmpuint (entry->session.channel, ==, 3);
  g_assert_cmpuint (entry->session.secret[1], ==, 12);
  entry = entry_at (envelope, 2, ENTRY_FRAMES);
  g_assert_true (session_id_equal (entry->session_id, session));
  g_assert_cmpuint (entry->frames.count, ==, 2);
  g_assert_cmpuint (g_array_index (envelope->methods, Method, 1).basic_ack.delivery_tag, ==, 5);
  g_assert_cmpuint (entry_at (envelope, 3, ENTRY_CREDIT)->credit, ==, 1000);
  entry = entry_at (envelope, 4, ENTRY_CONNECTION_FAILED);
  g_assert_cmpuint (entry->failure.code, ==, 502);
  g_assert_true (slice_equal_text (entry->failure.text, "cut short"));
  entry_at (envelope, 5, ENTRY_CONNECTION_CLOSED);
  entry_at (envelope, 6, ENTRY_CONNECTION_LOST);
}

static void
expect_error (Buffer *bytes, SystemError code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (envelope_decode (bytes, CLUSTER_ID, &error));
  g_assert_error (error, SYSTEM_ERROR, (int) code);
}

/* The checksum: no octet can change unseen. */
static void
test_every_changed_octet_is_seen (void)
{
  g_autoptr (Buffer) bytes = write_all ();

  for (gsize i = 0; i < bytes->size; i++)
    {
      g_autoptr (Buffer) changed = buffer_new_copy (bytes->bytes, bytes->size);
      g_autoptr (GError) error = NULL;

      changed->bytes[i] ^= 0x40;
      g_assert_null (envelope_decode (changed, CLUSTER_ID, &error));
      g_assert_nonnull (error);
    }
}

/* A sender whose checksum is right and whose entries are cut: it keeps its place in the order and
 * has no effect, unless the cut is between two entries. */
static void
test_cut_entries_have_no_effect (void)
{
  g_autoptr (Buffer) bytes = write_all ();
  guint n_whole = 0;

  for (gsize size = ENVELOPE_HEADER_SIZE; size < bytes->size; size++)
    {
      g_autoptr (Buffer) cut = buffer_new_copy (bytes->bytes, size);
      g_autoptr (Envelope) envelope = NULL;

      envelope_seal (cut, &ordered);
      envelope = envelope_decode (cut, CLUSTER_ID, NULL);
      g_assert_nonnull (envelope);
      n_whole += envelope->malformed == NULL;
      if (envelope->malformed != NULL)
        g_assert_cmpuint (envelope->entries->len, ==, 0);
    }
  g_assert_cmpuint (n_whole, ==, 7);
}

static void
test_others_are_not_heard (void)
{
  g_autoptr (Buffer) bytes = write_all ();
  EnvelopeHeader header = ordered;

  header.cluster_id = CLUSTER_ID + 1;
  envelope_seal (bytes, &header);
  expect_error (bytes, SYSTEM_ERROR_OTHER_GROUP);
  bytes->bytes[4] = ENVELOPE_VERSION + 1;
  expect_error (bytes, SYSTEM_ERROR_VERSION);
  bytes->bytes[0] = 'X';
  expect_error (bytes, SYSTEM_ERROR_MALFORMED);
}

static void
test_short_bytes_are_no_envelope (void)
{
  for (gsize size = 1; size < ENVELOPE_HEADER_SIZE; size++)
    {
      g_autoptr (Buffer) whole = write_all ();
      g_autoptr (Buffer) bytes = buffer_new_copy (whole->bytes, size);

      expect_error (bytes, SYSTEM_ERROR_MALFORMED);
    }
}

/* The same bytes under a new header: what is sent again after a view change. */
static void
test_restamp_keeps_the_entries (void)
{
  g_autoptr (Buffer) bytes = write_all ();
  EnvelopeHeader header = ordered;
  g_autoptr (Buffer) again = NULL;
  g_autoptr (Envelope) envelope = NULL;

  header.epoch = (Epoch){ 4, 100 };
  header.sequence = 0;
  again = envelope_restamp (bytes, &header);
  envelope = envelope_decode (again, CLUSTER_ID, NULL);
  g_assert_nonnull (envelope);
  g_assert_cmpuint (envelope->header.epoch.number, ==, 4);
  g_assert_cmpuint (envelope->entries->len, ==, 7);
}

static void
test_state_chunks (void)
{
  EnvelopeHeader header = ordered;
  g_autoptr (Buffer) bytes = NULL;
  g_autoptr (Envelope) envelope = NULL;

  header.kind = ENVELOPE_STATE;
  bytes = envelope_new_state (&header, (JoinCut){ 5, 6 }, 1, CHUNK_ENDS_PART,
                              slice_of_text ("state"));
  envelope = envelope_decode (bytes, CLUSTER_ID, NULL);
  g_assert_nonnull (envelope);
  g_assert_cmpuint (envelope->cut.number, ==, 6);
  g_assert_cmpuint (envelope->chunk.end, ==, CHUNK_ENDS_PART);
  g_assert_true (slice_equal_text (envelope->chunk.bytes, "state"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cluster/envelope/reads-what-it-wrote", test_reads_what_it_wrote);
  g_test_add_func ("/cluster/envelope/every-changed-octet-is-seen",
                   test_every_changed_octet_is_seen);
  g_test_add_func ("/cluster/envelope/cut-entries-have-no-effect", test_cut_entries_have_no_effect);
  g_test_add_func ("/cluster/envelope/others-are-not-heard", test_others_are_not_heard);
  g_test_add_func ("/cluster/envelope/short-bytes-are-no-envelope",
                   test_short_bytes_are_no_envelope);
  g_test_add_func ("/cluster/envelope/restamp-keeps-the-entries", test_restamp_keeps_the_entries);
  g_test_add_func ("/cluster/envelope/state-chunks", test_state_chunks);
  return g_test_run ();
}
