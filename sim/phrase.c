/* SPDX-License-Identifier: MIT */
#include "sim/phrase.h"
#include "core/base/suggest.h"
#include "sim/member_name.h"
#include "sim/phase.h"

#include <string.h>

/* --- values ------------------------------------------------------------------------------- */

PhraseValues
phrase_values_none (void)
{
  return (PhraseValues){ .member = PHRASE_NOBODY, .other = PHRASE_NOBODY };
}

void
phrase_values_clear (PhraseValues *values)
{
  g_clear_pointer (&values->parts, g_array_unref);
  g_clear_pointer (&values->client, g_free);
  *values = phrase_values_none ();
}

PhraseValues
phrase_values_copy (const PhraseValues *values)
{
  PhraseValues copy = *values;

  if (values->parts != NULL)
    copy.parts = g_array_copy (values->parts);
  copy.client = g_strdup (values->client);
  return copy;
}

static gboolean
parts_equal (const GArray *a, const GArray *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (guint)) == 0;
}

gboolean
phrase_values_equal (const PhraseValues *a, const PhraseValues *b)
{
  return a->member == b->member && a->other == b->other && parts_equal (a->parts, b->parts)
         && g_strcmp0 (a->client, b->client) == 0 && a->duration_us == b->duration_us
         && a->time_us == b->time_us && a->count == b->count && a->phase == b->phase
         && a->site == b->site;
}

gint
phrase_values_highest (const PhraseValues *values)
{
  gint highest = MAX (PHRASE_NOBODY, MAX (values->member, values->other));

  if (values->parts != NULL)
    highest = MAX (highest, (gint) values->parts->len - 1);
  return highest;
}

guint
phrase_part_of (const PhraseValues *values, guint member)
{
  return values->parts == NULL || member >= values->parts->len
             ? 0
             : g_array_index (values->parts, guint, member);
}

/* --- words -------------------------------------------------------------------------------- */

PhraseReader
phrase_reader_init (Slice text, KeyfilePosition at)
{
  return (PhraseReader){ .text = text, .at = at };
}

static gboolean
is_blank (guint8 byte)
{
  return byte == ' ' || byte == '\t';
}

static gboolean
is_single (guint8 byte)
{
  return byte == '|' || byte == '+';
}

char *
phrase_reader_take (PhraseReader *reader)
{
  const guint8 *bytes = reader->text.bytes;
  gsize end;

  while (reader->next < reader->text.length && is_blank (bytes[reader->next]))
    reader->next++;
  reader->word_offset = end = reader->next;
  if (end == reader->text.length)
    return NULL;
  if (is_single (bytes[end]))
    end++;
  else
    while (end < reader->text.length && !is_blank (bytes[end]) && !is_single (bytes[end]))
      end++;
  reader->next = end;
  return g_strndup ((const char *) bytes + reader->word_offset, end - reader->word_offset);
}

char *
phrase_reader_peek (const PhraseReader *reader)
{
  PhraseReader copy = *reader;

  return phrase_reader_take (&copy);
}

KeyfilePosition
phrase_reader_position (const PhraseReader *reader)
{
  glong count = g_utf8_strlen ((const char *) reader->text.bytes, (gssize) reader->word_offset);

  return (KeyfilePosition){ reader->at.line, reader->at.column + (guint) count };
}

/* `word` is what was taken: NULL at the end. */
static gboolean
expected (const PhraseReader *reader, const char *what, const char *word, GError **error)
{
  if (word == NULL)
    return keyfile_error (error, phrase_reader_position (reader), "expected %s at the end", what);
  return keyfile_error (error, phrase_reader_position (reader), "expected %s, not '%s'", what,
                        word);
}

/* --- kinds of values ------------------------------------------------------------------------ */

typedef struct WordForMember
{
  const char *word;
  PhraseMember member;
  gboolean in_conditions;
  gboolean in_faults;
} WordForMember;

static const WordForMember words_for_members[] = {
  { "eldest", PHRASE_ELDEST, TRUE, TRUE }, { "youngest", PHRASE_YOUNGEST, TRUE, TRUE },
  { "lowest", PHRASE_LOWEST, TRUE, TRUE }, { "highest", PHRASE_HIGHEST, TRUE, TRUE },
  { "donor", PHRASE_DONOR, TRUE, TRUE },   { "any", PHRASE_ANY, TRUE, FALSE },
  { "it", PHRASE_IT, FALSE, TRUE },
};

