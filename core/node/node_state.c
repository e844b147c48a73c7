/* SPDX-License-Identifier: MIT */
/* The whole state of a member, given to a newcomer and taken by one, in parts: the broker's
 * structure, what stands in its queues, connections and sessions. Only the second can be large
 * enough for anybody to wait for it; the others are written where the picture is taken. */
#include "core/base/digest.h"
#include "core/node/node_parts.h"

typedef struct Capture
{
  BrokerMessages *messages;
  Buffer *sessions;
} Capture;

/* A state that comes, beside the one that is there. */
typedef struct Coming
{
  Broker *broker;
  SessionMap *sessions;
  BrokerMessages *messages; /* NULL: not even the structure is there */
  gboolean is_whole;
} Coming;

static guint64
state_digest (Node *node)
{
  return digest_combine (broker_digest (node->broker), session_map_digest (node->sessions));
}

gpointer
node_state_capture (gpointer user_data, StateCodec *codec)
{
  Node *node = user_data;
  Capture *capture = g_new0 (Capture, 1);
  g_autoptr (StateCodec) sessions = state_codec_new_writer ();

  broker_structure_state (codec, node->broker);
  capture->messages = broker_messages_new (node->broker);
  session_map_state (sessions, node->sessions);
  capture->sessions = state_codec_finish (sessions);
  if (node->host->watch != NULL)
    node->host->watch->saved (node->host->user_data, node_position (node), state_digest (node));
  return capture;
}

gboolean
node_state_write (gpointer user_data, gpointer data, StateCodec *codec, gsize size)
{
  Capture *capture = data;

  (void) user_data;
  if (!broker_messages_state (codec, capture->messages, size))
    return FALSE;
  state_written (codec, slice_of_buffer (capture->sessions));
  return TRUE;
}

void
node_state_release (gpointer user_data, gpointer data)
{
  Node *node = user_data;
  Capture *capture = data;

  broker_messages_free_later (capture->messages, node->broker);
  buffer_unref (capture->sessions);
  g_free (capture);
}

gpointer
node_state_expect (gpointer user_data)
{
  Coming *coming = g_new0 (Coming, 1);

  (void) user_data;
  coming->broker = broker_new ();
  coming->sessions = session_map_new (coming->broker);
  return coming;
}

gboolean
node_state_read (gpointer user_data, gpointer data, StateCodec *codec)
{
  Coming *coming = data;

  (void) user_data;
  if (coming->messages == NULL)
    {
      if (!broker_structure_state (codec, coming->broker))
        return FALSE;
      coming->messages = broker_messages_new (coming->broker);
    }
  if (broker_messages_state (codec, coming->messages, 0) && state_part_goes_on (codec, 0)
      && !coming->is_whole)
    coming->is_whole = session_map_state (codec, coming->sessions);
  return state_is_complete (codec);
}

void
node_state_give_up (gpointer user_data, gpointer data)
{
  Coming *coming = data;

  (void) user_data;
  g_clear_pointer (&coming->messages, broker_messages_free);
  session_map_free (coming->sessions);
  broker_free (coming->broker);
  g_free (coming);
}

/* What was there goes the way of what is given up. */
gboolean
node_state_take (gpointer user_data, gpointer data)
{
  Node *node = user_data;
  Coming *coming = data;
  Coming former = { .broker = node->broker, .sessions = node->sessions };

  if (!coming->is_whole)
    return FALSE;
  node->broker = coming->broker;
  node->sessions = coming->sessions;
  coming->broker = former.broker;
  coming->sessions = former.sessions;
  chains_attach (node->chains, node->sessions, cluster_self (node->cluster));
  if (node->host->watch != NULL)
    node->host->watch->loaded (node->host->user_data, node_position (node), state_digest (node));
  return TRUE;
}
