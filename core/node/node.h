/* SPDX-License-Identifier: MIT */
/* One whole member: broker model, sessions, cluster, chains, and its clients' edges.
 *
 * A node has no sockets, no loop and no clock of its own. Its owner gives it three kinds of
 * input (a client's bytes, the transport's events, the passing of time) and carries away what
 * comes out: envelopes to the transport, bytes to the clients. The daemon and the simulator are
 * two such owners of the very same thing.
 *
 * The owner's turn: let inputs happen (transport dispatch, client_bytes_read, node_tick), then
 * node_flush, then write to the clients of node_take_touched (client.h).
 *
 * A node is a member of the group from node_start on. When its membership ends (the transport
 * failed, a message is missing) it takes a new transport from its host and joins again, with a new
 * incarnation, by itself. Single-threaded; not re-entrant. */
#pragma once

#include "core/base/env.h"
#include "core/base/fault_site.h"
#include "core/base/trace.h"
#include "core/cluster/node_state.h"
#include "core/node/node_config.h"
#include "core/session/client.h"
#include "transport/transport.h"

typedef struct Node Node;

/* Who watches what happens to the replicated state, in its order: the simulator. It may look at
 * nothing but what it is given. */
typedef struct NodeWatch
{
  /* An ordered envelope was applied; its bytes are borrowed. */
  void (*applied) (gpointer user_data, MemberId sender, Buffer *envelope, guint64 position);
  void (*members_lost) (gpointer user_data, const MemberId *members, guint n_members,
                        guint64 position);
  void (*formed) (gpointer user_data, guint64 position);
  /* Local: answers that positions up to `limit` caused may be told. */
  void (*released) (gpointer user_data, guint64 limit);
  /* The whole state as it is now, of that digest, is given to a newcomer; it is taken as a
   * newcomer. */
  void (*saved) (gpointer user_data, guint64 position, guint64 digest);
  void (*loaded) (gpointer user_data, guint64 position, guint64 digest);
} NodeWatch;

/* Where a node lives; borrowed for its life. */
typedef struct NodeHost
{
  Env *env;
  Trace *trace; /* NULL: none */
  /* A transport that has not joined yet, the node's; NULL: none to be had now, ask again later. */
  Transport *(*new_transport) (gpointer user_data);
  gpointer user_data;
  guint rules_off;         /* of ClusterRule: tests only, else 0 */
  const NodeWatch *watch;  /* NULL: nobody watches */
  FaultSites *fault_sites; /* NULL: none; tests only */
} NodeHost;

/* The config is copied, and must pass node_config_check. */
Node *node_new (const NodeConfig *config, const NodeHost *host);
/* Without node_stop before it: a crash. Clients are forgotten, nothing is said to anyone. */
void node_free (Node *node);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Node, node_free)

/* Joins the group. Once. */
void node_start (Node *node);
/* Orderly end: clients are closed with 320 CONNECTION_FORCED, then the group is left. Output for
 * the clients is still to be written; node_is_stopped tells when their sessions are done. */
void node_stop (Node *node);
gboolean node_is_stopped (const Node *node);

/* --- clients ----------------------------------------------------------------------------- */

/* `peer` is for people: "127.0.0.1:40112". The client is the node's; use it until
 * node_client_gone, or node_free. */
Client *node_client_connected (Node *node, const char *peer);
/* The socket is gone (closed by either side): the client must not be used any more. What it
 * still had open ends for the whole cluster. */
void node_client_gone (Node *node, Client *client);

/* New clients are refused with this text, a borrowed constant; NULL: only for reasons of the node's
 * own. Nothing else changes: those that are connected are served, what is ordered is applied. */
void node_set_refusal (Node *node, const char *text);

/* --- what an operator may order ----------------------------------------------------------------
 */

/* That node's voice counts no more, and another node may take its seat. NULL: it is asked for, and
 * comes about in the order; else why not, constant. */
const char *node_forget (Node *node, guint32 node_id);
/* Where the cluster cannot begin by itself: it begins with what this member holds. NULL: it may;
 * else why not, yours. */
char *node_why_not_form (const Node *node);
/* It must be allowed. */
void node_form_by_force (Node *node);
/* Clients are told where else to go from now on, and new ones are refused; those that are connected
 * are served until node_stop. `why`: NULL ends it. */
void node_drain (Node *node, const char *why);

/* --- the end of a turn --------------------------------------------------------------------- */

/* Sends what has gathered to the group, as far as the transport and the own window allow. */
void node_flush (Node *node);
/* The next client that has something to write, or that may be read again, or that is finished;
 * NULL when there is none left. Each touched client comes once. */
Client *node_take_touched (Node *node);

/* --- time ------------------------------------------------------------------------------------ */

/* When node_tick wants to be called at the latest (Env's time), or ENV_NEVER. */
gint64 node_next_deadline_us (const Node *node);
void node_tick (Node *node);

/* --- looking ------------------------------------------------------------------------------- */

NodeState node_state (const Node *node);
const char *node_name (const Node *node);
/* Count of ordered events accepted in this lineage (protocol "pos"). */
guint64 node_position (const Node *node);
/* What a majority is known to have. States are promised to be equal at positions up to here. */
guint64 node_agreed_position (const Node *node);
/* Digest of all that is replicated: broker, connections, sessions, session records, cluster. Equal
 * on all active members at equal positions. */
guint64 node_digest (Node *node);
/* The same, computed from the whole state: tests and checkers. */
guint64 node_digest_in_full (Node *node);
/* Why no client is served here, for people; NULL: all are. Borrowed until the next call. */
const char *node_why_not_serving (Node *node);
/* Changes whenever the member's life does; 0 while outside. */
Incarnation node_incarnation (const Node *node);
