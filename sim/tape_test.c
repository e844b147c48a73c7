/* SPDX-License-Identifier: MIT */
#include "sim/tape_test.h"
#include "core/base/digest.h"
#include "core/cluster/cluster_parts.h"
#include "core/node/node_parts.h"
#include "sim/checker_tape.h"
#include "sim/client.h"
#include "sim/link.h"
#include "sim/unclustered.h"

#define MEMBERS_MAX  20
#define MESSAGES_MAX 20000

typedef struct Connected
{
  guint client;
  guint member;
  Conversation *conversation;
  guint64 safe;
  gboolean is_accepted; /* it was not on its way any more */
  gboolean is_closed;
} Connected;

struct TapeTest
{
  World *world;
  TapeShelf *shelf;
  GArray *connections; /* of Connected, by number - 1 */
  guint64 n_compared;
};

gboolean
tape_test_is_worth_it (const SimOptions *options)
{
  return options->members <= MEMBERS_MAX && options->messages <= MESSAGES_MAX;
}

static void
connected_clear (gpointer data)
{
  conversation_free (((Connected *) data)->conversation);
}

TapeTest *
tape_test_new (World *world)
{
  TapeTest *test = g_new0 (TapeTest, 1);

  test->world = world;
  test->shelf = tape_shelf_new ();
  test->connections = g_array_new (FALSE, FALSE, sizeof (Connected));
  g_array_set_clear_func (test->connections, connected_clear);
  return test;
}

void
tape_test_free (TapeTest *test)
{
  tape_shelf_free (test->shelf);
  g_array_unref (test->connections);
  g_free (test);
}

TapeShelf *
tape_test_shelf (TapeTest *test)
{
  return test->shelf;
}

guint64
tape_test_compared (const TapeTest *test)
{
  return test->n_compared;
}

static Connected *
connected_at (TapeTest *test, guint64 connection)
{
  return &g_array_index (test->connections, Connected, connection - 1);
}

Conversation *
tape_test_connect (TapeTest *test, guint64 connection, guint client, guint member)
{
  const Connected connected = { client, member, conversation_new (), G_MAXUINT64, FALSE, FALSE };

  g_assert (connection == test->connections->len + 1);
  g_array_append_val (test->connections, connected);
  return connected.conversation;
}

void
tape_test_accepted (TapeTest *test, guint64 connection)
{
  connected_at (test, connection)->is_accepted = TRUE;
}

Conversation *
tape_test_conversation (TapeTest *test, guint64 connection)
{
  return connected_at (test, connection)->conversation;
}

void
tape_test_closed (TapeTest *test, guint64 connection)
{
  connected_at (test, connection)->is_closed = TRUE;
}

void
tape_test_member_lost (TapeTest *test, guint member, guint64 agreed)
{
  for (guint i = 0; i < test->connections->len; i++)
    {
      Connected *connected = &g_array_index (test->connections, Connected, i);

      if (connected->member == member && connected->is_accepted && connected->safe == G_MAXUINT64)
        connected->safe = agreed;
    }
}

static void
compare (TapeTest *test, const Unclustered *broker, guint index)
{
  const Connected *connected = &g_array_index (test->connections, Connected, index);
  const HeardBy heard = {
    .client = world_client (test->world, connected->client)->name,
    .member = sim_member_name (world_member (test->world, connected->member)),
    .number = index + 1,
    .conversation = connected->conversation,
    .safe = connected->safe,
    .confirms_are_safe = test->world->options->reply_when != REPLY_WHEN_SELF,
    .is_complete = connected->is_closed,
  };
  g_autofree char *peer = link_peer (connected->client, index + 1);

  test->n_compared += checker_tape_compare (test->world->findings, &heard,
                                            unclustered_conversation (broker, peer));
}

void
tape_test_end (TapeTest *test, SimMember *member, const Tape *tape)
{
  World *world = test->world;
  Node *node = sim_member_peek_node (member);
  g_autoptr (Unclustered) broker = unclustered_new (node->cluster->cluster_id);
  guint64 digest
      = digest_combine (broker_digest (node->broker), session_map_digest (node->sessions));

  unclustered_play (broker, tape);
  checker_tape_state (world->findings, world_now_us (world), sim_member_name (member),
                      node_position (node), digest, unclustered_digest (broker));
  for (guint i = 0; i < test->connections->len; i++)
    compare (test, broker, i);
}
