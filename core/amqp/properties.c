/* SPDX-License-Identifier: MIT */
#include "core/amqp/properties.h"

#include "core/amqp/field_table.h"
#include "core/base/byte_reader.h"
#include "core/base/error.h"

/* The only class with content. */
#define CLASS_BASIC 60

/* Bit 0 of the flags announces more flags, for a sixteenth property; bit 1 is a fifteenth. Class
 * basic has fourteen (0-9-1 section 4.2.6.1). */
#define FLAG_CONTINUATION 1
#define FLAG_UNUSED       2

typedef enum PropertyKind
{
  OCTET,
  LONG_LONG,
  SHORT_STRING,
  TABLE
} PropertyKind;

/* In the order of the wire, which is that of the flags from the highest bit. */
static const struct
{
  PropertyFlag flag;
  PropertyKind kind;
  gsize offset; /* of its field in Properties */
} rows[] = {
#define ROW(FLAG, kind, field)                                                                     \
  {                                                                                                \
    PROPERTY_##FLAG, kind, G_STRUCT_OFFSET (Properties, field)                                     \
  }
  ROW (CONTENT_TYPE, SHORT_STRING, content_type),
  ROW (CONTENT_ENCODING, SHORT_STRING, content_encoding),
  ROW (HEADERS, TABLE, headers),
  ROW (DELIVERY_MODE, OCTET, delivery_mode),
  ROW (PRIORITY, OCTET, priority),
  ROW (CORRELATION_ID, SHORT_STRING, correlation_id),
  ROW (REPLY_TO, SHORT_STRING, reply_to),
  ROW (EXPIRATION, SHORT_STRING, expiration),
  ROW (MESSAGE_ID, SHORT_STRING, message_id),
  ROW (TIMESTAMP, LONG_LONG, timestamp),
  ROW (TYPE, SHORT_STRING, type),
  ROW (USER_ID, SHORT_STRING, user_id),
  ROW (APP_ID, SHORT_STRING, app_id),
  ROW (CLUSTER_ID, SHORT_STRING, cluster_id),
#undef ROW
};

/* Short strings are taken as they are: deployed clients put binary ids, with zero octets, into
 * correlation-id and message-id. */
static void
read_property (ByteReader *reader, PropertyKind kind, gpointer field)
{
  switch (kind)
    {
    case OCTET:
      *(guint8 *) field = byte_reader_u8 (reader);
      return;
    case LONG_LONG:
      *(guint64 *) field = byte_reader_u64 (reader);
      return;
    case SHORT_STRING:
      *(Slice *) field = byte_reader_short_string (reader);
      return;
    case TABLE:
      *(Slice *) field = byte_reader_long_string (reader);
      return;
    }
}

static void
write_property (ByteWriter *writer, PropertyKind kind, gconstpointer field)
{
  switch (kind)
    {
    case OCTET:
      byte_writer_u8 (writer, *(const guint8 *) field);
      return;
    case LONG_LONG:
      byte_writer_u64 (writer, *(const guint64 *) field);
      return;
    case SHORT_STRING:
      byte_writer_short_string (writer, *(const Slice *) field);
      return;
    case TABLE:
      byte_writer_long_string (writer, *(const Slice *) field);
      return;
    }
}

static void
read_properties (ByteReader *reader, Properties *properties)
{
  *properties = (Properties){ .flags = byte_reader_u16 (reader) };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if ((properties->flags & rows[i].flag) != 0)
      read_property (reader, rows[i].kind, G_STRUCT_MEMBER_P (properties, rows[i].offset));
}

static gboolean
check_properties (Slice bytes, GError **error)
{
  ByteReader reader = byte_reader_init (bytes);
  Properties properties;

  read_properties (&reader, &properties);
  if ((properties.flags & (FLAG_CONTINUATION | FLAG_UNUSED)) != 0)
    return reply_error (error, REPLY_SYNTAX_ERROR, "property flags 0x%04x: class basic has 14",
                        properties.flags);
  if (reader.failed)
    return reply_error (error, REPLY_SYNTAX_ERROR, "properties are cut short");
  if (!byte_reader_is_complete (&reader))
    return reply_error (error, REPLY_SYNTAX_ERROR,
                        "properties end with %" G_GSIZE_FORMAT " bytes too many",
                        byte_reader_left (&reader));
  if (!field_table_check (properties.headers, error))
    {
      g_prefix_error (error, "headers: ");
      return FALSE;
    }
  return TRUE;
}

gboolean
content_header_decode (Slice payload, ContentHeader *ret_header, GError **error)
{
  ByteReader reader = byte_reader_init (payload);
  ContentHeader header = { .class_id = byte_reader_u16 (&reader) };
  guint16 weight = byte_reader_u16 (&reader);

  header.body_size = byte_reader_u64 (&reader);
  if (reader.failed)
    return reply_error (error, REPLY_SYNTAX_ERROR, "content header is cut short");
  if (header.class_id != CLASS_BASIC)
    return reply_error (error, REPLY_UNEXPECTED_FRAME, "class %u has no content", header.class_id);
  if (weight != 0)
    return reply_error (error, REPLY_SYNTAX_ERROR, "content header of weight %u", weight);
  header.properties = byte_reader_slice (&reader, byte_reader_left (&reader));
  if (!check_properties (header.properties, error))
    return FALSE;
  *ret_header = header;
  return TRUE;
}

void
properties_decode (Slice properties, Properties *ret_properties)
{
  ByteReader reader = byte_reader_init (properties);

  read_properties (&reader, ret_properties);
  g_assert (byte_reader_is_complete (&reader));
}

guint8
properties_delivery_mode (Slice properties)
{
  ByteReader reader = byte_reader_init (properties);
  guint16 flags = byte_reader_u16 (&reader);

  if ((flags & PROPERTY_DELIVERY_MODE) == 0)
    return 1;
  if ((flags & PROPERTY_CONTENT_TYPE) != 0)
    byte_reader_short_string (&reader);
  if ((flags & PROPERTY_CONTENT_ENCODING) != 0)
    byte_reader_short_string (&reader);
  if ((flags & PROPERTY_HEADERS) != 0)
    byte_reader_long_string (&reader);
  return byte_reader_u8 (&reader) == 2 ? 2 : 1;
}

void
content_header_encode (const Properties *properties, guint64 body_size, ByteWriter *writer)
{
  g_assert ((properties->flags & (FLAG_CONTINUATION | FLAG_UNUSED)) == 0);
  byte_writer_u16 (writer, CLASS_BASIC);
  byte_writer_u16 (writer, 0); /* weight */
  byte_writer_u64 (writer, body_size);
  byte_writer_u16 (writer, properties->flags);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if ((properties->flags & rows[i].flag) != 0)
      write_property (writer, rows[i].kind, G_STRUCT_MEMBER_P (properties, rows[i].offset));
}
