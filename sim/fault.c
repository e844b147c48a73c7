/* SPDX-License-Identifier: MIT */
#include "sim/fault.h"
#include "core/base/suggest.h"

const FaultKindInfo fault_kinds[N_FAULT_KINDS] = {
#define FAULT_KIND(id, name, pattern, group, draw, apply, what)                                    \
  [FAULT_##id] = { name, pattern, FAULT_GROUP_##group, FAULT_DRAW_##draw, what },
#include "sim/fault_kinds.def"
#undef FAULT_KIND
};

static const char *const names[N_FAULT_KINDS] = {
#define FAULT_KIND(id, name, pattern, group, draw, apply, what) [FAULT_##id] = name,
#include "sim/fault_kinds.def"
#undef FAULT_KIND
};

const char *
fault_group_name (FaultGroup group)
{
  switch (group)
    {
    case FAULT_GROUP_MEMBER:
      return "members";
    case FAULT_GROUP_NETWORK:
      return "parts of the network";
    case FAULT_GROUP_TRANSPORT:
      return "the group's transport";
    case FAULT_GROUP_CLIENT:
      return "clients";
    case FAULT_GROUP_CLOCK:
      return "clocks";
    case FAULT_GROUP_CODE:
      return "places in the code";
    case FAULT_GROUP_OPERATOR:
      return "operators";
    case FAULT_GROUP_MUTANT:
      return "broken transports, to see that checkers bite";
    case N_FAULT_GROUPS:
      break;
    }
  g_assert_not_reached ();
}

gboolean
fault_may_be_drawn (FaultKind kind)
{
  return fault_kinds[kind].draw == FAULT_DRAW_DRAWN || fault_kinds[kind].draw == FAULT_DRAW_RECIPE;
}

gboolean
fault_ends_a_member (FaultKind kind)
{
  return kind == FAULT_CRASH || kind == FAULT_SUFFIX_LOSS || kind == FAULT_STOP
         || kind == FAULT_NODE_DOWN || kind == FAULT_GHOST;
}

gboolean
fault_kind_find (const char *name, FaultKind *ret_kind)
{
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    if (g_str_equal (name, fault_kinds[i].name))
      {
        *ret_kind = (FaultKind) i;
        return TRUE;
      }
  return FALSE;
}

char *
fault_suggest (const char *wrong)
{
  return suggest_text (wrong, names, N_FAULT_KINDS);
}

Fault
fault_of (FaultKind kind)
{
  return (Fault){ .kind = kind, .values = phrase_values_none () };
}

Fault
fault_of_member (FaultKind kind, guint member)
{
  Fault fault = fault_of (kind);

  fault.values.member = (gint) member;
  return fault;
}

void
fault_clear (Fault *fault)
{
  phrase_values_clear (&fault->values);
}

Fault
fault_copy (const Fault *fault)
{
  return (Fault){ .kind = fault->kind, .values = phrase_values_copy (&fault->values) };
}

gboolean
fault_equal (const Fault *a, const Fault *b)
{
  return a->kind == b->kind && phrase_values_equal (&a->values, &b->values);
}

static gboolean
read_kind (PhraseReader *reader, FaultKind *ret_kind, GError **error)
{
  g_autofree char *word = phrase_reader_take (reader);
  g_autofree char *meant = NULL;

  if (word == NULL)
    return keyfile_error (error, phrase_reader_position (reader), "expected a fault at the end");
  if (fault_kind_find (word, ret_kind))
    return TRUE;
  meant = fault_suggest (word);
  return keyfile_error (error, phrase_reader_position (reader),
                        "there is no fault '%s'%s (consort-sim list faults)", word, meant);
}

gboolean
fault_parse (Slice text, KeyfilePosition at, Fault *ret_fault, GError **error)
{
  PhraseReader reader = phrase_reader_init (text, at);
  Fault fault;
  FaultKind kind = 0;

  if (!read_kind (&reader, &kind, error))
    return FALSE;
  fault = fault_of (kind);
  if (!phrase_read (&reader, fault_kinds[kind].pattern, &fault.values, error)
      || !phrase_read_end (&reader, error))
    {
      fault_clear (&fault);
      return FALSE;
    }
  *ret_fault = fault;
  return TRUE;
}

char *
fault_text (const Fault *fault)
{
  GString *text = g_string_new (fault_kinds[fault->kind].name);

  phrase_print (fault_kinds[fault->kind].pattern, &fault->values, text);
  return g_string_free (text, FALSE);
}
