/* SPDX-License-Identifier: MIT */
/* What waits for what. */
#include "core/session/reply_gate.h"

typedef struct Fixture
{
  ReplyGate *gate;
  GString *told; /* "CHANNEL METHOD; " */
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  (void) data;
  fixture->gate = reply_gate_new ();
  fixture->told = g_string_new (NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  (void) data;
  reply_gate_free (fixture->gate);
  g_string_free (fixture->told, TRUE);
}

static void
tell (gpointer user_data, guint16 channel, const Method *method, const Message *content,
      gsize credit)
{
  Fixture *fixture = user_data;

  (void) content;
  g_string_append_printf (fixture->told, "%u %s", channel, method_name (method->id));
  if (method->id == METHOD_BASIC_ACK)
    g_string_append_printf (fixture->told, " %s%" G_GUINT64_FORMAT,
                            method->basic_ack.multiple ? "<=" : "", method->basic_ack.delivery_tag);
  if (credit > 0)
    g_string_append_printf (fixture->told, " costs %" G_GSIZE_FORMAT, credit);
  g_string_append (fixture->told, "; ");
}

/* Nothing is released. TRUE: it passes all the same. */
static gboolean
reply (Fixture *fixture, guint16 channel, MethodId id, guint64 position, gboolean must_be_safe)
{
  Method method = { .id = id };
  const GatedReply reply = {
    .channel = channel,
    .must_be_safe = must_be_safe,
    .position = position,
    .method = &method,
  };

  if (id == METHOD_BASIC_ACK)
    method.basic_ack.delivery_tag = position;
  return reply_gate_passes (fixture->gate, &reply, 0);
}

static void
release (Fixture *fixture, guint64 limit, const char *told)
{
  g_string_truncate (fixture->told, 0);
  reply_gate_release (fixture->gate, limit, tell, fixture);
  g_assert_cmpstr (fixture->told->str, ==, told);
}

static void
test_holds_what_must_be_safe (Fixture *fixture, gconstpointer data)
{
  (void) data;
  g_assert_true (reply (fixture, 1, METHOD_BASIC_DELIVER, 1, FALSE));
  g_assert_false (reply (fixture, 1, METHOD_QUEUE_DECLARE_OK, 2, TRUE));
  release (fixture, 1, "");
  release (fixture, 2, "1 queue.declare-ok; ");
  g_assert_true (reply_gate_is_empty (fixture->gate));
}

/* What follows on the same lane waits; the other lane and other channels do not. */
static void
test_lanes (Fixture *fixture, gconstpointer data)
{
  (void) data;
  g_assert_false (reply (fixture, 1, METHOD_QUEUE_DECLARE_OK, 5, TRUE));
  g_assert_false (reply (fixture, 1, METHOD_BASIC_DELIVER, 6, FALSE));
  g_assert_true (reply (fixture, 2, METHOD_BASIC_DELIVER, 6, FALSE));
  g_assert_true (reply (fixture, 1, METHOD_BASIC_RETURN, 6, FALSE));
  g_assert_false (reply (fixture, 1, METHOD_BASIC_ACK, 6, TRUE));
  g_assert_false (reply (fixture, 1, METHOD_BASIC_RETURN, 7, FALSE));
  reply_gate_charge (fixture->gate, 3);
  release (fixture, 4, "");
  release (fixture, 5, "1 queue.declare-ok; 1 basic.deliver; ");
  release (fixture, 6, "1 basic.ack 6; 1 basic.return costs 3; ");
  g_assert_true (reply_gate_is_empty (fixture->gate));
}

/* A close waits for both lanes of its channel, whichever is released first. */
static void
test_close_waits_for_both_lanes (Fixture *fixture, gconstpointer data)
{
  (void) data;
  g_assert_false (reply (fixture, 1, METHOD_BASIC_ACK, 5, TRUE));
  g_assert_false (reply (fixture, 1, METHOD_CHANNEL_CLOSE_OK, 6, FALSE));
  g_assert_true (reply (fixture, 2, METHOD_CHANNEL_CLOSE_OK, 6, FALSE));
  release (fixture, 4, "");
  release (fixture, 5, "1 basic.ack 5; 1 channel.close-ok; ");
  g_assert_false (reply (fixture, 1, METHOD_QUEUE_DECLARE_OK, 7, TRUE));
  g_assert_false (reply (fixture, 1, METHOD_BASIC_ACK, 8, TRUE));
  g_assert_false (reply (fixture, 1, METHOD_CHANNEL_CLOSE, 8, FALSE));
  release (fixture, 7, "1 queue.declare-ok; ");
  release (fixture, 8, "1 basic.ack 8; 1 channel.close; ");
}

/* Confirms that become safe together leave as one, but not over a return that lies between. */
static void
test_confirms_join (Fixture *fixture, gconstpointer data)
{
  (void) data;
  for (guint64 position = 1; position <= 3; position++)
    g_assert_false (reply (fixture, 1, METHOD_BASIC_ACK, position, TRUE));
  g_assert_false (reply (fixture, 1, METHOD_BASIC_RETURN, 4, FALSE));
  g_assert_false (reply (fixture, 1, METHOD_BASIC_ACK, 4, TRUE));
  g_assert_false (reply (fixture, 2, METHOD_BASIC_ACK, 5, TRUE));
  release (fixture, 2, "1 basic.ack <=2; ");
  release (fixture, 9, "1 basic.ack 3; 1 basic.return; 1 basic.ack 4; 2 basic.ack 5; ");
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/session/reply-gate/holds-what-must-be-safe", test_holds_what_must_be_safe },
    { "/session/reply-gate/lanes", test_lanes },
    { "/session/reply-gate/close-waits-for-both-lanes", test_close_waits_for_both_lanes },
    { "/session/reply-gate/confirms-join", test_confirms_join },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].run, tear_down);
  return g_test_run ();
}
