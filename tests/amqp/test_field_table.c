/* SPDX-License-Identifier: MIT */
#include "core/amqp/field_table.h"
#include "core/base/error.h"
#include "core/base/limits.h"

#define TABLE(text)                                                                                \
  {                                                                                                \
    (const guint8 *) (text), sizeof (text) - 1, NULL                                               \
  }

/* --- each type, by its bytes */

typedef struct TypeRow
{
  char type;
  Slice table; /* {v: value} */
  gint64 integer;
  double real;
  Slice bytes;
  const char *print;
} TypeRow;

static const TypeRow type_rows[] = {
  { 't', TABLE ("\1vt\2"), 1, 0, TABLE (""), "{v: true}" },
  { 'b', TABLE ("\1vb\xff"), -1, 0, TABLE (""), "{v: -1}" },
  { 'B', TABLE ("\1vB\xff"), 255, 0, TABLE (""), "{v: 255}" },
  { 's', TABLE ("\1vs\xff\xfe"), -2, 0, TABLE (""), "{v: -2}" },
  { 'u', TABLE ("\1vu\xff\xfe"), 65534, 0, TABLE (""), "{v: 65534}" },
  { 'I', TABLE ("\1vI\x80\0\0\0"), G_MININT32, 0, TABLE (""), "{v: -2147483648}" },
  { 'i', TABLE ("\1vi\x80\0\0\0"), 2147483648, 0, TABLE (""), "{v: 2147483648}" },
  { 'l', TABLE ("\1vl\xff\xff\xff\xff\xff\xff\xff\xfd"), -3, 0, TABLE (""), "{v: -3}" },
  { 'L', TABLE ("\1vL\x80\0\0\0\0\0\0\0"), G_MININT64, 0, TABLE (""), "{v: -9223372036854775808}" },
  { 'T', TABLE ("\1vT\0\0\0\0\x46\x5e\0\0"), 1180565504, 0, TABLE (""), "{v: 1180565504}" },
  { 'f', TABLE ("\1vf\xc0\x20\0\0"), 0, -2.5, TABLE ("\xc0\x20\0\0"), "{v: -2.5}" },
  { 'd', TABLE ("\1vd\x3f\xf8\0\0\0\0\0\0"), 0, 1.5, TABLE ("\x3f\xf8\0\0\0\0\0\0"), "{v: 1.5}" },
  { 'D', TABLE ("\1vD\2\0\0\1\x3a"), 0, 0, TABLE ("\2\0\0\1\x3a"), "{v: 314e-2}" },
  { 'S', TABLE ("\1vS\0\0\0\3a'\0"), 0, 0, TABLE ("a'\0"), "{v: 'a\\'\\x00'}" },
  { 'x', TABLE ("\1vx\0\0\0\2\xc3\x29"), 0, 0, TABLE ("\xc3\x29"), "{v: '\\xc3)'}" },
  { 'A', TABLE ("\1vA\0\0\0\3t\1V"), 0, 0, TABLE ("t\1V"), "{v: [true, void]}" },
  { 'F', TABLE ("\1vF\0\0\0\4\1at\0"), 0, 0, TABLE ("\1at\0"), "{v: {a: false}}" },
  { 'V', TABLE ("\1vV"), 0, 0, TABLE (""), "{v: void}" },
};

static void
test_type (gconstpointer data)
{
  const TypeRow *row = data;
  FieldTableIter iter = field_table_iter (row->table);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  FieldValue value;
  Slice name;

  g_assert_true (field_table_check (row->table, &error));
  g_assert_no_error (error);
  g_assert_true (field_table_next (&iter, &name, &value));
  g_assert_true (slice_equal_text (name, "v"));
  g_assert_cmpint (value.type, ==, row->type);
  g_assert_cmpint (value.integer, ==, row->integer);
  g_assert_cmpfloat (value.real, ==, row->real);
  g_assert_true (slice_equal (value.bytes, row->bytes));
  g_assert_false (field_table_next (&iter, &name, &value));
  field_table_print (row->table, text);
  g_assert_cmpstr (text->str, ==, row->print);
}

/* A value shorter by an octet is refused, and so is every other prefix. */
static void
test_type_cut_short (gconstpointer data)
{
  const TypeRow *row = data;

  for (gsize length = 1; length < row->table.length; length++)
    {
      g_autofree guint8 *copy = g_memdup2 (row->table.bytes, length);
      g_autoptr (GError) error = NULL;

      g_assert_false (field_table_check (slice_new (copy, length, NULL), &error));
      g_assert_error (error, REPLY_ERROR, REPLY_SYNTAX_ERROR);
    }
}

