/* SPDX-License-Identifier: MIT */
/* Trigger: when something is to happen, once.
 *
 *   at 212ms                         at that virtual time
 *   after 100 confirmed              when so many messages were confirmed
 *   when A is joining                when that is true for the first time (condition_kinds.def)
 *   then A is joining                likewise, but not before the fault above it has struck
 *
 * all but the first with ` + 5ms`, so much later. */
#pragma once

#include "sim/phrase.h"

typedef enum TriggerKind
{
  TRIGGER_AT,
  TRIGGER_AFTER,
  TRIGGER_WHEN
} TriggerKind;

typedef enum ConditionKind
{
#define CONDITION_KIND(id, pattern, what) CONDITION_##id,
#include "sim/condition_kinds.def"
#undef CONDITION_KIND
  N_CONDITION_KINDS
} ConditionKind;

typedef struct ConditionKindInfo
{
  const char *pattern;
  const char *what;
} ConditionKindInfo;

extern const ConditionKindInfo condition_kinds[N_CONDITION_KINDS];

typedef struct Condition
{
  ConditionKind kind;
  PhraseValues values;
} Condition;

typedef struct Trigger
{
  TriggerKind kind;
  gint64 at_us;        /* TRIGGER_AT */
  guint64 confirmed;   /* TRIGGER_AFTER */
  Condition condition; /* TRIGGER_WHEN */
  gboolean then;       /* not before the entry above it */
  gint64 plus_us;
} Trigger;

Trigger trigger_at (gint64 at_us);
void trigger_clear (Trigger *trigger);
Trigger trigger_copy (const Trigger *trigger);
gboolean trigger_equal (const Trigger *a, const Trigger *b);

/* `text` is what stands at `at`. FALSE: a keyfile_error. Yours to trigger_clear. */
gboolean trigger_parse (Slice text, KeyfilePosition at, Trigger *ret_trigger, GError **error);
/* What trigger_parse reads as the same. Yours. */
char *trigger_text (const Trigger *trigger);
