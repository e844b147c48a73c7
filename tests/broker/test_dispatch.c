/* SPDX-License-Identifier: MIT */
#include "tests/broker/fixture.h"

typedef struct Fixture
{
  Broker *broker;
  Queue *queue;
  GString *heard;
  TestConsumer *consumers[4]; /* a, b, c, d: none on the queue yet */
} Fixture;

static void
set_up (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  f->broker = broker_new ();
  f->queue = declare (root_vhost (f->broker), "q");
  f->heard = g_string_new (NULL);
  for (guint i = 0; i < 4; i++)
    {
      f->consumers[i] = test_consumer_new ((char) ('a' + i), G_MAXUINT, FALSE);
      f->consumers[i]->shared = f->heard;
    }
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_cmpuint (broker_digest (f->broker), ==, broker_digest_in_full (f->broker));
  broker_free (f->broker);
  for (guint i = 0; i < 4; i++)
    test_consumer_free (f->consumers[i]);
  g_string_free (f->heard, TRUE);
}

static void
add (Fixture *f, guint count)
{
  for (guint i = 0; i < count; i++)
    g_assert_true (queue_add_consumer (f->queue, &f->consumers[i]->consumer, NULL));
}

static void
publish (Fixture *f, guint64 first, guint64 last)
{
  for (guint64 i = first; i <= last; i++)
    publish_number (f->queue, i);
  queue_dispatch (f->queue);
}

static void
expect (Fixture *f, const char *text)
{
  g_assert_cmpstr (f->heard->str, ==, text);
  g_string_truncate (f->heard, 0);
}

static void
test_in_turn (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  add (f, 3);
  publish (f, 1, 7);
  expect (f, " a:1 b:2 c:3 a:4 b:5 c:6 a:7");
  queue_remove_consumer (f->queue, &f->consumers[1]->consumer);
  publish (f, 8, 10);
  expect (f, " c:8 a:9 c:10");
}

static void
test_newcomer_waits_shortest (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  add (f, 2);
  publish (f, 1, 1);
  g_assert_true (queue_add_consumer (f->queue, &f->consumers[2]->consumer, NULL));
  publish (f, 2, 5);
  expect (f, " a:1 b:2 a:3 c:4 b:5");
}

static void
test_a_full_window_is_not_asked_again (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  f->consumers[0]->window = 1;
  add (f, 2);
  publish (f, 1, 6);
  expect (f, " a:1 b:2 b:3 b:4 b:5 b:6");
  g_assert_cmpuint (f->consumers[0]->n_asked, ==, 2);
  queue_acknowledge (f->queue, test_consumer_take_position (f->consumers[0]));
  publish (f, 7, 7);
  g_assert_cmpuint (f->consumers[0]->n_asked, ==, 2);
  consumer_available (&f->consumers[0]->consumer);
  consumer_available (&f->consumers[0]->consumer);
  publish (f, 8, 10);
  expect (f, " b:7 b:8 a:9 b:10");
}

static void
test_waits_until_somebody_can (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  f->consumers[0]->window = 0;
  add (f, 1);
  publish (f, 1, 2);
  expect (f, "");
  g_assert_cmpuint (f->queue->n_ready, ==, 2);
  f->consumers[0]->window = 5;
  consumer_available (&f->consumers[0]->consumer);
  queue_dispatch (f->queue);
  expect (f, " a:1 a:2");
}

static void
test_requeued_goes_before_the_rest (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  f->consumers[0]->window = 2;
  add (f, 1);
  publish (f, 1, 4);
  queue_requeue (f->queue, test_consumer_take_position (f->consumers[0]));
  queue_requeue (f->queue, test_consumer_take_position (f->consumers[0]));
  consumer_available (&f->consumers[0]->consumer);
  queue_dispatch (f->queue);
  g_assert_cmpstr (f->consumers[0]->heard->str, ==, " 1 2 1! 2!");
}

