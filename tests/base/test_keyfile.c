/* SPDX-License-Identifier: MIT */
#include "core/base/keyfile.h"
#include "core/base/error.h"
#include "core/base/suggest.h"

/* What a text is read as: "line:column [section]", "line:column key=value@column", then "end" or
 * the error. */
static char *
read_all (const char *text, gsize length)
{
  GString *out = g_string_new (NULL);
  KeyfileReader reader = keyfile_reader_init (slice_new (text, length, NULL));
  KeyfileItem item = { .kind = KEYFILE_SECTION };
  g_autoptr (GError) error = NULL;

  while (item.kind != KEYFILE_END && keyfile_reader_next (&reader, &item, &error))
    switch (item.kind)
      {
      case KEYFILE_END:
        g_string_append (out, "end");
        break;
      case KEYFILE_SECTION:
        g_string_append_printf (out, "%u:%u [%.*s] ", item.name_at.line, item.name_at.column,
                                (int) item.name.length, (const char *) item.name.bytes);
        break;
      case KEYFILE_ENTRY:
        g_string_append_printf (out, "%u:%u %.*s=%.*s@%u ", item.name_at.line, item.name_at.column,
                                (int) item.name.length, (const char *) item.name.bytes,
                                (int) item.value.length, (const char *) item.value.bytes,
                                item.value_at.column);
        break;
      }
  if (error != NULL)
    {
      g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_SETTING);
      g_string_append (out, error->message);
    }
  return g_string_free (out, FALSE);
}

typedef struct Row
{
  const char *name;
  const char *text;
  const char *expected;
} Row;

static const Row rows[] = {
  { "empty", "", "end" },
  { "only-blank-lines", "\n  \n\t\n", "end" },
  { "comments", "# one\n  # two\n[s]\n#k = v\n", "3:2 [s] end" },
  { "entry", "[s]\nkey = value\n", "1:2 [s] 2:1 key=value@7 end" },
  { "no-final-line-end", "[s]\nkey=value", "1:2 [s] 2:1 key=value@5 end" },
  { "blanks-do-not-count", " [ s ] \n\tkey  =\t value  \n", "1:4 [s] 2:2 key=value@10 end" },
  { "carriage-returns", "[s]\r\nkey = value\r\n\r\n", "1:2 [s] 2:1 key=value@7 end" },
  { "byte-order-mark", "\xef\xbb\xbf[s]\n", "1:2 [s] end" },
  { "value-may-be-empty", "[s]\nkey =\nother=1\n", "1:2 [s] 2:1 key=@6 3:1 other=1@7 end" },
  { "value-keeps-marks", "[s]\nk = a = b # c ] [\n", "1:2 [s] 2:1 k=a = b # c ] [@5 end" },
  { "key-may-have-blanks", "[s]\nmy key = v\n", "1:2 [s] 2:1 my key=v@10 end" },
  { "columns-are-characters", "[s]\n\xc3\xa4\xe2\x82\xac = x\n",
    "1:2 [s] 2:1 \xc3\xa4\xe2\x82\xac=x@6 end" },
  { "no-equals", "[s]\n  hello\n", "1:2 [s] 2:3: not '[section]', 'key = value' or '# comment'" },
  { "no-key", "[s]\n = v\n", "1:2 [s] 2:2: there is no key before '='" },
  { "before-a-section", "\nk = v\n", "2:1: a key before the first [section]" },
  { "open-section", "[s\n", "1:3: ']' is missing behind the section's name" },
  { "unnamed-section", "  [ ]\n", "1:3: the section has no name" },
  { "text-behind-section", "[s] k = v\n", "1:5: nothing may follow '[section]' on its line" },
  { "not-utf-8", "[s]\n\xc3\xa4 = \xff\n", "1:2 [s] 2:5: byte 0xff is not UTF-8" },
  { "cut-utf-8", "[s]\nk = \xe2\x82", "1:2 [s] 2:5: byte 0xe2 is not UTF-8" },
  { "cut-utf-8-then-control", "[s]\nk = \xe2\x01", "1:2 [s] 2:5: byte 0xe2 is not UTF-8" },
  { "control-character", "[s]\n\xc3\xa4 = \x1b[1m\n", "1:2 [s] 2:5: control character 0x1b" },
  { "control-in-a-comment", "# \x7f\n", "1:3: control character 0x7f" },
  { "lone-carriage-return", "[s]\nk = a\rb\n", "1:2 [s] 2:6: control character 0x0d" },
};

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  /* Of just that length, so that reading past it is seen. */
  gsize length = strlen (row->text);
  g_autofree char *copy = g_memdup2 (row->text, length);
  g_autofree char *found = read_all (copy, length);

  g_assert_cmpstr (found, ==, row->expected);
}

static void
test_refuses_nul (void)
{
  g_autofree char *found = read_all ("[s]\nk = a\0b\n", 12);

  g_assert_cmpstr (found, ==, "1:2 [s] 2:6: control character 0x00");
}

/* "line:column text|" for each line of [text], then what follows it. */
static void
test_reads_plain_text (void)
{
  static const char text[] = "[text]\n\n  1ms A > view {A B} \n# no\na = b ]\n [next]\nk = v\n";
  KeyfileReader reader = keyfile_reader_init (slice_of_text (text));
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  KeyfilePosition at;
  KeyfileItem item;
  Slice line;

  g_assert_true (keyfile_reader_next (&reader, &item, NULL));
  while (keyfile_reader_next_line (&reader, &line, &at, NULL) && line.length > 0)
    g_string_append_printf (out, "%u:%u %.*s|", at.line, at.column, (int) line.length,
                            (const char *) line.bytes);
  g_assert_cmpstr (out->str, ==, "3:3 1ms A > view {A B}|5:1 a = b ]|");
  g_assert_true (keyfile_reader_next (&reader, &item, NULL));
  g_assert_true (item.kind == KEYFILE_SECTION && item.name_at.line == 6);
  g_assert_true (keyfile_reader_next_line (&reader, &line, &at, NULL) && line.length == 5);
  g_assert_true (keyfile_reader_next_line (&reader, &line, &at, NULL) && line.length == 0);
  reader = keyfile_reader_init (slice_of_text ("\x01"));
  g_assert_false (keyfile_reader_next_line (&reader, &line, &at, &error));
  g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_SETTING);
}

static void
test_suggests (void)
{
  static const char *const known[] = { "listen", "log-level", "log-format", "name", "members" };
  static const struct
  {
    const char *wrong;
    const char *meant; /* NULL: none */
  } words[] = {
    { "lsten", "listen" },
    { "lisetn", "listen" },
    { "LISTEN", "listen" },
    { "loglevel", "log-level" },
    { "log_format", "log-format" },
    { "nmae", "name" },
    { "member", "members" },
    { "xyzzy", NULL },
    { "", NULL },
    { "no", NULL },
    { "a-word-that-is-much-longer-than-anything-we-know", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    g_assert_cmpstr (suggest_name (words[i].wrong, known, G_N_ELEMENTS (known)), ==,
                     words[i].meant);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/base/keyfile/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/base/keyfile/refuses-nul", test_refuses_nul);
  g_test_add_func ("/base/keyfile/reads-plain-text", test_reads_plain_text);
  g_test_add_func ("/base/suggest/nearest-name", test_suggests);
  return g_test_run ();
}
