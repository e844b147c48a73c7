/* SPDX-License-Identifier: MIT */
/* Messages through three consortd over three corosync daemons, beside what corosync itself moves
 * there. tests/bench/bench_corosync.sh makes the laboratory and starts this on its first node;
 * doc/performance.md says how to read it.
 *
 *     bench_corosync --lab LAB.SH [--quick] [--rounds N] [--seconds S] [--only TEXT]...
 *                    [--envelope-sizes BYTES,...] [--consortd PROGRAM,...]
 *
 * The publisher's member is on this node, the consumer's on the second. Each round runs all cases
 * one after another, each with three consortd of its own; figures are medians over the rounds.
 * Corosync itself (raw_cpg.c) is measured in the same rounds, with messages of the size that the
 * envelopes have, and as many of them under way as a member's own window admits. */
#include "core/base/limits.h"
#include "tests/bench/bench_client.h"
#include "tests/bench/bench_process.h"
#include "tests/bench/bench_samples.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Frames and headers around one published body, about; for the size of a lone envelope. */
#define AROUND_BODY 200

typedef enum Case
{
  CASE_RAW,
  CASE_AUTO_ACK,
  CASE_CONFIRMS_SELF,
  CASE_CONFIRMS_MAJORITY,
  CASE_RAW_ONE,
  CASE_ONE_SELF,
  CASE_ONE_MAJORITY,
  N_CASES
} Case;

typedef struct CaseType
{
  const char *name;
  gboolean raw;
  BenchKind kind;
  const char *reply_when;
} CaseType;

static const CaseType cases[N_CASES] = {
  { "raw CPG", TRUE, BENCH_AUTO_ACK, NULL },
  { "auto-ack", FALSE, BENCH_AUTO_ACK, "majority" },
  { "confirms 1000, self", FALSE, BENCH_CONFIRMS, "self" },
  { "confirms 1000, majority", FALSE, BENCH_CONFIRMS, "majority" },
  { "raw CPG, window 1", TRUE, BENCH_ONE_CONFIRM, NULL },
  { "confirms 1, self", FALSE, BENCH_ONE_CONFIRM, "self" },
  { "confirms 1, majority", FALSE, BENCH_ONE_CONFIRM, "majority" },
};

static const guint body_sizes[] = { 16, 1024, 8192, 65536 };

#define N_SIZES      G_N_ELEMENTS (body_sizes)
#define VARIANTS_MAX 16

/* What is compared: envelope sizes, or programs, or both. */
typedef struct Variant
{
  char *consortd;
  guint envelope_size;
  BenchSamples samples[N_SIZES][N_CASES];
} Variant;

static Variant variants[VARIANTS_MAX];
static guint n_variants;
static pid_t corosyncs[BENCH_MEMBERS_MAX];
static struct sockaddr_in second_node;

/* --- options ------------------------------------------------------------------------------ */

static gboolean quick;
static int rounds = 3;
static double seconds = 2;
static char *lab, *envelope_sizes, *programs;
static char **only;

