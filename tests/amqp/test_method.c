/* SPDX-License-Identifier: MIT */
/* Every row of the method table, with fields drawn from a seed. */
#include "core/amqp/field_table.h"
#include "core/amqp/method.h"
#include "core/base/error.h"

#define ROUNDS 50

typedef struct Sample
{
  GRand *rand;
  GPtrArray *buffers; /* what the fields' slices borrow */
} Sample;

static Slice
draw_bytes (Sample *sample, gint32 max)
{
  Buffer *buffer = buffer_new ((gsize) g_rand_int_range (sample->rand, 0, max + 1));

  for (gsize i = 0; i < buffer->size; i++)
    buffer->bytes[i] = (guint8) g_rand_int_range (sample->rand, 1, 256);
  g_ptr_array_add (sample->buffers, buffer);
  return slice_of_buffer (buffer);
}

static Slice
draw_table (Sample *sample, guint depth)
{
  ByteWriter writer = byte_writer_init ();
  Buffer *buffer;

  for (gint32 n = g_rand_int_range (sample->rand, 0, 4); n > 0; n--)
    {
      field_table_put_integer (&writer, "an-integer", (gint32) g_rand_int (sample->rand));
      field_table_put_text (&writer, "a-text", draw_bytes (sample, 20));
      field_table_put_boolean (&writer, "a-boolean", g_rand_boolean (sample->rand));
      if (depth < 3)
        field_table_put_table (&writer, "a-table", draw_table (sample, depth + 1));
    }
  buffer = byte_writer_finish (&writer);
  g_ptr_array_add (sample->buffers, buffer);
  return slice_of_buffer (buffer);
}

static guint64
draw_u64 (Sample *sample)
{
  return (guint64) g_rand_int (sample->rand) << 32 | g_rand_int (sample->rand);
}

/* clang-format off */
static Method
draw_method (Sample *sample, MethodId id)
{
  Method method = { .id = id };

  switch (id)
    {
#define OCTET(name) m->name = (guint8) draw_u64 (sample);
#define SHORT(name) m->name = (guint16) draw_u64 (sample);
#define LONG(name) m->name = (guint32) draw_u64 (sample);
#define LONG_LONG(name) m->name = draw_u64 (sample);
#define BIT(name) m->name = g_rand_boolean (sample->rand);
#define SHORT_STRING(name) m->name = draw_bytes (sample, 255);
#define LONG_STRING(name) m->name = draw_bytes (sample, 1000);
#define TABLE(name) m->name = draw_table (sample, 0);
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
    case METHOD_##ID:                                                                              \
      {                                                                                            \
        Struct *m G_GNUC_UNUSED = &method.member;                                                  \
        fields                                                                                     \
      }                                                                                            \
      break;
#include "core/amqp/methods_0_9_1.def"
    case N_METHODS:
      g_assert_not_reached ();
    }
  return method;
}

static void
assert_methods_equal (const Method *a, const Method *b)
{
  g_assert_cmpstr (method_name (a->id), ==, method_name (b->id));
  switch (a->id)
    {
#define OCTET(name) g_assert_cmpuint (m->name, ==, n->name);
#define SHORT(name) g_assert_cmpuint (m->name, ==, n->name);
#define LONG(name) g_assert_cmpuint (m->name, ==, n->name);
#define LONG_LONG(name) g_assert_cmpuint (m->name, ==, n->name);
#define BIT(name) g_assert_cmpint (m->name, ==, n->name);
#define SHORT_STRING(name) g_assert_true (slice_equal (m->name, n->name));
#define LONG_STRING(name) g_assert_true (slice_equal (m->name, n->name));
#define TABLE(name) g_assert_true (slice_equal (m->name, n->name));
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
    case METHOD_##ID:                                                                              \
      {                                                                                            \
        const Struct *m G_GNUC_UNUSED = &a->member;                                                \
        const Struct *n G_GNUC_UNUSED = &b->member;                                                \
        fields                                                                                     \
      }                                                                                            \
      break;
#include "core/amqp/methods_0_9_1.def"
    case N_METHODS:
      g_assert_not_reached ();
    }
}
/* clang-format on */

