/* SPDX-License-Identifier: MIT */
/* Messages through consortd over loopback sockets, with one member and with three: from a
 * publisher at the first to a consumer at the second. doc/performance.md says how to read it.
 *
 *     bench_cluster [--quick] [--rounds N] [--seconds S] [--only TEXT] [--url URL [--pid PID]]
 *
 * Both clients are one process with one poll loop (bench_client.h). The broker's and the clients'
 * CPU time a message are printed side by side: where the clients' is the larger, it is they that
 * were measured. Each round runs all cases one after another, each with a consortd of its own; the
 * figures are medians over the rounds. What counts are the ratios inside one run: the machine may
 * be busy, but then it is for all. */
#include "tests/bench/bench_client.h"
#include "tests/bench/bench_process.h"
#include "tests/bench/bench_samples.h"

#include <stdio.h>

/* What is measured. */
typedef enum Subject
{
  SUBJECT_ECHO,
  SUBJECT_ONE,
  SUBJECT_THREE,
  SUBJECT_URL,
  N_SUBJECTS
} Subject;

static const char *const subject_names[] = { "echo", "1 member", "3 members", "--url" };
static const char *const kind_names[] = { "auto-ack", "confirms 1000", "confirms 1" };
static const guint body_sizes[] = { 16, 1024 };

#define N_SIZES G_N_ELEMENTS (body_sizes)

static BenchSamples cells[N_SUBJECTS][BENCH_N_KINDS][N_SIZES];

/* --- options ------------------------------------------------------------------------------ */

static gboolean quick, lose_one;
static int rounds = 3, url_pid;
static double seconds = 2;
static char *only, *url;
static guint url_port;

