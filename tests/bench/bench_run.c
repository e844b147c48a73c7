/* SPDX-License-Identifier: MIT */
#include "tests/bench/bench_run.h"

#include "core/amqp/properties.h"
#include "core/base/limits.h"
#include "tests/bench/bench_client.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Bytes that a client gathers before it writes. */
#define WRITE_AHEAD 65536

typedef struct Run
{
  const BenchOptions *options;
  BenchClient publisher;
  BenchClient consumer;
  char *queue;
  Buffer *publish;     /* the three frames of one message, encoded once */
  gsize number_offset; /* where the number is in them */
  guint64 window;
  guint64 n_published;
  guint64 n_confirmed;
  guint64 n_received;
  gint64 published_us;  /* the last one */
  GArray *latencies_us; /* of guint32; NULL: not now */
} Run;

/* --- what is published ----------------------------------------------------------------- */

static void
encode_publish (Run *run)
{
  g_autoptr (FrameWriter) writer = frame_writer_new ();
  g_auto (ByteWriter) header = byte_writer_init ();
  g_autofree guint8 *body = g_malloc (run->options->body_size);
  Slice body_slice = slice_new (body, run->options->body_size, NULL);
  Properties properties = { .flags = PROPERTY_DELIVERY_MODE, .delivery_mode = 1 };
  Method publish = { .id = METHOD_BASIC_PUBLISH,
                     .basic_publish = { .routing_key = slice_of_text (run->queue) } };
  Slice pieces[LIMIT_WRITE_SLICES];
  guint n_pieces;
  gsize length = 0;

  memset (body, 'x', run->options->body_size);
  content_header_encode (&properties, run->options->body_size, &header);
  frame_writer_method (writer, PROTOCOL_0_9_1, 1, &publish);
  frame_writer_content (writer, 1, byte_writer_peek (&header), &body_slice, 1, LIMIT_FRAME_MAX);
  run->publish = buffer_new (frame_writer_pending (writer));
  n_pieces = frame_writer_peek (writer, pieces, G_N_ELEMENTS (pieces));
  for (guint i = 0; i < n_pieces; i++)
    {
      memcpy (run->publish->bytes + length, pieces[i].bytes, pieces[i].length);
      length += pieces[i].length;
    }
  g_assert_cmpuint (length, ==, run->publish->size);
  /* The body is followed by one end octet. */
  run->number_offset = length - 1 - run->options->body_size;
}

static void
publish (Run *run)
{
  guint64 number = GUINT64_TO_BE (run->n_published);

  memcpy (run->publish->bytes + run->number_offset, &number, sizeof number);
  /* Without an owner: the writer copies it. */
  frame_writer_raw (run->publisher.writer,
                    slice_new (run->publish->bytes, run->publish->size, NULL));
  run->n_published++;
}

static guint64
unsettled (const Run *run)
{
  guint64 settled = run->options->kind == BENCH_AUTO_ACK ? run->n_received : run->n_confirmed;

  return run->n_published - settled;
}

static void
publish_what_may_be (Run *run)
{
  while (unsettled (run) < run->window && run->n_published - run->n_received < BENCH_BACKLOG
         && frame_writer_pending (run->publisher.writer) < WRITE_AHEAD)
    {
      if (run->options->lose_one && run->n_published == BENCH_ACK_EVERY)
        run->n_published++;
      publish (run);
      run->published_us = g_get_monotonic_time ();
    }
}

/* --- what comes ------------------------------------------------------------------------- */

static void
confirmed (Run *run, const BasicAck *ack)
{
  if (ack->delivery_tag <= run->n_confirmed || ack->delivery_tag > run->n_published
      || (!ack->multiple && ack->delivery_tag != run->n_confirmed + 1))
    bench_fail ("confirm of %" G_GUINT64_FORMAT " after %" G_GUINT64_FORMAT, ack->delivery_tag,
                run->n_confirmed);
  run->n_confirmed = ack->delivery_tag;
  if (run->latencies_us != NULL)
    {
      guint32 latency_us = (guint32) (g_get_monotonic_time () - run->published_us);

      g_array_append_val (run->latencies_us, latency_us);
    }
}

