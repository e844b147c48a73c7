/* SPDX-License-Identifier: MIT */
/* A declaration of what is there must be the same as the first (0-9-1, rule "equivalent" of
 * exchange.declare and queue.declare); the texts are RabbitMQ's, which clients' own tests
 * compare. */
#include "core/amqp/field_table.h"
#include "core/broker/broker_internal.h"

static gboolean
inequivalent (const Declared *what, const char *name, const char *current, const char *received,
              GError **error)
{
  return reply_error (
      error, REPLY_PRECONDITION_FAILED,
      "inequivalent arg '%s' for %s '%s' in vhost '%s': received %s but current is %s", name,
      what->kind, what->name, what->vhost, received, current);
}

gboolean
check_same_text (const Declared *what, const char *name, const char *current, Slice received,
                 GError **error)
{
  g_autofree char *current_text = NULL, *received_text = NULL;

  if (slice_equal_text (received, current))
    return TRUE;
  current_text = g_strdup_printf ("'%s'", current);
  received_text = g_strdup_printf ("'%.*s'", (int) received.length, (const char *) received.bytes);
  return inequivalent (what, name, current_text, received_text, error);
}

gboolean
check_same_boolean (const Declared *what, const char *name, gboolean current, gboolean received,
                    GError **error)
{
  return !current == !received
         || check_same_text (what, name, current ? "true" : "false",
                             slice_of_text (received ? "true" : "false"), error);
}

/* The names of field types in RabbitMQ's texts. */
static const char *
type_name (char type)
{
  static const struct
  {
    char type;
    const char *name;
  } names[] = {
    { 'S', "longstr" },      { 'x', "binary" },  { 't', "bool" },          { 'b', "byte" },
    { 'B', "unsignedbyte" }, { 's', "short" },   { 'u', "unsignedshort" }, { 'I', "signedint" },
    { 'i', "unsignedint" },  { 'l', "long" },    { 'L', "long" },          { 'f', "float" },
    { 'd', "double" },       { 'D', "decimal" }, { 'T', "timestamp" },     { 'F', "table" },
    { 'A', "array" },        { 'V', "void" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].type == type)
      return names[i].name;
  return "unknown";
}

/* Text and whole numbers; of the rest only the type is told. */
static char *
value_text (const FieldValue *value)
{
  if (strchr ("bBsuIilLT", value->type) != NULL)
    return g_strdup_printf ("%" G_GINT64_FORMAT, value->integer);
  if (value->type == 't')
    return g_strdup (value->integer != 0 ? "true" : "false");
  if (value->type == 'S' || value->type == 'x')
    return slice_to_text (value->bytes);
  return g_strdup_printf ("of type '%s'", type_name (value->type));
}

/* NULL: the table has no such field. With a type only where the other one has none, as RabbitMQ
 * does it. */
static char *
described (const FieldValue *value, gboolean with_type)
{
  g_autofree char *text = NULL;

  if (value == NULL)
    return g_strdup ("none");
  text = value_text (value);
  return with_type ? g_strdup_printf ("the value '%s' of type '%s'", text, type_name (value->type))
                   : g_strdup_printf ("'%s'", text);
}

/* Whether two tables that hold no more than this field each are the same. */
static gboolean
is_same_field (Slice table, Slice other_table, const char *name)
{
  FieldValue value, other;
  gboolean there = field_table_lookup (table, name, &value);
  gboolean there_too = field_table_lookup (other_table, name, &other);
  gboolean integers;

  if (!there || !there_too)
    return there == there_too;
  integers = strchr ("bBsuIilL", value.type) != NULL && strchr ("bBsuIilL", other.type) != NULL;
  if (!integers && value.type != other.type)
    return FALSE;
  if (value.type == 'F')
    return field_table_equal (value.bytes, other.bytes);
  return value.integer == other.integer && value.real == other.real
         && slice_equal (value.bytes, other.bytes);
}

/* The first field of `table` that is another one in `other_table`; FALSE: all are the same. */
static gboolean
find_difference (Slice table, Slice other_table, char **ret_name)
{
  FieldTableIter iter = field_table_iter (table);
  FieldValue value;
  Slice name;

  while (field_table_next (&iter, &name, &value))
    {
      g_autofree char *text = slice_to_text (name);

      if (is_same_field (table, other_table, text))
        continue;
      *ret_name = g_steal_pointer (&text);
      return TRUE;
    }
  return FALSE;
}

gboolean
check_same_arguments (const Declared *what, Slice current, Slice received, GError **error)
{
  g_autofree char *name = NULL, *current_text = NULL, *received_text = NULL;
  FieldValue current_value, received_value;
  gboolean in_current, in_received;

  if (field_table_equal (current, received))
    return TRUE;
  if (!find_difference (received, current, &name) && !find_difference (current, received, &name))
    return reply_error (error, REPLY_PRECONDITION_FAILED,
                        "inequivalent arguments for %s '%s' in vhost '%s'", what->kind, what->name,
                        what->vhost);
  in_current = field_table_lookup (current, name, &current_value);
  in_received = field_table_lookup (received, name, &received_value);
  current_text = described (in_current ? &current_value : NULL, !in_received);
  received_text = described (in_received ? &received_value : NULL, !in_current);
  return inequivalent (what, name, current_text, received_text, error);
}