/* --- what is refused, and why */

static const struct
{
  const char *claim;
  Slice table;
  const char *text;
} error_rows[] = {
  { "name-cut-short", TABLE ("\5ab"), "field table cut short in a name" },
  { "no-type", TABLE ("\1v"), "field 'v' is cut short" },
  { "unknown-type", TABLE ("\1vq\0\0\0\0"), "field 'v' has an unknown type" },
  { "unknown-type-at-the-end", TABLE ("\1vU"), "field 'v' has an unknown type" },
  { "zero-octet-in-a-name", TABLE ("\2v\0V"), "field 'v\\x00' has a zero octet in its name" },
  { "long-string-longer-than-the-table", TABLE ("\1vS\xff\xff\xff\xff"), "field 'v' is cut short" },
  { "second-field", TABLE ("\1aV\1bI\0\0"), "field 'b' is cut short" },
  { "in-a-nested-table", TABLE ("\1aF\0\0\0\4\1bq\1"), "field 'b' has an unknown type" },
  { "in-a-nested-array", TABLE ("\1aA\0\0\0\3Vt\1q"), "field table cut short in a name" },
  { "in-an-array-in-an-array", TABLE ("\1aA\0\0\0\6A\0\0\0\1q"), "field '' has an unknown type" },
  { "nested-longer-than-its-parent", TABLE ("\1aF\0\0\0\x09\1bF\0\0\0\5\1cVV"),
    "field 'b' is cut short" },
};

static void
test_refuses (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  Slice table = error_rows[i].table;
  g_autofree guint8 *copy = g_memdup2 (table.bytes, table.length);
  g_autoptr (GError) error = NULL;

  g_assert_false (field_table_check (slice_new (copy, table.length, NULL), &error));
  g_assert_error (error, REPLY_ERROR, REPLY_SYNTAX_ERROR);
  g_assert_cmpstr (error->message, ==, error_rows[i].text);
}

/* A table with `depth` more inside each other. */
static Buffer *
nested_table (guint depth, gboolean as_arrays)
{
  Buffer *inner = buffer_new (0);

  for (guint i = 0; i < depth; i++)
    {
      ByteWriter outer = byte_writer_init ();

      if (!as_arrays || i + 1 == depth)
        byte_writer_short_string (&outer, slice_of_text ("n"));
      byte_writer_u8 (&outer, as_arrays ? 'A' : 'F');
      byte_writer_long_string (&outer, slice_of_buffer (inner));
      buffer_unref (inner);
      inner = byte_writer_finish (&outer);
    }
  return inner;
}

static void
test_bounds_depth (gconstpointer data)
{
  gboolean as_arrays = GPOINTER_TO_INT (data);
  g_autoptr (Buffer) deepest = nested_table (LIMIT_TABLE_DEPTH, as_arrays);
  g_autoptr (Buffer) deeper = nested_table (LIMIT_TABLE_DEPTH + 1, as_arrays);
  g_autoptr (Buffer) bomb = nested_table (1000, as_arrays);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (field_table_check (slice_of_buffer (deepest), NULL));
  field_table_print (slice_of_buffer (deepest), text);
  g_assert_true (field_table_equal (slice_of_buffer (deepest), slice_of_buffer (deepest)));
  g_assert_false (field_table_check (slice_of_buffer (deeper), NULL));
  g_assert_false (field_table_check (slice_of_buffer (bomb), &error));
  g_assert_error (error, REPLY_ERROR, REPLY_SYNTAX_ERROR);
  g_assert_cmpstr (error->message, ==, "field table nested deeper than 16");
}

/* Values of one octet, shared out between the table and arrays in it. */
static gboolean
check_values (guint in_table, guint in_array)
{
  g_auto (ByteWriter) writer = byte_writer_init ();

  for (guint i = 0; i < in_table; i++)
    byte_writer_bytes (&writer, "\1vV", 3);
  byte_writer_bytes (&writer, "\1aA", 3);
  byte_writer_u32 (&writer, in_array);
  memset (byte_writer_extend (&writer, in_array), 'V', in_array);
  return field_table_check (byte_writer_peek (&writer), NULL);
}

