/* SPDX-License-Identifier: MIT */
/* The inside of a Cluster, for the files of this floor. */
#pragma once

#include "core/base/limits.h"
#include "core/cluster/cluster.h"
#include "core/cluster/membership.h"

/* An idle member that said hello in the present view. */
typedef struct Hello
{
  MemberId id;
  gboolean blank;
  guint64 key_number;
  guint64 key_position;
  guint64 position;
  guint64 promise_number;
} Hello;

/* This member stands for the beginning of a cluster (protocol: Formation). */
typedef struct Candidacy
{
  gboolean stands;
  gboolean all_present;
  Epoch epoch;          /* that would begin */
  GArray *voters;       /* of guint32: nodes that hold a state and accepted */
  GArray *blank_voters; /* likewise, without a state */
} Candidacy;

/* A newcomer's way in (protocol: Join). */
typedef struct JoinAttempt
{
  gboolean asked;     /* a request is under way, or was delivered */
  gboolean wanted;    /* the request could not be sent yet */
  guint64 number;     /* of the latest request */
  Epoch target;       /* the epoch that it asks to enter */
  guint64 target_key; /* and the key number of who is active in it */
  gint64 deadline_us;

  guint32 n_chunks;  /* that came */
  ByteWriter part;   /* what came of a part that is not whole yet */
  StateCodec *codec; /* reads the parts; NULL: nothing came yet */
  gpointer coming;   /* the application's, so far */
  Buffer *last;      /* the last part, of this floor: all is there; NULL: it is not */

  GQueue backlog;   /* of BacklogMessage: was delivered since the request, and not applied yet */
  char *refusal;    /* why it was last refused; NULL: it was not, or came in since */
  Epoch refused_by; /* it asks again in another epoch, or then: */
  gint64 refused_until_us;
  gsize backlog_bytes;

  gint64 backoff_us; /* how long it did not ask after it gave up; 0: it did not */
  gint64 ask_from_us;
} JoinAttempt;

/* Newcomers that are behind, and what is done about it (flow.c). All of it is local. */
typedef struct Flow
{
  gint64 word_due_us;     /* a newcomer's: when it may say so again */
  gint64 slowed_until_us; /* 0: not slowed */
  gint64 step_due_us;     /* when something may be sent again, while slowed */
  gint64 spent_us;        /* so long since the last rest */
  gint64 rest_until_us;
} Flow;

typedef struct BacklogMessage
{
  MemberId sender;
  Envelope *envelope;
} BacklogMessage;

/* A donor's side of one join. */
typedef struct StateTransfer
{
  MemberId to;
  JoinCut cut;
  Epoch epoch;
  StateCodec *codec; /* writes the parts */
  gpointer capture;  /* the application's; NULL: it is written */
  Buffer *last;      /* the last part, of this floor; NULL: it is on its way */
  Buffer *part;      /* that is on its way; NULL: the next one is not written yet */
  gsize sent;        /* of it */
  guint32 n_chunks;  /* that were sent */
} StateTransfer;

struct Cluster
{
  char *name;
  char *group;
  guint64 cluster_id;
  GArray *voters; /* of guint32: nodes that vote; empty: all do */
  guint n_voters; /* protocol N: changed by nothing that happens */
  ReplyWhen reply_when;
  gboolean ignore_quorum;
  gsize state_chunk;
  gsize join_backlog;
  guint rules_off; /* of ClusterRule */
  Env *env;
  Trace *trace;
  FaultSites *fault_sites;
  const ClusterApplication *application;
  gpointer user_data;

  Transport *transport; /* NULL: none to be had */
  GPtrArray *retired;   /* of Transport: over, to be freed outside of their events */
  NodeState state;
  Incarnation incarnation;
  MemberId self;
  gboolean votes; /* it is a voter */
  gint64 started_us;
  View *view;            /* who is present; NULL: it was not told yet */
  gboolean ignored_told; /* in this view */

  /* replicated */
  Epoch epoch;
  guint64 position;
  Membership membership;
  guint own_place; /* not replicated: where this member is among the speakers */

  /* what this member knows, whatever it is */
  gboolean blank;
  guint64 key_number;
  guint64 key_position;
  Epoch key_epoch; /* the epoch that they are of, if it was seen from within */
  Epoch promise;
  Epoch former[LIMIT_FORMER_EPOCHS]; /* that it went through before this one, as active */
  guint n_former;                    /* ever; the latest are kept */

  GArray *hellos; /* of Hello */
  Candidacy candidacy;
  JoinAttempt join;
  Flow flow;
  GPtrArray *transfers; /* of StateTransfer, served in turn */
  gint64 state_due_us;  /* when more of them may be written */
  MulticastOutbox *outbox;

  /* release (quorum.c) */
  gboolean reckoning_due;   /* key, agreed and limit are of some events ago */
  gboolean release_awaited; /* an answer is held until limit is high enough */
  guint64 agreed;           /* a majority has claimed positions up to here */
  guint64 limit;            /* answers that positions up to here caused may be told */
  guint64 report_position;  /* others wait for a report of this position */
  gint64 last_claim;        /* the greatest we have sent in this epoch; -1: none */
  guint64 spoke_at;         /* our position when we last sent something; 0: not in this epoch */

  /* to be said at the next flush */
  gboolean wants_enter;
  gboolean wants_done;
  guint32 forget_node; /* an operator's word; 0: none, or it was delivered */
  gboolean wants_forget;
  gboolean must_rejoin;
  gint64 hello_due_us;
  gint64 retry_us; /* the transport was full, or none was to be had */
};