static const GOptionEntry option_entries[] = {
  { "lab", 0, 0, G_OPTION_ARG_FILENAME, &lab, "tests/cpg/lab.sh, started with three nodes",
    "LAB.SH" },
  { "quick", 0, 0, G_OPTION_ARG_NONE, &quick, "One round of 0.3 s a case: does it work?", NULL },
  { "rounds", 0, 0, G_OPTION_ARG_INT, &rounds, "Rounds over all cases (3)", "N" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Measured in each case (2)", "S" },
  { "only", 0, 0, G_OPTION_ARG_STRING_ARRAY, &only,
    "Cases whose name has this in it; may be repeated", "TEXT" },
  { "envelope-sizes", 0, 0, G_OPTION_ARG_STRING, &envelope_sizes,
    "Several instead of the default one", "BYTES,..." },
  { "consortd", 0, 0, G_OPTION_ARG_STRING, &programs, "Others than ./consortd", "PROGRAM,..." },
  { NULL }
};

static void
add_variants (void)
{
  g_autofree char *default_size = g_strdup_printf ("%d", LIMIT_ENVELOPE_FILL);
  g_auto (GStrv) sizes
      = g_strsplit (envelope_sizes != NULL ? envelope_sizes : default_size, ",", 0);
  g_auto (GStrv) paths = g_strsplit (programs != NULL ? programs : "./consortd", ",", 0);

  for (guint i = 0; sizes[i] != NULL; i++)
    for (guint j = 0; paths[j] != NULL; j++)
      {
        guint size = (guint) strtoul (sizes[i], NULL, 10);

        if (size < LIMIT_ENVELOPE_FILL_MIN || size > LIMIT_ENVELOPE_FILL_MAX
            || n_variants == VARIANTS_MAX)
          bench_fail ("at most %d variants, envelopes of %d to %d bytes", VARIANTS_MAX,
                      LIMIT_ENVELOPE_FILL_MIN, LIMIT_ENVELOPE_FILL_MAX);
        variants[n_variants].consortd = g_strdup (paths[j]);
        variants[n_variants++].envelope_size = size;
      }
}

static void
read_options (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("- messages over corosync");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, option_entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    bench_fail ("%s", error->message);
  if (argc > 1)
    bench_fail ("'%s' is no option", argv[1]);
  if (lab == NULL)
    bench_fail ("--lab is missing: tests/bench/bench_corosync.sh starts this");
  if (quick)
    {
      rounds = 1;
      seconds = 0.3;
    }
  if (rounds < 1 || rounds > BENCH_ROUNDS_MAX || seconds <= 0 || seconds > 3600)
    bench_fail ("from 1 to %d rounds, up to 3600 seconds", BENCH_ROUNDS_MAX);
  add_variants ();
}

/* --- the laboratory ------------------------------------------------------------------------- */

static void
find_laboratory (void)
{
  const char *directory = g_getenv ("LAB_DIR"), *network = g_getenv ("LAB_NET");
  g_autofree char *address = g_strdup_printf ("%s.2", network != NULL ? network : "10.99.0");

  second_node = bench_client_loopback (5672);
  if (directory == NULL || inet_pton (AF_INET, address, &second_node.sin_addr) != 1)
    bench_fail ("LAB_DIR and LAB_NET are not those of a laboratory");
  for (guint i = 0; i < BENCH_MEMBERS_MAX; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%u/run/corosync.pid", directory, i + 1);
      g_autofree char *text = NULL;

      if (!g_file_get_contents (path, &text, NULL, NULL))
        bench_fail ("there is no %s", path);
      corosyncs[i] = (pid_t) strtol (text, NULL, 10);
    }
}

/* --- corosync itself ---------------------------------------------------------------------------
 */

/* The words of raw_cpg on a node; `more` are a sender's. */
static GPid
spawn_raw (const char *node, const char *const *more, int *ret_output)
{
  const char *words[16] = { lab, "exec", node, "tests/bench/raw_cpg", "--group", "raw" };
  g_autoptr (GError) error = NULL;
  guint n = 6;
  GPid pid;

  for (guint i = 0; more != NULL && more[i] != NULL; i++)
    words[n++] = more[i];
  if (!g_spawn_async_with_pipes (NULL, (char **) words, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                 &pid, NULL, ret_output, NULL, &error))
    bench_fail ("%s", error->message);
  return pid;
}

static void
wait_for_raw (GPid pid)
{
  int status;

  if (waitpid (pid, &status, 0) != pid || !WIFEXITED (status) || WEXITSTATUS (status) != 0)
    bench_fail ("raw_cpg did not end well");
}

/* As many of `size` as a member sends without having seen them delivered. */
static void
run_raw (guint size, guint window, double *figures)
{
  g_autofree char *size_text = g_strdup_printf ("%u", size);
  g_autofree char *window_text = g_strdup_printf ("%u", window);
  g_autofree char *seconds_text = g_strdup_printf ("%f", seconds);
  const char *const more[]
      = { "--send", "--size", size_text, "--window", window_text, "--seconds", seconds_text, NULL };
  char text[256] = "";
  double megabytes;
  int output;
  GPid takers[] = { spawn_raw ("2", NULL, NULL), spawn_raw ("3", NULL, NULL) };
  GPid sender = spawn_raw ("1", more, &output);

  if (read (output, text, sizeof text - 1) <= 0
      || sscanf (text, "%lf %lf %lf %lf", &figures[BENCH_RATE], &megabytes, &figures[BENCH_P50],
                 &figures[BENCH_P99])
             != 4)
    bench_fail ("raw_cpg has no figures");
  close (output);
  wait_for_raw (sender);
  for (guint i = 0; i < G_N_ELEMENTS (takers); i++)
    wait_for_raw (takers[i]);
}

/* --- a case ----------------------------------------------------------------------------------- */

/* Of the envelopes that carry these bodies. */
static guint
raw_size (const Variant *variant, guint body_size, BenchKind kind)
{
  return kind == BENCH_ONE_CONFIRM ? body_size + AROUND_BODY
                                   : MAX (variant->envelope_size, body_size + AROUND_BODY);
}

static char *
write_config (const Variant *variant, const char *reply_when)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdup_printf ("[consort]\nreply-when = %s\nenvelope-size = %u\n",
                                           reply_when, variant->envelope_size);
  char *path = g_build_filename (g_getenv ("LAB_DIR"), "bench.conf", NULL);

  if (!g_file_set_contents (path, text, -1, &error))
    bench_fail ("%s", error->message);
  return path;
}

