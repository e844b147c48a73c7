/* SPDX-License-Identifier: MIT */
#include "sim/checker_majority.h"

/* How far back a lineage is followed. */
#define EPOCHS_BACK 256

typedef struct Reached
{
  guint64 epoch; /* its number */
  guint64 position;
} Reached;

struct CheckerMajority
{
  Findings *findings;
  guint n_members;
  guint n_voters;
  guint n_needed;
  GArray **reached; /* by member: of Reached, in the order of time */
  Reached proven;   /* a majority has it: most ask for no more */
};

CheckerMajority *
checker_majority_new (Findings *findings, guint n_members, guint n_voters)
{
  CheckerMajority *checker = g_new0 (CheckerMajority, 1);

  checker->findings = findings;
  checker->n_members = n_members;
  checker->n_voters = n_voters;
  checker->n_needed = n_voters / 2 + 1;
  checker->reached = g_new0 (GArray *, n_members);
  for (guint i = 0; i < n_members; i++)
    checker->reached[i] = g_array_new (FALSE, FALSE, sizeof (Reached));
  return checker;
}

void
checker_majority_free (CheckerMajority *checker)
{
  for (guint i = 0; i < checker->n_members; i++)
    g_array_unref (checker->reached[i]);
  g_free (checker->reached);
  g_free (checker);
}

void
checker_majority_is_told (CheckerMajority *checker)
{
  checker->n_needed = 1;
}

void
checker_majority_reached (CheckerMajority *checker, guint voter, guint64 epoch, guint64 position)
{
  GArray *reached = checker->reached[voter];
  Reached *last = reached->len == 0 ? NULL : &g_array_index (reached, Reached, reached->len - 1);
  const Reached now = { epoch, position };

  if (last == NULL || last->epoch != epoch)
    g_array_append_val (reached, now);
  else
    last->position = MAX (last->position, position);
}

static gboolean
has (const CheckerMajority *checker, guint voter, guint64 epoch, guint64 position)
{
  const GArray *all = checker->reached[voter];

  for (guint i = all->len; i > 0; i--)
    {
      const Reached *reached = &g_array_index (all, Reached, i - 1);

      if (reached->epoch <= epoch && reached->epoch + EPOCHS_BACK > epoch
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

  if (position == 0) /* nothing is */
    return;
  if (checker->proven.epoch == epoch && checker->proven.position >= position)
    return;
  for (guint i = 0; i < checker->n_members; i++)
    n_have += has (checker, i, epoch, position);
  if (n_have >= checker->n_needed)
    checker->proven = (Reached){ epoch, position };
  else
    findings_add (
        checker->findings, "agreed-is-held",
        "at %" G_GINT64_FORMAT "us %s takes position %" G_GUINT64_FORMAT
        " (epoch %" G_GUINT64_FORMAT
        ") for agreed, but only %u of %u voters ever had it: what it confirms may be lost",
        now_us, member, position, epoch, n_have, checker->n_voters);
}