static gboolean
find_member (const PhraseReader *reader, const char *word, gint *ret_member)
{
  guint number;

  if (member_name_parse (word, &number))
    {
      *ret_member = (gint) number;
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (words_for_members); i++)
    {
      const WordForMember *known = &words_for_members[i];

      if (!g_str_equal (word, known->word)
          || !(reader->conditions ? known->in_conditions : known->in_faults))
        continue;
      *ret_member = known->member;
      return TRUE;
    }
  return FALSE;
}

static gboolean
read_member (PhraseReader *reader, gint *ret_member, GError **error)
{
  g_autofree char *word = phrase_reader_take (reader);

  if (word != NULL && find_member (reader, word, ret_member))
    return TRUE;
  return expected (
      reader,
      reader->conditions
          ? "a member (A to Z, M26 and on, eldest, youngest, lowest, highest, donor, any)"
          : "a member (A to Z, M26 and on, eldest, youngest, lowest, highest, donor, it)",
      word, error);
}

static void
print_member (gint member, GString *text)
{
  char name[MEMBER_NAME_SIZE];

  if (member >= 0)
    g_string_append (text, member_name_text ((guint) member, name));
  for (guint i = 0; i < G_N_ELEMENTS (words_for_members); i++)
    if (words_for_members[i].member == member)
      g_string_append (text, words_for_members[i].word);
}

/* In each part only members by name: who is somewhere is not found when it matters. */
static gboolean
read_parts (PhraseReader *reader, GArray **ret_parts, GError **error)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, TRUE, sizeof (guint));
  g_autoptr (GHashTable) named = g_hash_table_new (NULL, NULL);
  guint part = 0, n_in_part = 0;

  for (;;)
    {
      g_autofree char *next = phrase_reader_peek (reader);
      g_autofree char *word = NULL;
      guint number;

      if (part > 0 && n_in_part > 0 && (next == NULL || g_str_equal (next, "for")))
        break;
      word = phrase_reader_take (reader);
      if (n_in_part > 0 && g_strcmp0 (word, "|") == 0)
        {
          part++;
          n_in_part = 0;
          continue;
        }
      if (word == NULL || !member_name_parse (word, &number))
        return expected (reader, n_in_part == 0 ? "a member's name" : "a member's name or |", word,
                         error);
      if (!g_hash_table_add (named, GUINT_TO_POINTER (number)))
        return keyfile_error (error, phrase_reader_position (reader), "%s is in two parts", word);
      n_in_part++;
      if (number >= parts->len)
        g_array_set_size (parts, number + 1);
      g_array_index (parts, guint, number) = part;
    }
  *ret_parts = g_steal_pointer (&parts);
  return TRUE;
}

static void
print_parts (const GArray *parts, GString *text)
{
  guint n_parts = 0;

  for (guint i = 0; i < parts->len; i++)
    n_parts = MAX (n_parts, g_array_index (parts, guint, i) + 1);
  for (guint part = 0; part < n_parts; part++)
    for (guint i = 0, n = 0; i < parts->len; i++)
      if (g_array_index (parts, guint, i) == part)
        {
          if (n++ > 0)
            g_string_append_c (text, ' ');
          else if (part > 0)
            g_string_append (text, " | ");
          print_member ((gint) i, text);
        }
}

/* As our clients are called: a role and a number. */
static gboolean
read_client (PhraseReader *reader, char **client, GError **error)
{
  g_autofree char *word = phrase_reader_take (reader);
  const char *number = word == NULL ? NULL : strrchr (word, '-');

  if (number == NULL || number == word
      || !g_ascii_string_to_unsigned (number + 1, 10, 0, G_MAXUINT, NULL, NULL))
    return expected (reader, "a client (publisher-0, consumer-3, ...)", word, error);
  g_free (*client);
  *client = g_steal_pointer (&word);
  return TRUE;
}

typedef struct Unit
{
  const char *name;
  gint64 us;
} Unit;

