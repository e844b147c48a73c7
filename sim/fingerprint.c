/* SPDX-License-Identifier: MIT */
#include "sim/fingerprint.h"
#include "core/base/digest.h"

static const struct
{
  const char *name;
  const char *meaning;
} ingredients[N_INGREDIENTS] = {
  [INGREDIENT_RANDOM] = { "random", "the random numbers that were drawn" },
  [INGREDIENT_TIME] = { "time", "what happens when, and to whom" },
  [INGREDIENT_FAULTS] = { "faults", "what goes wrong, and what is mended" },
  [INGREDIENT_ORDER] = { "order", "what the group puts in order" },
  [INGREDIENT_VIEWS] = { "views", "which members are told which view" },
  [INGREDIENT_STATE] = { "state", "the members' positions and states" },
  [INGREDIENT_CLIENTS] = { "clients", "the bytes that clients receive" },
};

/* The second hash is another one altogether (multiply, rotate, add): what cancels out in the
 * first does not in it. */
static void
roll (RollingHash *hash, guint64 value)
{
  guint64 b = hash->b ^ (value * G_GUINT64_CONSTANT (0x87c37b91114253d5));

  hash->a = digest_combine (hash->a, value);
  b = b << 31 | b >> 33;
  hash->b = b * 5 + G_GUINT64_CONSTANT (0x52dce729da3ed7b5);
}

void
fingerprint_add (Fingerprint *fingerprint, Ingredient ingredient, guint64 value)
{
  roll (&fingerprint->of[ingredient], value);
}

void
fingerprint_add_bytes (Fingerprint *fingerprint, Ingredient ingredient, const void *bytes,
                       gsize length)
{
  fingerprint_add (fingerprint, ingredient, digest_bytes (0, bytes, length));
  fingerprint_add (fingerprint, ingredient, digest_bytes (1, bytes, length));
}

gboolean
fingerprint_equal (const Fingerprint *a, const Fingerprint *b)
{
  for (guint i = 0; i < N_INGREDIENTS; i++)
    if (a->of[i].a != b->of[i].a || a->of[i].b != b->of[i].b)
      return FALSE;
  return TRUE;
}

const char *
fingerprint_text (const Fingerprint *fingerprint, char *text)
{
  RollingHash all = { 0 };

  for (guint i = 0; i < N_INGREDIENTS; i++)
    {
      roll (&all, fingerprint->of[i].a);
      roll (&all, fingerprint->of[i].b);
    }
  g_snprintf (text, FINGERPRINT_TEXT_SIZE, "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
              all.a, digest_mix (all.b));
  return text;
}

const char *
ingredient_name (Ingredient ingredient)
{
  return ingredients[ingredient].name;
}

const char *
ingredient_meaning (Ingredient ingredient)
{
  return ingredients[ingredient].meaning;
}
