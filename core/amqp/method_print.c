/* SPDX-License-Identifier: MIT */
#include "core/amqp/field_table.h"
#include "core/amqp/method.h"

/* " routing-key" of the field routing_key. */
static void
print_field_name (GString *text, const char *field)
{
  g_string_append_c (text, ' ');
  for (const char *at = field; *at != '\0'; at++)
    g_string_append_c (text, *at == '_' ? '-' : *at);
}

static gboolean
is_reserved (const char *field)
{
  return g_str_has_prefix (field, "reserved_");
}

static void
print_integer (GString *text, const char *field, guint64 value)
{
  if (is_reserved (field))
    return;
  print_field_name (text, field);
  g_string_append_printf (text, "=%" G_GUINT64_FORMAT, value);
}

static void
print_bit (GString *text, const char *field, gboolean value)
{
  if (value)
    print_integer (text, field, 1);
}

static void
print_short_string (GString *text, const char *field, Slice value)
{
  if (is_reserved (field))
    return;
  print_field_name (text, field);
  g_string_append_c (text, '=');
  field_table_print_bytes (value, text);
}

static void
print_length (GString *text, const char *field, Slice value)
{
  print_field_name (text, field);
  g_string_append_printf (text, "=(%" G_GSIZE_FORMAT " bytes)", value.length);
}

static void
print_table (GString *text, const char *field, Slice value)
{
  print_field_name (text, field);
  g_string_append_c (text, '=');
  field_table_print (value, text);
}

/* clang-format off */
#define OCTET(name) print_integer (text, #name, m->name);
#define SHORT(name) print_integer (text, #name, m->name);
#define LONG(name) print_integer (text, #name, m->name);
#define LONG_LONG(name) print_integer (text, #name, m->name);
#define BIT(name) print_bit (text, #name, m->name);
#define SHORT_STRING(name) print_short_string (text, #name, m->name);
#define LONG_STRING(name) print_length (text, #name, m->name);
#define TABLE(name) print_table (text, #name, m->name);
#define METHOD(Struct, member, ID, name, class_id, method_id, flags, fields)                       \
  static void                                                                                      \
  print_##member (const Method *method, GString *text G_GNUC_UNUSED)                               \
  {                                                                                                \
    const Struct *m G_GNUC_UNUSED = &method->member;                                               \
    fields                                                                                         \
  }
#include "core/amqp/methods_0_9_1.def"

static void (*const printers[N_METHODS]) (const Method *method, GString *text) = {
#define METHOD(Struct, member, ID, name, class_id, method_id, flags, fields)                       \
  [METHOD_##ID] = print_##member,
#include "core/amqp/methods_0_9_1.def"
};
/* clang-format on */

void
method_print (const Method *method, GString *text)
{
  g_string_append (text, method_name (method->id));
  printers[method->id](method, text);
}
