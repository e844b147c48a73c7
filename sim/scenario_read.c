/* SPDX-License-Identifier: MIT */
/* A file goes through in one pass, item by item; a mistake is told, and the rest is read all the
 * same, so that all of them are told at once. What a file extends is read first, into the same
 * scenario. */
#include "core/base/error.h"
#include "core/base/keyfile.h"
#include "core/base/limits.h"
#include "core/base/suggest.h"
#include "sim/option_keys.h"
#include "sim/probes.h"
#include "sim/scenario.h"
#include "sim/scenario_warnings.h"

#include <string.h>

/* Behind those of OptionSection. */
typedef enum Section
{
  SECTION_TIMELINE = N_OPTION_SECTIONS,
  SECTION_EXPECT,
  SECTION_STORY,
  N_SECTIONS,
  SECTION_NONE /* before the first one, or in one that is not known */
} Section;

#define MAX_KEYS 64

typedef struct Parser Parser;

struct Parser
{
  const Parser *extended_by; /* NULL: nobody */
  const char *path;
  Scenario *scenario;
  ScenarioLoad load;
  GPtrArray *mistakes;
  GPtrArray *places; /* of char *: "FILE:LINE:COLUMN" of each entry of the timeline */
  KeyfileReader reader;
  Section section;
  gboolean has_begun;              /* something was said that what it extends must not undo */
  guint section_lines[N_SECTIONS]; /* where each began; 0: not yet */
  guint key_lines[MAX_KEYS];       /* by option_keys */
  guint other_key_lines[MAX_KEYS]; /* by scenario_keys */
};

/* --- mistakes --------------------------------------------------------------------------------- */

static void
tell (const Parser *parser, const char *text)
{
  if (parser->mistakes->len < LIMIT_SCENARIO_MISTAKES)
    g_ptr_array_add (parser->mistakes, g_strdup_printf ("%s:%s", parser->path, text));
}

static void
tell_error (const Parser *parser, GError *take_error)
{
  g_autoptr (GError) error = take_error;

  tell (parser, error->message);
}

static void mistake (const Parser *parser, KeyfilePosition at, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static void
mistake (const Parser *parser, KeyfilePosition at, const char *format, ...)
{
  GError *error = NULL;
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  keyfile_error (&error, at, "%s", text);
  tell_error (parser, error);
}

/* TRUE, and it is told, if it was there before. */
static gboolean
is_again (const Parser *parser, guint *line, KeyfilePosition at, const char *what, const char *name)
{
  if (*line != 0)
    {
      mistake (parser, at, "%s '%s' comes again: it was in line %u already", what, name, *line);
      return TRUE;
    }
  *line = at.line;
  return FALSE;
}

/* --- sections --------------------------------------------------------------------------------- */

static const char *
section_name (guint section)
{
  switch (section)
    {
    case SECTION_TIMELINE:
      return "timeline";
    case SECTION_EXPECT:
      return "expect";
    case SECTION_STORY:
      return "story";
    }
  g_assert (section < N_OPTION_SECTIONS);
  return option_sections[section];
}

static void
read_story (Parser *parser)
{
  g_autoptr (GString) story = g_string_new (NULL);
  KeyfilePosition at;
  Slice line;

  for (;;)
    {
      GError *error = NULL;

      if (!keyfile_reader_next_line (&parser->reader, &line, &at, &error))
        {
          tell_error (parser, error);
          continue;
        }
      if (line.length == 0)
        break;
      g_string_append_len (story, (const char *) line.bytes, (gssize) line.length);
      g_string_append_c (story, '\n');
    }
  if (parser->extended_by != NULL)
    return;
  parser->scenario->expect.given = TRUE;
  parser->scenario->expect.story = g_strdup (story->str);
}

static void
enter_section (Parser *parser, const KeyfileItem *item)
{
  g_autofree char *name = slice_to_text (item->name);
  g_autofree char *suggestion = NULL;
  const char *names[N_SECTIONS];

  for (guint i = 0; i < N_SECTIONS; i++)
    {
      names[i] = section_name (i);
      if (strcmp (names[i], name) != 0)
        continue;
      parser->section = (Section) i;
      is_again (parser, &parser->section_lines[i], item->name_at, "section", name);
      if (i == SECTION_EXPECT && parser->extended_by == NULL)
        parser->scenario->expect.given = TRUE;
      if (i == SECTION_STORY)
        read_story (parser);
      return;
    }
  suggestion = suggest_text (name, names, N_SECTIONS);
  mistake (parser, item->name_at, "there is no section '%s'%s", name, suggestion);
  parser->section = SECTION_NONE;
}

/* --- extends ---------------------------------------------------------------------------------- */

static void parse_file (Parser *parser, Slice text);

/* Paths are compared as text: what links make of them is left to LIMIT_SCENARIO_EXTENDS. */
static gboolean
is_open_already (const Parser *parser, const char *path, guint *ret_depth)
{
  g_autofree char *canonical = g_canonicalize_filename (path, "/");

  *ret_depth = 0;
  for (; parser != NULL; parser = parser->extended_by)
    {
      g_autofree char *open = g_canonicalize_filename (parser->path, "/");

      if (strcmp (open, canonical) == 0)
        return TRUE;
      ++*ret_depth;
    }
  return FALSE;
}

static void
read_extended (const Parser *parser, const char *path, KeyfilePosition at)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length;
  Parser extended = {
    .extended_by = parser,
    .path = path,
    .scenario = parser->scenario,
    .load = parser->load,
    .mistakes = parser->mistakes,
    .places = parser->places,
  };

  if (!parser->load (path, &text, &length, &error))
    mistake (parser, at, "%s", error->message);
  else
    parse_file (&extended, slice_new (text, length, NULL));
}

