/* SPDX-License-Identifier: MIT */
/* Runs in processes of their own, some at a time: what crashes or never ends is one run's loss.
 *
 * This is the only place in sim/ that knows processes, signals and real time. Whatever runs in a
 * process knows none of them, and is asked for by number, so that the same numbers give the same
 * answers however many processes there are and in whatever order they end. */
#pragma once

#include <glib.h>

typedef struct Workers Workers;

typedef enum WorkEnd
{
  WORK_DONE,
  WORK_CRASHED, /* by a signal, or it ended without an answer */
  WORK_TOO_LONG /* and was killed */
} WorkEnd;

typedef struct WorkResult
{
  guint64 job;
  WorkEnd end;
  gconstpointer answer; /* NULL: there is none. Valid until the next call. */
  const char *reason;   /* why it did not end well; NULL if WORK_DONE. Likewise. */
} WorkResult;

/* In a process of its own, which has a copy of everything that its parent had. Fills the answer,
 * which is zero before. If an assertion fails, what it has filled by then is the answer. */
typedef void (*WorkFunc) (guint64 job, gpointer answer, gpointer user_data);

#define WORKERS_MAX 256
/* Bytes of an answer. */
#define WORK_ANSWER_MAX (256 * 1024)
/* Of what a process says on standard error before it crashes. */
#define WORK_SAID_MAX 4096

/* `n_workers` at a time, 1 to WORKERS_MAX; each has `work_us_max` of real time. */
Workers *workers_new (guint n_workers, gint64 work_us_max, WorkFunc work, gsize answer_size,
                      gpointer user_data);
/* Kills what is under way. */
void workers_free (Workers *workers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Workers, workers_free)

/* One more may be started. */
gboolean workers_have_room (const Workers *workers);
guint workers_busy (const Workers *workers);
/* FALSE: the system gives no process, now (SYSTEM_ERROR_REFUSED). */
gboolean workers_start (Workers *workers, guint64 job, GError **error);
/* The next that ends. FALSE: none within `wait_us`, or somebody wants us to stop. */
gboolean workers_next (Workers *workers, gint64 wait_us, WorkResult *ret_result);
/* Kills those of greater numbers; no result comes of them. */
void workers_drop_above (Workers *workers, guint64 job);

/* From here on SIGINT and SIGTERM end nothing but are remembered. */
void workers_catch_signals (void);
gboolean workers_interrupted (void);
gint64 workers_now_us (void);
/* As many as this process may use. */
guint workers_processors (void);
/* Standard error is a terminal: a line there may be written over. */
gboolean workers_on_terminal (void);
