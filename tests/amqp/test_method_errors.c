/* SPDX-License-Identifier: MIT */
/* What each malformed method is answered with. */
#include "core/amqp/method.h"
#include "core/base/error.h"

typedef struct Row
{
  const char *claim;
  ProtocolVersion version;
  gsize length;
  const char *bytes;
  ReplyCode code;
  const char *text;
} Row;

#define BYTES(text) sizeof (text) - 1, text
#define PUBLISH     "\0\x3c\0\x28\0\0"

static const Row rows[] = {
  { "nothing", PROTOCOL_0_9_1, BYTES (""), REPLY_SYNTAX_ERROR, "a method is cut short" },
  { "half-an-id", PROTOCOL_0_9_1, BYTES ("\0\x3c\0"), REPLY_SYNTAX_ERROR, "a method is cut short" },
  { "no-such-class", PROTOCOL_0_9_1, BYTES ("\0\x3d\0\x28"), REPLY_NOT_IMPLEMENTED,
    "no method 40 of class 61 in AMQP 0-9-1" },
  { "no-such-method", PROTOCOL_0_9_1, BYTES ("\0\x3c\0\x29"), REPLY_NOT_IMPLEMENTED,
    "no method 41 of class 60 in AMQP 0-9-1" },
  { "ids-beyond-the-table", PROTOCOL_0_9_1, BYTES ("\xff\xff\xff\xff"), REPLY_NOT_IMPLEMENTED,
    "no method 65535 of class 65535 in AMQP 0-9-1" },
  { "class-that-would-alias", PROTOCOL_0_9_1, BYTES ("\0\x0b\0\x0b"), REPLY_NOT_IMPLEMENTED,
    "no method 11 of class 11 in AMQP 0-9-1" },
  { "message-class-of-0-9", PROTOCOL_0_9_1, BYTES ("\0\x78\0\x0a"), REPLY_NOT_IMPLEMENTED,
    "no method 10 of class 120 in AMQP 0-9-1" },
  { "version-without-a-table", PROTOCOL_0_9, BYTES (PUBLISH "\0\0\0"), REPLY_NOT_IMPLEMENTED,
    "no method 40 of class 60 in AMQP 0-9" },
  { "older-version-without-a-table", PROTOCOL_0_8, BYTES (PUBLISH "\0\0\0"), REPLY_NOT_IMPLEMENTED,
    "no method 40 of class 60 in AMQP 0-8" },
  { "deliver-from-a-client", PROTOCOL_0_9_1, BYTES ("\0\x3c\0\x3c\0\0\0\0\0\0\0\0\0\0\0\0"),
    REPLY_COMMAND_INVALID, "basic.deliver is sent by brokers only" },
  { "only-the-sender-is-judged-first", PROTOCOL_0_9_1, BYTES ("\0\x0a\0\x0a"),
    REPLY_COMMAND_INVALID, "connection.start is sent by brokers only" },
  { "zero-octet-in-a-name", PROTOCOL_0_9_1, BYTES (PUBLISH "\2a\0\0\0"), REPLY_SYNTAX_ERROR,
    "basic.publish exchange holds a zero octet" },
  { "first-of-two-wrong-fields", PROTOCOL_0_9_1, BYTES (PUBLISH "\1a\1\0\0"), REPLY_SYNTAX_ERROR,
    "basic.publish routing_key holds a zero octet" },
  { "cut-in-a-name", PROTOCOL_0_9_1, BYTES (PUBLISH "\5ab"), REPLY_SYNTAX_ERROR,
    "basic.publish is cut short" },
  { "left-over", PROTOCOL_0_9_1, BYTES (PUBLISH "\0\0\0xyz"), REPLY_SYNTAX_ERROR,
    "basic.publish ends with 3 bytes too many" },
  { "left-over-after-no-fields", PROTOCOL_0_9_1, BYTES ("\0\x5a\0\x0a\0"), REPLY_SYNTAX_ERROR,
    "tx.select ends with 1 bytes too many" },
  { "table-longer-than-the-method", PROTOCOL_0_9_1, BYTES ("\0\x32\0\x0a\0\0\0\0\xff\xff\xff\xff"),
    REPLY_SYNTAX_ERROR, "queue.declare is cut short" },
  { "table-of-an-unknown-type", PROTOCOL_0_9_1, BYTES ("\0\x32\0\x0a\0\0\0\0\0\0\0\5\1kq\1\1"),
    REPLY_SYNTAX_ERROR, "queue.declare arguments: field 'k' has an unknown type" },
  { "consume-without-a-table", PROTOCOL_0_9_1, BYTES ("\0\x3c\0\x14\0\0\1q\0\0"),
    REPLY_SYNTAX_ERROR, "basic.consume is cut short" },
};

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autofree char *bytes = g_memdup2 (row->bytes, row->length);
  g_autoptr (GError) error = NULL;
  Method method = { .id = N_METHODS };

  g_assert_false (
      method_decode (row->version, slice_new (bytes, row->length, NULL), &method, &error));
  g_assert_error (error, REPLY_ERROR, (int) row->code);
  g_assert_cmpstr (error->message, ==, row->text);
  g_assert_cmpint (method.id, ==, N_METHODS);
  g_assert_false (
      method_decode (row->version, slice_new (bytes, row->length, NULL), &method, NULL));
}

static void
test_a_client_refuses_what_clients_send (void)
{
  g_autoptr (GError) error = NULL;
  Method method;

  g_assert_false (method_decode_from_broker (PROTOCOL_0_9_1, slice_new (PUBLISH "\0\0\0", 9, NULL),
                                             &method, &error));
  g_assert_error (error, REPLY_ERROR, REPLY_COMMAND_INVALID);
}

/* Bits that no field names may be anything: deployed brokers do not look at them. */
static void
test_unnamed_bits_are_ignored (void)
{
  Method method;

  g_assert_true (
      method_decode (PROTOCOL_0_9_1, slice_new (PUBLISH "\0\0\xfd", 9, NULL), &method, NULL));
  g_assert_cmpint (method.basic_publish.mandatory, ==, TRUE);
  g_assert_cmpint (method.basic_publish.immediate, ==, FALSE);
}

static void
test_ids_of_nothing_are_zero (void)
{
  guint16 class_id = 9;
  guint16 method_id = 9;

  method_peek_ids (slice_new ("\0\x3c\0", 3, NULL), &class_id, &method_id);
  g_assert_cmpuint (class_id, ==, 0);
  g_assert_cmpuint (method_id, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/amqp/method/refuses/%s", rows[i].claim);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/amqp/method/a-client-refuses-what-clients-send",
                   test_a_client_refuses_what_clients_send);
  g_test_add_func ("/amqp/method/unnamed-bits-are-ignored", test_unnamed_bits_are_ignored);
  g_test_add_func ("/amqp/method/ids-of-nothing-are-zero", test_ids_of_nothing_are_zero);
  return g_test_run ();
}
