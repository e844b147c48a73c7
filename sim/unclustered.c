/* SPDX-License-Identifier: MIT */
#include "sim/unclustered.h"
#include "core/base/digest.h"
#include "core/base/name_map.h"
#include "core/handlers/handlers.h"
#include "core/node/node_parts.h"

/* A node that never starts: its cluster stays outside of everything. What its sessions send ends
 * here instead of at clients, behind the record that is part of their state. */
struct Unclustered
{
  guint64 cluster_id; /* that envelopes are of */
  Env env;
  NodeHost host;
  Node *node;
  FrameHandler record;
  FrameHandler capture;
  NameMap *conversations; /* peer -> Conversation, owned */
};

static gint64
no_time (G_GNUC_UNUSED Env *env)
{
  return 0;
}

static guint64
no_random (G_GNUC_UNUSED Env *env)
{
  g_assert_not_reached (); /* what is random is in the order already */
}

static void
capture_handle (FrameHandler *handler, SessionFrame *frame)
{
  Unclustered *unclustered = handler->context;
  Slice peer = slice_of_text (frame->session->connection->peer);
  Conversation *conversation = name_map_lookup (unclustered->conversations, peer);
  const Message *content = frame->content;

  if (conversation == NULL)
    {
      conversation = conversation_new ();
      name_map_insert (unclustered->conversations, peer, conversation);
    }
  conversation_add (conversation, frame->frame.channel, frame->method,
                    content == NULL ? (Slice){ 0 } : content->header,
                    content == NULL ? NULL : content->bodies,
                    content == NULL ? 0 : content->n_bodies, frame->position, 0);
}

static const FrameHandlerType capture_type = {
  .name = "Capture",
  .handle = capture_handle,
};

static void
choose_send (gpointer chains, Session *session)
{
  session->send = chains;
  session->is_served_here = FALSE;
}

Unclustered *
unclustered_new (guint64 cluster_id)
{
  Unclustered *unclustered = g_new0 (Unclustered, 1);
  NodeConfig *config = node_config_new ("unclustered");

  unclustered->cluster_id = cluster_id;
  unclustered->env = (Env){ .now_us = no_time, .random_u64 = no_random };
  unclustered->host = (NodeHost){ .env = &unclustered->env };
  unclustered->node = node_new (config, &unclustered->host);
  node_config_free (config);
  unclustered->capture = (FrameHandler){ .type = &capture_type, .context = unclustered };
  unclustered->record
      = (FrameHandler){ .type = &record_session_handler_type, .next = &unclustered->capture };
  unclustered->conversations = name_map_new ();
  return unclustered;
}

void
unclustered_free (Unclustered *unclustered)
{
  NameMapIter iter = name_map_iter (unclustered->conversations);
  gpointer conversation;

  node_free (unclustered->node);
  while (name_map_next (&iter, NULL, &conversation))
    conversation_free (conversation);
  name_map_free (unclustered->conversations);
  g_free (unclustered);
}

static void
apply (Unclustered *unclustered, const TapeEvent *event)
{
  g_autoptr (Envelope) envelope = envelope_decode (event->envelope, unclustered->cluster_id, NULL);

  g_assert (envelope != NULL);
  node_application.apply (unclustered->node, event->sender, envelope, event->position);
}

static void
play_event (const TapeEvent *event, gpointer user_data)
{
  Unclustered *unclustered = user_data;
  Node *node = unclustered->node;

  switch (event->kind)
    {
    case TAPE_APPLIED:
      apply (unclustered, event);
      break;
    case TAPE_MEMBERS_LOST:
      node_application.members_lost (node, event->members, event->n_members, event->position);
      break;
    case TAPE_FORMED:
      node_application.formed (node, event->position);
      node->sessions->choose_send = choose_send;
      node->sessions->chains = &unclustered->record;
      break;
    }
}

void
unclustered_play (Unclustered *unclustered, const Tape *tape)
{
  tape_for_each (tape, play_event, unclustered);
}

guint64
unclustered_digest (Unclustered *unclustered)
{
  Node *node = unclustered->node;

  return digest_combine (broker_digest (node->broker), session_map_digest (node->sessions));
}

const Conversation *
unclustered_conversation (const Unclustered *unclustered, const char *peer)
{
  return name_map_lookup (unclustered->conversations, slice_of_text (peer));
}