static void
read_confirms (Run *run)
{
  Frame frame;
  Method method;

  while (bench_client_next (&run->publisher, &frame, &method))
    {
      if (frame.type != FRAME_METHOD || method.id != METHOD_BASIC_ACK)
        bench_fail ("something else than a confirm came");
      confirmed (run, &method.basic_ack);
    }
}

static void
received (Run *run, Slice body)
{
  guint64 number;

  if (body.length != run->options->body_size)
    bench_fail ("a body of %" G_GSIZE_FORMAT " bytes", body.length);
  memcpy (&number, body.bytes, sizeof number);
  number = GUINT64_FROM_BE (number);
  if (number != run->n_received)
    bench_fail ("message %" G_GUINT64_FORMAT " came, %" G_GUINT64_FORMAT " was next", number,
                run->n_received);
  run->n_received++;
}

static void
settle (Run *run)
{
  Method ack = { .id = METHOD_BASIC_ACK,
                 .basic_ack = { .delivery_tag = run->n_received, .multiple = TRUE } };

  if (run->options->kind != BENCH_AUTO_ACK && run->n_received % BENCH_ACK_EVERY == 0)
    bench_client_send (&run->consumer, &ack);
}

/* The broker may not cut a body that fits into a frame, so each message is three frames. */
static void
read_deliveries (Run *run)
{
  Frame frame;
  Method method;

  while (bench_client_next (&run->consumer, &frame, &method))
    switch (frame.type)
      {
      case FRAME_METHOD:
        if (method.id != METHOD_BASIC_DELIVER || method.basic_deliver.redelivered
            || method.basic_deliver.delivery_tag != run->n_received + 1)
          bench_fail ("something else than the next delivery came");
        break;
      case FRAME_BODY:
        received (run, frame.payload);
        settle (run);
        break;
      default:
        break;
      }
}

/* --- one turn of the clients, and a case -------------------------------------------------- */

static void
turn (Run *run)
{
  BenchClient *clients[] = { &run->publisher, &run->consumer };
  gboolean readable[G_N_ELEMENTS (clients)];

  bench_client_flush (&run->publisher);
  bench_client_flush (&run->consumer);
  bench_client_wait (clients, G_N_ELEMENTS (clients), readable);
  if (readable[0])
    {
      bench_client_fill (&run->publisher);
      read_confirms (run);
    }
  if (readable[1])
    {
      bench_client_fill (&run->consumer);
      read_deliveries (run);
    }
}

static void
turns_until (Run *run, gint64 end_us)
{
  while (g_get_monotonic_time () < end_us)
    {
      publish_what_may_be (run);
      turn (run);
    }
}

static void
drain (Run *run)
{
  gboolean confirms = run->options->kind != BENCH_AUTO_ACK;

  while (run->n_received < run->n_published || (confirms && run->n_confirmed < run->n_published))
    turn (run);
}

static void
open_clients (Run *run)
{
  gboolean auto_ack = run->options->kind == BENCH_AUTO_ACK;
  Slice queue = slice_of_text (run->queue);
  Method declare
      = { .id = METHOD_QUEUE_DECLARE, .queue_declare = { .queue = queue, .exclusive = TRUE } };
  Method qos = { .id = METHOD_BASIC_QOS, .basic_qos = { .prefetch_count = BENCH_WINDOW } };
  Method consume
      = { .id = METHOD_BASIC_CONSUME, .basic_consume = { .queue = queue, .no_ack = auto_ack } };
  Method select = { .id = METHOD_CONFIRM_SELECT };

  bench_client_open (&run->consumer, &run->options->consumer);
  bench_client_call (&run->consumer, &declare, METHOD_QUEUE_DECLARE_OK);
  if (!auto_ack)
    bench_client_call (&run->consumer, &qos, METHOD_BASIC_QOS_OK);
  bench_client_call (&run->consumer, &consume, METHOD_BASIC_CONSUME_OK);
  bench_client_open (&run->publisher, &run->options->publisher);
  if (!auto_ack)
    bench_client_call (&run->publisher, &select, METHOD_CONFIRM_SELECT_OK);
}

