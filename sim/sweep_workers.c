/* SPDX-License-Identifier: MIT */
#include "sim/sweep_workers.h"
#include "core/base/error.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process whose parent is gone ends by itself, so much later than its parent would kill it. */
#define ORPHAN_SECONDS 5

typedef struct Worker
{
  guint64 job;
  pid_t pid;
  int answer_fd; /* -1: at its end */
  int said_fd;   /* its standard error and output; -1: at its end */
  gint64 deadline_us;
  gsize answered;
  guint8 *answer;
  GString *said;
} Worker;

struct Workers
{
  GPtrArray *busy; /* of Worker */
  Worker *ended;   /* the last one told of; its answer is borrowed by whoever was told */
  char *reason;
  guint n_workers;
  gint64 work_us_max;
  WorkFunc work;
  gsize answer_size;
  gpointer user_data;
};

/* --- the outside world ---------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void
remember_signal (int number)
{
  (void) number;
  interrupted = 1;
}

void
workers_catch_signals (void)
{
  struct sigaction action = { .sa_handler = remember_signal };

  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

gboolean
workers_interrupted (void)
{
  return interrupted != 0;
}

gint64
workers_now_us (void)
{
  return g_get_monotonic_time ();
}

guint
workers_processors (void)
{
  return MIN (g_get_num_processors (), WORKERS_MAX);
}

gboolean
workers_on_terminal (void)
{
  return isatty (STDERR_FILENO) != 0;
}

/* --- one process ---------------------------------------------------------------------------- */

static void
close_fd (int *fd)
{
  if (*fd >= 0)
    close (*fd);
  *fd = -1;
}

static void
worker_free (Worker *worker)
{
  close_fd (&worker->answer_fd);
  close_fd (&worker->said_fd);
  g_free (worker->answer);
  g_string_free (worker->said, TRUE);
  g_free (worker);
}

/* The status it ended with. */
static int
worker_reap (Worker *worker)
{
  int status = 0;

  while (waitpid (worker->pid, &status, 0) < 0)
    g_assert (errno == EINTR);
  return status;
}

static void
worker_kill (Worker *worker)
{
  kill (worker->pid, SIGKILL);
  worker_reap (worker);
  worker_free (worker);
}

/* The process's own answer, for its last words. */
static struct
{
  const guint8 *bytes;
  gsize size;
  int fd;
} own;

static gboolean
write_answer (void)
{
  gsize written = 0;

  while (written < own.size)
    {
      ssize_t n = write (own.fd, own.bytes + written, own.size - written);

      if (n < 0 && errno != EINTR)
        return FALSE;
      written += n > 0 ? (gsize) n : 0;
    }
  return TRUE;
}

static void
write_last_words (int number)
{
  write_answer ();
  signal (number, SIG_DFL);
  raise (number);
}

/* Never returns. What the parent has buffered and its end of the pipes are not the child's. */
G_GNUC_NORETURN static void
be_worker (const Workers *workers, guint64 job, int answer_fd, int said_fd)
{
  guint8 *answer = g_malloc0 (workers->answer_size);

  own.bytes = answer;
  own.size = workers->answer_size;
  own.fd = answer_fd;
  /* Whoever interrupts a terminal interrupts all; the parent decides what to end. */
  signal (SIGINT, SIG_IGN);
  signal (SIGTERM, SIG_DFL);
  signal (SIGABRT, write_last_words);
  alarm ((guint) (workers->work_us_max / G_USEC_PER_SEC) + ORPHAN_SECONDS);
  dup2 (said_fd, STDERR_FILENO);
  dup2 (said_fd, STDOUT_FILENO);
  workers->work (job, answer, workers->user_data);
  _exit (write_answer () ? EXIT_SUCCESS : EXIT_FAILURE);
}

