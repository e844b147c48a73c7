/* SPDX-License-Identifier: MIT */
/* Messages a second through the model alone: a publish to a direct exchange, one queue, one
 * consumer; and queued and taken later. 16-byte bodies that lie in a buffer of an envelope's
 * size. The best of several rounds, on one line. */
#include "core/amqp/properties.h"
#include "core/base/limits.h"
#include "core/broker/vhost.h"

#define N_MESSAGES 1000000
#define N_ROUNDS   5

typedef struct BenchConsumer
{
  Consumer consumer;
  guint64 n_delivered;
  guint64 position;
} BenchConsumer;

typedef enum Kind
{
  KIND_NO_ACK,
  KIND_ACK,
  KIND_BACKLOG /* all are queued, then all are taken and acknowledged */
} Kind;

static gboolean
can_take (Consumer *consumer G_GNUC_UNUSED)
{
  return TRUE;
}

static void
deliver (Consumer *consumer, guint64 position, Message *message G_GNUC_UNUSED,
         gboolean redelivered G_GNUC_UNUSED)
{
  BenchConsumer *bench = (BenchConsumer *) consumer;

  bench->n_delivered++;
  bench->position = position;
}

static void
cancelled (Consumer *consumer G_GNUC_UNUSED)
{
}

static const ConsumerType bench_type
    = { .can_take = can_take, .deliver = deliver, .cancelled = cancelled };

/* A header and a body, as they lie in an envelope. */
static Buffer *
make_envelope (Slice *ret_header, Slice *ret_body)
{
  g_auto (ByteWriter) writer = byte_writer_init ();
  Properties properties = { .flags = PROPERTY_DELIVERY_MODE, .delivery_mode = 1 };
  Buffer *envelope = buffer_new (LIMIT_ENVELOPE_FILL);
  gsize length;

  memset (envelope->bytes, 'x', envelope->size);
  content_header_encode (&properties, 16, &writer);
  length = byte_writer_peek (&writer).length;
  memcpy (envelope->bytes + 100, byte_writer_peek (&writer).bytes, length);
  *ret_header = slice_new (envelope->bytes + 100, length, envelope);
  *ret_body = slice_new (envelope->bytes + 200, 16, envelope);
  return envelope;
}

static void
publish_all (Vhost *vhost, Queue *queue, BenchConsumer *consumer, gboolean ack)
{
  Slice header, body;
  g_autoptr (Buffer) envelope = make_envelope (&header, &body);
  Slice exchange_name = slice_of_text ("amq.direct"), key = slice_of_text ("key");
  Exchange *exchange = vhost_lookup_exchange (vhost, exchange_name);

  for (guint i = 0; i < N_MESSAGES; i++)
    {
      g_autoptr (Message) message = message_new (exchange_name, key, header, &body, 1);

      vhost_publish (vhost, exchange, message);
      if (ack)
        queue_acknowledge (queue, consumer->position);
    }
  /* Small messages were copied out: nothing pins the envelope. */
  g_assert_cmpuint (envelope->ref_count, ==, 1);
}

static void
take_all (Queue *queue)
{
  QueueDelivery delivery;

  while (queue_get (queue, FALSE, &delivery))
    {
      queue_acknowledge (queue, delivery.position);
      message_unref (delivery.message);
    }
}

static double
run (Kind kind)
{
  g_autoptr (Broker) broker = broker_new ();
  Vhost *vhost = broker_lookup_vhost (broker, slice_of_text ("/"));
  QueueDeclaration declaration = { .name = slice_of_text ("q") };
  Queue *queue = vhost_declare_queue (vhost, &declaration, (ConnectionId){ 0 }, NULL);
  BenchConsumer consumer = { .consumer = { .type = &bench_type, .no_ack = kind == KIND_NO_ACK } };
  gint64 start = g_get_monotonic_time ();
  gint64 elapsed_us;

  vhost_bind_queue (vhost, queue, slice_of_text ("amq.direct"), slice_of_text ("key"), (Slice){ 0 },
                    NULL);
  if (kind != KIND_BACKLOG)
    queue_add_consumer (queue, &consumer.consumer, NULL);
  publish_all (vhost, queue, &consumer, kind == KIND_ACK);
  if (kind == KIND_BACKLOG)
    take_all (queue);
  elapsed_us = g_get_monotonic_time () - start;
  g_assert_cmpuint (queue->n_ready + queue->n_unacked, ==, 0);
  return (double) N_MESSAGES / (double) elapsed_us;
}

static double
best_of (Kind kind)
{
  double best = 0;

  for (guint i = 0; i < N_ROUNDS; i++)
    best = MAX (best, run (kind));
  return best;
}

int
main (void)
{
  g_print ("broker: no-ack %.2f M/s, ack %.2f M/s, backlog of 1 M %.2f M/s\n",
           best_of (KIND_NO_ACK), best_of (KIND_ACK), best_of (KIND_BACKLOG));
  return 0;
}
