/* SPDX-License-Identifier: MIT */
/* What operators order, and nodes too many. */
#include "core/base/error.h"
#include "core/base/limits.h"
#include "core/management/management.h"
#include "core/node/node_parts.h"
#include "tests/node/harness.h"

#include <string.h>

static Node *
node_at (Harness *harness, guint index)
{
  return harness->members[index].node;
}

static NodeState
state_of (Harness *harness, guint index)
{
  return node_state (node_at (harness, index));
}

static void
check_seats (Harness *harness, guint index, const char *expected)
{
  g_autofree char *seats = cluster_seats (node_at (harness, index)->cluster);

  g_assert_cmpstr (seats, ==, expected);
}

/* Three of the four begin; the last one comes later. */
static Harness *
three_and_a_stranger (void)
{
  Harness *harness = harness_new_empty (4, 3);

  for (guint i = 0; i < 3; i++)
    harness_start (harness, i);
  harness_settle (harness);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (state_of (harness, i), ==, NODE_ACTIVE);
  check_seats (harness, 2, "1 2 3");
  return harness;
}

static void
wait_for_state (Harness *harness, guint index, NodeState state)
{
  for (guint i = 0; i < 200 && state_of (harness, index) != state; i++)
    {
      harness->now_us += LIMIT_HELLO_REPEAT_US / 10;
      harness_settle (harness);
    }
  g_assert_cmpint (state_of (harness, index), ==, state);
}

static void
test_a_node_too_many_is_refused (void)
{
  g_autoptr (Harness) harness = three_and_a_stranger ();
  guint64 position;

  harness_start (harness, 3);
  harness_settle (harness);
  g_assert_cmpint (state_of (harness, 3), ==, NODE_IDLE);
  g_assert_nonnull (strstr (node_why_not_serving (node_at (harness, 3)),
                            "refused: all 3 seats of this cluster are taken, by nodes 1 2 3"));
  /* It does not ask all the time. */
  position = node_position (node_at (harness, 0));
  for (guint i = 0; i < 5; i++)
    harness_settle (harness);
  g_assert_cmpuint (node_position (node_at (harness, 0)), ==, position);
  /* Nor is it one of those that make a majority. */
  harness_crash (harness, 1);
  harness_settle (harness);
  g_assert_cmpint (state_of (harness, 0), ==, NODE_ACTIVE);
  harness_crash (harness, 2);
  harness_settle (harness);
  g_assert_cmpint (state_of (harness, 0), ==, NODE_IDLE);
  g_assert_cmpstr (node_why_not_serving (node_at (harness, 0)), ==,
                   "suspended: 1 of 3 voters are heard, 2 are needed; missing: nodes 2 3");
}

/* A stranger among those that begin anew neither hinders nor helps. */
static void
test_holders_begin_beside_a_stranger (void)
{
  g_autoptr (Harness) harness = three_and_a_stranger ();

  harness_start (harness, 3);
  harness_settle (harness);
  harness_crash (harness, 2);
  harness_crash (harness, 1);
  harness_settle (harness);
  g_assert_cmpint (state_of (harness, 0), ==, NODE_IDLE);
  harness_start (harness, 1);
  wait_for_state (harness, 0, NODE_IDLE);
  harness_start (harness, 2);
  wait_for_state (harness, 0, NODE_ACTIVE);
  wait_for_state (harness, 1, NODE_ACTIVE);
  wait_for_state (harness, 2, NODE_ACTIVE);
  g_assert_cmpint (state_of (harness, 3), ==, NODE_IDLE);
  harness_check_digests (harness);
}