static void
test_bounds_values (void)
{
  g_assert_true (check_values (LIMIT_TABLE_VALUES - 2, 1));
  g_assert_false (check_values (LIMIT_TABLE_VALUES - 1, 1));
  g_assert_true (check_values (0, LIMIT_TABLE_VALUES - 1));
  g_assert_false (check_values (0, LIMIT_TABLE_VALUES));
  g_assert_false (check_values (0, 100000));
}

/* --- reading and writing */

static void
test_written_fields_are_found (void)
{
  g_auto (ByteWriter) nested = byte_writer_init ();
  g_auto (ByteWriter) writer = byte_writer_init ();
  Slice table;
  Slice text;
  FieldValue value;
  gint64 integer = 0;
  gboolean boolean = FALSE;

  field_table_put_boolean (&nested, "publisher_confirms", TRUE);
  field_table_put_text (&writer, "product", slice_of_text ("Consort"));
  field_table_put_integer (&writer, "n", -7);
  field_table_put_integer (&writer, "n", 8);
  field_table_put_table (&writer, "capabilities", byte_writer_peek (&nested));
  table = byte_writer_peek (&writer);
  g_assert_true (field_table_check (table, NULL));

  g_assert_true (field_table_lookup_text (table, "product", &text));
  g_assert_true (slice_equal_text (text, "Consort"));
  g_assert_true (field_table_lookup_integer (table, "n", &integer));
  g_assert_cmpint (integer, ==, -7);
  g_assert_true (field_table_lookup (table, "capabilities", &value));
  g_assert_true (field_table_lookup_boolean (value.bytes, "publisher_confirms", &boolean));
  g_assert_true (boolean);
}

static void
test_lookups_want_their_type (void)
{
  Slice table = TABLE ("\1sS\0\0\0\1x\1tt\1\1TT\0\0\0\0\0\0\0\1\1BB\7");
  Slice text = { 0 };
  gint64 integer = 42;
  gboolean boolean = 42;
  FieldValue value = { .type = '?' };

  g_assert_true (field_table_check (table, NULL));
  g_assert_false (field_table_lookup_text (table, "t", &text));
  g_assert_false (field_table_lookup_text (table, "S", &text));
  g_assert_null (text.bytes);
  g_assert_false (field_table_lookup_integer (table, "T", &integer));
  g_assert_false (field_table_lookup_integer (table, "t", &integer));
  g_assert_cmpint (integer, ==, 42);
  g_assert_true (field_table_lookup_integer (table, "B", &integer));
  g_assert_cmpint (integer, ==, 7);
  g_assert_false (field_table_lookup_boolean (table, "B", &boolean));
  g_assert_cmpint (boolean, ==, 42);
  g_assert_false (field_table_lookup (table, "none", &value));
  g_assert_cmpint (value.type, ==, '?');
}

static void
test_arrays_are_walked (void)
{
  Slice table = TABLE ("\2CCA\0\0\0\x0cS\0\0\0\1aS\0\0\0\1b");
  FieldTableIter iter;
  FieldValue array;
  FieldValue value;

  g_assert_true (field_table_check (table, NULL));
  g_assert_true (field_table_lookup (table, "CC", &array));
  iter = field_array_iter (array.bytes);
  g_assert_true (field_array_next (&iter, &value));
  g_assert_true (slice_equal_text (value.bytes, "a"));
  g_assert_true (field_array_next (&iter, &value));
  g_assert_true (slice_equal_text (value.bytes, "b"));
  g_assert_false (field_array_next (&iter, &value));
}

