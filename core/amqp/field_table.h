/* SPDX-License-Identifier: MIT */
/* Field tables (0-9-1 section 4.2.5.5) as deployed clients write them: types
 * S I D T F V and b B s u i l L f d t x A, where `s` is a signed 16-bit integer and `l` and `L` are
 * signed 64-bit integers, whatever the text of 0-9-1 says.
 *
 * A table is its bytes, without the four of its length: checked once, then read in place. Depth
 * and number of values are bounded (LIMIT_TABLE_DEPTH, LIMIT_TABLE_VALUES). */
#pragma once

#include "core/base/byte_writer.h"
#include "core/base/slice.h"

typedef struct FieldValue
{
  char type;      /* as on the wire */
  gint64 integer; /* b B s u i I l L t (seconds), T as seconds too */
  double real;    /* f d */
  Slice bytes;    /* S x: the string; F A: the nested bytes; f d D: the octets of the value */
} FieldValue;

/* REPLY_SYNTAX_ERROR (502), saying what is wrong. */
gboolean field_table_check (Slice table, GError **error);

typedef struct FieldTableIter
{
  Slice left;
} FieldTableIter;

/* Of a table that field_table_check took. */
FieldTableIter field_table_iter (Slice table);
gboolean field_table_next (FieldTableIter *iter, Slice *ret_name, FieldValue *ret_value);
/* The values of an array (type A) of such a table. */
FieldTableIter field_array_iter (Slice array);
gboolean field_array_next (FieldTableIter *iter, FieldValue *ret_value);
/* The first value of that name; FALSE: none. */
gboolean field_table_lookup (Slice table, const char *name, FieldValue *ret_value);
/* S or x; FALSE: another type, or none. */
gboolean field_table_lookup_text (Slice table, const char *name, Slice *ret_text);
/* Any integer type. */
gboolean field_table_lookup_integer (Slice table, const char *name, gint64 *ret_value);
gboolean field_table_lookup_boolean (Slice table, const char *name, gboolean *ret_value);
/* The same names with equal values, in whatever order; integers of any width are equal by value. Of
 * a name that is there twice the first value counts, as for lookups. */
gboolean field_table_equal (Slice a, Slice b);
/* "{x-max-length: 5, nested: {a: 'b'}}" */
void field_table_print (Slice table, GString *text);
/* 'text', with everything but printable ASCII escaped. */
void field_table_print_bytes (Slice bytes, GString *text);

/* Writing: one call a field, no length around them. A nested table is written from its bytes. */
void field_table_put_text (ByteWriter *writer, const char *name, Slice text);
void field_table_put_boolean (ByteWriter *writer, const char *name, gboolean value);
void field_table_put_integer (ByteWriter *writer, const char *name, gint32 value);
void field_table_put_table (ByteWriter *writer, const char *name, Slice table);
