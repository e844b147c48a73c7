/* SPDX-License-Identifier: MIT */
/* A thread for the calls of libcpg that block: connect, join, leave and disconnect are answered
 * by the daemon, and wait for as long as it is stopped or busy with a view change.
 *
 *     owner's thread                          worker's thread
 *       corosync_worker_push (job)  ---->       job->run
 *       corosync_worker_finish      <----       (the fd becomes readable)
 *         job->done
 *
 * One job at a time, in the order they were pushed. While a job is under way, what it works on is
 * the worker's; `done` gives it back. */
#pragma once

#include <glib.h>

typedef struct CorosyncWorker CorosyncWorker;
typedef struct CorosyncJob CorosyncJob;

/* Embedded in what it works on. */
struct CorosyncJob
{
  void (*run) (CorosyncJob *job, CorosyncWorker *worker);
  void (*done) (CorosyncJob *job);
};

CorosyncWorker *corosync_worker_new (void);
/* Jobs that are waiting for something give up (corosync_worker_pause), all others are run; what
 * was pushed is done within `wait_us`, or a daemon that does not answer is left alone: then this
 * is FALSE, and thread and jobs live until the process ends. */
gboolean corosync_worker_free (CorosyncWorker *worker, gint64 wait_us);

void corosync_worker_push (CorosyncWorker *worker, CorosyncJob *job);
/* Readable when there is something to finish. */
int corosync_worker_fd (const CorosyncWorker *worker);
/* Calls `done` of each job that has run, and logs what the worker had to say. */
void corosync_worker_finish (CorosyncWorker *worker);

/* --- from inside a job's run ------------------------------------------------------------------ */

/* FALSE: the owner wants to end, do not try again. `give_up` (may be NULL) is looked at too. */
gboolean corosync_worker_pause (CorosyncWorker *worker, gint64 pause_us, const gint *give_up);
/* Ends all pauses at once, to look at their `give_up` again. From the owner's thread. */
void corosync_worker_wake (CorosyncWorker *worker);
/* A notice for the log, which belongs to the owner's thread. */
void corosync_worker_say (CorosyncWorker *worker, const char *format, ...) G_GNUC_PRINTF (2, 3);
