/* SPDX-License-Identifier: MIT */
#include "sim/units.h"
#include "sim/phrase.h"

#include <string.h>

typedef struct Unit
{
  const char *name;
  guint64 factor;
} Unit;

/* The largest first. */
static const Unit sizes[] = {
  { "MiB", 1024 * 1024 },
  { "KiB", 1024 },
  { "B", 1 },
};

#define SIZE_LIMIT (G_GUINT64_CONSTANT (1) << 40)

gboolean
units_parse_duration (const char *text, gint64 *ret_duration_us)
{
  PhraseReader reader = phrase_reader_init (slice_of_text (text), (KeyfilePosition){ 1, 1 });
  gint64 duration_us;

  if (!phrase_read_duration (&reader, &duration_us, NULL) || !phrase_read_end (&reader, NULL))
    return FALSE;
  *ret_duration_us = duration_us;
  return TRUE;
}

void
units_print_duration (gint64 duration_us, GString *text)
{
  phrase_print_duration (duration_us, text);
}

gboolean
units_parse_size (const char *text, guint64 *ret_size)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *number = NULL;
      guint64 value;

      if (!g_str_has_suffix (text, sizes[i].name))
        continue;
      number = g_strndup (text, strlen (text) - strlen (sizes[i].name));
      if (!g_ascii_string_to_unsigned (number, 10, 0, SIZE_LIMIT / sizes[i].factor, &value, NULL))
        continue;
      *ret_size = value * sizes[i].factor;
      return TRUE;
    }
  return FALSE;
}

void
units_print_size (guint64 size, GString *text)
{
  guint i = 0;

  while (i + 1 < G_N_ELEMENTS (sizes) && (size == 0 || size % sizes[i].factor != 0))
    i++;
  g_string_append_printf (text, "%" G_GUINT64_FORMAT "%s", size / sizes[i].factor, sizes[i].name);
}