static void
extend (const Parser *parser, const char *value, KeyfilePosition at)
{
  g_autofree char *folder = g_path_get_dirname (parser->path);
  g_autofree char *path = g_path_is_absolute (value) || strcmp (folder, ".") == 0
                              ? g_strdup (value)
                              : g_build_filename (folder, value, NULL);
  guint depth;

  if (parser->has_begun)
    mistake (parser, at, "extends comes before everything but what");
  else if (is_open_already (parser, path, &depth))
    mistake (parser, at, "'%s' extends itself", value);
  else if (depth >= LIMIT_SCENARIO_EXTENDS)
    mistake (parser, at, "'%s' is number %u of scenarios that extend one another, %u are allowed",
             value, depth + 1, LIMIT_SCENARIO_EXTENDS);
  else
    read_extended (parser, path, at);
}

/* --- entries -------------------------------------------------------------------------------- */

static gboolean
is_rule (const char *name, const char **names)
{
  for (guint i = 0; i < n_checker_rules; i++)
    {
      names[i] = checker_rules[i].name;
      if (strcmp (names[i], name) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
read_rule (const Parser *parser, const char *value, KeyfilePosition at)
{
  g_autofree const char **names = g_new (const char *, n_checker_rules);
  g_autofree char *suggestion = NULL;

  if (is_rule (value, names))
    g_ptr_array_add (parser->scenario->expect.rules, g_strdup (value));
  else
    {
      suggestion = suggest_text (value, names, n_checker_rules);
      mistake (parser, at, "there is no rule '%s'%s (consort-sim list checkers)", value,
               suggestion);
    }
}

static void
read_reached (const Parser *parser, const char *value, KeyfilePosition at)
{
  const char *names[N_PROBES];
  g_autofree char *suggestion = NULL;

  for (guint i = 0; i < N_PROBES; i++)
    {
      names[i] = probe_infos[i].name;
      if (strcmp (names[i], value) == 0)
        {
          g_ptr_array_add (parser->scenario->expect.reached, g_strdup (value));
          return;
        }
    }
  suggestion = suggest_text (value, names, N_PROBES);
  mistake (parser, at, "there is no probe '%s'%s (consort-sim list probes)", value, suggestion);
}

static void
read_verdict (const Parser *parser, const char *value, KeyfilePosition at)
{
  static const Verdict verdicts[]
      = { VERDICT_PASS, VERDICT_VIOLATION, VERDICT_LIVENESS, VERDICT_INCONCLUSIVE };

  for (guint i = 0; i < G_N_ELEMENTS (verdicts); i++)
    if (strcmp (verdict_name (verdicts[i]), value) == 0)
      {
        parser->scenario->expect.verdict = verdicts[i];
        return;
      }
  mistake (parser, at, "verdict needs pass, violation, liveness or inconclusive, not '%s'", value);
}

/* Of scenario_keys. */
static void
read_other (Parser *parser, guint key, const char *value, const KeyfileItem *item)
{
  const char *name = scenario_keys[key].name;
  gboolean may_come_again = strcmp (name, "rule") == 0 || strcmp (name, "reached") == 0;
  guint *line = &parser->other_key_lines[key];

  if (!may_come_again && is_again (parser, line, item->name_at, "key", name))
    return;
  if (strcmp (name, "extends") == 0)
    extend (parser, value, item->value_at);
  else if (parser->extended_by != NULL)
    return;
  else if (strcmp (name, "what") == 0)
    parser->scenario->what = g_strdup (value);
  else if (strcmp (name, "verdict") == 0)
    read_verdict (parser, value, item->value_at);
  else if (strcmp (name, "rule") == 0)
    read_rule (parser, value, item->value_at);
  else if (strcmp (name, "reached") == 0)
    read_reached (parser, value, item->value_at);
}

static void
read_option (Parser *parser, guint key, const char *value, const KeyfileItem *item)
{
  GError *error = NULL;

  parser->has_begun = TRUE;
  if (is_again (parser, &parser->key_lines[key], item->name_at, "key", option_keys[key].name))
    return;
  if (!option_key_parse (&option_keys[key], value, &parser->scenario->options, &error))
    {
      mistake (parser, item->value_at, "%s %s", option_keys[key].name, error->message);
      g_error_free (error);
    }
}

static void
unknown_key (const Parser *parser, const char *name, KeyfilePosition at)
{
  const char *names[2 * MAX_KEYS];
  const char *section = section_name (parser->section);
  g_autofree char *suggestion = NULL;
  guint n = 0;

  for (guint i = 0; i < n_option_keys; i++)
    {
      if (strcmp (option_keys[i].name, name) == 0)
        {
          mistake (parser, at, "'%s' belongs to [%s]", name,
                   option_sections[option_keys[i].section]);
          return;
        }
      if ((Section) option_keys[i].section == parser->section)
        names[n++] = option_keys[i].name;
    }
  for (guint i = 0; i < n_scenario_keys; i++)
    if (strcmp (scenario_keys[i].section, section) == 0)
      names[n++] = scenario_keys[i].name;
  suggestion = suggest_text (name, names, n);
  mistake (parser, at, "[%s] has no key '%s'%s (consort-sim list keys)", section, name, suggestion);
}

static void
read_key (Parser *parser, const KeyfileItem *item)
{
  g_autofree char *name = slice_to_text (item->name);
  g_autofree char *value = slice_to_text (item->value);

  for (guint i = 0; i < n_option_keys; i++)
    if ((Section) option_keys[i].section == parser->section
        && strcmp (option_keys[i].name, name) == 0)
      {
        read_option (parser, i, value, item);
        return;
      }
  for (guint i = 0; i < n_scenario_keys; i++)
    if (strcmp (scenario_keys[i].section, section_name (parser->section)) == 0
        && strcmp (scenario_keys[i].name, name) == 0)
      {
        read_other (parser, i, value, item);
        return;
      }
  unknown_key (parser, name, item->name_at);
}

static void
read_timeline (const Parser *parser, const KeyfileItem *item)
{
  Timeline *timeline = parser->scenario->timeline;
  GError *error = NULL;

  if (!timeline_parse_entry (timeline, item->name, item->name_at, item->value, item->value_at,
                             &error))
    tell_error (parser, error);
  else
    g_ptr_array_add (parser->places, g_strdup_printf ("%s:%u:%u", parser->path, item->name_at.line,
                                                      item->name_at.column));
}

static void
read_entry (Parser *parser, const KeyfileItem *item)
{
  if (parser->section == SECTION_NONE)
    return;
  if (parser->section == SECTION_TIMELINE)
    {
      parser->has_begun = TRUE;
      read_timeline (parser, item);
    }
  else
    read_key (parser, item);
}

static void
parse_file (Parser *parser, Slice text)
{
  KeyfileItem item = { .kind = KEYFILE_ENTRY };

  g_assert (n_option_keys <= MAX_KEYS && n_scenario_keys <= MAX_KEYS);
  parser->section = SECTION_NONE;
  parser->reader = keyfile_reader_init (text);
  while (item.kind != KEYFILE_END)
    {
      GError *error = NULL;

      if (!keyfile_reader_next (&parser->reader, &item, &error))
        {
          tell_error (parser, error);
          item.kind = KEYFILE_ENTRY;
        }
      else if (item.kind == KEYFILE_SECTION)
        enter_section (parser, &item);
      else if (item.kind == KEYFILE_ENTRY)
        read_entry (parser, &item);
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

/* What is wrong with values that are right by themselves, told where the section begins. */
static void
check_together (const Parser *parser)
{
  const Scenario *scenario = parser->scenario;
  const Expectation *expect = &scenario->expect;
  KeyfilePosition options_at = { MAX (1, parser->section_lines[OPTION_SCENARIO]), 1 };
  KeyfilePosition expect_at = { MAX (1, parser->section_lines[SECTION_EXPECT]), 1 };
  g_autoptr (GError) error = NULL;

  if (!sim_options_check (&scenario->options, &error))
    mistake (parser, options_at, "%s", error->message);
  for (guint i = 0; i < expect->rules->len; i++)
    if (findings_rule_verdict (expect->rules->pdata[i]) != expect->verdict)
      mistake (parser, expect_at, "when '%s' is broken, the verdict is %s, not %s",
               (const char *) expect->rules->pdata[i],
               verdict_name (findings_rule_verdict (expect->rules->pdata[i])),
               verdict_name (expect->verdict));
  if (expect->story != NULL && scenario->options.seed != scenario->options.last_seed)
    mistake (parser, (KeyfilePosition){ parser->section_lines[SECTION_STORY], 1 },
             "a story is that of one seed, not of %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT,
             scenario->options.seed, scenario->options.last_seed);
}

Scenario *
scenario_parse (const char *path, Slice text, ScenarioLoad load, GPtrArray *mistakes,
                GPtrArray *warnings)
{
  g_autoptr (Scenario) scenario = scenario_new ();
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func (g_free);
  Parser parser = {
    .path = path,
    .scenario = scenario,
    .load = load,
    .mistakes = mistakes,
    .places = places,
  };
  guint n_mistakes = mistakes->len;

  scenario->path = g_strdup (path);
  parse_file (&parser, text);
  if (mistakes->len == n_mistakes)
    check_together (&parser);
  if (mistakes->len > n_mistakes)
    return NULL;
  scenario_warn (scenario, places, warnings);
  return g_steal_pointer (&scenario);
}
