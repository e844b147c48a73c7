/* SPDX-License-Identifier: MIT */
/* The inside of a Node, for the files of this floor and for core/management. */
#pragma once

#include "core/broker/broker.h"
#include "core/cluster/cluster.h"
#include "core/handlers/chain_builder.h"
#include "core/node/node.h"
#include "core/session/client_edge.h"
#include "core/session/session_map.h"

struct Node
{
  NodeConfig *config;
  const NodeHost *host;
  Cluster *cluster;
  Broker *broker;
  SessionMap *sessions;
  Chains *chains;

  ClientPort port;
  GPtrArray *clients;           /* of Client, owned, in the order in which they came */
  IdMap *clients_by_connection; /* ConnectionId -> Client, from OPENING on */
  GPtrArray *touched;           /* of Client */
  GPtrArray *gated;             /* of Client: something is held for them */
  const char *refusal;          /* of new clients, by the host; NULL: none */
  gboolean was_full;            /* clients were held because of the group */
  gint64 client_tick_us;        /* when all clients are next looked at */
  guint64 last_counter;         /* of connection and session ids of this life */
};

/* What each ordered event does (node_apply.c). */
extern const ClusterApplication node_application;
/* The whole state, given and taken (node_state.c): as ClusterApplication says. */
gpointer node_state_capture (gpointer user_data, StateCodec *codec);
gboolean node_state_write (gpointer user_data, gpointer capture, StateCodec *codec, gsize size);
void node_state_release (gpointer user_data, gpointer capture);
gpointer node_state_expect (gpointer user_data);
gboolean node_state_read (gpointer user_data, gpointer coming, StateCodec *codec);
gboolean node_state_take (gpointer user_data, gpointer coming);
void node_state_give_up (gpointer user_data, gpointer coming);
void node_client_port_init (Node *node);
/* An open connection's client, on its primary; NULL: not here. */
Client *node_lookup_client (Node *node, ConnectionId id);
/* From 1, never used again in this life. */
guint64 node_draw_counter (Node *node);