static const struct
{
  const char *claim;
  Slice a;
  Slice b;
  gboolean equal;
} equal_rows[] = {
  { "both-empty", TABLE (""), TABLE (""), TRUE },
  { "one-empty", TABLE (""), TABLE ("\1aV"), FALSE },
  { "any-order", TABLE ("\1aV\1bt\1"), TABLE ("\1bt\1\1aV"), TRUE },
  { "another-name", TABLE ("\1aV"), TABLE ("\1bV"), FALSE },
  { "another-value", TABLE ("\1aB\1"), TABLE ("\1aB\2"), FALSE },
  { "integers-of-any-width", TABLE ("\1ab\xff"), TABLE ("\1al\xff\xff\xff\xff\xff\xff\xff\xff"),
    TRUE },
  { "a-boolean-is-no-integer", TABLE ("\1at\1"), TABLE ("\1aB\1"), FALSE },
  { "a-timestamp-is-no-integer", TABLE ("\1aT\0\0\0\0\0\0\0\1"), TABLE ("\1aB\1"), FALSE },
  { "a-number-is-no-text", TABLE ("\1aB\1"), TABLE ("\1aS\0\0\0\1\1"), FALSE },
  { "reals-by-their-octets", TABLE ("\1af\x7f\xc0\0\0"), TABLE ("\1af\x7f\xc0\0\0\1bV"), FALSE },
  { "not-a-number-is-itself", TABLE ("\1af\x7f\xc0\0\0\1bV"), TABLE ("\1bV\1af\x7f\xc0\0\0"),
    TRUE },
  { "the-first-of-a-name-counts", TABLE ("\1aB\1\1aB\2"), TABLE ("\1aB\1"), TRUE },
  { "not-the-second", TABLE ("\1aB\2\1aB\1"), TABLE ("\1aB\1"), FALSE },
  { "a-name-twice-is-not-two-names", TABLE ("\1aV\1aV"), TABLE ("\1aV\1bV"), FALSE },
  { "arrays-in-order", TABLE ("\1aA\0\0\0\4B\1B\2"), TABLE ("\1aA\0\0\0\4B\2B\1"), FALSE },
  { "arrays-by-value", TABLE ("\1aA\0\0\0\2B\1"), TABLE ("\1aA\0\0\0\3s\0\1"), TRUE },
  { "a-longer-array", TABLE ("\1aA\0\0\0\2B\1"), TABLE ("\1aA\0\0\0\4B\1B\1"), FALSE },
  { "nested-tables-in-any-order", TABLE ("\1aF\0\0\0\6\1xV\1yV"), TABLE ("\1aF\0\0\0\6\1yV\1xV"),
    TRUE },
  { "nested-tables-that-differ", TABLE ("\1aF\0\0\0\3\1xV"), TABLE ("\1aF\0\0\0\4\1xt\1"), FALSE },
};

static void
test_equal (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  g_assert_true (field_table_check (equal_rows[i].a, NULL));
  g_assert_true (field_table_check (equal_rows[i].b, NULL));
  g_assert_cmpint (field_table_equal (equal_rows[i].a, equal_rows[i].b), ==, equal_rows[i].equal);
  g_assert_cmpint (field_table_equal (equal_rows[i].b, equal_rows[i].a), ==, equal_rows[i].equal);
}

static void
test_prints_names_that_could_be_misread (void)
{
  Slice table = TABLE ("\1aV\4a: bV\0V\4x-_.V");
  g_autoptr (GString) text = g_string_new (NULL);

  g_assert_true (field_table_check (table, NULL));
  field_table_print (table, text);
  g_assert_cmpstr (text->str, ==, "{a: void, 'a: b': void, '': void, x-_.: void}");
}

static void
add_rows (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (type_rows); i++)
    {
      g_autofree char *read = g_strdup_printf ("/amqp/field-table/reads/%c", type_rows[i].type);
      g_autofree char *cut = g_strdup_printf ("/amqp/field-table/cut-short/%c", type_rows[i].type);

      g_test_add_data_func (read, &type_rows[i], test_type);
      g_test_add_data_func (cut, &type_rows[i], test_type_cut_short);
    }
  for (guint i = 0; i < G_N_ELEMENTS (error_rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/amqp/field-table/refuses/%s", error_rows[i].claim);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_refuses);
    }
  for (guint i = 0; i < G_N_ELEMENTS (equal_rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/amqp/field-table/equal/%s", equal_rows[i].claim);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_equal);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_rows ();
  g_test_add_data_func ("/amqp/field-table/bounds-depth/tables", GINT_TO_POINTER (FALSE),
                        test_bounds_depth);
  g_test_add_data_func ("/amqp/field-table/bounds-depth/arrays", GINT_TO_POINTER (TRUE),
                        test_bounds_depth);
  g_test_add_func ("/amqp/field-table/bounds-values", test_bounds_values);
  g_test_add_func ("/amqp/field-table/written-fields-are-found", test_written_fields_are_found);
  g_test_add_func ("/amqp/field-table/lookups-want-their-type", test_lookups_want_their_type);
  g_test_add_func ("/amqp/field-table/arrays-are-walked", test_arrays_are_walked);
  g_test_add_func ("/amqp/field-table/prints-names-that-could-be-misread",
                   test_prints_names_that_could_be_misread);
  return g_test_run ();
}