static void
run_consortd (const Variant *variant, const CaseType *type, guint body_size, double *figures)
{
  g_autofree char *config = write_config (variant, type->reply_when);
  BenchProcess processes[BENCH_MEMBERS_MAX];
  BenchOptions options = { .kind = type->kind,
                           .body_size = body_size,
                           .publisher = bench_client_loopback (5672),
                           .consumer = second_node,
                           .warm_up_us = (gint64) (seconds * 0.2 * 1e6),
                           .measured_us = (gint64) (seconds * 1e6) };

  bench_process_start_nodes (processes, lab, variant->consortd, config);
  for (guint i = 0; i < BENCH_MEMBERS_MAX; i++)
    {
      options.brokers[i] = processes[i].pid;
      options.corosyncs[i] = corosyncs[i];
    }
  bench_run (&options, figures);
  for (guint i = 0; i < BENCH_MEMBERS_MAX; i++)
    bench_process_stop (&processes[i]);
}

static gboolean
is_wanted (const Variant *variant, guint size, Case which)
{
  g_autofree char *name = g_strdup_printf ("%s, %u B, envelopes of %u B", cases[which].name,
                                           body_sizes[size], variant->envelope_size);

  for (guint i = 0; only != NULL && only[i] != NULL; i++)
    if (strstr (name, only[i]) != NULL)
      return TRUE;
  return only == NULL;
}

static void
run_case (Variant *variant, guint size, Case which)
{
  const CaseType *type = &cases[which];
  double figures[BENCH_N_FIGURES] = { 0 };
  guint bytes = raw_size (variant, body_sizes[size], type->kind);

  if (!is_wanted (variant, size, which))
    return;
  if (!type->raw)
    run_consortd (variant, type, body_sizes[size], figures);
  else
    run_raw (bytes, type->kind == BENCH_ONE_CONFIRM ? 1 : LIMIT_OWN_WINDOW / bytes, figures);
  bench_samples_add (&variant->samples[size][which], figures);
}

/* --- printing ------------------------------------------------------------------------------- */

static double
median (Variant *variant, guint size, Case which, BenchFigure figure)
{
  return bench_samples_median (&variant->samples[size][which], figure);
}

/* Of bodies; of corosync itself, of messages. */
static double
megabytes (Variant *variant, guint size, Case which)
{
  guint bytes = cases[which].raw ? raw_size (variant, body_sizes[size], cases[which].kind)
                                 : body_sizes[size];

  return median (variant, size, which, BENCH_RATE) * bytes / 1e6;
}

