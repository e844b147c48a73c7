/* SPDX-License-Identifier: MIT */
/* The names of what SimOptions hold: `--NAME VALUE` on the command line, `NAME = VALUE` in a
 * scenario file. One table reads, prints, explains and lists them. */
#pragma once

#include "sim/sim_options.h"

/* Sections of a scenario file. */
typedef enum OptionSection
{
  OPTION_SCENARIO,
  OPTION_NETWORK,
  OPTION_WORKLOAD,
  OPTION_FAULTS,
  N_OPTION_SECTIONS
} OptionSection;

typedef enum OptionType
{
  OPTION_COUNT,    /* guint: a number, or words[0] for G_MAXUINT */
  OPTION_SEEDS,    /* guint64 seed and last_seed: a number, or two with .. between */
  OPTION_DURATION, /* gint64 */
  OPTION_SPAN,     /* SimSpan: a duration, two with .. between, `drawn`, or `none` if low is 0 */
  OPTION_SIZE,     /* guint64: bytes, `drawn` or `none` */
  OPTION_CHOICE,   /* guint: one of words */
  OPTION_SET,      /* guint, of bits: some of words, or `none` */
  OPTION_TIMES,    /* guint by kind of fault: `all`, `none`, or some, as KIND=N or KIND */
  OPTION_FLAG      /* gboolean: yes or no; on the command line the bare name */
} OptionType;

typedef struct OptionKey
{
  OptionSection section;
  const char *name;
  const char *value; /* what stands for it in a help; NULL: a flag */
  const char *what;
  OptionType type;
  gsize offset; /* in SimOptions */
  guint64 low;  /* of a number or duration, ends included */
  guint64 high;
  const char *const *words; /* up to NULL; NULL: none */
} OptionKey;

extern const OptionKey option_keys[];
extern const guint n_option_keys;
extern const char *const option_sections[N_OPTION_SECTIONS];

/* NULL: there is none of that name. */
const OptionKey *option_key_find (const char *name);
/* FALSE: SYSTEM_ERROR_SETTING, "needs ..., not '...'", for the caller to say what. */
gboolean option_key_parse (const OptionKey *key, const char *text, SimOptions *options,
                           GError **error);
/* What option_key_parse reads as the same. Yours. */
char *option_key_text (const OptionKey *key, const SimOptions *options);
gboolean option_key_equal (const OptionKey *key, const SimOptions *a, const SimOptions *b);
