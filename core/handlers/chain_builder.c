/* SPDX-License-Identifier: MIT */
#include "core/handlers/chain_builder.h"
#include "core/handlers/handlers.h"

#define LONGEST_CHAIN 4

typedef struct Chain
{
  FrameHandler links[LONGEST_CHAIN];
} Chain;

struct Chains
{
  ChainsContext context;
  MemberId self;
  Chain from_client;
  Chain from_group;
  Chain sending;
  Chain recording;
};

static const FrameHandlerType *const from_client_types[] = {
  &connection_frame_handler_type,
  &replicate_out_handler_type,
};

static const FrameHandlerType *const from_group_types[] = {
  &multicast_frame_handler_type,
  &request_response_handler_type,
  &process_frame_handler_type,
};

static const FrameHandlerType *const sending_types[] = {
  &request_response_handler_type,
  &record_session_handler_type,
  &safe_reply_handler_type,
  &connection_send_handler_type,
};

static const FrameHandlerType *const recording_types[] = {
  &request_response_handler_type,
  &record_session_handler_type,
};

static void
build (Chain *chain, const ChainsContext *context, const FrameHandlerType *const *types,
       guint n_types)
{
  g_assert (n_types <= LONGEST_CHAIN);
  for (guint i = 0; i < n_types; i++)
    chain->links[i] = (FrameHandler){
      .type = types[i],
      .next = i + 1 < n_types ? &chain->links[i + 1] : NULL,
      .trace = context->trace,
      .member = context->member,
    };
}

Chains *
chains_new (const ChainsContext *context)
{
  Chains *chains = g_new0 (Chains, 1);

  chains->context = *context;
  build (&chains->from_client, context, from_client_types, G_N_ELEMENTS (from_client_types));
  build (&chains->from_group, context, from_group_types, G_N_ELEMENTS (from_group_types));
  build (&chains->sending, context, sending_types, G_N_ELEMENTS (sending_types));
  build (&chains->recording, context, recording_types, G_N_ELEMENTS (recording_types));
  chains->from_client.links[1].context = context->outbox;
  chains->sending.links[2].context = context->cluster;
  return chains;
}

void
chains_free (Chains *chains)
{
  g_free (chains);
}

FrameHandler *
chains_from_client (Chains *chains)
{
  return chains->from_client.links;
}

FrameHandler *
chains_from_group (Chains *chains)
{
  return chains->from_group.links;
}

/* "Sending" if this member is the session's primary, "recording" otherwise (the note). */
static void
choose_send (gpointer user_data, Session *session)
{
  Chains *chains = user_data;

  session->is_served_here = member_id_equal (session->connection->primary, chains->self);
  session->send = session->is_served_here ? chains->sending.links : chains->recording.links;
}

void
chains_attach (Chains *chains, SessionMap *sessions, MemberId self)
{
  IdMapIter iter = id_map_iter (sessions->sessions);
  gpointer value;

  chains->self = self;
  chains->from_group.links[0].context = sessions;
  sessions->choose_send = choose_send;
  sessions->chains = chains;
  while (id_map_next (&iter, NULL, &value))
    choose_send (chains, value);
}
