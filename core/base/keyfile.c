/* SPDX-License-Identifier: MIT */
#include "core/base/keyfile.h"
#include "core/base/error.h"

/* One line without its end, and where in it we are. */
typedef struct Line
{
  Slice text;
  guint number;
} Line;

static gboolean
is_blank (guint8 c)
{
  return c == ' ' || c == '\t';
}

static KeyfilePosition
position_at (const Line *line, gsize offset)
{
  return (KeyfilePosition){
    .line = line->number,
    .column = 1 + (guint) g_utf8_strlen ((const char *) line->text.bytes, (gssize) offset),
  };
}

/* `text` from `begin` to before `end`, without the blanks around it. */
static Slice
trim (Slice text, gsize begin, gsize end)
{
  while (begin < end && is_blank (text.bytes[begin]))
    begin++;
  while (begin < end && is_blank (text.bytes[end - 1]))
    end--;
  return slice_sub (text, begin, end - begin);
}

static gsize
find (Slice text, guint8 byte)
{
  const guint8 *found = text.length == 0 ? NULL : memchr (text.bytes, byte, text.length);

  return found == NULL ? text.length : (gsize) (found - text.bytes);
}

static Line
take_line (KeyfileReader *reader)
{
  Slice rest = slice_sub (reader->text, reader->next, reader->text.length - reader->next);
  gsize length = find (rest, '\n');

  reader->next += MIN (length + 1, rest.length);
  reader->line++;
  if (length > 0 && rest.bytes[length - 1] == '\r')
    length--;
  return (Line){ .text = slice_sub (rest, 0, length), .number = reader->line };
}

/* Terminals and logs are shown these texts again: nothing that is not text gets further. */
static gboolean
check_characters (const Line *line, GError **error)
{
  const char *bytes = (const char *) line->text.bytes;
  const char *invalid = bytes;

  if (line->text.length == 0)
    return TRUE;
  for (gsize i = 0; i < line->text.length; i++)
    if ((line->text.bytes[i] < ' ' && line->text.bytes[i] != '\t') || line->text.bytes[i] == 0x7f)
      {
        if (!g_utf8_validate_len (bytes, i, &invalid))
          break;
        return keyfile_error (error, position_at (line, i), "control character 0x%02x",
                              line->text.bytes[i]);
      }
  if (!g_utf8_validate_len (bytes, line->text.length, &invalid))
    return keyfile_error (error, position_at (line, (gsize) (invalid - bytes)),
                          "byte 0x%02x is not UTF-8", *(const guint8 *) invalid);
  return TRUE;
}

static gboolean
read_section (const Line *line, gsize begin, KeyfileItem *item, GError **error)
{
  Slice inside = slice_sub (line->text, begin + 1, line->text.length - begin - 1);
  gsize end = find (inside, ']');
  Slice after;

  if (end == inside.length)
    return keyfile_error (error, position_at (line, line->text.length),
                          "']' is missing behind the section's name");
  after = trim (inside, end + 1, inside.length);
  if (after.length > 0)
    return keyfile_error (error, position_at (line, (gsize) (after.bytes - line->text.bytes)),
                          "nothing may follow '[section]' on its line");
  item->kind = KEYFILE_SECTION;
  item->name = trim (inside, 0, end);
  item->name_at = position_at (line, (gsize) (item->name.bytes - line->text.bytes));
  if (item->name.length == 0)
    return keyfile_error (error, position_at (line, begin), "the section has no name");
  return TRUE;
}

static gboolean
read_entry (const Line *line, gsize begin, gboolean in_section, KeyfileItem *item, GError **error)
{
  gsize equals = find (line->text, '=');
  KeyfilePosition at = position_at (line, begin);

  if (equals == line->text.length)
    return keyfile_error (error, at, "not '[section]', 'key = value' or '# comment'");
  if (equals == begin)
    return keyfile_error (error, at, "there is no key before '='");
  if (!in_section)
    return keyfile_error (error, at, "a key before the first [section]");
  item->kind = KEYFILE_ENTRY;
  item->name = trim (line->text, begin, equals);
  item->name_at = at;
  item->value = trim (line->text, equals + 1, line->text.length);
  item->value_at = position_at (line, (gsize) (item->value.bytes - line->text.bytes));
  return TRUE;
}

KeyfileReader
keyfile_reader_init (Slice text)
{
  static const guint8 byte_order_mark[] = { 0xef, 0xbb, 0xbf };
  KeyfileReader reader = { .text = text };

  if (text.length >= sizeof byte_order_mark
      && memcmp (text.bytes, byte_order_mark, sizeof byte_order_mark) == 0)
    reader.next = sizeof byte_order_mark;
  return reader;
}

/* The next line that says something, and where that begins. Of length 0: there is none. */
static gboolean
take_text (KeyfileReader *reader, Line *ret_line, gsize *ret_begin, GError **error)
{
  *ret_line = (Line){ .number = reader->line };
  *ret_begin = 0;
  while (reader->next < reader->text.length)
    {
      Line line = take_line (reader);
      gsize begin = 0;

      if (!check_characters (&line, error))
        return FALSE;
      while (begin < line.text.length && is_blank (line.text.bytes[begin]))
        begin++;
      if (begin == line.text.length || line.text.bytes[begin] == '#')
        continue;
      *ret_line = line;
      *ret_begin = begin;
      break;
    }
  return TRUE;
}

gboolean
keyfile_reader_next (KeyfileReader *reader, KeyfileItem *ret_item, GError **error)
{
  KeyfileItem item = { .kind = KEYFILE_END };
  gsize begin;
  Line line;

  if (!take_text (reader, &line, &begin, error))
    return FALSE;
  if (line.text.length > 0 && line.text.bytes[begin] == '[')
    {
      if (!read_section (&line, begin, &item, error))
        return FALSE;
      reader->in_section = TRUE;
    }
  else if (line.text.length > 0 && !read_entry (&line, begin, reader->in_section, &item, error))
    return FALSE;
  *ret_item = item;
  return TRUE;
}

gboolean
keyfile_reader_next_line (KeyfileReader *reader, Slice *ret_line, KeyfilePosition *ret_at,
                          GError **error)
{
  KeyfileReader before = *reader;
  gsize begin;
  Line line;

  if (!take_text (reader, &line, &begin, error))
    return FALSE;
  *ret_at = position_at (&line, begin);
  if (line.text.length > 0 && line.text.bytes[begin] == '[')
    {
      *reader = before;
      line.text.length = 0;
    }
  *ret_line = line.text.length == 0 ? line.text : trim (line.text, begin, line.text.length);
  return TRUE;
}

gboolean
keyfile_error (GError **error, KeyfilePosition at, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return system_error (error, SYSTEM_ERROR_SETTING, "%u:%u: %s", at.line, at.column, text);
}