/* FALSE in a test that shows what the rule is for. */
static inline gboolean
cluster_holds_to (const Cluster *cluster, ClusterRule rule)
{
  return G_LIKELY ((cluster->rules_off & rule) == 0);
}

/* A situation that seldom comes about (core/base/trace.h). */
static inline void
cluster_reached (const Cluster *cluster, const char *situation)
{
  trace_reached (cluster->trace, cluster->name, situation);
}

/* A test wants it to fail here (core/base/fault_site.h). */
static inline gboolean
cluster_fails_at (const Cluster *cluster, const char *site)
{
  return fault_site_strikes (cluster->fault_sites, site);
}

/* The same for what is late then. */
static inline gboolean
cluster_is_late_at (Cluster *cluster, const char *site)
{
  if (!cluster_fails_at (cluster, site))
    return FALSE;
  cluster->retry_us = MIN (cluster->retry_us, env_now_us (cluster->env) + LIMIT_RETRY_US);
  return TRUE;
}

/* view_change.c */
/* Which view it is: of its members and its ring. */
guint64 view_change_digest (const Cluster *cluster);
void view_change_apply (Cluster *cluster, const View *view);
void view_change_begin_epoch (Cluster *cluster, guint64 number, guint64 id);

/* quorum.c */
/* Nodes whose voices count (protocol: Seats), and how many of them are in the view. */
guint quorum_n_seats (const Cluster *cluster);
guint quorum_n_present (const Cluster *cluster);
guint quorum_majority (const Cluster *cluster);
gboolean quorum_is_present (const Cluster *cluster);
/* More nodes than are expected: an empty member cannot tell whose voices count. */
gboolean quorum_is_crowded (const Cluster *cluster);
/* A majority is known, by all members alike, to have the last change of the seats: another may
 * follow. */
gboolean quorum_has_settled (const Cluster *cluster);
/* What this member may report; -1: nothing. */
gint64 quorum_claim (const Cluster *cluster);
/* After every event: what is certain, and what is released by it, has to be reckoned anew. */
void quorum_changed (Cluster *cluster);
/* If it has to: key, agreed and limit are as of the last event. */
void quorum_reckon (Cluster *cluster);
void quorum_spoke (Cluster *cluster, gint64 claim);
void quorum_forget_reports (Cluster *cluster);
void quorum_flush (Cluster *cluster);

/* standing.c */
/* How many voters are heard, and who is missing. Yours. */
char *cluster_why_suspended (const Cluster *cluster);
/* Constant; NULL: it may be forgotten. */
const char *cluster_why_not_forget (const Cluster *cluster, guint32 node_id);

/* cluster.c */
void cluster_set_state (Cluster *cluster, NodeState state);
void cluster_stamp (Cluster *cluster, EnvelopeKind kind, EnvelopeHeader *ret_header);
/* Not active any more: what was under way is forgotten, what is held is kept. */
void cluster_become_idle (Cluster *cluster, const char *why);
/* Something is missing: leave, and come back with a new incarnation. */
void cluster_rejoin (Cluster *cluster, const char *why);
/* TRUE: the transport took it, or it is pointless now. */
gboolean cluster_multicast (Cluster *cluster, Buffer *take_bytes);
/* Says it, if it is wanted, and it is wanted no more if the transport took it. */
void cluster_say (Cluster *cluster, gboolean *wanted, EnvelopeKind kind);

/* acceptance.c */
void acceptance_envelope_arrived (Cluster *cluster, const TransportMessage *message,
                                  Envelope *envelope);
/* A counted envelope, in its place of the order. */
void cluster_accept (Cluster *cluster, MemberId sender, Envelope *envelope);
gboolean cluster_is_counted (EnvelopeKind kind);

/* formation.c */
/* A HELLO, FORM or ACCEPT. */
void formation_arrived (Cluster *cluster, MemberId sender, const Envelope *envelope);
/* Of all that said hello, whether its voice counts or not, the one that knows most. */
MemberId formation_best (const Cluster *cluster);
void formation_forget (Cluster *cluster);
void formation_tick (Cluster *cluster, gint64 now_us);

/* join.c: the newcomer */
void join_init (JoinAttempt *join);
void join_forget (Cluster *cluster);
void join_enter_heard (Cluster *cluster, const EnvelopeHeader *header);
void join_request_delivered (Cluster *cluster, const Envelope *envelope);
void join_buffer (Cluster *cluster, MemberId sender, Envelope *envelope);
void join_chunk_arrived (Cluster *cluster, const Envelope *envelope);
/* It is not applied what was delivered: more is to wait behind it. */
gboolean join_is_behind (const Cluster *cluster);
void join_flush (Cluster *cluster);
void join_refusal_arrived (Cluster *cluster, const Envelope *envelope);
/* `lasting`: not just for a moment. */
void join_refused (Cluster *cluster, const char *why, gboolean lasting);
/* The donor's word to the newcomer. */
void join_refuse (Cluster *cluster, MemberId newcomer, JoinCut cut, const char *why);

/* state_update.c: the donor */
void state_update_begin (Cluster *cluster, MemberId to, JoinCut cut);
void state_update_forget (Cluster *cluster);
void state_update_flush (Cluster *cluster);

/* flow.c: that a newcomer can keep up */
/* A newcomer's: says so, if it is behind. */
void flow_say_behind (Cluster *cluster);
void flow_behind_heard (Cluster *cluster, MemberId sender, const EnvelopeHeader *header);
/* Before and after the outbox is flushed. */
void flow_pace (Cluster *cluster);
void flow_paced (Cluster *cluster);
void flow_forget (Cluster *cluster);

/* The replicated part of this floor, both ways. */
gboolean cluster_replicated_state (StateCodec *codec, Cluster *cluster);