static const GOptionEntry option_entries[] = {
  { "quick", 0, 0, G_OPTION_ARG_NONE, &quick, "One round of 0.3 s a case: does it work?", NULL },
  { "rounds", 0, 0, G_OPTION_ARG_INT, &rounds, "Rounds over all cases (3)", "N" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Measured in each case (2)", "S" },
  { "only", 0, 0, G_OPTION_ARG_STRING, &only, "Cases whose name has this in it", "TEXT" },
  { "url", 0, 0, G_OPTION_ARG_STRING, &url, "Measure this running broker too",
    "amqp://127.0.0.1:PORT" },
  { "pid", 0, 0, G_OPTION_ARG_INT, &url_pid, "Its process, for CPU and memory", "PID" },
  { "lose-one", 0, 0, G_OPTION_ARG_NONE, &lose_one, "Leave one message out: has to fail", NULL },
  { NULL }
};

static void
read_options (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("- messages through consortd");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, option_entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    bench_fail ("%s", error->message);
  if (argc > 1)
    bench_fail ("'%s' is no option", argv[1]);
  if (url != NULL
      && (sscanf (url, "amqp://127.0.0.1:%u", &url_port) != 1 || url_port > G_MAXUINT16))
    bench_fail ("'%s' is not amqp://127.0.0.1:PORT", url);
  if (quick)
    {
      rounds = 1;
      seconds = 0.3;
    }
  if (rounds < 1 || rounds > BENCH_ROUNDS_MAX || seconds <= 0 || seconds > 3600)
    bench_fail ("from 1 to %d rounds, up to 3600 seconds", BENCH_ROUNDS_MAX);
}

/* --- running ------------------------------------------------------------------------------- */

/* The echo has nothing to confirm: it has a window of many and of one. */
static gboolean
is_case (Subject subject, BenchKind kind, guint size)
{
  g_autofree char *name = g_strdup_printf ("%s, %s, %u B", subject_names[subject], kind_names[kind],
                                           body_sizes[size]);

  if ((subject == SUBJECT_ECHO && kind == BENCH_CONFIRMS)
      || (subject == SUBJECT_URL && url == NULL))
    return FALSE;
  return only == NULL || strstr (name, only) != NULL;
}

static void
run_case (Subject subject, BenchKind kind, guint size)
{
  BenchProcess process = { 0 };
  BenchOptions options = { .kind = kind,
                           .body_size = body_sizes[size],
                           .warm_up_us = (gint64) (seconds * 0.2 * 1e6),
                           .measured_us = (gint64) (seconds * 1e6),
                           .lose_one = lose_one && subject != SUBJECT_ECHO };
  double figures[BENCH_N_FIGURES];

  switch (subject)
    {
    case SUBJECT_ECHO:
      bench_process_start_echo (&process);
      break;
    case SUBJECT_ONE:
      bench_process_start_consortd (&process, 1);
      break;
    case SUBJECT_THREE:
      bench_process_start_consortd (&process, 3);
      break;
    case SUBJECT_URL:
      process = (BenchProcess){ .pid = url_pid, .ports = { (guint16) url_port } };
      break;
    case N_SUBJECTS:
      g_assert_not_reached ();
    }
  options.brokers[0] = process.pid;
  options.publisher = bench_client_loopback (process.ports[0]);
  options.consumer = bench_client_loopback (process.ports[subject == SUBJECT_THREE ? 1 : 0]);
  if (subject == SUBJECT_ECHO)
    bench_run_echo (&options, figures);
  else
    bench_run (&options, figures);
  if (subject != SUBJECT_URL)
    bench_process_stop (&process);
  bench_samples_add (&cells[subject][kind][size], figures);
}

/* --- printing ------------------------------------------------------------------------------- */

static double
median (Subject subject, BenchKind kind, guint size, BenchFigure figure)
{
  return bench_samples_median (&cells[subject][kind][size], figure);
}

static void
print_figures (void)
{
  g_print ("%-6s %-14s %-10s %9s %10s%10s%10s%10s%10s  %s\n", "body", "case", "broker", "msg/s",
           "broker us", "client us", "p50 us", "p99 us", "peak MiB", "msg/s, least to most");
  for (guint size = 0; size < N_SIZES; size++)
    for (BenchKind kind = 0; kind < BENCH_N_KINDS; kind++)
      for (Subject subject = 0; subject < N_SUBJECTS; subject++)
        {
          BenchSamples *cell = &cells[subject][kind][size];

          if (cell->count == 0)
            continue;
          g_print ("%-6u %-14s %-10s %9.0f ", body_sizes[size], kind_names[kind],
                   subject_names[subject], median (subject, kind, size, BENCH_RATE));
          bench_print_figure (2, median (subject, kind, size, BENCH_BROKER_CPU));
          bench_print_figure (2, median (subject, kind, size, BENCH_CLIENT_CPU));
          bench_print_figure (0, median (subject, kind, size, BENCH_P50));
          bench_print_figure (0, median (subject, kind, size, BENCH_P99));
          bench_print_figure (1, median (subject, kind, size, BENCH_PEAK_RSS));
          g_print ("  %.0f to %.0f\n", bench_samples_least (cell, BENCH_RATE),
                   bench_samples_most (cell, BENCH_RATE));
        }
}

/* Of one figure, between two cases. */
typedef struct Ratio
{
  const char *name;
  BenchFigure figure;
  struct
  {
    Subject subject;
    BenchKind kind;
  } above, below;
} Ratio;

static const Ratio ratios[] = {
  { "msg/s, auto-ack: 3 members / 1 member",
    BENCH_RATE,
    { SUBJECT_THREE, BENCH_AUTO_ACK },
    { SUBJECT_ONE, BENCH_AUTO_ACK } },
  { "msg/s, confirms 1000: 3 members / 1 member",
    BENCH_RATE,
    { SUBJECT_THREE, BENCH_CONFIRMS },
    { SUBJECT_ONE, BENCH_CONFIRMS } },
  { "broker CPU, auto-ack: 3 members / 1 member",
    BENCH_BROKER_CPU,
    { SUBJECT_THREE, BENCH_AUTO_ACK },
    { SUBJECT_ONE, BENCH_AUTO_ACK } },
  { "broker CPU, confirms 1000: 3 members / 1 member",
    BENCH_BROKER_CPU,
    { SUBJECT_THREE, BENCH_CONFIRMS },
    { SUBJECT_ONE, BENCH_CONFIRMS } },
  { "p50 of confirms 1: 3 members / 1 member",
    BENCH_P50,
    { SUBJECT_THREE, BENCH_ONE_CONFIRM },
    { SUBJECT_ONE, BENCH_ONE_CONFIRM } },
  { "msg/s, 1 member: confirms 1000 / auto-ack",
    BENCH_RATE,
    { SUBJECT_ONE, BENCH_CONFIRMS },
    { SUBJECT_ONE, BENCH_AUTO_ACK } },
  { "msg/s, 3 members: confirms 1000 / auto-ack",
    BENCH_RATE,
    { SUBJECT_THREE, BENCH_CONFIRMS },
    { SUBJECT_THREE, BENCH_AUTO_ACK } },
  { "msg/s, auto-ack: 1 member / echo",
    BENCH_RATE,
    { SUBJECT_ONE, BENCH_AUTO_ACK },
    { SUBJECT_ECHO, BENCH_AUTO_ACK } },
  { "msg/s, auto-ack: 3 members / echo",
    BENCH_RATE,
    { SUBJECT_THREE, BENCH_AUTO_ACK },
    { SUBJECT_ECHO, BENCH_AUTO_ACK } },
  { "p50 of confirms 1: 1 member / echo",
    BENCH_P50,
    { SUBJECT_ONE, BENCH_ONE_CONFIRM },
    { SUBJECT_ECHO, BENCH_ONE_CONFIRM } },
  { "p50 of confirms 1: 3 members / echo",
    BENCH_P50,
    { SUBJECT_THREE, BENCH_ONE_CONFIRM },
    { SUBJECT_ECHO, BENCH_ONE_CONFIRM } },
  { "msg/s, auto-ack: 1 member / --url",
    BENCH_RATE,
    { SUBJECT_ONE, BENCH_AUTO_ACK },
    { SUBJECT_URL, BENCH_AUTO_ACK } },
  { "msg/s, confirms 1000: 1 member / --url",
    BENCH_RATE,
    { SUBJECT_ONE, BENCH_CONFIRMS },
    { SUBJECT_URL, BENCH_CONFIRMS } },
  { "msg/s, auto-ack: 3 members / --url",
    BENCH_RATE,
    { SUBJECT_THREE, BENCH_AUTO_ACK },
    { SUBJECT_URL, BENCH_AUTO_ACK } },
  { "msg/s, confirms 1000: 3 members / --url",
    BENCH_RATE,
    { SUBJECT_THREE, BENCH_CONFIRMS },
    { SUBJECT_URL, BENCH_CONFIRMS } },
  { "broker CPU, auto-ack: 1 member / --url",
    BENCH_BROKER_CPU,
    { SUBJECT_ONE, BENCH_AUTO_ACK },
    { SUBJECT_URL, BENCH_AUTO_ACK } },
  { "broker CPU, confirms 1000: 1 member / --url",
    BENCH_BROKER_CPU,
    { SUBJECT_ONE, BENCH_CONFIRMS },
    { SUBJECT_URL, BENCH_CONFIRMS } },
  { "broker CPU, auto-ack: 3 members / --url",
    BENCH_BROKER_CPU,
    { SUBJECT_THREE, BENCH_AUTO_ACK },
    { SUBJECT_URL, BENCH_AUTO_ACK } },
  { "broker CPU, confirms 1000: 3 members / --url",
    BENCH_BROKER_CPU,
    { SUBJECT_THREE, BENCH_CONFIRMS },
    { SUBJECT_URL, BENCH_CONFIRMS } },
  { "p50 of confirms 1: 3 members / --url",
    BENCH_P50,
    { SUBJECT_THREE, BENCH_ONE_CONFIRM },
    { SUBJECT_URL, BENCH_ONE_CONFIRM } },
};

static double
ratio_value (const Ratio *ratio, guint size)
{
  double above = median (ratio->above.subject, ratio->above.kind, size, ratio->figure);
  double below = median (ratio->below.subject, ratio->below.kind, size, ratio->figure);

  return below > 0 ? above / below : 0;
}

static void
print_ratios (void)
{
  g_print ("\n%-50s%8u B%8u B\n", "ratio", body_sizes[0], body_sizes[1]);
  for (guint i = 0; i < G_N_ELEMENTS (ratios); i++)
    {
      double small = ratio_value (&ratios[i], 0), large = ratio_value (&ratios[i], 1);

      if (small <= 0 && large <= 0)
        continue;
      g_print ("%-50s", ratios[i].name);
      bench_print_figure (2, small);
      bench_print_figure (2, large);
      g_print ("\n");
    }
}

int
main (int argc, char **argv)
{
  read_options (argc, argv);
  for (int round = 0; round < rounds; round++)
    for (guint size = 0; size < N_SIZES; size++)
      for (BenchKind kind = 0; kind < BENCH_N_KINDS; kind++)
        for (Subject subject = 0; subject < N_SUBJECTS; subject++)
          if (is_case (subject, kind, size))
            run_case (subject, kind, size);
  print_figures ();
  print_ratios ();
  return 0;
}