gboolean
workers_start (Workers *workers, guint64 job, GError **error)
{
  int answer[2], said[2];
  Worker *worker;
  pid_t pid;

  g_assert (workers_have_room (workers));
  if (pipe (answer) < 0)
    return system_error (error, SYSTEM_ERROR_REFUSED, "no pipe: %s", g_strerror (errno));
  if (pipe (said) < 0 || (pid = fork ()) < 0)
    {
      system_error (error, SYSTEM_ERROR_REFUSED, "no process: %s", g_strerror (errno));
      close (answer[0]);
      close (answer[1]);
      return FALSE;
    }
  if (pid == 0)
    be_worker (workers, job, answer[1], said[1]);
  close (answer[1]);
  close (said[1]);
  worker = g_new0 (Worker, 1);
  *worker = (Worker){ .job = job, .pid = pid, .answer_fd = answer[0], .said_fd = said[0] };
  worker->deadline_us = workers_now_us () + workers->work_us_max;
  worker->answer = g_malloc0 (workers->answer_size);
  worker->said = g_string_new (NULL);
  g_ptr_array_add (workers->busy, worker);
  return TRUE;
}

/* --- how it ended ------------------------------------------------------------------------- */

/* Without the folders of the file that it begins with: they are of one machine. */
static char *
dup_from_file_name (const char *line)
{
  const char *name = line;

  for (const char *c = line; *c != '\0' && *c != ':' && *c != ' '; c++)
    if (*c == '/')
      name = c + 1;
  return g_strdup (name);
}

/* The line that says why, of all that it said: of an assertion or a sanitizer, else the first. */
static char *
find_reason (const char *said)
{
  g_auto (GStrv) lines = g_strsplit (said, "\n", -1);
  const char *first = "";

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *error = strstr (lines[i], "ERROR:");

      if (error != NULL)
        return dup_from_file_name (error + strlen ("ERROR:")
                                   + strspn (error + strlen ("ERROR:"), " "));
      if (strstr (lines[i], "runtime error:") != NULL)
        return dup_from_file_name (lines[i]);
      if (*first == '\0' && lines[i][strspn (lines[i], "* ")] != '\0')
        first = lines[i];
    }
  return g_strdup (first);
}

static char *
tell_crash (const Worker *worker, int status)
{
  g_autofree char *line = find_reason (worker->said->str);
  const char *colon = *line == '\0' ? "" : ": ";

  if (WIFSIGNALED (status))
    return g_strdup_printf ("signal %d, %s%s%s", WTERMSIG (status), g_strsignal (WTERMSIG (status)),
                            colon, line);
  return g_strdup_printf ("exit status %d%s%s", WEXITSTATUS (status), colon, line);
}

static void
tell (Workers *workers, guint index, WorkEnd end, char *take_reason, WorkResult *ret_result)
{
  g_clear_pointer (&workers->ended, worker_free);
  workers->ended = g_ptr_array_steal_index (workers->busy, index);
  g_free (workers->reason);
  workers->reason = take_reason;
  *ret_result = (WorkResult){
    .job = workers->ended->job,
    .end = end,
    .answer = workers->ended->answered == workers->answer_size ? workers->ended->answer : NULL,
    .reason = take_reason,
  };
}

static gboolean
tell_ended (Workers *workers, WorkResult *ret_result)
{
  for (guint i = 0; i < workers->busy->len; i++)
    {
      Worker *worker = g_ptr_array_index (workers->busy, i);
      int status;

      if (worker->answer_fd >= 0 || worker->said_fd >= 0)
        continue;
      status = worker_reap (worker);
      if (WIFEXITED (status) && WEXITSTATUS (status) == EXIT_SUCCESS
          && worker->answered == workers->answer_size)
        tell (workers, i, WORK_DONE, NULL, ret_result);
      else
        tell (workers, i, WORK_CRASHED, tell_crash (worker, status), ret_result);
      return TRUE;
    }
  return FALSE;
}

static gboolean
tell_late (Workers *workers, WorkResult *ret_result)
{
  for (guint i = 0; i < workers->busy->len; i++)
    {
      Worker *worker = g_ptr_array_index (workers->busy, i);

      if (worker->deadline_us > workers_now_us ())
        continue;
      kill (worker->pid, SIGKILL);
      worker_reap (worker);
      tell (workers, i, WORK_TOO_LONG,
            g_strdup_printf ("it was killed after %" G_GINT64_FORMAT " seconds",
                             workers->work_us_max / G_USEC_PER_SEC),
            ret_result);
      return TRUE;
    }
  return FALSE;
}

