/* SPDX-License-Identifier: MIT */
/* The inside of a Cluster, for the files of this floor. */
#pragma once

#include "core/cluster/cluster.h"
#include "core/cluster/membership.h"

/* An idle member that said hello in the present view. */
typedef struct Hello
{
  MemberId id;
  gboolean blank;
  guint64 key_number;
  guint64 key_position;
} Hello;

/* A newcomer's way in (protocol: Join). */
typedef struct JoinAttempt
{
  gboolean asked;  /* a request is under way, or was delivered */
  gboolean wanted; /* the request could not be sent yet */
  guint64 number;  /* of the latest request */
  Epoch target;    /* the epoch that it asks to enter */
  gint64 deadline_us;
  GPtrArray *chunks;  /* of Buffer: envelopes of state, in order */
  guint32 n_chunks;   /* how many there will be; 0: not known yet */
  GPtrArray *backlog; /* of BacklogMessage: what was delivered since the request */
  gsize backlog_bytes;
} JoinAttempt;

typedef struct BacklogMessage
{
  MemberId sender;
  Buffer *bytes;
} BacklogMessage;

/* A donor's side of one join. */
typedef struct StateTransfer
{
  MemberId to;
  JoinCut cut;
  Epoch epoch;
  Buffer *state;
  guint32 next_chunk;
  guint32 n_chunks;
} StateTransfer;

struct Cluster
{
  char *name;
  char *group;
  guint64 cluster_id;
  guint expected;
  Env *env;
  Trace *trace;
  const ClusterApplication *application;
  gpointer user_data;

  Transport *transport; /* NULL: none to be had */
  GPtrArray *retired;   /* of Transport: over, to be freed outside of their events */
  NodeState state;
  Incarnation incarnation;
  MemberId self;
  gint64 started_us;
  GArray *view; /* of MemberId: who is present */
  guint64 view_digest;

  /* replicated */
  Epoch epoch;
  guint64 position;
  Membership membership;

  /* what this member knows, whatever it is */
  gboolean blank;
  guint64 key_number;
  guint64 key_position;
  Epoch promise;

  GArray *hellos; /* of Hello */
  JoinAttempt join;
  GPtrArray *transfers; /* of StateTransfer, first come first served */
  MulticastOutbox *outbox;

  /* to be said at the next flush */
  gboolean wants_enter;
  gboolean wants_done;
  gboolean must_rejoin;
  gint64 hello_due_us;
  gint64 retry_us; /* the transport was full, or none was to be had */
};

/* cluster.c */
void cluster_set_state (Cluster *cluster, NodeState state);
void cluster_stamp (Cluster *cluster, EnvelopeKind kind, EnvelopeHeader *ret_header);
/* Not active any more: what was under way is forgotten, what is held is kept. */
void cluster_become_idle (Cluster *cluster, const char *why);
/* Something is missing: leave, and come back with a new incarnation. */
void cluster_rejoin (Cluster *cluster, const char *why);
/* TRUE: the transport took it, or it is pointless now. */
gboolean cluster_multicast (Cluster *cluster, Buffer *take_bytes);

/* accepting.c */
/* A counted envelope, in its place of the order. */
void cluster_accept (Cluster *cluster, MemberId sender, const Envelope *envelope);
gboolean cluster_is_counted (EnvelopeKind kind);

/* formation.c */
void formation_hello (Cluster *cluster, MemberId sender, const EnvelopeHeader *header);
void formation_view_changed (Cluster *cluster);

/* join.c: the newcomer */
void join_init (JoinAttempt *join);
void join_clear (JoinAttempt *join);
void join_forget (JoinAttempt *join);
void join_enter_heard (Cluster *cluster, const EnvelopeHeader *header);
void join_request_delivered (Cluster *cluster, const Envelope *envelope);
void join_buffer (Cluster *cluster, MemberId sender, Buffer *bytes);
void join_chunk_arrived (Cluster *cluster, const Envelope *envelope);
void join_flush (Cluster *cluster);

/* state_update.c: the donor */
void state_update_begin (Cluster *cluster, MemberId to, JoinCut cut);
void state_update_forget (Cluster *cluster);
void state_update_flush (Cluster *cluster);
void state_transfer_free (StateTransfer *transfer);

/* The replicated part of this floor, both ways. */
gboolean cluster_replicated_state (StateCodec *codec, Cluster *cluster);
