/* SPDX-License-Identifier: MIT */
/* The promises about a queue that its state must show at any position: every message that ever came
 * is in it or counted as gone; each unacked one is held by one session; a ready one waits only
 * while nobody can take it; exclusive means so;
 * what is to delete itself does. */
#pragma once

#include "sim/findings.h"

/* A queue of one member, as it is found by walking it. */
typedef struct QueueLook
{
  const char *name;
  guint64 published; /* positions that were given out */
  guint64 n_ready;   /* as the queue counts, and below */
  guint64 n_unacked;
  guint64 n_taken;
  guint64 n_dropped;
  guint64 n_purged;
  guint64 n_ready_there; /* as they are found in it */
  guint64 n_unacked_there;
  guint64 n_held; /* of its unacked messages, by sessions */
  guint64 n_held_twice;
  guint n_consumers;
  guint n_exclusive_consumers;
  guint n_idle_consumers;  /* that could take a message now */
  gboolean lasts_too_long; /* it is to go with its last consumer, and that has gone */
  gboolean exclusive;
  gboolean owner_is_gone; /* of an exclusive queue: the connection */
  guint n_strangers;      /* of the consumers of an exclusive queue, those of other connections */
} QueueLook;

void checker_queues_look (Findings *findings, gint64 now_us, const char *member, guint64 position,
                          const QueueLook *look);
/* At the end, all members being equal: what clients have published into it. Those confirmed must
 * have come, more than those sent cannot. */
void checker_queues_end (Findings *findings, gint64 now_us, const char *queue, guint64 published,
                         guint64 n_confirmed, guint64 n_sent);