static void
test_a_forgotten_node_is_replaced (void)
{
  g_autoptr (Harness) harness = three_and_a_stranger ();

  harness_start (harness, 3);
  harness_settle (harness);
  g_assert_cmpstr (node_forget (node_at (harness, 0), 3), ==,
                   "a member of it is here and has the state: stop it first");
  g_assert_cmpstr (node_forget (node_at (harness, 0), 9), ==, "it has no seat in this cluster");
  harness_crash (harness, 2);
  harness_settle (harness);
  g_assert_null (node_forget (node_at (harness, 0), 3));
  g_assert_nonnull (node_forget (node_at (harness, 0), 3));
  harness_settle (harness);
  /* It hears of the new epoch, and need not wait until it asks again by itself. */
  g_assert_cmpint (state_of (harness, 3), ==, NODE_ACTIVE);
  for (guint i = 0; i < 4; i += i == 1 ? 2 : 1)
    check_seats (harness, i, "1 2 4");
  harness_check_digests (harness);
  /* The old one finds its seat taken. */
  harness_start (harness, 2);
  harness_settle (harness);
  g_assert_cmpint (state_of (harness, 2), ==, NODE_IDLE);
  /* And the new one makes a majority. */
  harness_crash (harness, 1);
  harness_settle (harness);
  g_assert_cmpint (state_of (harness, 0), ==, NODE_ACTIVE);
  g_assert_cmpint (state_of (harness, 3), ==, NODE_ACTIVE);
}

/* Two changes that no majority knows of could make two majorities without a common node. */
static void
test_one_change_at_a_time (void)
{
  g_autoptr (Harness) harness = harness_new (5, 5);

  harness_crash (harness, 4);
  harness_crash (harness, 3);
  harness_settle (harness);
  g_assert_null (node_forget (node_at (harness, 0), 5));
  /* Delivered to this one only. */
  node_flush (node_at (harness, 0));
  while (sim_network_dispatch_member (harness->network, harness->members[0].id, 100))
    ;
  check_seats (harness, 0, "1 2 3 4");
  g_assert_nonnull (strstr (node_forget (node_at (harness, 0), 4), "has not yet been heard"));
  harness_settle (harness);
  g_assert_null (node_forget (node_at (harness, 0), 4));
  harness_settle (harness);
  check_seats (harness, 2, "1 2 3");
  harness_crash (harness, 2);
  harness_settle (harness);
  g_assert_cmpint (state_of (harness, 0), ==, NODE_ACTIVE);
  harness_check_digests (harness);
}

/* --- forming by force ---------------------------------------------------------------------------
 */

static void
check_refused_to_form (Harness *harness, guint index, const char *part)
{
  g_autofree char *why = node_why_not_form (node_at (harness, index));

  g_assert_nonnull (why);
  if (strstr (why, part) == NULL)
    g_error ("'%s' is not in '%s'", part, why);
}

static void
test_the_last_holder_begins_by_force (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  g_autoptr (TestClient) later = NULL;
  Method declare = { .id = METHOD_QUEUE_DECLARE };

  test_client_declare (client, harness, "q");
  check_refused_to_form (harness, 0, "this member is active");
  harness_crash (harness, 1);
  harness_crash (harness, 2);
  harness_settle (harness);
  harness_start (harness, 1);
  harness_settle (harness);
  g_assert_cmpint (state_of (harness, 0), ==, NODE_IDLE);
  check_refused_to_form (harness, 1, "member 1.1, which is here, holds more");
  g_assert_null (node_why_not_form (node_at (harness, 0)));
  node_form_by_force (node_at (harness, 0));
  check_seats (harness, 0, "1");
  wait_for_state (harness, 1, NODE_ACTIVE);
  harness_start (harness, 2);
  wait_for_state (harness, 2, NODE_ACTIVE);
  check_seats (harness, 2, "1 2 3");
  later = test_client_new (harness, 2);
  declare.queue_declare.queue = slice_of_text ("q");
  declare.queue_declare.passive = TRUE;
  test_client_method (later, 1, &declare);
  test_client_expect (later, harness, METHOD_QUEUE_DECLARE_OK, NULL);
  harness_check_digests (harness);
}

/* Two that come at once take their seats one after the other: the second asks again. */
static void
test_seats_are_taken_one_by_one (void)
{
  g_autoptr (Harness) harness = harness_new_empty (5, 5);

  harness_start (harness, 0);
  harness_settle (harness);
  node_form_by_force (node_at (harness, 0));
  harness_settle (harness);
  for (guint i = 1; i < 5; i++)
    harness_start (harness, i);
  for (guint i = 1; i < 5; i++)
    wait_for_state (harness, i, NODE_ACTIVE);
  g_assert_true (
      harness_traced (harness, "A deliver done", "refused: the last change of the seats is not"));
  check_seats (harness, 4, "1 2 3 4 5");
  harness_check_digests (harness);
}

