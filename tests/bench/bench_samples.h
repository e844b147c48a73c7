/* SPDX-License-Identifier: MIT */
/* The figures of one case from several rounds, and how they are printed. */
#pragma once

#include "tests/bench/bench_run.h"

#define BENCH_ROUNDS_MAX 99

typedef struct BenchSamples
{
  double values[BENCH_N_FIGURES][BENCH_ROUNDS_MAX];
  guint count;
} BenchSamples;

void bench_samples_add (BenchSamples *samples, const double figures[BENCH_N_FIGURES]);
/* These three sort the figure's samples. 0: there is none. */
double bench_samples_median (BenchSamples *samples, BenchFigure figure);
double bench_samples_least (BenchSamples *samples, BenchFigure figure);
double bench_samples_most (BenchSamples *samples, BenchFigure figure);
/* In ten columns; "-" for what is not positive. */
void bench_print_figure (int decimals, double value);