static gint64
own_cpu_us (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static gint64
cpu_us (const pid_t pids[BENCH_MEMBERS_MAX])
{
  gint64 sum = 0;

  for (guint i = 0; i < BENCH_MEMBERS_MAX; i++)
    sum += bench_process_cpu_us (pids[i]);
  return sum;
}

static double
peak_rss_mib (const pid_t pids[BENCH_MEMBERS_MAX])
{
  guint64 most = 0;

  for (guint i = 0; i < BENCH_MEMBERS_MAX; i++)
    most = MAX (most, bench_process_peak_rss_kib (pids[i]));
  return (double) most / 1024;
}

static int
compare_latencies (gconstpointer a, gconstpointer b)
{
  guint32 first = *(const guint32 *) a, second = *(const guint32 *) b;

  return (first > second) - (first < second);
}

static double
percentile (const GArray *sorted, guint percent)
{
  return sorted->len == 0 ? 0 : g_array_index (sorted, guint32, sorted->len * percent / 100);
}

/* What the loop does between two looks at clocks and counts. */
static void
measure (Run *run, void (*loop) (Run *run, gint64 end_us), double *figures)
{
  g_autoptr (GArray) latencies_us = g_array_new (FALSE, FALSE, sizeof (guint32));
  const BenchOptions *options = run->options;
  gint64 start_us, brokers_us, corosyncs_us, own_us;
  guint64 before;
  double n_messages;

  loop (run, g_get_monotonic_time () + options->warm_up_us);
  if (run->window == 1)
    run->latencies_us = latencies_us;
  before = run->n_received;
  brokers_us = cpu_us (options->brokers);
  corosyncs_us = cpu_us (options->corosyncs);
  own_us = own_cpu_us ();
  start_us = g_get_monotonic_time ();
  loop (run, start_us + options->measured_us);
  n_messages = (double) (run->n_received - before);
  if (run->n_received == before)
    bench_fail ("no message came");
  figures[BENCH_RATE] = n_messages * 1e6 / (double) (g_get_monotonic_time () - start_us);
  figures[BENCH_CLIENT_CPU] = (double) (own_cpu_us () - own_us) / n_messages;
  figures[BENCH_BROKER_CPU] = (double) (cpu_us (options->brokers) - brokers_us) / n_messages;
  figures[BENCH_COROSYNC_CPU] = (double) (cpu_us (options->corosyncs) - corosyncs_us) / n_messages;
  g_array_sort (latencies_us, compare_latencies);
  figures[BENCH_P50] = percentile (latencies_us, 50);
  figures[BENCH_P99] = percentile (latencies_us, 99);
  figures[BENCH_PEAK_RSS] = peak_rss_mib (options->brokers);
  run->latencies_us = NULL;
}

static Run
run_init (const BenchOptions *options)
{
  Run run = { .options = options };

  run.window = options->kind == BENCH_ONE_CONFIRM ? 1 : BENCH_WINDOW;
  run.queue = g_strdup_printf ("bench-%d", (int) getpid ());
  encode_publish (&run);
  return run;
}

static void
run_clear (Run *run)
{
  g_free (run->queue);
  buffer_unref (run->publish);
}

void
bench_run (const BenchOptions *options, double figures[BENCH_N_FIGURES])
{
  Run run = run_init (options);

  open_clients (&run);
  measure (&run, turns_until, figures);
  drain (&run);
  bench_client_close (&run.publisher);
  bench_client_close (&run.consumer);
  run_clear (&run);
}

/* --- the yardstick -------------------------------------------------------------------------- */

/* Bytes in the reader stand for what came and is not a whole message yet. */
static void
echo_turns_until (Run *run, gint64 end_us)
{
  BenchClient *client = &run->publisher;
  gboolean readable;
  Slice message;

  while (g_get_monotonic_time () < end_us)
    {
      publish_what_may_be (run);
      bench_client_flush (client);
      bench_client_wait (&client, 1, &readable);
      if (readable)
        bench_client_fill (client);
      while (frame_reader_take_raw (&client->reader, run->publish->size, &message))
        {
          BasicAck ack = { .delivery_tag = run->n_confirmed + 1 };

          received (run, slice_sub (message, run->number_offset, run->options->body_size));
          confirmed (run, &ack);
        }
    }
}

void
bench_run_echo (const BenchOptions *options, double figures[BENCH_N_FIGURES])
{
  Run run = run_init (options);

  bench_client_connect (&run.publisher, &options->publisher);
  measure (&run, echo_turns_until, figures);
  bench_client_clear (&run.publisher);
  run_clear (&run);
}