/* --- waiting ---------------------------------------------------------------------------------- */

static void
read_answer (const Workers *workers, Worker *worker)
{
  gsize left = workers->answer_size - worker->answered;
  guint8 surplus;
  ssize_t n = left > 0 ? read (worker->answer_fd, worker->answer + worker->answered, left)
                       : read (worker->answer_fd, &surplus, sizeof surplus);

  if (n > 0 && left > 0)
    worker->answered += (gsize) n;
  if (n == 0 || (n < 0 && errno != EINTR))
    close_fd (&worker->answer_fd);
}

static void
read_said (Worker *worker)
{
  char bytes[WORK_SAID_MAX];
  ssize_t n = read (worker->said_fd, bytes, sizeof bytes);

  if (n > 0)
    g_string_append_len (worker->said, bytes,
                         (gssize) MIN ((gsize) n, WORK_SAID_MAX - worker->said->len));
  if (n == 0 || (n < 0 && errno != EINTR))
    close_fd (&worker->said_fd);
}

/* One look at all pipes, for at most so long. */
static void
read_pipes (Workers *workers, gint64 until_us)
{
  struct pollfd polled[2 * WORKERS_MAX];
  gint64 now_us = workers_now_us ();

  for (guint i = 0; i < workers->busy->len; i++)
    {
      const Worker *worker = g_ptr_array_index (workers->busy, i);

      polled[2 * i] = (struct pollfd){ .fd = worker->answer_fd, .events = POLLIN };
      polled[2 * i + 1] = (struct pollfd){ .fd = worker->said_fd, .events = POLLIN };
      until_us = MIN (until_us, worker->deadline_us);
    }
  if (poll (polled, 2 * workers->busy->len, (int) (MAX (until_us - now_us, 0) / 1000 + 1)) <= 0)
    return;
  for (guint i = 0; i < workers->busy->len; i++)
    {
      Worker *worker = g_ptr_array_index (workers->busy, i);

      if (polled[2 * i].revents != 0)
        read_answer (workers, worker);
      if (polled[2 * i + 1].revents != 0)
        read_said (worker);
    }
}

gboolean
workers_next (Workers *workers, gint64 wait_us, WorkResult *ret_result)
{
  gint64 until_us = workers_now_us () + wait_us;

  while (!workers_interrupted () && workers->busy->len > 0)
    {
      if (tell_ended (workers, ret_result) || tell_late (workers, ret_result))
        return TRUE;
      if (workers_now_us () >= until_us)
        return FALSE;
      read_pipes (workers, until_us);
    }
  return FALSE;
}

/* --- all of them ---------------------------------------------------------------------------- */

Workers *
workers_new (guint n_workers, gint64 work_us_max, WorkFunc work, gsize answer_size,
             gpointer user_data)
{
  Workers *workers = g_new0 (Workers, 1);

  g_assert (n_workers >= 1 && n_workers <= WORKERS_MAX && answer_size <= WORK_ANSWER_MAX);
  workers->busy = g_ptr_array_new ();
  workers->n_workers = n_workers;
  workers->work_us_max = work_us_max;
  workers->work = work;
  workers->answer_size = answer_size;
  workers->user_data = user_data;
  return workers;
}

void
workers_free (Workers *workers)
{
  for (guint i = 0; i < workers->busy->len; i++)
    worker_kill (g_ptr_array_index (workers->busy, i));
  g_ptr_array_unref (workers->busy);
  g_clear_pointer (&workers->ended, worker_free);
  g_free (workers->reason);
  g_free (workers);
}

gboolean
workers_have_room (const Workers *workers)
{
  return workers->busy->len < workers->n_workers;
}

guint
workers_busy (const Workers *workers)
{
  return workers->busy->len;
}

void
workers_drop_above (Workers *workers, guint64 job)
{
  for (guint i = workers->busy->len; i > 0; i--)
    {
      Worker *worker = g_ptr_array_index (workers->busy, i - 1);

      if (worker->job > job)
        worker_kill (g_ptr_array_steal_index (workers->busy, i - 1));
    }
}
