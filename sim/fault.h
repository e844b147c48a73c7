/* SPDX-License-Identifier: MIT */
/* Fault: one concrete thing that goes wrong, or is put right again. Everything that a scenario
 * says, a seed draws, a run records and a shrinker drops is such a value (fault_kinds.def). */
#pragma once

#include "sim/phrase.h"

typedef enum FaultKind
{
#define FAULT_KIND(id, name, pattern, group, draw, apply, what) FAULT_##id,
#include "sim/fault_kinds.def"
#undef FAULT_KIND
  N_FAULT_KINDS
} FaultKind;

typedef enum FaultGroup
{
  FAULT_GROUP_MEMBER,
  FAULT_GROUP_NETWORK,
  FAULT_GROUP_TRANSPORT,
  FAULT_GROUP_CLIENT,
  FAULT_GROUP_CLOCK,
  FAULT_GROUP_CODE,
  FAULT_GROUP_OPERATOR,
  FAULT_GROUP_MUTANT,
  N_FAULT_GROUPS
} FaultGroup;

typedef enum FaultDraw
{
  FAULT_DRAW_DRAWN,
  FAULT_DRAW_RECIPE,
  FAULT_DRAW_FOLLOWS,
  FAULT_DRAW_SCRIPTED,
  FAULT_DRAW_BREAKS
} FaultDraw;

typedef struct FaultKindInfo
{
  const char *name;
  const char *pattern;
  FaultGroup group;
  FaultDraw draw;
  const char *what;
} FaultKindInfo;

extern const FaultKindInfo fault_kinds[N_FAULT_KINDS];

const char *fault_group_name (FaultGroup group);
/* A seed may draw it by itself. */
gboolean fault_may_be_drawn (FaultKind kind);
/* A process is not there any more after it. */
gboolean fault_ends_a_member (FaultKind kind);
/* FALSE: there is none of that name. */
gboolean fault_kind_find (const char *name, FaultKind *ret_kind);
/* ", did you mean 'crash'?" or "". Yours. */
char *fault_suggest (const char *wrong);

typedef struct Fault
{
  FaultKind kind;
  PhraseValues values;
} Fault;

Fault fault_of (FaultKind kind);
Fault fault_of_member (FaultKind kind, guint member);
void fault_clear (Fault *fault);
Fault fault_copy (const Fault *fault);
gboolean fault_equal (const Fault *a, const Fault *b);

/* `text` is what stands at `at`. FALSE: a keyfile_error. Yours to fault_clear. */
gboolean fault_parse (Slice text, KeyfilePosition at, Fault *ret_fault, GError **error);
/* What fault_parse reads as the same. Yours. */
char *fault_text (const Fault *fault);
