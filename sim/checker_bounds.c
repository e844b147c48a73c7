/* SPDX-License-Identifier: MIT */
#include "sim/checker_bounds.h"
#include "core/base/limits.h"

/* One envelope may always go, and the whole window goes back among what waits when an epoch begins;
 * clients are not read any more once too much waits, but what was read is put behind it. */
#define WINDOW_MAX  MAX (LIMIT_OWN_WINDOW, LIMIT_TRANSPORT_MESSAGE)
#define WAITING_MAX (LIMIT_OUTBOX_BACKLOG + LIMIT_OWN_WINDOW + 4 * LIMIT_READ_BUFFER)

static void
check_bytes (Findings *findings, gint64 now_us, const char *member, const char *what, gsize bytes,
             gsize max)
{
  if (bytes > max)
    findings_add (findings, "bounded",
                  "at %" G_GINT64_FORMAT "us %s of %s: %" G_GSIZE_FORMAT
                  " bytes, where %" G_GSIZE_FORMAT " is the most there may be",
                  now_us, what, member, bytes, max);
}

void
checker_bounds_load (Findings *findings, gint64 now_us, const char *member, guint n_members,
                     const Load *load)
{
  check_bytes (findings, now_us, member, "the own window", load->window_bytes, WINDOW_MAX);
  check_bytes (findings, now_us, member, "the outbox", load->waiting_bytes, WAITING_MAX);
  check_bytes (findings, now_us, member, "the newcomer's backlog", load->backlog_bytes,
               LIMIT_JOIN_BACKLOG);
  if (load->transfers > n_members)
    findings_add (findings, "bounded",
                  "at %" G_GINT64_FORMAT
                  "us %s gives its state to %u newcomers, but the cluster has "
                  "only %u members",
                  now_us, member, load->transfers, n_members);
}

void
checker_bounds_traffic (Findings *findings, gint64 now_us, const Traffic *traffic)
{
  guint64 causes = traffic->writes + traffic->given;
  /* One for itself and, of two, one that each voter has to report. */
  guint64 max = (2 + traffic->n_voters) * causes / 2 + 8 * traffic->views + 4 * traffic->seconds;

  if (traffic->multicasts > max)
    findings_add (findings, "bounded",
                  "up to %" G_GINT64_FORMAT "us members multicast %" G_GUINT64_FORMAT
                  " times, for %" G_GUINT64_FORMAT " writes of clients, %" G_GUINT64_FORMAT
                  " to them and %" G_GUINT64_FORMAT " views: %" G_GUINT64_FORMAT
                  " is the most that these can cause",
                  now_us, traffic->multicasts, traffic->writes, traffic->given, traffic->views,
                  max);
}
