/* SPDX-License-Identifier: MIT */
/* A session: a channel's lasting self, kept by every member.
 *
 * It lives from the ordered event that opened it until its channel is closed or its connection
 * ends. Everything here is replicated state, but what says that it is local. */
#pragma once

#include "core/broker/consumer.h"
#include "core/session/connection.h"
#include "core/session/content_assembler.h"
#include "core/session/unacked.h"

typedef enum SessionChannelState
{
  SESSION_OPENING, /* its channel.open frame follows in the same order */
  SESSION_OPEN,
  SESSION_CLOSING /* we sent channel.close; all but close-ok is ignored */
} SessionChannelState;

/* A consumer that this session started. */
struct Subscription
{
  Consumer consumer;
  Session *session;
  char *tag;
  Slice arguments;
  guint32 prefetch;  /* 0: no limit; set by the basic.qos that went before it */
  guint32 n_unacked; /* entries of the session's unacked that are its own */
};

/* What the client has been sent: the conversation's tape as numbers, written by
 * RecordSessionHandler on every member. Together with the unacked deliveries up to
 * `delivery_tag_sent` it is what the client has been sent and has not settled. */
typedef struct SessionRecord
{
  guint64 frames_sent; /* methods, each with its content */
  guint64 tape;        /* digest over all of them, in order */
  guint64 delivery_tag_sent;
} SessionRecord;

struct Session
{
  /* What every frame looks at stands together: a member of a large simulation finds none of it in
   * the processor's cache. */
  Connection *connection;  /* borrowed */
  FrameHandler *send;      /* local: where its outgoing frames go */
  gboolean is_served_here; /* local: this member is its primary */
  gboolean dirty;          /* it has changed since `digest`, and is in the map's list */
  SessionId id;
  guint16 channel;
  SessionChannelState state;
  gboolean confirming;
  guint64 n_published; /* since confirm.select: the next confirm's tag is one more */
  guint64 n_confirmed;
  guint64 next_delivery_tag; /* from 1 */
  SessionRecord record;
  guint32 prefetch_next;    /* for consumers to come; 0: none */
  guint32 prefetch_channel; /* for all that consumers of the channel were given; 0: none */
  Unacked unacked;
  ContentAssembler content;

  guint64 digest;         /* as it is counted in the map's */
  guint64 secret[2];      /* drawn at the edge; resuming needs it */
  guint64 name_seed;      /* drawn at the edge; names for queues and consumers derive from it */
  guint64 n_names;        /* drawn for server-named queues and consumers */
  NameMap *subscriptions; /* by consumer tag, owned */
  char *last_queue;       /* the last one declared: what an empty queue name means */
};

/* What the edge drew when channel.open came. */
typedef struct SessionOpening
{
  SessionId id;
  guint16 channel;
  guint64 secret[2];
  guint64 name_seed;
} SessionOpening;

/* A session for that channel; SESSION_OPENING. 504 CHANNEL_ERROR if the channel has one, or is
 * above the agreed channel_max. */
Session *session_open (Connection *connection, const SessionOpening *opening, GError **error);
/* Its consumers go, its unacked messages return to their places (redelivered). The queues they
 * went to are added to `queues`, a reference each, for queues_serve: not before all that end
 * together have let go, or one would take along what another gave back. Does not free it. */
void session_let_go (Session *session, GPtrArray *queues);
/* session_let_go, then out of the map and freed, then other consumers are served. */
void session_close (Session *session);
/* Of queue references, to be served; queues_serve does so and frees it. Where it begins changes
 * from event to event: what there is room for may be less than the first one has, and then the
 * others must not wait for ever. */
GPtrArray *queues_to_serve_new (void);
void queues_serve (const SessionMap *map, GPtrArray *take_queues);

/* The client did what closes a channel (or, by its code, a connection): it is told, and what the
 * session held is released. */
void session_fail (Session *session, const GError *error, guint16 class_id, guint16 method_id);

/* Any change of a replicated field goes with this. */
void session_touch (Session *session);

/* To the client, through the session's sending chain. Content: a reference stays the caller's. */
void session_send (Session *session, const Method *method);
void session_send_content (Session *session, const Method *method, Message *content);

/* A method that promises something: it may be told once a majority has what caused it. */
void session_send_safe (Session *session, const Method *method);

/* One more publish to confirm, at the end of this event. */
void session_owes_confirm (Session *session);
void session_send_confirms (Session *session);

/* A name no one can guess, the same on every member: "amq.gen-", "amq.ctag-". Yours. */
char *session_draw_name (Session *session, const char *prefix);

/* --- consumers (subscription.c) --------------------------------------------------------- */

/* NULL: 530 for a tag in use; 403 for exclusive consumers. `tag` not empty. Puts it on the queue
 * and serves nobody yet. */
Subscription *subscription_start (Session *session, Queue *queue, Slice tag, gboolean no_ack,
                                  gboolean exclusive, Slice arguments, GError **error);
/* Off its queue (which goes, if it was its last and the queue auto-delete), and freed. */
void subscription_cancel (Subscription *subscription);
/* One of its deliveries was settled. */
void subscription_settled (Subscription *subscription);
/* Its consumers may be asked again; their queues are added to `queues`. */
void session_available (Session *session, GPtrArray *queues);
/* The channel has a window, and what its consumers were given fills it. */
gboolean session_window_is_full (const Session *session);
/* session_available, and served: after qos, or when there is room in the channel's window. */
void session_serve (Session *session);

guint64 subscription_digest (const Subscription *subscription);
guint64 session_digest_in_full (const Session *session);
/* Both ways; a reader's session has its id and connection already. */
gboolean session_state (StateCodec *codec, Session *session);
gboolean subscriptions_state (StateCodec *codec, Session *session);
gboolean session_unacked_state (StateCodec *codec, Session *session);
/* All of a map; a reader makes them, its connections being there. */
gboolean sessions_state (StateCodec *codec, SessionMap *map);

/* What channel.open-ok tells the client: id and secret, as text. Yours. */
char *session_channel_id (const Session *session);
