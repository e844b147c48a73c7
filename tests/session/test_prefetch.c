/* SPDX-License-Identifier: MIT */
/* basic.qos and credit: how much a client is given before it answers. */
#include "core/base/limits.h"
#include "tests/session/fixture.h"

static void
qos (Session *session, guint16 count, gboolean global)
{
  Method method = { .id = METHOD_BASIC_QOS };

  method.basic_qos.prefetch_count = count;
  method.basic_qos.global = global;
  g_assert_cmpuint (world_apply (session, &method), ==, 0);
  world_forget_heard ((World *) session->connection->map->chains);
}

/* Each consumer that comes after basic.qos has a window of its own; one that went before has the
 * former. */
static void
test_per_consumer (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = world_session (world, 1, 1);

  world_declare (session, "q");
  qos (session, 1, FALSE);
  world_consume (session, "q", "one");
  qos (session, 2, FALSE);
  world_consume (session, "q", "two");
  for (guint i = 0; i < 5; i++)
    world_publish (session, "q", "m");
  world_assert_heard (world, "1:deliver 1 m; 1:deliver 2 m; 1:deliver 3 m; ");
  g_assert_cmpuint (world_ack (session, 1, FALSE), ==, 0);
  world_assert_heard (world, "1:deliver 4 m; ");
  world_check_digest (world);
}

/* `global`: the channel's consumers share one. */
static void
test_per_channel (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = world_session (world, 1, 1);

  world_declare (session, "a");
  world_declare (session, "b");
  qos (session, 2, TRUE);
  world_consume (session, "a", "a");
  world_consume (session, "b", "b");
  world_publish (session, "a", "1");
  world_publish (session, "a", "2");
  world_publish (session, "b", "3");
  world_assert_heard (world, "1:deliver 1 1; 1:deliver 2 2; ");
  g_assert_cmpuint (world_ack (session, 1, FALSE), ==, 0);
  world_assert_heard (world, "1:deliver 3 3; ");
  world_check_digest (world);
}

/* What basic.get gave is in no window. */
static void
test_get_is_in_no_window (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = world_session (world, 1, 1);
  Method method = { .id = METHOD_BASIC_GET };

  world_declare (session, "q");
  world_publish (session, "q", "1");
  qos (session, 1, TRUE);
  method.basic_get.queue = slice_of_text ("q");
  g_assert_cmpuint (world_apply (session, &method), ==, 0);
  world_consume (session, "q", "t");
  world_publish (session, "q", "2");
  world_assert_heard (world, "1:basic.get-ok; 1:deliver 2 2; ");
}

/* What a consumer was given stays in the channel's window when the consumer is cancelled, until
 * it is settled; and then the others are served. */
static void
test_cancelled_consumer_stays_in_window (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = world_session (world, 1, 1);
  Method method = { .id = METHOD_BASIC_CANCEL };

  world_declare (session, "a");
  world_declare (session, "b");
  qos (session, 1, TRUE);
  world_consume (session, "a", "a");
  world_consume (session, "b", "b");
  world_publish (session, "a", "1");
  world_publish (session, "b", "2");
  world_assert_heard (world, "1:deliver 1 1; ");
  method.basic_cancel.consumer_tag = slice_of_text ("a");
  method.basic_cancel.no_wait = TRUE;
  g_assert_cmpuint (world_apply (session, &method), ==, 0);
  world_publish (session, "b", "3");
  world_assert_heard (world, "");
  g_assert_cmpuint (world_ack (session, 1, FALSE), ==, 0);
  world_assert_heard (world, "1:deliver 2 2; ");
  world_check_digest (world);
}

/* The same when the consumer's queue is deleted. */
static void
test_deleted_queue_stays_in_window (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = world_session (world, 1, 1);
  Session *other = world_session (world, 2, 2);
  Method method = { .id = METHOD_QUEUE_DELETE };

  world_declare (session, "a");
  world_declare (session, "b");
  qos (session, 1, TRUE);
  world_consume (session, "a", "a");
  world_consume (session, "b", "b");
  world_publish (session, "a", "1");
  world_publish (session, "b", "2");
  method.queue_delete.queue = slice_of_text ("a");
  g_assert_cmpuint (world_apply (other, &method), ==, 0);
  world_assert_heard (world, "1:deliver 1 1; 1:basic.cancel; 2:queue.delete-ok; ");
  g_assert_cmpuint (world_ack (session, 1, FALSE), ==, 0);
  world_assert_heard (world, "1:deliver 2 2; ");
  world_check_digest (world);
}

