/* SPDX-License-Identifier: MIT */
/* The processes that a benchmark measures: consortd as a child on ports that the kernel chooses,
 * the plain echo that tells what the machine can do, or somebody else's broker. */
#pragma once

#include <glib.h>
#include <sys/types.h>

#define BENCH_MEMBERS_MAX 3

typedef struct BenchProcess
{
  pid_t pid;
  guint16 ports[BENCH_MEMBERS_MAX]; /* of the members, in their order */
  char *directory;                  /* consortd's control socket is in it; NULL: it has none */
  int log_fd;                       /* consortd's standard error; -1: has none */
} BenchProcess;

/* Returns once every member has logged that it serves. */
void bench_process_start_consortd (BenchProcess *process, guint members);
/* One consortd on each of BENCH_MEMBERS_MAX nodes of a laboratory (`lab`: tests/cpg/lab.sh), over
 * corosync, with the settings of the file `config`, on port 5672. Returns when all serve. */
void bench_process_start_nodes (BenchProcess *processes, const char *lab, const char *consortd,
                                const char *config);
/* Writes back what it reads from one connection, up to 64 KiB at a time. */
void bench_process_start_echo (BenchProcess *process);
/* Of a consortd also asserts that it ended in good order. */
void bench_process_stop (BenchProcess *process);
/* Without ceremony, whatever runs: for bench_fail. */
void bench_process_end_all (void);

/* Microseconds of all its threads, user and system, in the kernel's ticks of 10 ms; 0: unknown. */
gint64 bench_process_cpu_us (pid_t pid);
/* The most that was resident since it began, in KiB; 0: unknown. */
guint64 bench_process_peak_rss_kib (pid_t pid);