/* The largest first. */
static const Unit units[] = { { "s", G_USEC_PER_SEC }, { "ms", 1000 }, { "us", 1 } };

gboolean
phrase_read_duration (PhraseReader *reader, gint64 *ret_duration_us, GError **error)
{
  g_autofree char *word = phrase_reader_take (reader);

  for (guint i = 0; word != NULL && i < G_N_ELEMENTS (units); i++)
    {
      gsize n_digits = strspn (word, "0123456789");
      g_autofree char *digits = g_strndup (word, n_digits);
      guint64 number;

      if (!g_str_equal (word + n_digits, units[i].name)
          || !g_ascii_string_to_unsigned (digits, 10, 0, (guint64) (G_MAXINT64 / 4 / units[i].us),
                                          &number, NULL))
        continue;
      *ret_duration_us = (gint64) number * units[i].us;
      return TRUE;
    }
  return expected (reader, "a time such as 250us, 5ms or 2s", word, error);
}

static gboolean
read_duration_or_ever (PhraseReader *reader, gint64 *ret_duration_us, GError **error)
{
  g_autofree char *next = phrase_reader_peek (reader);

  if (g_strcmp0 (next, "ever") != 0)
    return phrase_read_duration (reader, ret_duration_us, error);
  g_free (phrase_reader_take (reader));
  *ret_duration_us = PHRASE_EVER;
  return TRUE;
}

void
phrase_print_duration (gint64 duration_us, GString *text)
{
  if (duration_us == PHRASE_EVER)
    {
      g_string_append (text, "ever");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (duration_us % units[i].us == 0 && (duration_us != 0 || units[i].us == 1))
      {
        g_string_append_printf (text, "%" G_GINT64_FORMAT "%s", duration_us / units[i].us,
                                units[i].name);
        return;
      }
}

gboolean
phrase_read_count (PhraseReader *reader, guint64 *ret_count, GError **error)
{
  g_autofree char *word = phrase_reader_take (reader);

  if (word != NULL && g_ascii_string_to_unsigned (word, 10, 0, G_MAXUINT64, ret_count, NULL))
    return TRUE;
  return expected (reader, "a number", word, error);
}

static gboolean
read_phase (PhraseReader *reader, guint *ret_phase, GError **error)
{
  g_autofree char *word = phrase_reader_take (reader);
  g_autofree char *meant = NULL;

  for (guint i = 0; word != NULL && i < n_phase_names; i++)
    if (g_str_equal (word, phase_names[i]))
      {
        *ret_phase = i;
        return TRUE;
      }
  if (word == NULL)
    return expected (reader, "a phase", NULL, error);
  meant = suggest_text (word, phase_names, n_phase_names);
  return keyfile_error (error, phrase_reader_position (reader),
                        "expected a phase (setup, work, drain, settle or over), not '%s'%s", word,
                        meant);
}

static gboolean
read_site (PhraseReader *reader, FaultSite *ret_site, GError **error)
{
  g_autofree char *word = phrase_reader_take (reader);
  g_autofree char *meant = NULL;

  for (guint i = 0; word != NULL && i < N_FAULT_SITES; i++)
    if (g_str_equal (word, fault_site_names[i]))
      {
        *ret_site = (FaultSite) i;
        return TRUE;
      }
  if (word == NULL)
    return expected (reader, "a place in the code", NULL, error);
  meant = suggest_text (word, fault_site_names, N_FAULT_SITES);
  return keyfile_error (error, phrase_reader_position (reader),
                        "expected a place in the code (consort-sim list sites), not '%s'%s", word,
                        meant);
}

static gboolean
read_word (PhraseReader *reader, const char *known, GError **error)
{
  g_autofree char *word = phrase_reader_take (reader);
  g_autofree char *what = NULL;

  if (g_strcmp0 (word, known) == 0)
    return TRUE;
  what = g_strdup_printf ("'%s'", known);
  return expected (reader, what, word, error);
}

/* --- patterns ------------------------------------------------------------------------------ */

static gboolean
read_element (PhraseReader *reader, const char *element, PhraseValues *values, GError **error)
{
  if (g_str_equal (element, "MEMBER"))
    return read_member (reader, &values->member, error);
  if (g_str_equal (element, "OTHER"))
    return read_member (reader, &values->other, error);
  if (g_str_equal (element, "PARTS"))
    return read_parts (reader, &values->parts, error);
  if (g_str_equal (element, "CLIENT"))
    return read_client (reader, &values->client, error);
  if (g_str_equal (element, "DURATION"))
    return read_duration_or_ever (reader, &values->duration_us, error);
  if (g_str_equal (element, "TIME"))
    return phrase_read_duration (reader, &values->time_us, error);
  if (g_str_equal (element, "COUNT"))
    return phrase_read_count (reader, &values->count, error);
  if (g_str_equal (element, "SITE"))
    return read_site (reader, &values->site, error);
  if (g_str_equal (element, "PHASE"))
    return read_phase (reader, &values->phase, error);
  return read_word (reader, element, error);
}

static void
print_element (const char *element, const PhraseValues *values, GString *text)
{
  if (g_str_equal (element, "MEMBER"))
    print_member (values->member, text);
  else if (g_str_equal (element, "OTHER"))
    print_member (values->other, text);
  else if (g_str_equal (element, "PARTS"))
    print_parts (values->parts, text);
  else if (g_str_equal (element, "CLIENT"))
    g_string_append (text, values->client);
  else if (g_str_equal (element, "DURATION"))
    phrase_print_duration (values->duration_us, text);
  else if (g_str_equal (element, "TIME"))
    phrase_print_duration (values->time_us, text);
  else if (g_str_equal (element, "COUNT"))
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, values->count);
  else if (g_str_equal (element, "SITE"))
    g_string_append (text, fault_site_names[values->site]);
  else if (g_str_equal (element, "PHASE"))
    g_string_append (text, phase_names[values->phase]);
  else
    g_string_append (text, element);
}

