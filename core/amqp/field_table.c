/* SPDX-License-Identifier: MIT */
#include "core/amqp/field_table.h"

#include "core/base/byte_reader.h"
#include "core/base/error.h"
#include "core/base/limits.h"

static double
float_of_octets (Slice octets)
{
  ByteReader reader = byte_reader_init (octets);
  guint32 bits = byte_reader_u32 (&reader);
  float value;

  memcpy (&value, &bits, sizeof value);
  return (double) value;
}

static double
double_of_octets (Slice octets)
{
  ByteReader reader = byte_reader_init (octets);
  guint64 bits = byte_reader_u64 (&reader);
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* FALSE: a type that is none. A value that is cut short fails the reader. */
static gboolean
read_value (ByteReader *reader, FieldValue *value)
{
  *value = (FieldValue){ .type = (char) byte_reader_u8 (reader) };
  switch (value->type)
    {
    case 't':
      value->integer = byte_reader_u8 (reader) != 0;
      return TRUE;
    case 'b':
      value->integer = (gint8) byte_reader_u8 (reader);
      return TRUE;
    case 'B':
      value->integer = byte_reader_u8 (reader);
      return TRUE;
    case 's':
      value->integer = (gint16) byte_reader_u16 (reader);
      return TRUE;
    case 'u':
      value->integer = byte_reader_u16 (reader);
      return TRUE;
    case 'I':
      value->integer = (gint32) byte_reader_u32 (reader);
      return TRUE;
    case 'i':
      value->integer = byte_reader_u32 (reader);
      return TRUE;
    case 'l':
    case 'L':
    case 'T':
      value->integer = (gint64) byte_reader_u64 (reader);
      return TRUE;
    case 'f':
      value->bytes = byte_reader_slice (reader, 4);
      value->real = float_of_octets (value->bytes);
      return TRUE;
    case 'd':
      value->bytes = byte_reader_slice (reader, 8);
      value->real = double_of_octets (value->bytes);
      return TRUE;
    case 'D':
      value->bytes = byte_reader_slice (reader, 5);
      return TRUE;
    case 'S':
    case 'x':
    case 'A':
    case 'F':
      value->bytes = byte_reader_long_string (reader);
      return TRUE;
    case 'V':
      return TRUE;
    }
  return FALSE;
}

static gboolean
refuse_field (GError **error, Slice name, const char *what)
{
  g_autoptr (GString) text = g_string_new (NULL);

  field_table_print_bytes (name, text);
  return reply_error (error, REPLY_SYNTAX_ERROR, "field %s %s", text->str, what);
}

/* The fields of a table, or the values of an array, which have no names. */
static gboolean
check_fields (Slice bytes, gboolean is_table, guint depth, guint *values, GError **error)
{
  ByteReader reader = byte_reader_init (bytes);

  if (depth > LIMIT_TABLE_DEPTH)
    return reply_error (error, REPLY_SYNTAX_ERROR, "field table nested deeper than %u",
                        LIMIT_TABLE_DEPTH);
  while (byte_reader_left (&reader) > 0)
    {
      Slice name = is_table ? byte_reader_short_string (&reader) : (Slice){ 0 };
      gboolean is_known;
      FieldValue value;

      if (reader.failed)
        return reply_error (error, REPLY_SYNTAX_ERROR, "field table cut short in a name");
      if (name.length > 0 && memchr (name.bytes, '\0', name.length) != NULL)
        return refuse_field (error, name, "has a zero octet in its name");
      is_known = read_value (&reader, &value);
      if (reader.failed)
        return refuse_field (error, name, "is cut short");
      if (!is_known)
        return refuse_field (error, name, "has an unknown type");
      if (++*values > LIMIT_TABLE_VALUES)
        return reply_error (error, REPLY_SYNTAX_ERROR, "field table of more than %u values",
                            LIMIT_TABLE_VALUES);
      if ((value.type == 'F' || value.type == 'A')
          && !check_fields (value.bytes, value.type == 'F', depth + 1, values, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
field_table_check (Slice table, GError **error)
{
  guint values = 0;

  return check_fields (table, TRUE, 0, &values, error);
}

FieldTableIter
field_table_iter (Slice table)
{
  return (FieldTableIter){ .left = table };
}

static gboolean
next_value (FieldTableIter *iter, Slice *ret_name, FieldValue *ret_value)
{
  ByteReader reader = byte_reader_init (iter->left);
  gboolean is_known;

  if (iter->left.length == 0)
    return FALSE;
  if (ret_name != NULL)
    *ret_name = byte_reader_short_string (&reader);
  is_known = read_value (&reader, ret_value);
  g_assert (is_known && !reader.failed);
  iter->left = slice_sub (iter->left, reader.offset, byte_reader_left (&reader));
  return TRUE;
}

gboolean
field_table_next (FieldTableIter *iter, Slice *ret_name, FieldValue *ret_value)
{
  return next_value (iter, ret_name, ret_value);
}

FieldTableIter
field_array_iter (Slice array)
{
  return (FieldTableIter){ .left = array };
}

gboolean
field_array_next (FieldTableIter *iter, FieldValue *ret_value)
{
  return next_value (iter, NULL, ret_value);
}

gboolean
field_table_lookup (Slice table, const char *name, FieldValue *ret_value)
{
  FieldTableIter iter = field_table_iter (table);
  Slice field;
  FieldValue value;

  while (field_table_next (&iter, &field, &value))
    if (slice_equal_text (field, name))
      {
        *ret_value = value;
        return TRUE;
      }
  return FALSE;
}

gboolean
field_table_lookup_text (Slice table, const char *name, Slice *ret_text)
{
  FieldValue value;

  if (!field_table_lookup (table, name, &value) || (value.type != 'S' && value.type != 'x'))
    return FALSE;
  *ret_text = value.bytes;
  return TRUE;
}

static gboolean
is_integer (const FieldValue *value)
{
  return strchr ("bBsuiIlL", value->type) != NULL;
}

gboolean
field_table_lookup_integer (Slice table, const char *name, gint64 *ret_value)
{
  FieldValue value;

  if (!field_table_lookup (table, name, &value) || !is_integer (&value))
    return FALSE;
  *ret_value = value.integer;
  return TRUE;
}

gboolean
field_table_lookup_boolean (Slice table, const char *name, gboolean *ret_value)
{
  FieldValue value;

  if (!field_table_lookup (table, name, &value) || value.type != 't')
    return FALSE;
  *ret_value = value.integer != 0;
  return TRUE;
}

/* --- comparing */

typedef struct Field
{
  Slice name;
  FieldValue value;
} Field;

static int
field_compare (gconstpointer a, gconstpointer b)
{
  const Field *field_a = a;
  const Field *field_b = b;

  return slice_compare (field_a->name, field_b->name);
}

/* By name, the first of each name: two tables are compared in n log n, since a client chooses n. */
static GArray *
sorted_fields (Slice table)
{
  GArray *fields = g_array_new (FALSE, FALSE, sizeof (Field));
  FieldTableIter iter = field_table_iter (table);
  guint kept = 0;
  Field field;

  while (field_table_next (&iter, &field.name, &field.value))
    g_array_append_val (fields, field);
  g_array_sort (fields, field_compare); /* stable */
  for (guint i = 0; i < fields->len; i++)
    {
      const Field *at = &g_array_index (fields, Field, i);

      if (kept == 0 || field_compare (at, &g_array_index (fields, Field, kept - 1)) != 0)
        g_array_index (fields, Field, kept++) = *at;
    }
  g_array_set_size (fields, kept);
  return fields;
}

static gboolean array_equal (Slice a, Slice b);

/* Reals by their octets: no arithmetic that another machine could do differently. */
static gboolean
value_equal (const FieldValue *a, const FieldValue *b)
{
  if (is_integer (a) && is_integer (b))
    return a->integer == b->integer;
  if (a->type != b->type)
    return FALSE;
  if (a->type == 'F')
    return field_table_equal (a->bytes, b->bytes);
  if (a->type == 'A')
    return array_equal (a->bytes, b->bytes);
  return a->integer == b->integer && slice_equal (a->bytes, b->bytes);
}

static gboolean
array_equal (Slice a, Slice b)
{
  FieldTableIter iter_a = field_array_iter (a);
  FieldTableIter iter_b = field_array_iter (b);
  FieldValue value_a;
  FieldValue value_b;

  while (field_array_next (&iter_a, &value_a))
    if (!field_array_next (&iter_b, &value_b) || !value_equal (&value_a, &value_b))
      return FALSE;
  return !field_array_next (&iter_b, &value_b);
}

gboolean
field_table_equal (Slice a, Slice b)
{
  g_autoptr (GArray) fields_a = NULL;
  g_autoptr (GArray) fields_b = NULL;

  if (slice_equal (a, b))
    return TRUE;
  fields_a = sorted_fields (a);
  fields_b = sorted_fields (b);
  if (fields_a->len != fields_b->len)
    return FALSE;
  for (guint i = 0; i < fields_a->len; i++)
    {
      const Field *field_a = &g_array_index (fields_a, Field, i);
      const Field *field_b = &g_array_index (fields_b, Field, i);

      if (field_compare (field_a, field_b) != 0 || !value_equal (&field_a->value, &field_b->value))
        return FALSE;
    }
  return TRUE;
}

/* --- writing */

static void
put_name (ByteWriter *writer, const char *name, char type)
{
  byte_writer_short_string (writer, slice_of_text (name));
  byte_writer_u8 (writer, (guint8) type);
}

void
field_table_put_text (ByteWriter *writer, const char *name, Slice text)
{
  put_name (writer, name, 'S');
  byte_writer_long_string (writer, text);
}

void
field_table_put_boolean (ByteWriter *writer, const char *name, gboolean value)
{
  put_name (writer, name, 't');
  byte_writer_u8 (writer, value != FALSE);
}

void
field_table_put_integer (ByteWriter *writer, const char *name, gint32 value)
{
  put_name (writer, name, 'I');
  byte_writer_u32 (writer, (guint32) value);
}

void
field_table_put_table (ByteWriter *writer, const char *name, Slice table)
{
  put_name (writer, name, 'F');
  byte_writer_long_string (writer, table);
}
