/* SPDX-License-Identifier: MIT */
/* The client of the benchmarks: one connection, one channel, sockets that do not
 * block, and the broker's own codec. All clients of a run are driven by one poll loop of one
 * process, so that the broker has a core to itself where there are two.
 *
 * What goes wrong ends the run (bench_fail): there is nothing to measure then. */
#pragma once

#include "core/amqp/frame_reader.h"
#include "core/amqp/frame_writer.h"

#include <netinet/in.h>

/* Seconds for what takes milliseconds: only a hang gets there. */
#define BENCH_PATIENCE_SECONDS 30

typedef struct BenchClient
{
  int fd;
  FrameReader reader;
  FrameWriter *writer;
} BenchClient;

/* Says why, ends the processes that were started, and exits with status 1. */
void bench_fail (const char *format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;

struct sockaddr_in bench_client_loopback (guint16 port);

/* The socket alone. */
void bench_client_connect (BenchClient *client, const struct sockaddr_in *address);
/* The socket, connection.open as guest, and channel 1. */
void bench_client_open (BenchClient *client, const struct sockaddr_in *address);
/* connection.close and its answer; what comes before the answer is dropped. */
void bench_client_close (BenchClient *client);
/* The socket alone. */
void bench_client_clear (BenchClient *client);

/* On channel 1; leaves with the next flush. */
void bench_client_send (BenchClient *client, const Method *method);
/* Sends, and waits for this answer and nothing else. */
void bench_client_call (BenchClient *client, const Method *request, MethodId answer);
/* Writes what the socket takes. */
void bench_client_flush (BenchClient *client);
/* Reads what came, once. */
void bench_client_fill (BenchClient *client);
/* The next frame of what was read; FALSE: not yet whole. A channel.close or connection.close of
 * the broker ends the run. */
gboolean bench_client_next (BenchClient *client, Frame *ret_frame, Method *ret_method);
/* Until one of them has something to read, or room for what waits to be written; ret_readable[i]
 * is for bench_client_fill. */
void bench_client_wait (BenchClient *const *clients, guint n_clients, gboolean *ret_readable);