static void
print_case (Variant *variant, guint size, Case which)
{
  BenchSamples *samples = &variant->samples[size][which];

  if (samples->count == 0)
    return;
  g_print ("%-6u %-24s %9.0f", body_sizes[size], cases[which].name,
           bench_samples_median (samples, BENCH_RATE));
  bench_print_figure (1, megabytes (variant, size, which));
  bench_print_figure (2, bench_samples_median (samples, BENCH_BROKER_CPU));
  bench_print_figure (2, bench_samples_median (samples, BENCH_COROSYNC_CPU));
  bench_print_figure (2, bench_samples_median (samples, BENCH_CLIENT_CPU));
  bench_print_figure (0, bench_samples_median (samples, BENCH_P50));
  bench_print_figure (0, bench_samples_median (samples, BENCH_P99));
  bench_print_figure (1, bench_samples_median (samples, BENCH_PEAK_RSS));
  g_print ("  %.0f to %.0f\n", bench_samples_least (samples, BENCH_RATE),
           bench_samples_most (samples, BENCH_RATE));
}

static double
divide (double above, double below)
{
  return below > 0 ? above / below : 0;
}

static void
print_ratio (Variant *variant, const char *name, double (*of) (Variant *, guint, Case), Case above,
             Case below)
{
  g_print ("%-50s", name);
  for (guint size = 0; size < N_SIZES; size++)
    bench_print_figure (2, divide (of (variant, size, above), of (variant, size, below)));
  g_print ("\n");
}

static double
p50 (Variant *variant, guint size, Case which)
{
  return median (variant, size, which, BENCH_P50);
}

static void
print_variant (Variant *variant)
{
  g_print ("%s, envelopes of %u B\n", variant->consortd, variant->envelope_size);
  g_print ("%-6s %-24s %9s%10s%10s%10s%10s%10s%10s%10s  %s\n", "body", "case", "msg/s", "MB/s",
           "broker us", "corosync", "client us", "p50 us", "p99 us", "peak MiB",
           "msg/s, least to most");
  for (guint size = 0; size < N_SIZES; size++)
    for (Case which = 0; which < N_CASES; which++)
      print_case (variant, size, which);
  g_print ("\n%-50s", "ratio");
  for (guint size = 0; size < N_SIZES; size++)
    g_print ("%8u B", body_sizes[size]);
  g_print ("\n");
  print_ratio (variant, "MB/s: auto-ack / raw CPG", megabytes, CASE_AUTO_ACK, CASE_RAW);
  print_ratio (variant, "MB/s: confirms 1000, self / raw CPG", megabytes, CASE_CONFIRMS_SELF,
               CASE_RAW);
  print_ratio (variant, "MB/s: confirms 1000, majority / raw CPG", megabytes,
               CASE_CONFIRMS_MAJORITY, CASE_RAW);
  print_ratio (variant, "msg/s: confirms 1000, majority / self", megabytes, CASE_CONFIRMS_MAJORITY,
               CASE_CONFIRMS_SELF);
  print_ratio (variant, "p50: confirms 1, self / raw CPG, window 1", p50, CASE_ONE_SELF,
               CASE_RAW_ONE);
  print_ratio (variant, "p50: confirms 1, majority / self", p50, CASE_ONE_MAJORITY, CASE_ONE_SELF);
  g_print ("\n");
}

int
main (int argc, char **argv)
{
  read_options (argc, argv);
  find_laboratory ();
  for (int round = 0; round < rounds; round++)
    for (guint size = 0; size < N_SIZES; size++)
      for (Case which = 0; which < N_CASES; which++)
        for (guint i = 0; i < n_variants; i++)
          run_case (&variants[i], size, which);
  for (guint i = 0; i < n_variants; i++)
    {
      print_variant (&variants[i]);
      g_free (variants[i].consortd);
    }
  return 0;
}