static gboolean
decode (Slice payload, Method *ret_method, GError **error)
{
  g_autoptr (GError) from_client = NULL;

  if (method_decode (PROTOCOL_0_9_1, payload, ret_method, &from_client))
    return TRUE;
  if (g_error_matches (from_client, REPLY_ERROR, REPLY_COMMAND_INVALID))
    return method_decode_from_broker (PROTOCOL_0_9_1, payload, ret_method, error);
  g_propagate_error (error, g_steal_pointer (&from_client));
  return FALSE;
}

static void
sample_clear (Sample *sample)
{
  g_rand_free (sample->rand);
  g_ptr_array_unref (sample->buffers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sample, sample_clear)

static Sample
sample_init (guint32 seed)
{
  return (Sample){ g_rand_new_with_seed (seed),
                   g_ptr_array_new_with_free_func ((GDestroyNotify) buffer_unref) };
}

static void
test_round_trips (gconstpointer data)
{
  MethodId id = (MethodId) GPOINTER_TO_UINT (data);
  g_auto (Sample) sample = sample_init (id);

  for (guint round = 0; round < ROUNDS; round++)
    {
      Method method = draw_method (&sample, id);
      g_auto (ByteWriter) writer = byte_writer_init ();
      g_autoptr (GError) error = NULL;
      Method again;
      guint16 class_id;
      guint16 method_id;

      method_encode (PROTOCOL_0_9_1, &method, &writer);
      g_assert_true (decode (byte_writer_peek (&writer), &again, &error));
      g_assert_no_error (error);
      assert_methods_equal (&method, &again);
      g_assert_cmpuint (method_digest (&method, 5), ==, method_digest (&again, 5));
      method_peek_ids (byte_writer_peek (&writer), &class_id, &method_id);
      g_assert_cmpuint (class_id, ==, method_class_id (PROTOCOL_0_9_1, id));
      g_assert_cmpuint (method_id, ==, method_method_id (PROTOCOL_0_9_1, id));
    }
}

/* In a block of just that size, so that a sanitizer sees a read past its end. */
static void
assert_syntax_error (const guint8 *bytes, gsize length)
{
  g_autofree guint8 *copy = g_memdup2 (bytes, length);
  g_autoptr (GError) error = NULL;
  Method method = { .id = N_METHODS };

  g_assert_false (decode (slice_new (copy, length, NULL), &method, &error));
  g_assert_error (error, REPLY_ERROR, REPLY_SYNTAX_ERROR);
  g_assert_cmpint (method.id, ==, N_METHODS);
}

static void
test_refuses_every_other_length (gconstpointer data)
{
  MethodId id = (MethodId) GPOINTER_TO_UINT (data);
  g_auto (Sample) sample = sample_init (id);
  Method method = draw_method (&sample, id);
  g_auto (ByteWriter) writer = byte_writer_init ();
  gsize length;

  method_encode (PROTOCOL_0_9_1, &method, &writer);
  length = writer.length;
  for (gsize cut = 0; cut < length; cut++)
    assert_syntax_error (writer.buffer->bytes, cut);
  byte_writer_u8 (&writer, 0);
  assert_syntax_error (writer.buffer->bytes, length + 1);
}

static void
test_digest_sees_every_field (gconstpointer data)
{
  MethodId id = (MethodId) GPOINTER_TO_UINT (data);
  g_auto (Sample) sample = sample_init (id);

  for (guint round = 0; round < ROUNDS; round++)
    {
      Method a = draw_method (&sample, id);
      Method b = draw_method (&sample, id);
      g_auto (ByteWriter) bytes_a = byte_writer_init ();
      g_auto (ByteWriter) bytes_b = byte_writer_init ();

      method_encode (PROTOCOL_0_9_1, &a, &bytes_a);
      method_encode (PROTOCOL_0_9_1, &b, &bytes_b);
      g_assert_cmpint (method_digest (&a, 0) == method_digest (&b, 0), ==,
                       slice_equal (byte_writer_peek (&bytes_a), byte_writer_peek (&bytes_b)));
    }
}

static void
test_digest_sees_the_method (void)
{
  Method commit = { .id = METHOD_TX_COMMIT };
  Method rollback = { .id = METHOD_TX_ROLLBACK };

  g_assert_cmpuint (method_digest (&commit, 0), !=, method_digest (&rollback, 0));
  g_assert_cmpuint (method_digest (&commit, 0), !=, method_digest (&commit, 1));
}

/* Neighbours share an octet, the first in its lowest bit (0-9-1 section 4.2.5.2). */
static void
test_packs_bits (void)
{
  Method declare = {
    .id = METHOD_QUEUE_DECLARE,
    .queue_declare = { .durable = TRUE, .no_wait = TRUE },
  };
  Method deliver = { .id = METHOD_BASIC_DELIVER, .basic_deliver = { .redelivered = TRUE } };
  g_auto (ByteWriter) writer = byte_writer_init ();

  method_encode (PROTOCOL_0_9_1, &declare, &writer);
  g_assert_cmpmem (writer.buffer->bytes, writer.length, "\0\x32\0\x0a\0\0\0\x12\0\0\0\0", 12);
  writer.length = 0;
  method_encode (PROTOCOL_0_9_1, &deliver, &writer);
  g_assert_cmpmem (writer.buffer->bytes, writer.length, "\0\x3c\0\x3c\0\0\0\0\0\0\0\0\0\1\0\0", 16);
}

static void
test_borrows_the_payload (void)
{
  static const char bytes[] = "\0\x3c\0\x28\0\0\1e\2rk\1";
  g_autoptr (Buffer) buffer = buffer_new_copy (bytes, sizeof bytes - 1);
  Method method;

  g_assert_true (method_decode (PROTOCOL_0_9_1, slice_of_buffer (buffer), &method, NULL));
  g_assert_true (method.basic_publish.routing_key.bytes == buffer->bytes + 9);
  g_assert_true (method.basic_publish.routing_key.owner == buffer);
  g_assert_true (method.basic_publish.mandatory);
  g_assert_false (method.basic_publish.immediate);
}

static void
test_knows_what_has_content (void)
{
  for (MethodId id = 0; id < N_METHODS; id++)
    g_assert_cmpint (method_has_content (id), ==,
                     id == METHOD_BASIC_PUBLISH || id == METHOD_BASIC_RETURN
                         || id == METHOD_BASIC_DELIVER || id == METHOD_BASIC_GET_OK);
}

static void
assert_prints (const Method *method, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  method_print (method, text);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_prints (void)
{
  g_auto (ByteWriter) table = byte_writer_init ();
  Method publish = {
    .id = METHOD_BASIC_PUBLISH,
    .basic_publish = { .routing_key = slice_of_text ("q'\n"), .mandatory = TRUE },
  };
  Method declare = {
    .id = METHOD_QUEUE_DECLARE,
    .queue_declare = { .queue = slice_of_text ("q"), .auto_delete = TRUE },
  };
  Method start_ok = {
    .id = METHOD_CONNECTION_START_OK,
    .connection_start_ok = {
      .mechanism = slice_of_text ("PLAIN"),
      .response = slice_new ("\0guest\0secret", 13, NULL),
    },
  };

  field_table_put_integer (&table, "x-max-length", -5);
  declare.queue_declare.arguments = byte_writer_peek (&table);
  assert_prints (&publish, "basic.publish exchange='' routing-key='q\\'\\x0a' mandatory=1");
  assert_prints (&declare, "queue.declare queue='q' auto-delete=1 arguments={x-max-length: -5}");
  assert_prints (&start_ok, "connection.start-ok client-properties={} mechanism='PLAIN' "
                            "response=(13 bytes) locale=''");
  assert_prints (&(Method){ .id = METHOD_TX_SELECT }, "tx.select");
}

static void
add_for_each_method (const char *claim, GTestDataFunc function)
{
  for (MethodId id = 0; id < N_METHODS; id++)
    {
      g_autofree char *path = g_strdup_printf ("/amqp/method/%s/%s", claim, method_name (id));

      g_test_add_data_func (path, GUINT_TO_POINTER (id), function);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_for_each_method ("round-trips", test_round_trips);
  add_for_each_method ("refuses-every-other-length", test_refuses_every_other_length);
  add_for_each_method ("digest-sees-every-field", test_digest_sees_every_field);
  g_test_add_func ("/amqp/method/digest-sees-the-method", test_digest_sees_the_method);
  g_test_add_func ("/amqp/method/packs-bits", test_packs_bits);
  g_test_add_func ("/amqp/method/borrows-the-payload", test_borrows_the_payload);
  g_test_add_func ("/amqp/method/knows-what-has-content", test_knows_what_has_content);
  g_test_add_func ("/amqp/method/prints", test_prints);
  return g_test_run ();
}
