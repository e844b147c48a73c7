/* SPDX-License-Identifier: MIT */
/* The design note's chains, shown by trace: which handlers each frame passes on which member, that
 * nothing acts on it before the group has delivered it back, and that only the primary sends. */
#include "tests/node/harness.h"

/* The lines of one member that begin with `prefix`, without it, up to the first blank. */
static char *
words_of (const Harness *harness, char member, const char *prefix)
{
  g_autofree char *start = g_strdup_printf ("%c %s ", member, prefix);
  g_autoptr (GString) words = g_string_new (NULL);

  for (guint i = 0; i < harness->lines->len; i++)
    {
      const char *line = harness->lines->pdata[i];
      const char *word = line + strlen (start);

      if (!g_str_has_prefix (line, start))
        continue;
      g_string_append_printf (words, "%s%.*s", words->len == 0 ? "" : " > ",
                              (int) strcspn (word, " "), word);
    }
  return g_string_free (g_steal_pointer (&words), FALSE);
}

static void
check_words (const Harness *harness, char member, const char *prefix, const char *expected)
{
  g_autofree char *words = words_of (harness, member, prefix);

  g_assert_cmpstr (words, ==, expected);
}

#define EDGE      "ConnectionFrameHandler > ReplicateOutHandler"
#define GROUP     "MulticastFrameHandler > RequestResponseHandler > ProcessFrameHandler"
#define RECORDING "RequestResponseHandler > RecordSessionHandler"
#define SENDING   RECORDING " > SafeReplyHandler > ConnectionSendHandler"

/* A method that is answered: there, everywhere, and back. */
static void
test_request_and_answer (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) client = test_client_new (harness, 1);

  harness_forget_trace (harness);
  test_client_declare (client, harness, "q");
  check_words (harness, 'A', "handler", GROUP " > " RECORDING);
  check_words (harness, 'B', "handler", EDGE " > " GROUP " > " SENDING);
  check_words (harness, 'C', "handler", GROUP " > " RECORDING);
  check_words (harness, 'A', "send", "");
  check_words (harness, 'B', "send", "queue.declare-ok");
  check_words (harness, 'C', "send", "");
}

/* A publish is three frames in, one for all that came together, and one message out where its
 * consumer is. */
static void
test_publish_and_deliver (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) publisher = test_client_new (harness, 0);
  g_autoptr (TestClient) consumer = test_client_new (harness, 2);

  test_client_declare (publisher, harness, "q");
  test_client_consume (consumer, harness, "q", "c");
  harness_forget_trace (harness);
  test_client_publish (publisher, "q", "hello");
  harness_settle (harness);
  check_words (harness, 'A', "handler", EDGE " > " EDGE " > " EDGE " > " GROUP " > " RECORDING);
  check_words (harness, 'B', "handler", GROUP " > " RECORDING);
  check_words (harness, 'C', "handler", GROUP " > " SENDING);
  check_words (harness, 'A', "send", "");
  check_words (harness, 'B', "send", "");
  check_words (harness, 'C', "send", "basic.deliver");
}

/* "A node that sends a message cannot take actions associated with that message until it is
 * self-delivered" (the note): after the edge nothing has changed, whatever the client sent. */
static void
test_nothing_before_delivery (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  Method declare = { .id = METHOD_QUEUE_DECLARE };
  guint64 digest = node_digest (client->node);

  harness_forget_trace (harness);
  declare.queue_declare.queue = slice_of_text ("q");
  test_client_method (client, 1, &declare);
  test_client_flush (client);
  node_flush (client->node);
  check_words (harness, 'A', "handler", EDGE);
  check_words (harness, 'A', "deliver", "");
  g_assert_cmphex (node_digest_in_full (client->node), ==, digest);
  g_assert_false (client_has_output (client->client));
  harness_settle (harness);
  check_words (harness, 'A', "deliver", "ordered");
  g_assert_cmphex (node_digest (client->node), !=, digest);
  g_assert_true (client_has_output (client->client));
}

/* What the edge finds malformed is seen by no other member. */
static void
test_malformed_frames_stay_here (void)
{
  g_autoptr (Harness) harness = harness_new (3, 3);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  Method method = { .id = METHOD_CHANNEL_OPEN };

  harness_forget_trace (harness);
  test_client_method (client, 101, &method); /* above channel_max */
  test_client_expect (client, harness, METHOD_CONNECTION_CLOSE, &method);
  g_assert_cmpuint (method.connection_close.reply_code, ==, 504);
  check_words (harness, 'A', "handler", "ConnectionFrameHandler");
  check_words (harness, 'B', "handler", "");
  check_words (harness, 'C', "handler", "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/handlers/chains/request-and-answer", test_request_and_answer);
  g_test_add_func ("/handlers/chains/publish-and-deliver", test_publish_and_deliver);
  g_test_add_func ("/handlers/chains/nothing-before-delivery", test_nothing_before_delivery);
  g_test_add_func ("/handlers/chains/malformed-frames-stay-here", test_malformed_frames_stay_here);
  return g_test_run ();
}
