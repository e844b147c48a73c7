/* SPDX-License-Identifier: MIT */
/* A table that was taken can be walked, printed and searched, and equals itself in any order of its
 * fields. Input: the bytes of a table, without its length. */
#include "core/amqp/field_table.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "tests/fuzz/fuzz.h"

/* Of larger tables the names are not compared one with the other. */
#define FEW_FIELDS 32

typedef struct Field
{
  Slice name;
  Slice whole; /* name, type and value */
} Field;

static GArray *
list_fields (Slice table)
{
  GArray *fields = g_array_new (FALSE, FALSE, sizeof (Field));
  FieldTableIter iter = field_table_iter (table);
  gsize start = 0;
  FieldValue value;
  Field field;

  while (field_table_next (&iter, &field.name, &value))
    {
      gsize end = table.length - iter.left.length;

      field.whole = slice_sub (table, start, end - start);
      start = end;
      g_array_append_val (fields, field);
    }
  g_assert (start == table.length && fields->len <= LIMIT_TABLE_VALUES);
  return fields;
}

static gboolean
is_name_twice (const GArray *fields)
{
  for (guint i = 0; i < fields->len; i++)
    for (guint j = 0; j < i; j++)
      if (slice_equal (g_array_index (fields, Field, i).name,
                       g_array_index (fields, Field, j).name))
        return TRUE;
  return FALSE;
}

static void
check_equal (Slice table, const GArray *fields)
{
  g_auto (ByteWriter) reversed = byte_writer_init ();

  for (guint i = fields->len; i > 0; i--)
    byte_writer_slice (&reversed, g_array_index (fields, Field, i - 1).whole);
  g_assert (field_table_check (byte_writer_peek (&reversed), NULL));
  g_assert (field_table_equal (table, table));
  if (fields->len > FEW_FIELDS || is_name_twice (fields))
    return;
  g_assert (field_table_equal (table, byte_writer_peek (&reversed)));
  g_assert (field_table_equal (byte_writer_peek (&reversed), table));
  if (fields->len > 0)
    {
      Slice first = g_array_index (fields, Field, 0).whole;
      Slice rest = slice_sub (table, first.length, table.length - first.length);

      g_assert (!field_table_equal (table, rest) && !field_table_equal (rest, table));
    }
}

static void
check_lookups (Slice table, const GArray *fields)
{
  for (guint i = 0; i < MIN (fields->len, FEW_FIELDS); i++)
    {
      g_autofree char *name = slice_to_text (g_array_index (fields, Field, i).name);
      gboolean is_found;
      FieldValue value;
      Slice text;
      gint64 integer;
      gboolean boolean;

      is_found = field_table_lookup (table, name, &value);
      g_assert (is_found);
      g_assert (field_table_lookup_text (table, name, &text)
                == (value.type == 'S' || value.type == 'x'));
      g_assert (field_table_lookup_boolean (table, name, &boolean) == (value.type == 't'));
      g_assert (field_table_lookup_integer (table, name, &integer)
                == (strchr ("bBsuiIlL", value.type) != NULL));
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  Slice table = slice_new (data, size, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) fields = NULL;

  if (!field_table_check (table, &error))
    {
      g_assert (error->domain == REPLY_ERROR && error->code == REPLY_SYNTAX_ERROR);
      return 0;
    }
  g_assert (error == NULL);
  fields = list_fields (table);
  check_equal (table, fields);
  check_lookups (table, fields);
  field_table_print (table, text);
  for (gsize i = 0; i < text->len; i++)
    g_assert (g_ascii_isprint (text->str[i]));
  return 0;
}
