/* SPDX-License-Identifier: MIT */
/* One case, run for some time: a publisher at one address, a consumer at another (or the same), and
 * what moved between them. Every message carries its number, and each must arrive, once, in
 * order: else the run ends in failure. */
#pragma once

#include "tests/bench/bench_process.h"

#include <netinet/in.h>

typedef enum BenchKind
{
  BENCH_AUTO_ACK,    /* no acknowledgements; at most BENCH_WINDOW between the two clients */
  BENCH_CONFIRMS,    /* at most BENCH_WINDOW unconfirmed; the consumer acknowledges */
  BENCH_ONE_CONFIRM, /* at most one unconfirmed; the consumer acknowledges */
  BENCH_N_KINDS
} BenchKind;

/* Messages, of what waits for a confirm or for the consumer; and the consumer's prefetch. */
#define BENCH_WINDOW 1000
/* Deliveries that one acknowledgement settles. */
#define BENCH_ACK_EVERY 100
/* Messages between publisher and consumer at the most, however fast confirms are: what the
 * publisher's window and the consumer's come to. A queue that grows would be another case. */
#define BENCH_BACKLOG (2 * BENCH_WINDOW)

typedef enum BenchFigure
{
  BENCH_RATE,       /* messages that the consumer had, a second */
  BENCH_BROKER_CPU, /* microseconds a message, of all members */
  BENCH_COROSYNC_CPU,
  BENCH_CLIENT_CPU, /* of both clients */
  BENCH_P50,        /* microseconds from the write to the confirm; 0: not measured */
  BENCH_P99,
  BENCH_PEAK_RSS, /* MiB of the member that needed most */
  BENCH_N_FIGURES
} BenchFigure;

typedef struct BenchOptions
{
  BenchKind kind;
  guint body_size; /* at least 8, for the number */
  struct sockaddr_in publisher;
  struct sockaddr_in consumer;
  pid_t brokers[BENCH_MEMBERS_MAX];   /* 0: unknown, or none */
  pid_t corosyncs[BENCH_MEMBERS_MAX]; /* the same */
  gint64 warm_up_us;
  gint64 measured_us;
  gboolean lose_one; /* leaves a number out, to see that it is noticed */
} BenchOptions;

void bench_run (const BenchOptions *options, double figures[BENCH_N_FIGURES]);
/* The yardstick: the bytes of the same publishes, through the plain echo that is
 * the publisher's address, as many of them under way. */
void bench_run_echo (const BenchOptions *options, double figures[BENCH_N_FIGURES]);
