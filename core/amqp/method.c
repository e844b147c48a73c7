/* SPDX-License-Identifier: MIT */
#include "core/amqp/method.h"

#include "core/amqp/field_table.h"
#include "core/base/byte_reader.h"
#include "core/base/digest.h"
#include "core/base/error.h"

/* Who may send a method, and whether content follows it. */
enum
{
  FROM_CLIENT = 1 << 0,
  FROM_BROKER = 1 << 1,
  WITH_CONTENT = 1 << 2
};

/* A field is decoded and encoded by straight code, a function per method. */
typedef struct FieldReader
{
  ByteReader bytes;
  guint8 bit_octet;
  guint n_bits;    /* taken of that octet */
  gsize bits_end;  /* where that octet ended: bits with nothing between them share it */
  GError *refusal; /* the first field that was there but wrong */
} FieldReader;

typedef struct FieldWriter
{
  ByteWriter *bytes;
  guint n_bits;
  gsize bits_end;
} FieldWriter;

typedef struct MethodRow
{
  guint16 class_id;
  guint16 method_id;
  guint8 flags;
  void (*decode) (FieldReader *reader, Method *method);
  void (*encode) (FieldWriter *writer, const Method *method);
} MethodRow;

/* Bits that no field of ours names are not looked at: deployed brokers take them too. */
static gboolean
read_bit (FieldReader *reader)
{
  if (reader->n_bits == 8 || reader->bits_end != reader->bytes.offset)
    {
      reader->bit_octet = byte_reader_u8 (&reader->bytes);
      reader->n_bits = 0;
      reader->bits_end = reader->bytes.offset;
    }
  return reader->bit_octet >> reader->n_bits++ & 1;
}

/* 0-9-1 section 4.2.5.3: no zero octets. */
static Slice
read_short_string (FieldReader *reader, const char *field)
{
  Slice string = byte_reader_short_string (&reader->bytes);

  if (string.length > 0 && memchr (string.bytes, '\0', string.length) != NULL
      && reader->refusal == NULL)
    reply_error (&reader->refusal, REPLY_SYNTAX_ERROR, "%s holds a zero octet", field);
  return string;
}

static Slice
read_table (FieldReader *reader, const char *field)
{
  Slice table = byte_reader_long_string (&reader->bytes);

  if (reader->refusal == NULL && !field_table_check (table, &reader->refusal))
    g_prefix_error (&reader->refusal, "%s: ", field);
  return table;
}

static void
write_bit (FieldWriter *writer, gboolean bit)
{
  if (writer->n_bits == 8 || writer->bits_end != writer->bytes->length)
    {
      byte_writer_u8 (writer->bytes, 0);
      writer->n_bits = 0;
      writer->bits_end = writer->bytes->length;
    }
  writer->bytes->buffer->bytes[writer->bits_end - 1] |= (guint8) (!!bit << writer->n_bits++);
}

/* clang-format off */
#define OCTET(name) m->name = byte_reader_u8 (&reader->bytes);
#define SHORT(name) m->name = byte_reader_u16 (&reader->bytes);
#define LONG(name) m->name = byte_reader_u32 (&reader->bytes);
#define LONG_LONG(name) m->name = byte_reader_u64 (&reader->bytes);
#define BIT(name) m->name = read_bit (reader);
#define SHORT_STRING(name) m->name = read_short_string (reader, #name);
#define LONG_STRING(name) m->name = byte_reader_long_string (&reader->bytes);
#define TABLE(name) m->name = read_table (reader, #name);
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
  static void                                                                                      \
  decode_##member (FieldReader *reader G_GNUC_UNUSED, Method *method)                              \
  {                                                                                                \
    Struct *m G_GNUC_UNUSED = &method->member;                                                     \
    fields                                                                                         \
  }
#include "core/amqp/methods_0_9_1.def"

