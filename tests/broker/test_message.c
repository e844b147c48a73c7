/* SPDX-License-Identifier: MIT */
#include "core/amqp/properties.h"
#include "core/base/limits.h"
#include "tests/broker/fixture.h"

/* A content header, then `body_size` bytes, in a buffer of `size`. */
static Buffer *
make_envelope (gsize size, gsize body_size, guint8 delivery_mode, Slice *ret_header,
               Slice *ret_body)
{
  g_auto (ByteWriter) writer = byte_writer_init ();
  Properties properties = { .flags = PROPERTY_DELIVERY_MODE, .delivery_mode = delivery_mode };
  Buffer *envelope = buffer_new (size);
  Slice header;

  memset (envelope->bytes, 'b', size);
  content_header_encode (&properties, body_size, &writer);
  header = byte_writer_peek (&writer);
  memcpy (envelope->bytes, header.bytes, header.length);
  *ret_header = slice_new (envelope->bytes, header.length, envelope);
  *ret_body = slice_new (envelope->bytes + header.length, body_size, envelope);
  return envelope;
}

static void
test_reads_its_header (void)
{
  Slice header, body;
  g_autoptr (Buffer) envelope = make_envelope (1000, 100, 2, &header, &body);
  g_autoptr (Message) persistent
      = message_new (slice_of_text ("x"), slice_of_text ("k"), header, &body, 1);
  g_autoptr (Message) transient = message_of_text (slice_of_text ("x"), "k", "body");

  g_assert_cmpuint (envelope->ref_count, ==, 1);
  g_assert_true (persistent->persistent);
  g_assert_cmpuint (persistent->body_size, ==, 100);
  g_assert_true (slice_equal_text (persistent->exchange, "x"));
  g_assert_true (slice_equal_text (persistent->routing_key, "k"));
  g_assert_false (transient->persistent);
}

static void
test_a_small_one_lets_go_of_its_envelope (void)
{
  Slice header, body;
  g_autoptr (Buffer) envelope = make_envelope (LIMIT_ENVELOPE_FILL, 16, 1, &header, &body);
  g_autoptr (Message) message
      = message_new (slice_of_text (""), slice_of_text ("k"), header, &body, 1);

  g_assert_cmpuint (envelope->ref_count, ==, 1);
  g_assert_true (slice_equal (message->header, header));
  g_assert_true (slice_equal (message->bodies[0], body));
}

static void
test_a_large_one_is_not_copied (void)
{
  Slice header, body;
  g_autoptr (Buffer) envelope = make_envelope (LIMIT_ENVELOPE_FILL, 4000, 1, &header, &body);
  Message *message = message_new (slice_of_text (""), slice_of_text ("k"), header, &body, 1);

  g_assert_true (message->bodies[0].bytes == body.bytes);
  g_assert_cmpuint (envelope->ref_count, ==, 2);
  message_unref (message);
  g_assert_cmpuint (envelope->ref_count, ==, 1);
}

/* Members read from buffers of different sizes: that must not be seen in a digest. */
static void
test_digest_is_of_the_bytes_alone (void)
{
  Slice header, body, other_header, other_body;
  g_autoptr (Buffer) envelope = make_envelope (8000, 4000, 1, &header, &body);
  g_autoptr (Buffer) other_envelope = make_envelope (1000000, 4000, 1, &other_header, &other_body);
  Slice key = slice_of_text ("k"), other_key = slice_of_text ("l"), none = slice_of_text ("");
  g_autoptr (Message) message = message_new (none, key, header, &body, 1);
  g_autoptr (Message) same = message_new (none, key, other_header, &other_body, 1);
  g_autoptr (Message) other = message_new (none, other_key, header, &body, 1);
  g_autoptr (Message) moved = message_new (key, none, header, &body, 1);

  g_assert_cmpuint (envelope->ref_count, ==, 1 + 3);
  g_assert_cmpuint (other_envelope->ref_count, ==, 1);
  g_assert_cmpuint (message->digest, ==, same->digest);
  g_assert_cmpuint (message->digest, !=, other->digest);
  g_assert_cmpuint (message->digest, !=, moved->digest);
  other_envelope->bytes[other_body.bytes - other_envelope->bytes + 2345] = 'c';
  g_clear_pointer (&same, message_unref);
  same = message_new (none, key, other_header, &other_body, 1);
  g_assert_cmpuint (message->digest, !=, same->digest);
}

static void
test_shared_ones_go_once_as_state (void)
{
  g_autoptr (StateCodec) writer = state_codec_new_writer ();
  g_autoptr (StateCodec) reader = NULL;
  g_autoptr (Buffer) bytes = NULL;
  Message *first = message_of_text (slice_of_text ("x"), "k", "a body"),
          *again = message_ref (first);
  g_autoptr (Message) read = NULL;
  g_autoptr (Message) read_again = NULL;

  message_state (writer, &first);
  message_state (writer, &again);
  bytes = state_codec_finish (writer);
  reader = state_codec_new_reader (slice_of_buffer (bytes));
  g_assert_true (message_state (reader, &read));
  g_assert_true (message_state (reader, &read_again));
  g_assert_true (state_is_complete (reader));
  g_assert_true (read == read_again);
  g_assert_cmpuint (read->digest, ==, first->digest);
  g_assert_cmpuint (read->ref_count, ==, 2);
  message_unref (again);
  message_unref (first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/broker/message/reads-its-header", test_reads_its_header);
  g_test_add_func ("/broker/message/a-small-one-lets-go-of-its-envelope",
                   test_a_small_one_lets_go_of_its_envelope);
  g_test_add_func ("/broker/message/a-large-one-is-not-copied", test_a_large_one_is_not_copied);
  g_test_add_func ("/broker/message/digest-is-of-the-bytes-alone",
                   test_digest_is_of_the_bytes_alone);
  g_test_add_func ("/broker/message/shared-ones-go-once-as-state",
                   test_shared_ones_go_once_as_state);
  return g_test_run ();
}
