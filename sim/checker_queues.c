/* SPDX-License-Identifier: MIT */
#include "sim/checker_queues.h"

/* What all findings about a queue begin with. */
static char *
where (gint64 now_us, const char *member, guint64 position, const QueueLook *look)
{
  return g_strdup_printf ("at %" G_GINT64_FORMAT "us, position %" G_GUINT64_FORMAT
                          ", queue '%s' of %s",
                          now_us, position, look->name, member);
}

static void
check_conserved (Findings *findings, const char *queue, const QueueLook *look)
{
  guint64 sum = look->n_ready + look->n_unacked + look->n_taken + look->n_dropped + look->n_purged;

  if (look->n_ready != look->n_ready_there || look->n_unacked != look->n_unacked_there)
    findings_add (findings, "conserved",
                  "%s counts %" G_GUINT64_FORMAT " ready and %" G_GUINT64_FORMAT
                  " unacked messages, but in it are %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT,
                  queue, look->n_ready, look->n_unacked, look->n_ready_there,
                  look->n_unacked_there);
  else if (sum != look->published)
    findings_add (findings, "conserved",
                  "%s was given %" G_GUINT64_FORMAT " messages, but %" G_GUINT64_FORMAT
                  " ready, %" G_GUINT64_FORMAT " unacked, %" G_GUINT64_FORMAT
                  " taken, %" G_GUINT64_FORMAT " dropped and %" G_GUINT64_FORMAT
                  " purged are %" G_GUINT64_FORMAT ": %s",
                  queue, look->published, look->n_ready, look->n_unacked, look->n_taken,
                  look->n_dropped, look->n_purged, sum,
                  sum < look->published ? "some went without a trace" : "some are there twice");
}

void
checker_queues_look (Findings *findings, gint64 now_us, const char *member, guint64 position,
                     const QueueLook *look)
{
  g_autofree char *queue = where (now_us, member, position, look);

  check_conserved (findings, queue, look);
  if (look->n_held_twice > 0 || look->n_held != look->n_unacked_there)
    findings_add (findings, "one-holder",
                  "%s has %" G_GUINT64_FORMAT
                  " unacked messages, but sessions hold %" G_GUINT64_FORMAT
                  " of them, %" G_GUINT64_FORMAT
                  " twice: one without a holder is never settled, one with two is settled twice",
                  queue, look->n_unacked_there, look->n_held, look->n_held_twice);
  if (look->n_ready_there > 0 && look->n_idle_consumers > 0)
    findings_add (findings, "ready-is-served",
                  "%s has %" G_GUINT64_FORMAT
                  " messages that are ready, and %u of its consumers could take one, but were not "
                  "asked: they may wait for ever",
                  queue, look->n_ready_there, look->n_idle_consumers);
  if (look->n_exclusive_consumers > 0 && look->n_consumers > 1)
    findings_add (findings, "exclusive-consumer",
                  "%s has %u consumers, %u of which were promised to be the only one", queue,
                  look->n_consumers, look->n_exclusive_consumers);
  if (look->lasts_too_long)
    findings_add (findings, "auto-deleted",
                  "%s is to be deleted with its last consumer, which has gone, but it is there",
                  queue);
  if (look->exclusive && look->n_strangers > 0)
    findings_add (findings, "exclusive-queue",
                  "%s is exclusive, but %u of its consumers are of other connections", queue,
                  look->n_strangers);
  if (look->exclusive && look->owner_is_gone)
    findings_add (
        findings, "exclusive-queue",
        "%s is exclusive, but the connection that it served is gone: nobody can use it, or "
        "delete it",
        queue);
}

void
checker_queues_end (Findings *findings, gint64 now_us, const char *queue, guint64 published,
                    guint64 n_confirmed, guint64 n_sent)
{
  if (published >= n_confirmed && published <= n_sent)
    return;
  findings_add (findings, "conserved",
                "at %" G_GINT64_FORMAT "us queue '%s' was given %" G_GUINT64_FORMAT
                " messages in all, but clients sent it %" G_GUINT64_FORMAT
                ", of which %" G_GUINT64_FORMAT " were confirmed: %s",
                now_us, queue, published, n_sent, n_confirmed,
                published < n_confirmed ? "confirmed ones never came to it"
                                        : "some came to it more than once");
}
