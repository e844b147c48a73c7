/* SPDX-License-Identifier: MIT */
#include "sim/checker_agreement.h"

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
  State *states; /* by position, modulo POSITIONS_KEPT: the first that told */
  guint64 n_compared;
};

CheckerAgreement *
checker_agreement_new (Findings *findings)
{
  CheckerAgreement *checker = g_new0 (CheckerAgreement, 1);

  checker->findings = findings;
  checker->states = g_new0 (State, POSITIONS_KEPT);
  return checker;
}

void
checker_agreement_free (CheckerAgreement *checker)
{
  g_free (checker->states);
  g_free (checker);
}

void
checker_agreement_state (CheckerAgreement *checker, gint64 now_us, const char *member,
                         guint64 position, guint64 digest)
{
  State *state = &checker->states[position % POSITIONS_KEPT];

  if (state->member == NULL || state->position < position)
    {
      *state = (State){ position, digest, now_us, member };
      return;
    }
  if (state->position > position || g_str_equal (state->member, member))
    return;
  checker->n_compared++;
  if (state->digest != digest)
    findings_add (checker->findings, "equal-state",
                  "at position %" G_GUINT64_FORMAT " %s (at %" G_GINT64_FORMAT
                  "us) has digest %016" G_GINT64_MODIFIER "x and %s (at %" G_GINT64_FORMAT
                  "us) has %016" G_GINT64_MODIFIER
                  "x: the same events led them to different states",
                  position, state->member, state->at_us, state->digest, member, now_us, digest);
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

guint64
checker_agreement_compared (const CheckerAgreement *checker)
{
  return checker->n_compared;
}
