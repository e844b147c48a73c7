/* SPDX-License-Identifier: MIT */
/* Each job comes to one result, in whatever way its process ends. */
#include "sim/sweep_workers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Answer
{
  guint64 square;
  guint8 padding[WORK_ANSWER_MAX - sizeof (guint64)];
} Answer;

enum
{
  JOB_FAILS_AN_ASSERTION = 1000,
  JOB_IS_KILLED,
  JOB_EXITS,
  JOB_NEVER_ENDS,
  JOB_TALKS
};

static void
work (guint64 job, gpointer answer, gpointer user_data)
{
  switch (job)
    {
    case JOB_FAILS_AN_ASSERTION:
      ((Answer *) answer)->square = 77; /* by then */
      g_assert_cmpuint (job, <, 10);
      break;
    case JOB_IS_KILLED:
      kill (getpid (), SIGKILL);
      break;
    case JOB_EXITS:
      _exit (7);
    case JOB_NEVER_ENDS:
      for (;;)
        pause ();
    case JOB_TALKS: /* more than a pipe and our patience hold */
      for (guint i = 0; i < 100000; i++)
        fprintf (stderr, "line %u\n", i);
      abort ();
    }
  ((Answer *) answer)->square = job * job + GPOINTER_TO_UINT (user_data);
}

static Workers *
new_workers (guint n, gint64 work_us_max)
{
  return workers_new (n, work_us_max, work, sizeof (Answer), GUINT_TO_POINTER (5));
}

static WorkResult
next (Workers *workers)
{
  WorkResult result;

  g_assert_true (workers_next (workers, 60 * G_USEC_PER_SEC, &result));
  return result;
}

static void
test_answers (void)
{
  g_autoptr (Workers) workers = new_workers (3, 60 * G_USEC_PER_SEC);
  gboolean came[40] = { FALSE };
  WorkResult result;

  for (guint64 started = 0, ended = 0; ended < G_N_ELEMENTS (came); ended++)
    {
      for (; started < G_N_ELEMENTS (came) && workers_have_room (workers); started++)
        g_assert_true (workers_start (workers, started, NULL));
      g_assert_cmpuint (workers_busy (workers), <=, 3);
      result = next (workers);
      g_assert_cmpint (result.end, ==, WORK_DONE);
      g_assert_cmpuint (((const Answer *) result.answer)->square, ==, result.job * result.job + 5);
      g_assert_false (came[result.job]);
      came[result.job] = TRUE;
    }
  g_assert_false (workers_next (workers, G_USEC_PER_SEC, &result));
}

typedef struct EndCase
{
  const char *name;
  guint64 job;
  WorkEnd end;
  const char *reason; /* a part of it */
} EndCase;

static const EndCase end_cases[] = {
  { "an-assertion-is-quoted", JOB_FAILS_AN_ASSERTION, WORK_CRASHED, "assertion failed (job < 10)" },
  { "an-assertion-has-its-place", JOB_FAILS_AN_ASSERTION, WORK_CRASHED, ": test_workers.c:" },
  { "one-that-is-killed-is-told", JOB_IS_KILLED, WORK_CRASHED, "signal 9, " },
  { "one-without-an-answer-is-told", JOB_EXITS, WORK_CRASHED, "exit status 7" },
  { "one-that-never-ends-is-killed", JOB_NEVER_ENDS, WORK_TOO_LONG, "killed after 1 seconds" },
  { "one-that-talks-is-heard-out", JOB_TALKS, WORK_CRASHED, ": line 0" },
};

/* And the one beside it is not harmed. */
static void
test_end (gconstpointer data)
{
  const EndCase *end_case = data;
  g_autoptr (Workers) workers = new_workers (2, G_USEC_PER_SEC);
  gint64 began_us = workers_now_us ();

  g_assert_true (workers_start (workers, end_case->job, NULL));
  g_assert_true (workers_start (workers, 3, NULL));
  for (guint i = 0; i < 2; i++)
    {
      WorkResult result = next (workers);

      if (result.job == 3)
        {
          g_assert_cmpint (result.end, ==, WORK_DONE);
          continue;
        }
      g_test_message ("%s", result.reason);
      g_assert_cmpint (result.end, ==, end_case->end);
      g_assert_nonnull (strstr (result.reason, end_case->reason));
      if (end_case->job == JOB_FAILS_AN_ASSERTION)
        g_assert_cmpuint (((const Answer *) result.answer)->square, ==, 77);
      if (end_case->end == WORK_TOO_LONG)
        g_assert_null (result.answer);
    }
  if (end_case->end == WORK_TOO_LONG)
    g_assert_cmpint (workers_now_us () - began_us, >=, G_USEC_PER_SEC);
}

static void
test_drop (void)
{
  g_autoptr (Workers) workers = new_workers (3, 60 * G_USEC_PER_SEC);

  g_assert_true (workers_start (workers, JOB_NEVER_ENDS, NULL));
  g_assert_true (workers_start (workers, 2, NULL));
  g_assert_true (workers_start (workers, JOB_NEVER_ENDS, NULL));
  workers_drop_above (workers, 2);
  g_assert_cmpuint (workers_busy (workers), ==, 1);
  g_assert_cmpuint (next (workers).job, ==, 2);
  g_assert_cmpuint (workers_busy (workers), ==, 0);
}

static void
test_interrupted (void)
{
  g_autoptr (Workers) workers = new_workers (1, 60 * G_USEC_PER_SEC);
  WorkResult result;

  workers_catch_signals ();
  g_assert_false (workers_interrupted ());
  g_assert_true (workers_start (workers, JOB_NEVER_ENDS, NULL));
  kill (getpid (), SIGINT);
  g_assert_true (workers_interrupted ());
  g_assert_false (workers_next (workers, 60 * G_USEC_PER_SEC, &result));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/workers/each-job-is-answered-once", test_answers);
  for (guint i = 0; i < G_N_ELEMENTS (end_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/workers/", end_cases[i].name, NULL);

      g_test_add_data_func (path, &end_cases[i], test_end);
    }
  g_test_add_func ("/sim/workers/those-that-nobody-needs-are-dropped", test_drop);
  g_test_add_func ("/sim/workers/an-interruption-ends-the-waiting", test_interrupted);
  return g_test_run ();
}
