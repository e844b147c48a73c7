/* SPDX-License-Identifier: MIT */
#include "core/amqp/frame.h"
#include "core/amqp/protocol.h"

static void
test_speaks_0_9_1 (void)
{
  ProtocolVersion version = N_PROTOCOL_VERSIONS;

  g_assert_true (protocol_header_decode (slice_new ("AMQP\0\0\x09\x01", 8, NULL), &version));
  g_assert_cmpint (version, ==, PROTOCOL_0_9_1);
  g_assert_cmpstr (protocol_version_name (version), ==, "0-9-1");
  g_assert_cmpmem (protocol_header_preferred (), 8, "AMQP\0\0\x09\x01", 8);
}

static void
test_refuses_other_greetings (void)
{
  static const char *const greetings[] = {
    "AMQP\1\1\0\x09", "AMQP\1\1\x08\0", "AMQP\1\1\x09\1", "AMQP\0\1\0\0",
    "amqp\0\0\x09\1", "GET / HT",       "AMQP\0\0\x09\2",
  };

  for (guint i = 0; i < G_N_ELEMENTS (greetings); i++)
    {
      ProtocolVersion version = N_PROTOCOL_VERSIONS;

      g_assert_false (protocol_header_decode (slice_new (greetings[i], 8, NULL), &version));
      g_assert_cmpint (version, ==, N_PROTOCOL_VERSIONS);
    }
  g_assert_false (protocol_header_decode (slice_new ("AMQP\0\0\x09", 7, NULL), NULL));
}

static void
test_frames_round_trip (void)
{
  static const Frame frames[] = {
    { FRAME_METHOD, 1, { (const guint8 *) "abcd", 4, NULL } },
    { FRAME_BODY, 65535, { (const guint8 *) "\xce\xce", 2, NULL } },
    { FRAME_HEARTBEAT, 0, { NULL, 0, NULL } },
  };
  g_auto (ByteWriter) writer = byte_writer_init ();
  ByteReader reader;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frame_encode (&frames[i], &writer);
  reader = byte_reader_init (byte_writer_peek (&writer));
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    {
      Frame frame;

      g_assert_true (frame_decode (&reader, &frame));
      g_assert_cmpuint (frame.type, ==, frames[i].type);
      g_assert_cmpuint (frame.channel, ==, frames[i].channel);
      g_assert_true (slice_equal (frame.payload, frames[i].payload));
    }
  g_assert_true (byte_reader_is_complete (&reader));
}

static void
test_a_frame_is_whole_or_none (void)
{
  static const char bytes[] = "\x01\x00\x01\x00\x00\x00\x02xy\xce";
  Frame frame;

  for (gsize length = 0; length < sizeof bytes - 1; length++)
    {
      ByteReader reader = byte_reader_init (slice_new (bytes, length, NULL));

      g_assert_false (frame_decode (&reader, &frame));
    }
  for (gsize changed = 0; changed < sizeof bytes - 1; changed += sizeof bytes - 2)
    {
      char other[sizeof bytes];
      ByteReader reader = byte_reader_init (slice_new (other, sizeof bytes - 1, NULL));

      memcpy (other, bytes, sizeof bytes);
      other[changed] = 7; /* the type, then the end octet */
      g_assert_false (frame_decode (&reader, &frame));
    }
  g_assert_cmpstr (frame_type_name (FRAME_HEADER), ==, "HEADER");
  g_assert_cmpstr (frame_type_name (4), ==, "?");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/amqp/protocol/speaks-0-9-1", test_speaks_0_9_1);
  g_test_add_func ("/amqp/protocol/refuses-other-greetings", test_refuses_other_greetings);
  g_test_add_func ("/amqp/frame/round-trips", test_frames_round_trip);
  g_test_add_func ("/amqp/frame/is-whole-or-none", test_a_frame_is_whole_or_none);
  return g_test_run ();
}