/* A wider window, or none, serves at once. */
static void
test_wider_window_serves (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = world_session (world, 1, 1);

  world_declare (session, "q");
  qos (session, 1, TRUE);
  world_consume (session, "q", "t");
  for (guint i = 0; i < 3; i++)
    world_publish (session, "q", "m");
  world_forget_heard (world);
  session->prefetch_channel = 0;
  session_serve (session);
  world_assert_heard (world, "1:deliver 2 m; 1:deliver 3 m; ");
}

/* Used-up credit stops all consumers of the connection; one message may take it below zero. */
static void
test_credit (void)
{
  g_autoptr (World) world = world_new ();
  Session *first = world_session (world, 1, 1);
  Connection *connection = first->connection;

  world_declare (first, "q");
  world_consume (first, "q", "t");
  connection_take_credit (connection, LIMIT_CONNECTION_CREDIT - 1);
  for (guint i = 0; i < 3; i++)
    world_publish (first, "q", "m");
  world_assert_heard (world, "1:deliver 1 m; ");
  g_assert_true (connection_must_wait (connection));
  connection_add_credit (connection, 1);
  world_assert_heard (world, "");
  connection_add_credit (connection, LIMIT_CONNECTION_CREDIT / 2);
  world_assert_heard (world, "1:deliver 2 m; 1:deliver 3 m; ");
  connection_add_credit (connection, G_MAXUINT32);
  g_assert_cmpint (connection->credit, ==, LIMIT_CONNECTION_CREDIT);
  world_check_digest (world);
}

/* Two queues that never run out, and room for one message at a time: each is served again and
 * again, whichever consumer's name, or channel, comes first. */
static void
test_nobody_waits_for_ever (gconstpointer data)
{
  gboolean by_credit = GPOINTER_TO_INT (data);
  g_autoptr (World) world = world_new ();
  Session *first = world_session (world, 1, 1);
  Session *second = by_credit ? world_session (world, 1, 2) : first;
  guint n_served[2] = { 0, 0 };

  world_declare (first, "a");
  world_declare (first, "b");
  for (guint i = 0; i < 100; i++)
    {
      world_publish (first, "a", "a");
      world_publish (first, "b", "b");
    }
  if (by_credit)
    connection_take_credit (first->connection, LIMIT_CONNECTION_CREDIT);
  else
    first->prefetch_channel = 1;
  world_consume (first, "a", "a");
  world_consume (second, "b", "b");
  for (guint event = 1; event <= 100; event++)
    {
      world->map->position = event * 2;
      if (by_credit)
        connection_add_credit (first->connection,
                               (guint32) (1 - MIN (first->connection->credit, 0)));
      else
        world_ack (first, 0, TRUE);
      g_assert_cmpint (world->heard->len, >, 0);
      n_served[world->heard->str[world->heard->len - 3] == 'b']++;
      world_forget_heard (world);
    }
  g_assert_cmpuint (n_served[0], >, 25);
  g_assert_cmpuint (n_served[1], >, 25);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/session/prefetch/per-consumer", test_per_consumer);
  g_test_add_func ("/session/prefetch/per-channel", test_per_channel);
  g_test_add_func ("/session/prefetch/get-is-in-no-window", test_get_is_in_no_window);
  g_test_add_func ("/session/prefetch/cancelled-consumer-stays-in-window",
                   test_cancelled_consumer_stays_in_window);
  g_test_add_func ("/session/prefetch/deleted-queue-stays-in-window",
                   test_deleted_queue_stays_in_window);
  g_test_add_func ("/session/prefetch/wider-window-serves", test_wider_window_serves);
  g_test_add_func ("/session/prefetch/credit", test_credit);
  g_test_add_data_func ("/session/prefetch/window-for-all", GINT_TO_POINTER (FALSE),
                        test_nobody_waits_for_ever);
  g_test_add_data_func ("/session/prefetch/credit-for-all", GINT_TO_POINTER (TRUE),
                        test_nobody_waits_for_ever);
  return g_test_run ();
}
