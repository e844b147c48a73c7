/* SPDX-License-Identifier: MIT */
/* Clients that say anything, at three members: no bytes of theirs may end a member, or make two
 * members differ. Compared after every delivered message; the sanitizers see the rest. */
#include "tests/node/harness.h"
#include "tests/node/random_frames.h"

#include <stdio.h>

#define N_MEMBERS 3
#define N_CLIENTS 5

typedef struct Storm
{
  Harness *harness;
  GRand *random;
  TestClient *clients[N_CLIENTS];
} Storm;

static guint
some_active_member (Storm *storm)
{
  guint index = (guint) g_rand_int_range (storm->random, 0, N_MEMBERS);

  while (storm->harness->members[index].node == NULL
         || node_state (storm->harness->members[index].node) != NODE_ACTIVE)
    index = (index + 1) % N_MEMBERS;
  return index;
}

static void
step_and_check (Harness *harness)
{
  while (harness_step (harness))
    harness_check_digests (harness);
  harness_check_digests (harness);
}

/* Channels 1 to 3 are open and the queues are there, so that more than errors comes of it. */
static void
begin_reasonably (TestClient *client)
{
  static const char *const queues[] = { "a", "b", "c" };
  Method method = { .id = METHOD_CHANNEL_OPEN };

  test_client_method (client, 2, &method);
  test_client_method (client, 3, &method);
  for (guint i = 0; i < G_N_ELEMENTS (queues); i++)
    {
      method = (Method){ .id = METHOD_QUEUE_DECLARE };
      method.queue_declare.queue = slice_of_text (queues[i]);
      method.queue_declare.auto_delete = i == 2;
      test_client_method (client, (guint16) (i + 1), &method);
    }
  test_client_flush (client);
}

static void
renew_client (Storm *storm, guint index)
{
  guint home = some_active_member (storm);

  if (storm->clients[index] != NULL)
    test_client_free (storm->clients[index]);
  if (g_rand_int_range (storm->random, 0, 8) == 0)
    {
      storm->clients[index] = test_client_new_bare (storm->harness, home);
      return;
    }
  storm->clients[index] = test_client_new (storm->harness, home);
  begin_reasonably (storm->clients[index]);
}

/* The bytes of some frames, as one piece. */
static GByteArray *
draw_bytes (Storm *storm)
{
  g_autoptr (FrameWriter) writer = frame_writer_new ();
  GByteArray *bytes = g_byte_array_new ();
  guint n_frames = (guint) g_rand_int_range (storm->random, 1, 12);
  Slice slice;

  for (guint i = 0; i < n_frames; i++)
    random_frames_write (storm->random, writer);
  while (frame_writer_peek (writer, &slice, 1) > 0)
    {
      g_byte_array_append (bytes, slice.bytes, (guint) slice.length);
      frame_writer_consume (writer, slice.length);
    }
  return bytes;
}

static void
mutate (GRand *random, GByteArray *bytes)
{
  guint n = (guint) g_rand_int_range (random, 1, 4);

  for (guint i = 0; i < n && bytes->len > 1; i++)
    {
      guint at = (guint) g_rand_int_range (random, 0, (gint32) bytes->len);

      switch (g_rand_int_range (random, 0, 3))
        {
        case 0:
          bytes->data[at] ^= (guint8) (1u << g_rand_int_range (random, 0, 8));
          break;
        case 1:
          bytes->data[at] = (guint8) g_rand_int (random);
          break;
        default:
          g_byte_array_set_size (bytes, at);
          break;
        }
    }
}

static void
forget_client (Storm *storm, guint index)
{
  TestClient *client = storm->clients[index];

  node_client_gone (client->node, client->client);
  renew_client (storm, index);
}

/* What the member says; where it closes a channel, the client opens it again. An answer to a
 * delivery is nearly always one that is due. */
