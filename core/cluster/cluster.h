/* SPDX-License-Identifier: MIT */
/* The member of a group: what is accepted into the order, who is a full member, how a newcomer
 * gets the state. doc/protocol.md has the rules; this floor knows nothing of AMQP.
 *
 * Every accepted event has a position. Positions, epochs, full members and the application's state
 * are the same on every active member at the same position. */
#pragma once

#include "core/base/env.h"
#include "core/base/fault_site.h"
#include "core/base/state_codec.h"
#include "core/base/trace.h"
#include "core/cluster/envelope.h"
#include "core/cluster/multicast_outbox.h"
#include "core/cluster/node_state.h"
#include "core/cluster/reply_when.h"
#include "transport/transport.h"

typedef struct Cluster Cluster;

/* Rules of doc/protocol.md that a test may turn off, to show what each is for. */
typedef enum ClusterRule
{
  RULE_STAMP = 1 << 0,    /* what was sent in another epoch is refused */
  RULE_RESEND = 1 << 1,   /* the window goes again in a new epoch */
  RULE_BLANK = 1 << 2,    /* an empty member is no witness */
  RULE_STEPDOWN = 1 << 3, /* who knows less than another active one stops */
  RULE_SEATS = 1 << 4,    /* a node too many is refused */
} ClusterRule;

typedef struct ClusterSettings
{
  const char *member;    /* this member's name */
  const char *group;     /* the group to join */
  guint64 cluster_id;    /* envelopes of others are not heard */
  guint expected;        /* members of the cluster, present or not */
  const guint32 *voters; /* node ids of those that report and vote; none: all of them */
  guint n_voters;        /* at most LIMIT_VOTERS */
  ReplyWhen reply_when;
  gboolean ignore_quorum; /* no-quorum-policy = ignore */
  gsize envelope_fill;    /* see multicast_outbox_new */
  gsize state_chunk;      /* of state, that is written and sent at once; LIMIT_STATE_CHUNK */
  gsize join_backlog;     /* what a newcomer keeps at the most; LIMIT_JOIN_BACKLOG */
  guint rules_off;        /* of ClusterRule: tests only, else 0 */
  Env *env;
  Trace *trace;            /* NULL: none */
  FaultSites *fault_sites; /* NULL: none */
} ClusterSettings;

/* What the members keep the same. Called at one place of the order on each of them; all required.
 */
typedef struct ClusterApplication
{
  void (*apply) (gpointer user_data, MemberId sender, const Envelope *envelope, guint64 position);
  /* Full members are gone, together: their sessions. */
  void (*members_lost) (gpointer user_data, const MemberId *members, guint n_members,
                        guint64 position);
  /* The cluster begins: nobody is connected any more, what else is held stays. */
  void (*formed) (gpointer user_data, guint64 position);
  /* Local: answers that positions up to `limit` caused may be told. TRUE: more is held. */
  gboolean (*released) (gpointer user_data, guint64 limit);
  /* A picture of what is held now, that stays as it is; what of it does not take long is written
   * at once, the rest in parts of some `size` bytes. TRUE: this was the last one. */
  gpointer (*capture) (gpointer user_data, StateCodec *codec);
  gboolean (*write) (gpointer user_data, gpointer capture, StateCodec *codec, gsize size);
  void (*release) (gpointer user_data, gpointer take_capture);
  /* What is to come, beside what is held; it is read part by part. FALSE: the bytes are no state.
   */
  gpointer (*expect) (gpointer user_data);
  gboolean (*read) (gpointer user_data, gpointer coming, StateCodec *codec);
  /* What came is held from now on, in one step, and what was held is there in its place, to be
   * given up; FALSE: it is not whole, and all is as before. */
  gboolean (*take) (gpointer user_data, gpointer coming);
  void (*give_up) (gpointer user_data, gpointer take_coming);
  /* Local: this member's own state changed. No call back into the cluster but looking. */
  void (*state_changed) (gpointer user_data, NodeState former, NodeState state);
  Transport *(*new_transport) (gpointer user_data);
} ClusterApplication;

/* Settings are borrowed for the call, except what they point at. */
Cluster *cluster_new (const ClusterSettings *settings, const ClusterApplication *application,
                      gpointer user_data);
void cluster_free (Cluster *cluster);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Cluster, cluster_free)

/* Joins the group; again and again if it must. */
void cluster_start (Cluster *cluster);
/* Leaves it for good. */
void cluster_stop (Cluster *cluster);

/* Why this member is not active, for people; NULL: it is. Yours. */
char *cluster_why_not_active (const Cluster *cluster);
/* "1 2 3": nodes whose voices count; of those, the ones that are not here. Yours. */
char *cluster_seats (const Cluster *cluster);
char *cluster_missing (const Cluster *cluster);
/* How many of them are present, of how many, and how many a majority are. */
guint cluster_n_present (const Cluster *cluster);
guint cluster_n_seats (const Cluster *cluster);
guint cluster_majority (const Cluster *cluster);

/* --- what an operator may order (protocol: Operators) ---------------------------------------- */

/* That node's voice counts no more; another node may take its seat. NULL: it is asked for, and
 * takes effect in the order; else why not, constant. */
const char *cluster_forget (Cluster *cluster, guint32 node_id);
/* The cluster begins with what this member holds and this member alone; the others that are there
 * come in as newcomers. Only where it cannot begin by itself. NULL: it is active; else why not.
 * Yours. */
char *cluster_why_not_form (const Cluster *cluster);
void cluster_form_by_force (Cluster *cluster);
/* What it knows of its lineage: the last established epoch, and what is certain of it. */
gboolean cluster_is_blank (const Cluster *cluster);
guint64 cluster_key_number (const Cluster *cluster);
guint64 cluster_key_position (const Cluster *cluster);

/* What this member says; only while it is active. */
MulticastOutbox *cluster_outbox (Cluster *cluster);
/* Sends what has gathered. */
void cluster_flush (Cluster *cluster);
gint64 cluster_next_deadline_us (const Cluster *cluster);
void cluster_tick (Cluster *cluster, gint64 now_us);

NodeState cluster_state (const Cluster *cluster);
guint64 cluster_position (const Cluster *cluster);
Epoch cluster_epoch (const Cluster *cluster);
Incarnation cluster_incarnation (const Cluster *cluster);
MemberId cluster_self (const Cluster *cluster);
/* Answers that positions up to here caused may be told. */
guint64 cluster_limit (Cluster *cluster);
/* An answer is held: `released` is to be called as soon as the limit is higher. */
void cluster_awaits_release (Cluster *cluster);
/* A majority has claimed positions up to here; the same, unless reply-when says otherwise. */
guint64 cluster_agreed (Cluster *cluster);
/* A client of another member waits until this position is released: report it. */
void cluster_wants_report (Cluster *cluster, guint64 position);
/* Of what is replicated here: epoch, position, members. */
guint64 cluster_digest (Cluster *cluster);
/* The same, from the whole state: tests and checkers. */
guint64 cluster_digest_in_full (const Cluster *cluster);
/* A majority of the expected members is present. */
gboolean cluster_is_quorate (const Cluster *cluster);
/* Present in the view. */
guint cluster_n_members (const Cluster *cluster);
MemberId cluster_member (const Cluster *cluster, guint index);
/* Full members, eldest first. */
guint cluster_n_full (const Cluster *cluster);
MemberId cluster_full (const Cluster *cluster, guint index);
