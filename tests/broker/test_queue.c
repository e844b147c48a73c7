/* SPDX-License-Identifier: MIT */
#include "tests/broker/fixture.h"

typedef struct Fixture
{
  Broker *broker;
  Vhost *vhost;
  Queue *queue;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  f->broker = broker_new ();
  f->vhost = root_vhost (f->broker);
  f->queue = declare (f->vhost, "q");
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_cmpuint (broker_digest (f->broker), ==, broker_digest_in_full (f->broker));
  broker_free (f->broker);
}

static void
fill (Queue *queue, guint64 count)
{
  for (guint64 i = 0; i < count; i++)
    publish_number (queue, i);
}

/* The number in the next message, which must be flagged so. */
static guint64
get (Queue *queue, gboolean no_ack, gboolean redelivered)
{
  QueueDelivery delivery;
  guint64 number;

  g_assert_true (queue_get (queue, no_ack, &delivery));
  g_assert_cmpint (delivery.redelivered, ==, redelivered);
  number = message_number (delivery.message);
  message_unref (delivery.message);
  return number;
}

static void
test_first_in_first_out (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  QueueDelivery delivery;

  fill (f->queue, 2000);
  g_assert_cmpuint (f->queue->n_ready, ==, 2000);
  for (guint64 i = 0; i < 2000; i++)
    g_assert_cmpuint (get (f->queue, i % 3 == 0, FALSE), ==, i);
  g_assert_false (queue_get (f->queue, FALSE, &delivery));
  g_assert_cmpuint (f->queue->n_ready, ==, 0);
  g_assert_cmpuint (f->queue->n_unacked, ==, 1333);
}

static void
test_requeue_keeps_order (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  fill (f->queue, 1500);
  for (guint64 i = 0; i < 1400; i++)
    get (f->queue, FALSE, FALSE);
  queue_requeue (f->queue, 700);
  queue_requeue (f->queue, 3);
  queue_requeue (f->queue, 1399);
  g_assert_cmpuint (get (f->queue, FALSE, TRUE), ==, 3);
  g_assert_cmpuint (get (f->queue, TRUE, TRUE), ==, 700);
  g_assert_cmpuint (get (f->queue, TRUE, TRUE), ==, 1399);
  g_assert_cmpuint (get (f->queue, TRUE, FALSE), ==, 1400);
  queue_requeue (f->queue, 3);
  g_assert_cmpuint (get (f->queue, TRUE, TRUE), ==, 3);
}

static void
test_settled_is_gone (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  fill (f->queue, 3);
  get (f->queue, FALSE, FALSE);
  get (f->queue, FALSE, FALSE);
  g_assert_cmpuint (message_number (queue_peek_unacked (f->queue, 1)), ==, 1);
  queue_acknowledge (f->queue, 0);
  queue_reject (f->queue, 1);
  g_assert_null (queue_peek_unacked (f->queue, 0));
  g_assert_null (queue_peek_unacked (f->queue, 1));
  g_assert_null (queue_peek_unacked (f->queue, 2));
  g_assert_null (queue_peek_unacked (f->queue, 1000000));
  g_assert_cmpuint (f->queue->n_unacked, ==, 0);
  g_assert_cmpuint (f->queue->n_ready, ==, 1);
  g_assert_cmpuint (f->queue->ready_bytes, ==, 1);
}

static void
test_purge_leaves_the_unacked (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  fill (f->queue, 2000);
  for (guint64 i = 0; i < 700; i++)
    get (f->queue, FALSE, FALSE);
  queue_requeue (f->queue, 5);
  g_assert_cmpuint (queue_purge (f->queue), ==, 1301);
  g_assert_cmpuint (f->queue->n_ready, ==, 0);
  g_assert_cmpuint (f->queue->ready_bytes, ==, 0);
  g_assert_cmpuint (f->queue->n_unacked, ==, 699);
  g_assert_cmpuint (broker_digest (f->broker), ==, broker_digest_in_full (f->broker));
  publish_number (f->queue, 77);
  queue_requeue (f->queue, 600);
  g_assert_cmpuint (get (f->queue, FALSE, TRUE), ==, 600);
  g_assert_cmpuint (get (f->queue, FALSE, FALSE), ==, 77);
  g_assert_cmpuint (queue_purge (f->queue), ==, 0);
}