static void
listen (Storm *storm, TestClient *client)
{
  Frame frame;
  Method method, answer;

  while (test_client_next (client, &frame, &method))
    {
      if (frame.type != FRAME_METHOD)
        continue;
      answer = (Method){ .id = METHOD_CHANNEL_CLOSE_OK };
      if (method.id == METHOD_CHANNEL_CLOSE)
        test_client_method (client, frame.channel, &answer);
      answer = (Method){ .id = METHOD_CHANNEL_OPEN };
      if (method.id == METHOD_CHANNEL_CLOSE || method.id == METHOD_CHANNEL_CLOSE_OK)
        test_client_method (client, frame.channel, &answer);
      answer = (Method){ .id = METHOD_BASIC_ACK };
      answer.basic_ack.delivery_tag = method.basic_deliver.delivery_tag;
      answer.basic_ack.multiple = g_rand_int_range (storm->random, 0, 8) == 0;
      if (method.id == METHOD_BASIC_DELIVER && g_rand_int_range (storm->random, 0, 3) == 0)
        test_client_method (client, frame.channel, &answer);
    }
  test_client_flush (client);
}

static void
say_something (Storm *storm)
{
  guint index = (guint) g_rand_int_range (storm->random, 0, N_CLIENTS);
  TestClient *client = storm->clients[index];
  g_autoptr (GByteArray) bytes = draw_bytes (storm);

  if (g_rand_int_range (storm->random, 0, 20) == 0)
    mutate (storm->random, bytes);
  test_client_bytes (client, bytes->data, bytes->len);
  if (g_rand_boolean (storm->random))
    step_and_check (storm->harness);
  if (g_rand_int_range (storm->random, 0, 4) > 0) /* the others are slow to read */
    listen (storm, client);
  if (g_rand_int_range (storm->random, 0, 60) == 0)
    client_end_of_file (client->client);
  if (client_is_finished (client->client) || g_rand_int_range (storm->random, 0, 60) == 0)
    forget_client (storm, index);
}

/* A member is lost, and comes back, in the middle of it all. */
static void
lose_and_return (Storm *storm)
{
  guint lost = (guint) g_rand_int_range (storm->random, 0, N_MEMBERS);
  const Node *node = storm->harness->members[lost].node;

  harness_crash (storm->harness, lost);
  step_and_check (storm->harness);
  for (guint i = 0; i < N_CLIENTS; i++)
    if (storm->clients[i]->node == node)
      renew_client (storm, i);
  for (guint i = 0; i < 10; i++)
    say_something (storm);
  harness_start (storm->harness, lost);
  for (guint i = 0; i < 10; i++)
    say_something (storm);
  harness_settle (storm->harness);
  g_assert_cmpint (node_state (storm->harness->members[lost].node), ==, NODE_ACTIVE);
  harness_check_digests (storm->harness);
}

static void
run_seed (guint32 seed)
{
  g_autoptr (Harness) harness = harness_new (N_MEMBERS, N_MEMBERS);
  Storm storm = { .harness = harness, .random = g_rand_new_with_seed (seed) };

  for (guint i = 0; i < N_CLIENTS; i++)
    renew_client (&storm, i);
  for (guint round = 0; round < 4; round++)
    {
      for (guint i = 0; i < 60; i++)
        say_something (&storm);
      lose_and_return (&storm);
    }
  step_and_check (harness);
  for (guint i = 0; i < N_MEMBERS; i++)
    g_assert_cmpint (node_state (harness->members[i].node), ==, NODE_ACTIVE);
  g_assert_true (harness_traced (harness, "", "send basic.deliver"));
  for (guint i = 0; i < N_CLIENTS; i++)
    test_client_free (storm.clients[i]);
  g_rand_free (storm.random);
}

/* CONSORT_TEST_SEEDS=from-to runs others. */
static void
test_any_bytes (void)
{
  const char *range = g_getenv ("CONSORT_TEST_SEEDS");
  guint from = 1, to = 10;

  if (range != NULL)
    g_assert_cmpint (sscanf (range, "%u-%u", &from, &to), ==, 2);
  for (guint seed = from; seed <= to; seed++)
    {
      g_test_message ("seed %u", seed);
      run_seed (seed);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node/random-bytes/members-stay-equal", test_any_bytes);
  return g_test_run ();
}
