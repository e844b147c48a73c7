/* SPDX-License-Identifier: MIT */
#include "sim/checker_agreement.h"
#include "core/base/name_map.h"

/* Members are never further apart than this many events, else they are not compared. */
#define POSITIONS_KEPT 65536

typedef struct State
{
  guint64 position;
  guint64 digest;
  gint64 at_us;
  const char *member; /* NULL: none known at such a position */
} State;

struct CheckerAgreement
{
  Findings *findings;
  State *states;       /* by position, modulo POSITIONS_KEPT: the first that told */
  NameMap *unreleased; /* member's name -> GArray of State, in order of positions */
  State at_rest;       /* of the first member that told; no member: none did */
  guint64 n_compared;
};

CheckerAgreement *
checker_agreement_new (Findings *findings)
{
  CheckerAgreement *checker = g_new0 (CheckerAgreement, 1);

  checker->findings = findings;
  checker->states = g_new0 (State, POSITIONS_KEPT);
  checker->unreleased = name_map_new ();
  return checker;
}

void
checker_agreement_free (CheckerAgreement *checker)
{
  NameMapIter iter = name_map_iter (checker->unreleased);
  gpointer value;

  while (name_map_next (&iter, NULL, &value))
    g_array_unref (value);
  name_map_free (checker->unreleased);
  g_free (checker->states);
  g_free (checker);
}

static void
compare (CheckerAgreement *checker, const State *told)
{
  State *state = &checker->states[told->position % POSITIONS_KEPT];

  if (state->member == NULL || state->position < told->position)
    {
      *state = *told;
      return;
    }
  if (state->position > told->position || g_str_equal (state->member, told->member))
    return;
  checker->n_compared++;
  if (state->digest != told->digest)
    findings_add (checker->findings, "equal-state",
                  "at position %" G_GUINT64_FORMAT " %s (at %" G_GINT64_FORMAT
                  "us) has digest %016" G_GINT64_MODIFIER "x and %s (at %" G_GINT64_FORMAT
                  "us) has %016" G_GINT64_MODIFIER
                  "x: the same events led them to different states",
                  told->position, state->member, state->at_us, state->digest, told->member,
                  told->at_us, told->digest);
}

void
checker_agreement_state (CheckerAgreement *checker, gint64 now_us, const char *member,
                         guint64 position, guint64 released, guint64 digest)
{
  const State told = { position, digest, now_us, member };
  GArray *unreleased = name_map_lookup (checker->unreleased, slice_of_text (member));
  guint n = 0;

  if (unreleased == NULL)
    {
      unreleased = g_array_new (FALSE, FALSE, sizeof (State));
      name_map_insert (checker->unreleased, slice_of_text (member), unreleased);
    }
  g_array_append_val (unreleased, told);
  for (; n < unreleased->len && g_array_index (unreleased, State, n).position <= released; n++)
    compare (checker, &g_array_index (unreleased, State, n));
  g_array_remove_range (unreleased, 0, n);
}

void
checker_agreement_ended (CheckerAgreement *checker, const char *member)
{
  GArray *unreleased = name_map_lookup (checker->unreleased, slice_of_text (member));

  if (unreleased != NULL)
    g_array_set_size (unreleased, 0);
}

void
checker_agreement_in_full (CheckerAgreement *checker, gint64 now_us, const char *member,
                           guint64 position, guint64 digest, guint64 digest_in_full)
{
  if (digest != digest_in_full)
    findings_add (checker->findings, "true-digest",
                  "%s at position %" G_GUINT64_FORMAT " (at %" G_GINT64_FORMAT
                  "us) keeps digest %016" G_GINT64_MODIFIER
                  "x but its state has %016" G_GINT64_MODIFIER
                  "x: some change of state was not told to the digest",
                  member, position, now_us, digest, digest_in_full);
}

void
checker_agreement_at_rest (CheckerAgreement *checker, gint64 now_us, const char *member,
                           guint64 position, guint64 digest)
{
  const State *first = &checker->at_rest;

  if (first->member == NULL)
    checker->at_rest = (State){ position, digest, now_us, member };
  else if (first->position != position || first->digest != digest)
    findings_add (checker->findings, "converged",
                  "%s is at position %" G_GUINT64_FORMAT " with digest %016" G_GINT64_MODIFIER
                  "x, %s at %" G_GUINT64_FORMAT " with %016" G_GINT64_MODIFIER
                  "x (at %" G_GINT64_FORMAT
                  "us): all is whole again and at rest, and they are not the same",
                  first->member, first->position, first->digest, member, position, digest, now_us);
}

guint64
checker_agreement_compared (const CheckerAgreement *checker)
{
  return checker->n_compared;
}