static void
test_without_ack_is_settled_at_once (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  f->consumers[0]->consumer.no_ack = TRUE;
  add (f, 1);
  publish (f, 1, 3);
  expect (f, " a:1 a:2 a:3");
  g_assert_cmpuint (f->queue->n_unacked + f->queue->n_ready, ==, 0);
}

/* vhost_publish hands a message over without storing it where it can: nobody may see that. */
static void
test_no_detour_is_no_difference (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  Vhost *vhost = root_vhost (f->broker);
  Exchange *exchange = vhost_lookup_exchange (vhost, slice_of_text (""));

  f->consumers[0]->consumer.no_ack = TRUE;
  f->consumers[1]->window = 2;
  publish (f, 1, 1);
  add (f, 2);
  for (guint64 i = 2; i <= 7; i++)
    {
      g_autoptr (Message) message = message_of_number (i);

      g_assert_true (vhost_publish (vhost, exchange, message));
      g_assert_cmpuint (broker_digest (f->broker), ==, broker_digest_in_full (f->broker));
    }
  expect (f, " a:1 b:2 a:3 b:4 a:5 a:6 a:7");
  g_assert_cmpuint (g_array_index (f->consumers[1]->positions, guint64, 0), ==, 1);
  g_assert_cmpuint (g_array_index (f->consumers[1]->positions, guint64, 1), ==, 3);
}

static void
test_exclusive_is_alone (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  Consumer *exclusive = &f->consumers[2]->consumer;

  exclusive->exclusive = TRUE;
  add (f, 1);
  g_assert_false (queue_add_consumer (f->queue, exclusive, &error));
  g_assert_error (error, REPLY_ERROR, REPLY_ACCESS_REFUSED);
  g_assert_cmpstr (error->message, ==, "queue 'q' in vhost '/' in exclusive use");
  g_assert_null (exclusive->queue);
  queue_remove_consumer (f->queue, &f->consumers[0]->consumer);
  g_assert_true (queue_add_consumer (f->queue, exclusive, NULL));
  g_assert_false (queue_add_consumer (f->queue, &f->consumers[0]->consumer, NULL));
}

static void
test_last_one_off_an_auto_delete_queue (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  add (f, 1);
  g_assert_false (queue_remove_consumer (f->queue, &f->consumers[0]->consumer));
  f->queue->auto_delete = TRUE;
  add (f, 2);
  g_assert_false (queue_remove_consumer (f->queue, &f->consumers[1]->consumer));
  g_assert_true (queue_remove_consumer (f->queue, &f->consumers[0]->consumer));
  f->queue->auto_delete = FALSE;
}

static void
test_deletion_cancels_in_order (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  guint64 n_messages;

  add (f, 3);
  publish (f, 1, 1);
  vhost_delete_queue (root_vhost (f->broker), f->queue, FALSE, FALSE, &n_messages, NULL);
  expect (f, " a:1 a:cancelled b:cancelled c:cancelled");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(claim, test)                                                                           \
  g_test_add ("/broker/dispatch/" claim, Fixture, NULL, set_up, test, tear_down)
  ADD ("in-turn", test_in_turn);
  ADD ("newcomer-waits-shortest", test_newcomer_waits_shortest);
  ADD ("a-full-window-is-not-asked-again", test_a_full_window_is_not_asked_again);
  ADD ("waits-until-somebody-can", test_waits_until_somebody_can);
  ADD ("requeued-goes-before-the-rest", test_requeued_goes_before_the_rest);
  ADD ("without-ack-is-settled-at-once", test_without_ack_is_settled_at_once);
  ADD ("no-detour-is-no-difference", test_no_detour_is_no_difference);
  ADD ("exclusive-is-alone", test_exclusive_is_alone);
  ADD ("last-one-off-an-auto-delete-queue", test_last_one_off_an_auto_delete_queue);
  ADD ("deletion-cancels-in-order", test_deletion_cancels_in_order);
#undef ADD
  return g_test_run ();
}