static void
test_much_is_freed_bit_by_bit (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (Message) message = message_of_number (1);
  guint before, events = 1;

  for (guint i = 0; i < 100000; i++)
    queue_enqueue (f->queue, message);
  queue_purge (f->queue);
  g_assert_cmpuint (message->ref_count, ==, 100001);
  for (before = message->ref_count; broker_reap (f->broker); before = message->ref_count)
    {
      g_assert_cmpuint (before - message->ref_count, <=, 2048);
      events++;
    }
  g_assert_cmpuint (message->ref_count, ==, 1);
  g_assert_cmpuint (events, >=, 100000 / 2048);
  g_assert_cmpuint (events, <=, 100000 / 2048 + 2);
}

static void
test_deleted_does_nothing (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (Queue) queue = queue_ref (f->queue);
  guint64 n_messages;
  QueueDelivery delivery;

  fill (queue, 5);
  get (queue, FALSE, FALSE);
  get (queue, FALSE, FALSE);
  g_assert_true (vhost_delete_queue (f->vhost, queue, FALSE, FALSE, &n_messages, NULL));
  g_assert_cmpuint (n_messages, ==, 3);
  queue_acknowledge (queue, 0);
  queue_requeue (queue, 1);
  queue_reject (queue, 1);
  publish_number (queue, 9);
  queue_dispatch (queue);
  g_assert_null (queue_peek_unacked (queue, 0));
  g_assert_false (queue_get (queue, FALSE, &delivery));
  g_assert_cmpuint (queue_purge (queue), ==, 0);
  g_assert_cmpuint (queue->n_ready + queue->n_unacked, ==, 0);
  g_assert_null (vhost_lookup_queue (f->vhost, slice_of_text ("q")));
}

static void
test_one_message_in_many_queues (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (Message) message = message_of_number (1);
  Queue *other = declare (f->vhost, "other");

  queue_enqueue (f->queue, message);
  queue_enqueue (other, message);
  g_assert_cmpuint (message->ref_count, ==, 3);
  get (f->queue, TRUE, FALSE);
  g_assert_cmpuint (message->ref_count, ==, 2);
  get (other, FALSE, FALSE);
  g_assert_cmpuint (message->ref_count, ==, 2);
  queue_acknowledge (other, 0);
  g_assert_cmpuint (message->ref_count, ==, 1);
}

static void
test_nothing_goes_uncounted (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  const Queue *queue = f->queue;

  fill (f->queue, 10);
  for (guint64 i = 0; i < 5; i++)
    get (f->queue, FALSE, FALSE);
  get (f->queue, TRUE, FALSE);
  queue_acknowledge (f->queue, 0);
  queue_reject (f->queue, 1);
  queue_requeue (f->queue, 2);
  g_assert_cmpuint (queue->n_taken, ==, 2);
  g_assert_cmpuint (queue->n_dropped, ==, 1);
  g_assert_true (queue_is_conserved (queue));
  g_assert_cmpuint (queue_purge (f->queue), ==, 5);
  g_assert_cmpuint (queue->n_purged, ==, 5);
  g_assert_true (queue_is_conserved (queue));
  f->queue->n_unacked++;
  g_assert_false (queue_is_conserved (queue));
  f->queue->n_unacked--;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(claim, test) g_test_add ("/broker/queue/" claim, Fixture, NULL, set_up, test, tear_down)
  ADD ("first-in-first-out", test_first_in_first_out);
  ADD ("requeue-keeps-order", test_requeue_keeps_order);
  ADD ("settled-is-gone", test_settled_is_gone);
  ADD ("purge-leaves-the-unacked", test_purge_leaves_the_unacked);
  ADD ("much-is-freed-bit-by-bit", test_much_is_freed_bit_by_bit);
  ADD ("deleted-does-nothing", test_deleted_does_nothing);
  ADD ("nothing-goes-uncounted", test_nothing_goes_uncounted);
  ADD ("one-message-in-many-queues", test_one_message_in_many_queues);
#undef ADD
  return g_test_run ();
}
