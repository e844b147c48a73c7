/* SPDX-License-Identifier: MIT */
/* A run as a number of 128 bits: the same in another process, build or machine, with or without a
 * trace.
 *
 * What a run consists of is kept apart by ingredient, each with two independent rolling hashes,
 * so that a difference says of what kind it is. Hashes roll: two runs that once differed in an
 * ingredient differ in it from there on, and the first difference can be found by bisection
 * (checkpoints.h). */
#pragma once

#include <glib.h>

typedef enum Ingredient
{
  INGREDIENT_RANDOM,  /* each number that was drawn */
  INGREDIENT_TIME,    /* the events of the world: when, what, whose */
  INGREDIENT_FAULTS,  /* what went wrong, and what was mended */
  INGREDIENT_ORDER,   /* what the group sequenced, and where it was cut */
  INGREDIENT_VIEWS,   /* who was told which view */
  INGREDIENT_STATE,   /* positions of the members, and the digests of their states */
  INGREDIENT_CLIENTS, /* each byte that a client received, with its time */
  N_INGREDIENTS
} Ingredient;

typedef struct RollingHash
{
  guint64 a;
  guint64 b;
} RollingHash;

/* All zeros: nothing happened yet. */
typedef struct Fingerprint
{
  RollingHash of[N_INGREDIENTS];
} Fingerprint;

void fingerprint_add (Fingerprint *fingerprint, Ingredient ingredient, guint64 value);
void fingerprint_add_bytes (Fingerprint *fingerprint, Ingredient ingredient, const void *bytes,
                            gsize length);
gboolean fingerprint_equal (const Fingerprint *a, const Fingerprint *b);
/* All ingredients together: 32 hexadecimal digits and a NUL into `text`, which it returns. */
#define FINGERPRINT_TEXT_SIZE 33
const char *fingerprint_text (const Fingerprint *fingerprint, char *text);

const char *ingredient_name (Ingredient ingredient);
/* Half a sentence: "who was told which view". */
const char *ingredient_meaning (Ingredient ingredient);
