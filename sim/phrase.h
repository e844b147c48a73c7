/* SPDX-License-Identifier: MIT */
/* Short phrases of a scenario: `crash A`, `spike 5ms for 100ms`, `A sees 3 members`. What such a
 * phrase looks like is written down once, as a pattern, which reads it, prints it, and is what
 * people are shown:
 *
 *   MEMBER OTHER   a member by name, or one that is found when it matters (eldest, donor, ...)
 *   PARTS          members by part: A B | C | D E; who is not named is in the first part
 *   CLIENT         a client by name: publisher-2
 *   DURATION TIME  250us, 5ms, 2s; a duration may also be `ever`, as in `for ever`
 *   COUNT          a number
 *   SITE           a place in the code (fault_sites.def)
 *   PHASE          setup, work, drain or settle
 *   [...]          may be left out
 *
 * and anything else is a word that has to be there. */
#pragma once

#include "core/base/keyfile.h"
#include "sim/fault_sites.h"

/* Instead of a member's number. */
typedef enum PhraseMember
{
  PHRASE_NOBODY = -1, /* no member is named */
  PHRASE_ELDEST = -2, /* active for the longest time */
  PHRASE_YOUNGEST = -3,
  PHRASE_LOWEST = -4, /* by its id, of those that are up */
  PHRASE_HIGHEST = -5,
  PHRASE_DONOR = -6, /* it sends its state to one that joins */
  PHRASE_ANY = -7,   /* in a condition: whoever it is true of */
  PHRASE_IT = -8     /* in a fault: the member that the condition was true of */
} PhraseMember;

/* `ever`: it is not put right, not even when the work ends. */
#define PHRASE_EVER G_MAXINT64

/* What a phrase says; what its pattern does not have is zero, and no member is PHRASE_NOBODY. */
typedef struct PhraseValues
{
  gint member; /* number, or a PhraseMember */
  gint other;
  GArray *parts; /* of guint, by member; NULL: none */
  char *client;
  gint64 duration_us;
  gint64 time_us;
  guint64 count;
  guint phase; /* a WorldPhase */
  FaultSite site;
} PhraseValues;

PhraseValues phrase_values_none (void);
void phrase_values_clear (PhraseValues *values);
PhraseValues phrase_values_copy (const PhraseValues *values);
gboolean phrase_values_equal (const PhraseValues *a, const PhraseValues *b);
/* The highest number of a member in it; -1: none is named. */
gint phrase_values_highest (const PhraseValues *values);
/* The part that member is in. */
guint phrase_part_of (const PhraseValues *values, guint member);

typedef struct PhraseReader
{
  Slice text;
  KeyfilePosition at;  /* of the text's first character */
  gsize next;          /* behind the last word */
  gsize word_offset;   /* of the last word */
  gboolean conditions; /* the words for members are those of conditions */
} PhraseReader;

PhraseReader phrase_reader_init (Slice text, KeyfilePosition at);
/* The next word, yours; NULL: there is none. `|` and `+` are words by themselves. */
char *phrase_reader_take (PhraseReader *reader);
char *phrase_reader_peek (const PhraseReader *reader);
/* Where the last word that was taken begins, or the end of the text. */
KeyfilePosition phrase_reader_position (const PhraseReader *reader);

/* FALSE: a keyfile_error. What it reads is added to `values`, also then. */
gboolean phrase_read (PhraseReader *reader, const char *pattern, PhraseValues *values,
                      GError **error);
/* FALSE: there is more. */
gboolean phrase_read_end (PhraseReader *reader, GError **error);
void phrase_print (const char *pattern, const PhraseValues *values, GString *text);
/* Its duration may be left out: then something else ends it. */
gboolean phrase_may_omit_duration (const char *pattern);

gboolean phrase_read_duration (PhraseReader *reader, gint64 *ret_duration_us, GError **error);
gboolean phrase_read_count (PhraseReader *reader, guint64 *ret_count, GError **error);
/* The largest unit that is exact. */
void phrase_print_duration (gint64 duration_us, GString *text);
