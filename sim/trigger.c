/* SPDX-License-Identifier: MIT */
#include "sim/trigger.h"
#include "core/base/suggest.h"

const ConditionKindInfo condition_kinds[N_CONDITION_KINDS] = {
#define CONDITION_KIND(id, pattern, what) [CONDITION_##id] = { pattern, what },
#include "sim/condition_kinds.def"
#undef CONDITION_KIND
};

/* By kind; `then` is another `when`. */
static const char *const first_words[] = { "at", "after", "when", "then" };
#define THEN 3

Trigger
trigger_at (gint64 at_us)
{
  return (Trigger){ .kind = TRIGGER_AT,
                    .at_us = at_us,
                    .condition = { .values = phrase_values_none () } };
}

void
trigger_clear (Trigger *trigger)
{
  phrase_values_clear (&trigger->condition.values);
}

Trigger
trigger_copy (const Trigger *trigger)
{
  Trigger copy = *trigger;

  copy.condition.values = phrase_values_copy (&trigger->condition.values);
  return copy;
}

gboolean
trigger_equal (const Trigger *a, const Trigger *b)
{
  return a->kind == b->kind && a->at_us == b->at_us && a->confirmed == b->confirmed
         && a->plus_us == b->plus_us && a->then == b->then && a->condition.kind == b->condition.kind
         && phrase_values_equal (&a->condition.values, &b->condition.values);
}

/* --- reading ------------------------------------------------------------------------------ */

/* The pattern that the text follows the furthest; its complaint is the one that helps. */
static gboolean
read_condition (PhraseReader *reader, Condition *ret_condition, GError **error)
{
  g_autoptr (GError) best_error = NULL;
  gsize best_offset = 0;

  for (guint i = 0; i < N_CONDITION_KINDS; i++)
    {
      PhraseReader attempt = *reader;
      PhraseValues values = phrase_values_none ();
      g_autoptr (GError) attempt_error = NULL;

      if (phrase_read (&attempt, condition_kinds[i].pattern, &values, &attempt_error))
        {
          *ret_condition = (Condition){ (ConditionKind) i, values };
          *reader = attempt;
          return TRUE;
        }
      phrase_values_clear (&values);
      if (best_error != NULL && attempt.word_offset <= best_offset)
        continue;
      best_offset = attempt.word_offset;
      g_clear_error (&best_error);
      best_error = g_steal_pointer (&attempt_error);
    }
  g_propagate_error (error, g_steal_pointer (&best_error));
  return FALSE;
}

static gboolean
read_plus (PhraseReader *reader, gint64 *ret_plus_us, GError **error)
{
  g_autofree char *next = phrase_reader_peek (reader);

  if (g_strcmp0 (next, "+") != 0)
    return TRUE;
  g_free (phrase_reader_take (reader));
  return phrase_read_duration (reader, ret_plus_us, error);
}

static gboolean
read_kind (PhraseReader *reader, Trigger *trigger, GError **error)
{
  g_autofree char *word = phrase_reader_take (reader);
  g_autofree char *meant = NULL;

  for (guint i = 0; word != NULL && i < G_N_ELEMENTS (first_words); i++)
    if (g_str_equal (word, first_words[i]))
      {
        trigger->kind = i == THEN ? TRIGGER_WHEN : (TriggerKind) i;
        trigger->then = i == THEN;
        return TRUE;
      }
  meant = suggest_text (word == NULL ? "" : word, first_words, G_N_ELEMENTS (first_words));
  return keyfile_error (error, phrase_reader_position (reader),
                        "expected 'at TIME', 'after COUNT confirmed', 'when CONDITION' or 'then "
                        "CONDITION', not '%s'%s",
                        word == NULL ? "" : word, meant);
}

static gboolean
read_rest (PhraseReader *reader, Trigger *trigger, GError **error)
{
  PhraseValues values = phrase_values_none ();

  switch (trigger->kind)
    {
    case TRIGGER_AT:
      return phrase_read_duration (reader, &trigger->at_us, error);
    case TRIGGER_AFTER:
      if (!phrase_read (reader, "COUNT confirmed", &values, error))
        return FALSE;
      trigger->confirmed = values.count;
      return read_plus (reader, &trigger->plus_us, error);
    case TRIGGER_WHEN:
      reader->conditions = TRUE;
      return read_condition (reader, &trigger->condition, error)
             && read_plus (reader, &trigger->plus_us, error);
    }
  g_assert_not_reached ();
}

gboolean
trigger_parse (Slice text, KeyfilePosition at, Trigger *ret_trigger, GError **error)
{
  PhraseReader reader = phrase_reader_init (text, at);
  Trigger trigger = trigger_at (0);

  if (!read_kind (&reader, &trigger, error) || !read_rest (&reader, &trigger, error)
      || !phrase_read_end (&reader, error))
    {
      trigger_clear (&trigger);
      return FALSE;
    }
  *ret_trigger = trigger;
  return TRUE;
}

/* --- printing ----------------------------------------------------------------------------- */

char *
trigger_text (const Trigger *trigger)
{
  GString *text = g_string_new (first_words[trigger->then ? THEN : trigger->kind]);

  switch (trigger->kind)
    {
    case TRIGGER_AT:
      g_string_append_c (text, ' ');
      phrase_print_duration (trigger->at_us, text);
      break;
    case TRIGGER_AFTER:
      g_string_append_printf (text, " %" G_GUINT64_FORMAT " confirmed", trigger->confirmed);
      break;
    case TRIGGER_WHEN:
      phrase_print (condition_kinds[trigger->condition.kind].pattern, &trigger->condition.values,
                    text);
      break;
    }
  if (trigger->plus_us != 0)
    {
      g_string_append (text, " + ");
      phrase_print_duration (trigger->plus_us, text);
    }
  return g_string_free (text, FALSE);
}
