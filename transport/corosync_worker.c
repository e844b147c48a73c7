/* SPDX-License-Identifier: MIT */
#include "transport/corosync_worker.h"
#include "core/base/log.h"

#include <sys/eventfd.h>
#include <unistd.h>

struct CorosyncWorker
{
  GThread *thread;
  GMutex mutex;
  GCond cond;
  int fd;
  guint n_unfinished; /* the owner's */
  /* under the mutex */
  GQueue pushed;
  GQueue finished;
  GQueue said;      /* of char * */
  gboolean hurries; /* no more pauses */
  gboolean ends;
};

/* The count of an eventfd is never near its end: nothing that could fail. */
static void
tell_owner (CorosyncWorker *worker)
{
  ssize_t n;

  do
    n = write (worker->fd, &(guint64){ 1 }, sizeof (guint64));
  while (n < 0);
}

static gpointer
worker_main (gpointer data)
{
  CorosyncWorker *worker = data;

  g_mutex_lock (&worker->mutex);
  for (;;)
    {
      CorosyncJob *job = g_queue_pop_head (&worker->pushed);

      if (job != NULL)
        {
          g_mutex_unlock (&worker->mutex);
          job->run (job, worker);
          g_mutex_lock (&worker->mutex);
          g_queue_push_tail (&worker->finished, job);
          tell_owner (worker);
        }
      else if (worker->ends)
        break;
      else
        g_cond_wait (&worker->cond, &worker->mutex);
    }
  g_mutex_unlock (&worker->mutex);
  return NULL;
}

CorosyncWorker *
corosync_worker_new (void)
{
  CorosyncWorker *worker = g_new0 (CorosyncWorker, 1);

  g_mutex_init (&worker->mutex);
  g_cond_init (&worker->cond);
  worker->fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  g_assert (worker->fd >= 0);
  worker->thread = g_thread_new ("corosync", worker_main, worker);
  return worker;
}

/* FALSE: some are still under way. */
static gboolean
finish_all (CorosyncWorker *worker, gint64 wait_us)
{
  gint64 deadline_us = g_get_monotonic_time () + wait_us;

  while (worker->n_unfinished > 0)
    {
      GPollFD ready = { .fd = worker->fd, .events = G_IO_IN };
      gint64 left_us = deadline_us - g_get_monotonic_time ();

      if (left_us <= 0)
        return FALSE;
      g_poll (&ready, 1, (gint) (left_us / 1000) + 1);
      corosync_worker_finish (worker);
    }
  return TRUE;
}

gboolean
corosync_worker_free (CorosyncWorker *worker, gint64 wait_us)
{
  g_mutex_lock (&worker->mutex);
  worker->hurries = TRUE;
  g_cond_broadcast (&worker->cond);
  g_mutex_unlock (&worker->mutex);
  if (!finish_all (worker, wait_us))
    {
      g_thread_unref (worker->thread);
      return FALSE;
    }
  g_mutex_lock (&worker->mutex);
  worker->ends = TRUE;
  g_cond_broadcast (&worker->cond);
  g_mutex_unlock (&worker->mutex);
  g_thread_join (worker->thread);
  corosync_worker_finish (worker);
  close (worker->fd);
  g_mutex_clear (&worker->mutex);
  g_cond_clear (&worker->cond);
  g_free (worker);
  return TRUE;
}

void
corosync_worker_push (CorosyncWorker *worker, CorosyncJob *job)
{
  worker->n_unfinished++;
  g_mutex_lock (&worker->mutex);
  g_queue_push_tail (&worker->pushed, job);
  g_cond_broadcast (&worker->cond);
  g_mutex_unlock (&worker->mutex);
}

int
corosync_worker_fd (const CorosyncWorker *worker)
{
  return worker->fd;
}

static gpointer
pop (CorosyncWorker *worker, GQueue *queue)
{
  gpointer head;

  g_mutex_lock (&worker->mutex);
  head = g_queue_pop_head (queue);
  g_mutex_unlock (&worker->mutex);
  return head;
}

void
corosync_worker_finish (CorosyncWorker *worker)
{
  CorosyncJob *job;
  char *text;
  guint64 count;

  if (read (worker->fd, &count, sizeof count) < 0)
    return;
  while ((text = pop (worker, &worker->said)) != NULL)
    {
      log_notice (NULL, "%s", text);
      g_free (text);
    }
  while ((job = pop (worker, &worker->finished)) != NULL)
    {
      worker->n_unfinished--;
      job->done (job);
    }
}

gboolean
corosync_worker_pause (CorosyncWorker *worker, gint64 pause_us, const gint *give_up)
{
  gint64 deadline_us = g_get_monotonic_time () + pause_us;
  gboolean go_on;

  g_mutex_lock (&worker->mutex);
  for (;;)
    {
      go_on = !worker->hurries && (give_up == NULL || g_atomic_int_get (give_up) == 0);
      if (!go_on || !g_cond_wait_until (&worker->cond, &worker->mutex, deadline_us))
        break;
    }
  g_mutex_unlock (&worker->mutex);
  return go_on;
}

void
corosync_worker_wake (CorosyncWorker *worker)
{
  g_mutex_lock (&worker->mutex);
  g_cond_broadcast (&worker->cond);
  g_mutex_unlock (&worker->mutex);
}

void
corosync_worker_say (CorosyncWorker *worker, const char *format, ...)
{
  va_list arguments;

  g_mutex_lock (&worker->mutex);
  va_start (arguments, format);
  g_queue_push_tail (&worker->said, g_strdup_vprintf (format, arguments));
  va_end (arguments);
  tell_owner (worker);
  g_mutex_unlock (&worker->mutex);
}
