/* SPDX-License-Identifier: MIT */
#include "core/amqp/field_table.h"
#include "core/amqp/properties.h"
#include "core/base/error.h"

#define ALL_FLAGS 0xfffc

static Properties
all_properties (void)
{
  return (Properties){
    .flags = ALL_FLAGS,
    .content_type = slice_of_text ("text/plain"),
    .content_encoding = slice_of_text ("gzip"),
    .headers = slice_new ("\1aV", 3, NULL),
    .delivery_mode = 2,
    .priority = 9,
    .correlation_id = slice_new ("\0\1binary", 8, NULL),
    .reply_to = slice_of_text ("amq.gen-1"),
    .expiration = slice_of_text ("60000"),
    .message_id = slice_of_text ("m"),
    .timestamp = G_GUINT64_CONSTANT (0x0102030405060708),
    .type = slice_of_text ("order"),
    .user_id = slice_of_text ("guest"),
    .app_id = slice_of_text (""),
    .cluster_id = slice_of_text ("c"),
  };
}

static gboolean
decode (Slice payload, Properties *ret_properties, GError **error)
{
  ContentHeader header;

  if (!content_header_decode (payload, &header, error))
    return FALSE;
  properties_decode (header.properties, ret_properties);
  return TRUE;
}

/* Every combination of the fourteen: those that are there come back, the others are empty. */
static void
test_round_trip (void)
{
  for (guint flags = 0; flags <= ALL_FLAGS; flags += 4)
    {
      Properties properties = all_properties ();
      g_auto (ByteWriter) writer = byte_writer_init ();
      g_auto (ByteWriter) again = byte_writer_init ();
      g_autoptr (GError) error = NULL;
      ContentHeader header;
      Properties decoded;

      properties.flags = (guint16) flags;
      content_header_encode (&properties, 1234567890123, &writer);
      g_assert_true (content_header_decode (byte_writer_peek (&writer), &header, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (header.class_id, ==, 60);
      g_assert_cmpuint (header.body_size, ==, 1234567890123);
      properties_decode (header.properties, &decoded);
      g_assert_cmpuint (decoded.flags, ==, flags);
      g_assert_cmpuint (properties_delivery_mode (header.properties), ==,
                        (flags & PROPERTY_DELIVERY_MODE) != 0 ? 2 : 1);
      g_assert_cmpuint (decoded.priority, ==, (flags & PROPERTY_PRIORITY) != 0 ? 9 : 0);
      content_header_encode (&decoded, header.body_size, &again);
      g_assert_true (slice_equal (byte_writer_peek (&writer), byte_writer_peek (&again)));
    }
}

static void
test_every_property_comes_back (void)
{
  Properties properties = all_properties ();
  g_auto (ByteWriter) writer = byte_writer_init ();
  Properties decoded;

  content_header_encode (&properties, 0, &writer);
  g_assert_true (decode (byte_writer_peek (&writer), &decoded, NULL));
  g_assert_true (slice_equal (decoded.content_type, properties.content_type));
  g_assert_true (slice_equal (decoded.content_encoding, properties.content_encoding));
  g_assert_true (slice_equal (decoded.headers, properties.headers));
  g_assert_cmpuint (decoded.delivery_mode, ==, properties.delivery_mode);
  g_assert_cmpuint (decoded.priority, ==, properties.priority);
  g_assert_true (slice_equal (decoded.correlation_id, properties.correlation_id));
  g_assert_true (slice_equal (decoded.reply_to, properties.reply_to));
  g_assert_true (slice_equal (decoded.expiration, properties.expiration));
  g_assert_true (slice_equal (decoded.message_id, properties.message_id));
  g_assert_cmpuint (decoded.timestamp, ==, properties.timestamp);
  g_assert_true (slice_equal (decoded.type, properties.type));
  g_assert_true (slice_equal (decoded.user_id, properties.user_id));
  g_assert_true (slice_equal (decoded.app_id, properties.app_id));
  g_assert_true (slice_equal (decoded.cluster_id, properties.cluster_id));
}

/* By the bytes that other implementations write. */
static void
test_reads_the_wire (void)
{
  static const char bytes[] = "\0\x3c\0\0\0\0\0\0\0\0\0\5\x90\0\x0atext/plain\2";
  Slice payload = slice_new (bytes, sizeof bytes - 1, NULL);
  ContentHeader header;
  Properties properties;

  g_assert_true (content_header_decode (payload, &header, NULL));
  g_assert_cmpuint (header.body_size, ==, 5);
  g_assert_true (header.properties.bytes == payload.bytes + 12);
  properties_decode (header.properties, &properties);
  g_assert_cmpuint (properties.flags, ==, PROPERTY_CONTENT_TYPE | PROPERTY_DELIVERY_MODE);
  g_assert_true (slice_equal_text (properties.content_type, "text/plain"));
  g_assert_cmpuint (properties.delivery_mode, ==, 2);
}

static void
test_cut_short (void)
{
  Properties properties = all_properties ();
  g_auto (ByteWriter) writer = byte_writer_init ();

  content_header_encode (&properties, 0, &writer);
  for (gsize length = 0; length < writer.length; length++)
    {
      g_autofree guint8 *copy = g_memdup2 (writer.buffer->bytes, length);
      g_autoptr (GError) error = NULL;
      ContentHeader header = { .class_id = 7 };

      g_assert_false (content_header_decode (slice_new (copy, length, NULL), &header, &error));
      g_assert_error (error, REPLY_ERROR, REPLY_SYNTAX_ERROR);
      g_assert_cmpuint (header.class_id, ==, 7);
    }
}

#define HEAD        "\0\x3c\0\0\0\0\0\0\0\0\0\5"
#define BYTES(text) sizeof (text) - 1, text

static const struct
{
  const char *claim;
  gsize length;
  const char *bytes;
  ReplyCode code;
} rows[] = {
  { "left-over", BYTES (HEAD "\0\0\0"), REPLY_SYNTAX_ERROR },
  { "more-flags", BYTES (HEAD "\0\1\0\0"), REPLY_SYNTAX_ERROR },
  { "a-fifteenth-property", BYTES (HEAD "\0\2\0"), REPLY_SYNTAX_ERROR },
  { "weight", BYTES ("\0\x3c\0\1\0\0\0\0\0\0\0\5\0\0"), REPLY_SYNTAX_ERROR },
  { "another-class", BYTES ("\0\x32\0\0\0\0\0\0\0\0\0\5\0\0"), REPLY_UNEXPECTED_FRAME },
  { "a-malformed-table", BYTES (HEAD "\x20\0\0\0\0\3\1aq"), REPLY_SYNTAX_ERROR },
  { "a-table-longer-than-the-frame", BYTES (HEAD "\x20\0\xff\xff\xff\xff"), REPLY_SYNTAX_ERROR },
};

static void
test_refuses (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *copy = g_memdup2 (rows[i].bytes, rows[i].length);
  g_autoptr (GError) error = NULL;
  ContentHeader header;

  g_assert_false (content_header_decode (slice_new (copy, rows[i].length, NULL), &header, &error));
  g_assert_error (error, REPLY_ERROR, (int) rows[i].code);
}

static void
test_only_two_is_persistent (void)
{
  g_assert_cmpuint (properties_delivery_mode (slice_new ("\x10\0\0", 3, NULL)), ==, 1);
  g_assert_cmpuint (properties_delivery_mode (slice_new ("\x10\0\1", 3, NULL)), ==, 1);
  g_assert_cmpuint (properties_delivery_mode (slice_new ("\x10\0\2", 3, NULL)), ==, 2);
  g_assert_cmpuint (properties_delivery_mode (slice_new ("\x10\0\3", 3, NULL)), ==, 1);
  g_assert_cmpuint (properties_delivery_mode (slice_new ("\0\0", 2, NULL)), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/amqp/properties/round-trip", test_round_trip);
  g_test_add_func ("/amqp/properties/every-property-comes-back", test_every_property_comes_back);
  g_test_add_func ("/amqp/properties/reads-the-wire", test_reads_the_wire);
  g_test_add_func ("/amqp/properties/cut-short", test_cut_short);
  g_test_add_func ("/amqp/properties/only-two-is-persistent", test_only_two_is_persistent);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/amqp/properties/refuses/%s", rows[i].claim);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_refuses);
    }
  return g_test_run ();
}