/* A part that may be left out is the last one; what has to be there comes before it. */
static void
split_pattern (const char *pattern, char ***ret_needed, char ***ret_optional)
{
  const char *bracket = strchr (pattern, '[');
  g_autofree char *needed
      = g_strndup (pattern, bracket == NULL ? strlen (pattern) : (gsize) (bracket - pattern));
  g_autofree char *optional = g_strdup (bracket == NULL ? "" : bracket + 1);

  g_strdelimit (optional, "]", ' ');
  *ret_needed = g_strsplit (g_strstrip (needed), " ", -1);
  *ret_optional = g_strsplit (g_strstrip (optional), " ", -1);
}

static gboolean
read_elements (PhraseReader *reader, char **elements, PhraseValues *values, GError **error)
{
  for (guint i = 0; elements[i] != NULL; i++)
    if (!read_element (reader, elements[i], values, error))
      return FALSE;
  return TRUE;
}

gboolean
phrase_read (PhraseReader *reader, const char *pattern, PhraseValues *values, GError **error)
{
  g_auto (GStrv) needed = NULL, optional = NULL;
  g_autofree char *next = NULL;

  split_pattern (pattern, &needed, &optional);
  if (!read_elements (reader, needed, values, error))
    return FALSE;
  next = phrase_reader_peek (reader);
  return next == NULL || read_elements (reader, optional, values, error);
}

gboolean
phrase_read_end (PhraseReader *reader, GError **error)
{
  g_autofree char *word = phrase_reader_take (reader);

  if (word == NULL)
    return TRUE;
  return keyfile_error (error, phrase_reader_position (reader), "'%s' is too much here", word);
}

static void
print_elements (char **elements, const PhraseValues *values, GString *text)
{
  for (guint i = 0; elements[i] != NULL; i++)
    {
      if (text->len > 0)
        g_string_append_c (text, ' ');
      print_element (elements[i], values, text);
    }
}

void
phrase_print (const char *pattern, const PhraseValues *values, GString *text)
{
  g_auto (GStrv) needed = NULL, optional = NULL;

  split_pattern (pattern, &needed, &optional);
  print_elements (needed, values, text);
  if (values->duration_us != 0 && g_strv_contains ((const char *const *) optional, "DURATION"))
    print_elements (optional, values, text);
}

gboolean
phrase_may_omit_duration (const char *pattern)
{
  const char *bracket = strchr (pattern, '[');

  return bracket != NULL && strstr (bracket, "DURATION") != NULL;
}
