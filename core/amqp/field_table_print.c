/* SPDX-License-Identifier: MIT */
#include "core/amqp/field_table.h"

#include "core/base/byte_reader.h"

void
field_table_print_bytes (Slice bytes, GString *text)
{
  g_string_append_c (text, '\'');
  for (gsize i = 0; i < bytes.length; i++)
    {
      char c = (char) bytes.bytes[i];

      if (c == '\'' || c == '\\')
        g_string_append_printf (text, "\\%c", c);
      else if (g_ascii_isprint (c))
        g_string_append_c (text, c);
      else
        g_string_append_printf (text, "\\x%02x", bytes.bytes[i]);
    }
  g_string_append_c (text, '\'');
}

/* Bare where it cannot be misread. */
static void
print_name (Slice name, GString *text)
{
  gboolean is_bare = name.length > 0;

  for (gsize i = 0; i < name.length; i++)
    is_bare = is_bare
              && (g_ascii_isalnum (name.bytes[i])
                  || (name.bytes[i] != '\0' && strchr ("-_.", name.bytes[i]) != NULL));
  if (is_bare)
    g_string_append_len (text, (const char *) name.bytes, (gssize) name.length);
  else
    field_table_print_bytes (name, text);
}

static void print_array (Slice array, GString *text);

/* Enough digits to read back as the same number, whatever the locale. */
static void
print_real (double real, GString *text)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_formatd (digits, sizeof digits, "%.17g", real));
}

/* A decimal is a count of digits after the point, and an integer (0-9-1 section 4.2.5.5). */
static void
print_decimal (Slice octets, GString *text)
{
  ByteReader reader = byte_reader_init (octets);
  guint8 scale = byte_reader_u8 (&reader);

  g_string_append_printf (text, "%de-%u", (gint32) byte_reader_u32 (&reader), scale);
}

static void
print_value (const FieldValue *value, GString *text)
{
  switch (value->type)
    {
    case 't':
      g_string_append (text, value->integer != 0 ? "true" : "false");
      return;
    case 'f':
    case 'd':
      print_real (value->real, text);
      return;
    case 'D':
      print_decimal (value->bytes, text);
      return;
    case 'S':
    case 'x':
      field_table_print_bytes (value->bytes, text);
      return;
    case 'F':
      field_table_print (value->bytes, text);
      return;
    case 'A':
      print_array (value->bytes, text);
      return;
    case 'V':
      g_string_append (text, "void");
      return;
    }
  g_string_append_printf (text, "%" G_GINT64_FORMAT, value->integer);
}

static void
print_array (Slice array, GString *text)
{
  FieldTableIter iter = field_array_iter (array);
  const char *before = "[";
  FieldValue value;

  while (field_array_next (&iter, &value))
    {
      g_string_append (text, before);
      print_value (&value, text);
      before = ", ";
    }
  g_string_append (text, *before == '[' ? "[]" : "]");
}

void
field_table_print (Slice table, GString *text)
{
  FieldTableIter iter = field_table_iter (table);
  const char *before = "{";
  Slice name;
  FieldValue value;

  while (field_table_next (&iter, &name, &value))
    {
      g_string_append (text, before);
      print_name (name, text);
      g_string_append (text, ": ");
      print_value (&value, text);
      before = ", ";
    }
  g_string_append (text, *before == '{' ? "{}" : "}");
}