/* The other one begins too, by itself, for all are there. */
static void
test_force_is_refused_where_it_begins_by_itself (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);

  harness_crash (harness, 2);
  harness_crash (harness, 1);
  harness_settle (harness);
  harness_start (harness, 1);
  harness_start (harness, 2);
  while (cluster_n_members (node_at (harness, 0)->cluster) < 3)
    harness_step (harness);
  check_refused_to_form (harness, 0, "has not said what it holds");
  wait_for_state (harness, 0, NODE_ACTIVE);
  wait_for_state (harness, 2, NODE_ACTIVE);
}

/* --- what is told -------------------------------------------------------------------------------
 */

static char *
run (Harness *harness, const char *command, GError **error)
{
  return management_run (node_at (harness, 0), command, MANAGEMENT_TEXT, error);
}

static void
test_health (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autofree char *good = run (harness, "health", NULL);
  g_autofree char *borderline = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (good, ==, "member A: serves: 3 of 3 voters are here, 2 are needed\n");
  harness_crash (harness, 2);
  harness_settle (harness);
  borderline = run (harness, "health", NULL);
  g_assert_cmpstr (borderline, ==,
                   "member A: serves: 2 of 3 voters are here, 2 are needed; missing: nodes 3; the "
                   "loss of one more would suspend it\n");
  harness_crash (harness, 1);
  harness_settle (harness);
  g_assert_null (run (harness, "health", &error));
  g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_REFUSED);
  g_assert_cmpstr (error->message, ==,
                   "member A: suspended: 1 of 3 voters are heard, 2 are needed; missing: nodes 2 "
                   "3");
}

/* It says what may be lost, and does nothing until that is said to be understood. */
static void
test_form_asks_for_yes (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autofree char *done = NULL;
  g_autofree char *holds = NULL;
  g_autoptr (GError) error = NULL;

  harness_crash (harness, 2);
  harness_crash (harness, 1);
  harness_settle (harness);
  g_assert_null (run (harness, "form --force", &error));
  holds = g_strdup_printf ("it holds position %" G_GUINT64_FORMAT ", key ",
                           node_position (node_at (harness, 0)));
  g_assert_nonnull (strstr (error->message, holds));
  g_assert_nonnull (strstr (error->message, "is lost"));
  g_assert_cmpint (state_of (harness, 0), ==, NODE_IDLE);
  done = run (harness, "form --force --yes", NULL);
  g_assert_nonnull (done);
  g_assert_cmpint (state_of (harness, 0), ==, NODE_ACTIVE);
}

/* AMQP has 255 bytes for it. */
static void
test_a_long_reason_is_cut (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  g_autofree char *why = g_strnfill (400, 'x');
  Method method;

  node_drain (node_at (harness, 0), why);
  g_assert_cmpstr (node_why_not_serving (node_at (harness, 0)), ==, why);
  node_stop (node_at (harness, 0));
  test_client_expect (client, harness, METHOD_CONNECTION_CLOSE, &method);
  g_assert_cmpuint (method.connection_close.reply_code, ==, 320);
  g_assert_cmpuint (method.connection_close.reply_text.length, ==, 255);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cluster/operators/a-node-too-many-is-refused",
                   test_a_node_too_many_is_refused);
  g_test_add_func ("/cluster/operators/holders-begin-beside-a-stranger",
                   test_holders_begin_beside_a_stranger);
  g_test_add_func ("/cluster/operators/a-forgotten-node-is-replaced",
                   test_a_forgotten_node_is_replaced);
  g_test_add_func ("/cluster/operators/one-change-at-a-time", test_one_change_at_a_time);
  g_test_add_func ("/cluster/operators/the-last-holder-begins-by-force",
                   test_the_last_holder_begins_by_force);
  g_test_add_func ("/cluster/operators/seats-are-taken-one-by-one",
                   test_seats_are_taken_one_by_one);
  g_test_add_func ("/cluster/operators/force-is-refused-where-it-begins-by-itself",
                   test_force_is_refused_where_it_begins_by_itself);
  g_test_add_func ("/cluster/operators/health-tells-who-is-missing", test_health);
  g_test_add_func ("/cluster/operators/form-asks-for-yes", test_form_asks_for_yes);
  g_test_add_func ("/cluster/operators/a-long-reason-is-cut", test_a_long_reason_is_cut);
  return g_test_run ();
}
