/* SPDX-License-Identifier: MIT */
#include "tests/bench/bench_samples.h"

#include <stdlib.h>

static int
compare_samples (const void *a, const void *b)
{
  double first = *(const double *) a, second = *(const double *) b;

  return (first > second) - (first < second);
}

static double
nth_sample (BenchSamples *samples, BenchFigure figure, guint n)
{
  double *values = samples->values[figure];

  qsort (values, samples->count, sizeof (double), compare_samples);
  return samples->count == 0 ? 0 : values[n];
}

void
bench_samples_add (BenchSamples *samples, const double figures[BENCH_N_FIGURES])
{
  g_assert (samples->count < BENCH_ROUNDS_MAX);
  for (guint i = 0; i < BENCH_N_FIGURES; i++)
    samples->values[i][samples->count] = figures[i];
  samples->count++;
}

double
bench_samples_median (BenchSamples *samples, BenchFigure figure)
{
  return nth_sample (samples, figure, samples->count / 2);
}

double
bench_samples_least (BenchSamples *samples, BenchFigure figure)
{
  return nth_sample (samples, figure, 0);
}

double
bench_samples_most (BenchSamples *samples, BenchFigure figure)
{
  return nth_sample (samples, figure, samples->count - 1);
}

void
bench_print_figure (int decimals, double value)
{
  g_autofree char *text = g_strdup_printf ("%.*f", decimals, value);

  g_print ("%10s", value > 0 ? text : "-");
}