#define OCTET(name) byte_writer_u8 (writer->bytes, m->name);
#define SHORT(name) byte_writer_u16 (writer->bytes, m->name);
#define LONG(name) byte_writer_u32 (writer->bytes, m->name);
#define LONG_LONG(name) byte_writer_u64 (writer->bytes, m->name);
#define BIT(name) write_bit (writer, m->name);
#define SHORT_STRING(name) byte_writer_short_string (writer->bytes, m->name);
#define LONG_STRING(name) byte_writer_long_string (writer->bytes, m->name);
#define TABLE(name) byte_writer_long_string (writer->bytes, m->name);
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
  static void                                                                                      \
  encode_##member (FieldWriter *writer G_GNUC_UNUSED, const Method *method)                        \
  {                                                                                                \
    const Struct *m G_GNUC_UNUSED = &method->member;                                               \
    fields                                                                                         \
  }
#include "core/amqp/methods_0_9_1.def"

#define OCTET(name) digest = digest_combine (digest, m->name);
#define SHORT(name) digest = digest_combine (digest, m->name);
#define LONG(name) digest = digest_combine (digest, m->name);
#define LONG_LONG(name) digest = digest_combine (digest, m->name);
#define BIT(name) digest = digest_combine (digest, !!m->name);
#define SHORT_STRING(name) digest = digest_slice (digest, m->name);
#define LONG_STRING(name) digest = digest_slice (digest, m->name);
#define TABLE(name) digest = digest_slice (digest, m->name);
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
  static guint64                                                                                   \
  digest_##member (const Method *method, guint64 digest)                                           \
  {                                                                                                \
    const Struct *m G_GNUC_UNUSED = &method->member;                                               \
    fields                                                                                         \
    return digest;                                                                                 \
  }
#include "core/amqp/methods_0_9_1.def"

static guint64 (*const digests[N_METHODS]) (const Method *method, guint64 digest) = {
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
  [METHOD_##ID] = digest_##member,
#include "core/amqp/methods_0_9_1.def"
};

static const char *const names[N_METHODS] = {
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields) [METHOD_##ID] = text,
#include "core/amqp/methods_0_9_1.def"
};

static const MethodRow rows_0_9_1[N_METHODS] = {
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
  [METHOD_##ID] = { class_id, method_id, flags, decode_##member, encode_##member },
#include "core/amqp/methods_0_9_1.def"
};

/* From the ids on the wire to MethodId + 1, 0 for none. Class ids are multiples of five; a row that
 * does not fit, or that is there twice, does not compile. */
#define CLASS_STEP 5
#define N_CLASSES 19
#define N_METHODS_OF_CLASS 128
typedef guint8 MethodIndex[N_CLASSES][N_METHODS_OF_CLASS];

static const MethodIndex index_0_9_1 = {
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
  [class_id / CLASS_STEP][method_id] = METHOD_##ID + 1,
#include "core/amqp/methods_0_9_1.def"
};
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
  G_STATIC_ASSERT (class_id % CLASS_STEP == 0);
#include "core/amqp/methods_0_9_1.def"
G_STATIC_ASSERT (N_METHODS < G_MAXUINT8);
/* clang-format on */

/* Versions that cannot be spoken have no tables. */
static const struct
{
  const MethodRow *rows; /* by MethodId; without decode where the version has no such method */
  const MethodIndex *index;
} versions[N_PROTOCOL_VERSIONS] = {
  [PROTOCOL_0_9_1] = { rows_0_9_1, &index_0_9_1 },
};

/* N_METHODS: none. */
static MethodId
method_lookup (ProtocolVersion version, guint16 class_id, guint16 method_id)
{
  guint id_plus_one;

  g_assert (version < N_PROTOCOL_VERSIONS);
  if (versions[version].index == NULL || class_id % CLASS_STEP != 0
      || class_id / CLASS_STEP >= N_CLASSES || method_id >= N_METHODS_OF_CLASS)
    return N_METHODS;
  id_plus_one = (*versions[version].index)[class_id / CLASS_STEP][method_id];
  return id_plus_one == 0 ? N_METHODS : (MethodId) (id_plus_one - 1);
}

static const MethodRow *
method_row (ProtocolVersion version, MethodId id)
{
  g_assert (version < N_PROTOCOL_VERSIONS && id < N_METHODS && versions[version].rows != NULL);
  return &versions[version].rows[id];
}

/* What is wrong with the fields, if anything is. */
static gboolean
check_end (FieldReader *reader, MethodId id, GError **error)
{
  g_autoptr (GError) refusal = g_steal_pointer (&reader->refusal);

  if (reader->bytes.failed)
    return reply_error (error, REPLY_SYNTAX_ERROR, "%s is cut short", method_name (id));
  if (refusal != NULL)
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&refusal), "%s ", method_name (id));
      return FALSE;
    }
  if (!byte_reader_is_complete (&reader->bytes))
    return reply_error (error, REPLY_SYNTAX_ERROR,
                        "%s ends with %" G_GSIZE_FORMAT " bytes too many", method_name (id),
                        byte_reader_left (&reader->bytes));
  return TRUE;
}

