/* SPDX-License-Identifier: MIT */
#include "sim/checker_majority.h"

/* Epochs of one voter that are remembered, and how far back a lineage is followed. */
#define EPOCHS_KEPT 16

typedef struct Reached
{
  guint64 epoch; /* its number; 0: none */
  guint64 position;
} Reached;

struct CheckerMajority
{
  Findings *findings;
  guint n_voters;
  Reached *reached; /* EPOCHS_KEPT of each voter, by epoch modulo */
  Reached proven;   /* a majority has it: most ask for no more */
};

CheckerMajority *
checker_majority_new (Findings *findings, guint n_voters)
{
  CheckerMajority *checker = g_new0 (CheckerMajority, 1);

  checker->findings = findings;
  checker->n_voters = n_voters;
  checker->reached = g_new0 (Reached, n_voters * EPOCHS_KEPT);
  return checker;
}

void
checker_majority_free (CheckerMajority *checker)
{
  g_free (checker->reached);
  g_free (checker);
}

void
checker_majority_reached (CheckerMajority *checker, guint voter, guint64 epoch, guint64 position)
{
  Reached *reached = &checker->reached[voter * EPOCHS_KEPT + epoch % EPOCHS_KEPT];

  if (reached->epoch != epoch || reached->position < position)
    *reached = (Reached){ epoch, position };
}

static gboolean
has (const CheckerMajority *checker, guint voter, guint64 epoch, guint64 position)
{
  for (guint i = 0; i < EPOCHS_KEPT; i++)
    {
      const Reached *reached = &checker->reached[voter * EPOCHS_KEPT + i];

      if (reached->epoch <= epoch && reached->epoch + EPOCHS_KEPT > epoch
          && reached->position >= position)
        return TRUE;
    }
  return FALSE;
}

void
checker_majority_agreed (CheckerMajority *checker, gint64 now_us, const char *member, guint64 epoch,
                         guint64 position)
{
  guint n_have = 0;

  if (checker->proven.epoch == epoch && checker->proven.position >= position)
    return;
  for (guint i = 0; i < checker->n_voters; i++)
    n_have += has (checker, i, epoch, position);
  if (n_have > checker->n_voters / 2)
    checker->proven = (Reached){ epoch, position };
  else
    findings_add (
        checker->findings, "agreed-is-held",
        "at %" G_GINT64_FORMAT "us %s takes position %" G_GUINT64_FORMAT
        " (epoch %" G_GUINT64_FORMAT
        ") for agreed, but only %u of %u voters ever had it: what it confirms may be lost",
        now_us, member, position, epoch, n_have, checker->n_voters);
}
