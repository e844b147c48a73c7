/* SPDX-License-Identifier: MIT */
#include "sim/units.h"

#include <string.h>

typedef struct Unit
{
  const char *name;
  guint64 factor;
} Unit;

/* The largest first. */
static const Unit durations[] = {
  { "s", 1000000 },
  { "ms", 1000 },
  { "us", 1 },
};

static const Unit sizes[] = {
  { "MiB", 1024 * 1024 },
  { "KiB", 1024 },
  { "B", 1 },
};

#define DURATION_MAX (G_GUINT64_CONSTANT (86400) * 1000000)
#define BYTES_MAX    (G_GUINT64_CONSTANT (1) << 40)

static gboolean
parse (const char *text, const Unit *units, guint n_units, guint64 max, guint64 *ret_value)
{
  for (guint i = 0; i < n_units; i++)
    {
      g_autofree char *number = NULL;
      guint64 value;

      if (!g_str_has_suffix (text, units[i].name))
        continue;
      number = g_strndup (text, strlen (text) - strlen (units[i].name));
      if (!g_ascii_string_to_unsigned (number, 10, 0, max / units[i].factor, &value, NULL))
        continue;
      *ret_value = value * units[i].factor;
      return TRUE;
    }
  return FALSE;
}

static void
print (guint64 value, const Unit *units, guint n_units, GString *text)
{
  guint i = 0;

  while (i + 1 < n_units && (value == 0 || value % units[i].factor != 0))
    i++;
  g_string_append_printf (text, "%" G_GUINT64_FORMAT "%s", value / units[i].factor, units[i].name);
}

gboolean
units_parse_duration (const char *text, gint64 *ret_duration_us)
{
  guint64 duration_us;

  if (!parse (text, durations, G_N_ELEMENTS (durations), DURATION_MAX, &duration_us))
    return FALSE;
  *ret_duration_us = (gint64) duration_us;
  return TRUE;
}

void
units_print_duration (gint64 duration_us, GString *text)
{
  print ((guint64) duration_us, durations, G_N_ELEMENTS (durations), text);
}

gboolean
units_parse_size (const char *text, guint64 *ret_size)
{
  return parse (text, sizes, G_N_ELEMENTS (sizes), BYTES_MAX, ret_size);
}

void
units_print_size (guint64 size, GString *text)
{
  print (size, sizes, G_N_ELEMENTS (sizes), text);
}