static gboolean
decode_from (guint8 sender, ProtocolVersion version, Slice payload, Method *ret_method,
             GError **error)
{
  FieldReader reader = { .bytes = byte_reader_init (payload) };
  guint16 class_id = byte_reader_u16 (&reader.bytes);
  guint16 method_id = byte_reader_u16 (&reader.bytes);
  Method method = { .id = method_lookup (version, class_id, method_id) };
  const MethodRow *row;

  if (reader.bytes.failed)
    return reply_error (error, REPLY_SYNTAX_ERROR, "a method is cut short");
  if (method.id == N_METHODS)
    return reply_error (error, REPLY_NOT_IMPLEMENTED, "no method %u of class %u in AMQP %s",
                        method_id, class_id, protocol_version_name (version));
  row = method_row (version, method.id);
  if ((row->flags & sender) == 0)
    return reply_error (error, REPLY_COMMAND_INVALID, "%s is sent by %s only",
                        method_name (method.id), sender == FROM_CLIENT ? "brokers" : "clients");
  row->decode (&reader, &method);
  if (!check_end (&reader, method.id, error))
    return FALSE;
  *ret_method = method;
  return TRUE;
}

gboolean
method_decode (ProtocolVersion version, Slice payload, Method *ret_method, GError **error)
{
  return decode_from (FROM_CLIENT, version, payload, ret_method, error);
}

gboolean
method_decode_from_broker (ProtocolVersion version, Slice payload, Method *ret_method,
                           GError **error)
{
  return decode_from (FROM_BROKER, version, payload, ret_method, error);
}

void
method_encode (ProtocolVersion version, const Method *method, ByteWriter *writer)
{
  const MethodRow *row = method_row (version, method->id);
  FieldWriter fields = { .bytes = writer };

  byte_writer_u16 (writer, row->class_id);
  byte_writer_u16 (writer, row->method_id);
  row->encode (&fields, method);
}

void
method_peek_ids (Slice payload, guint16 *ret_class_id, guint16 *ret_method_id)
{
  ByteReader reader = byte_reader_init (payload);
  guint16 class_id = byte_reader_u16 (&reader);
  guint16 method_id = byte_reader_u16 (&reader);

  *ret_class_id = reader.failed ? 0 : class_id;
  *ret_method_id = reader.failed ? 0 : method_id;
}

const char *
method_name (MethodId id)
{
  g_assert (id < N_METHODS);
  return names[id];
}

guint16
method_class_id (ProtocolVersion version, MethodId id)
{
  return method_row (version, id)->class_id;
}

guint16
method_method_id (ProtocolVersion version, MethodId id)
{
  return method_row (version, id)->method_id;
}

gboolean
method_has_content (MethodId id)
{
  g_assert (id < N_METHODS);
  return (rows_0_9_1[id].flags & WITH_CONTENT) != 0;
}

/* The ids of 0-9-1 stand for the method, since MethodId moves when a row is added. */
guint64
method_digest (const Method *method, guint64 digest)
{
  const MethodRow *row = method_row (PROTOCOL_0_9_1, method->id);

  digest = digest_combine (digest, (guint64) row->class_id << 16 | row->method_id);
  return digests[method->id](method, digest);
}
