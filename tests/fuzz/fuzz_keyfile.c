/* SPDX-License-Identifier: MIT */
/* What a keyfile is read as can be written down again, and is then read as the same; positions
 * only go forward, and point into the text.
 *
 * Input: the text. */
#include "core/base/error.h"
#include "core/base/keyfile.h"
#include "tests/fuzz/fuzz.h"

/* Does `slice` lie within `text`? */
static gboolean
is_part (Slice slice, Slice text)
{
  return slice.bytes >= text.bytes && slice.length <= text.length
         && (gsize) (slice.bytes - text.bytes) <= text.length - slice.length;
}

static void
check_item (const KeyfileItem *item, Slice text, guint *last_line)
{
  g_assert (item->name.length > 0 && is_part (item->name, text));
  g_assert (item->name_at.line > *last_line && item->name_at.column > 0);
  *last_line = item->name_at.line;
  if (item->kind == KEYFILE_ENTRY)
    {
      g_assert (is_part (item->value, text));
      g_assert (item->value_at.line == item->name_at.line);
      g_assert (item->value_at.column > item->name_at.column);
    }
}

/* The plainest text with the same items; NULL: an error. */
static GString *
write_down (Slice text)
{
  g_autoptr (GString) written = g_string_new (NULL);
  KeyfileReader reader = keyfile_reader_init (text);
  g_autoptr (GError) error = NULL;
  guint last_line = 0;
  KeyfileItem item;

  while (keyfile_reader_next (&reader, &item, &error))
    {
      if (item.kind == KEYFILE_END)
        return g_steal_pointer (&written);
      check_item (&item, text, &last_line);
      if (item.kind == KEYFILE_SECTION)
        g_string_append_c (written, '[');
      g_string_append_len (written, (const char *) item.name.bytes, (gssize) item.name.length);
      g_string_append (written, item.kind == KEYFILE_SECTION ? "]" : "=");
      if (item.kind == KEYFILE_ENTRY)
        g_string_append_len (written, (const char *) item.value.bytes, (gssize) item.value.length);
      g_string_append_c (written, '\n');
    }
  g_assert (g_error_matches (error, SYSTEM_ERROR, SYSTEM_ERROR_SETTING));
  g_assert (g_utf8_validate (error->message, -1, NULL));
  return NULL;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GString) once = write_down (slice_new (data, size, NULL));
  g_autoptr (GString) twice = NULL;

  if (once == NULL)
    return 0;
  twice = write_down (slice_new (once->str, once->len, NULL));
  g_assert (twice != NULL && g_string_equal (once, twice));
  return 0;
}
