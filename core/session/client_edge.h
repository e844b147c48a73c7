/* SPDX-License-Identifier: MIT */
/* The inside of a Client, for the session floor and the handlers at the edge.
 *
 * A client's life:
 *
 *   GREETING > START > TUNE > TUNED > OPENING > OPEN > ENDING > CLOSING > FINISHED
 *      |  protocol header, start-ok, tune-ok, open     |         |
 *      '--- before OPENING nobody else knows of it     |         '- we sent connection.close
 *                    connection.open is in the order --'
 *
 * ENDING: what ends the connection (its close, its mistake) is in the order, behind all that came
 * before it; what comes after is not heard any more. */
#pragma once

#include "core/amqp/content_sequence.h"
#include "core/amqp/frame_reader.h"
#include "core/amqp/frame_writer.h"
#include "core/base/env.h"
#include "core/base/fault_site.h"
#include "core/session/client_answers.h"
#include "core/session/connection.h"
#include "core/session/session.h"

typedef enum ClientState
{
  CLIENT_GREETING, /* the protocol header is awaited */
  CLIENT_START,    /* connection.start was sent */
  CLIENT_TUNE,     /* connection.tune was sent */
  CLIENT_TUNED,    /* connection.open is awaited */
  CLIENT_OPENING,  /* the group was asked */
  CLIENT_OPEN,
  CLIENT_ENDING,
  CLIENT_CLOSING, /* connection.close was sent, close-ok is awaited */
  CLIENT_FINISHED
} ClientState;

/* What a client asks of the member it came to. All borrowed for the client's life. */
typedef struct ClientPort
{
  Env *env;
  FaultSites *fault_sites; /* NULL: none */
  FrameHandler *receive;   /* the chain for its frames: ConnectionFrameHandler first */
  gpointer user_data;
  const char *member;
  /* offered in connection.tune */
  guint16 channel_max;
  guint32 frame_max;
  guint16 heartbeat_seconds;
  /* NULL: this member serves; else why it does not (for the close's text) */
  const char *(*why_not_serving) (gpointer user_data);
  gboolean (*user_is_known) (gpointer user_data, Slice user, Slice password);
  /* The group or the way there is full: do not read. */
  gboolean (*is_full) (gpointer user_data);
  ConnectionId (*draw_connection_id) (gpointer user_data);
  /* All but the channel, drawn anew. */
  void (*draw_session) (gpointer user_data, SessionOpening *ret_opening);
  /* These enter the order behind all that the client sent before. */
  void (*opening) (gpointer user_data, Client *client, const ConnectionOpening *opening);
  void (*closed) (gpointer user_data, ConnectionId id);
  void (*lost) (gpointer user_data, ConnectionId id);
  void (*failed) (gpointer user_data, ConnectionId id, const GError *error, guint16 class_id,
                  guint16 method_id);
  void (*session_opening) (gpointer user_data, ConnectionId id, const SessionOpening *opening);
  void (*drained) (gpointer user_data, ConnectionId id, guint32 bytes);
  /* Something is held for it: client_release is to be called when more is released. */
  void (*gated) (gpointer user_data, Client *client);
  /* It has output, can be read again, or is finished. */
  void (*touched) (gpointer user_data, Client *client);
} ClientPort;

/* A channel number as the edge sees it. */
typedef struct ClientChannel
{
  SessionId session_id; /* none: never opened */
  ContentSequence content;
} ClientChannel;

struct Client
{
  const ClientPort *port;
  ClientState state;
  char *peer;
  gpointer user_data;
  gboolean touched;          /* the node's: it is in the list already */
  gboolean gated;            /* likewise */
  gboolean held;             /* client_wants_bytes said no */
  gboolean stream_is_broken; /* a frame error: bytes are swallowed */

  FrameReader reader;
  FrameWriter *writer;
  ProtocolVersion version;
  ClientChannel *channels; /* by number, grown on demand */
  guint n_channels;

  ConnectionId id;              /* none until OPENING */
  Slice user;                   /* held */
  Slice client_properties;      /* held */
  gboolean wants_failure_close; /* authentication_failure_close */
  guint16 channel_max;
  guint32 frame_max;
  guint16 heartbeat_seconds;

  ReplyGate *gate;
  gboolean last_was_held; /* by the gate: what the last frame costs is due when it leaves */
  Buffer *farewell; /* a METHOD payload for channel 0 that waits until the gate is empty; or NULL */

  gint64 deadline_us; /* of the handshake, or of the close */
  gint64 last_read_us;
  gint64 last_written_us;

  /* Credit that was used and whose bytes have not drained. Everything up to `mark_offset` of the
   * output is worth `mark_credit`; what came after it `later_credit`. What has drained gathers in
   * `due_credit` until it is worth telling. */
  guint64 n_queued;  /* bytes of output since the start */
  guint64 n_written; /* of them, written */
  guint64 mark_offset;
  gsize mark_credit;
  gsize later_credit;
  gsize due_credit;
};

Client *client_new (const ClientPort *port, const char *peer);
void client_free (Client *client);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Client, client_free)

/* What the session's side of the edge asks. */
ClientChannel *client_channel (Client *client, guint16 channel);
/* A mistake of syntax: it enters the order, and the client is not heard any more; before
 * OPENING it is told at once. */
void client_mistake (Client *client, const GError *error, guint16 class_id, guint16 method_id);
/* Closed by this member: connection.close, and no entry (the order has it, or needs none). */
void client_force_close (Client *client, ReplyCode code, const char *text);
/* Time passes: heartbeats, deadlines. */
void client_tick (Client *client, gint64 now_us);

/* A connection-class method or a heartbeat on channel 0 (client_handshake.c). */
void client_handshake (Client *client, const Method *method);
void client_greet (Client *client, Slice protocol_header);

/* Sends on channel 0, or anything else. */
void client_send (Client *client, guint16 channel, const Method *method);
void client_touch (Client *client);
void client_finish (Client *client);
/* connection.close, then wait for close-ok. */
void client_send_close (Client *client, guint16 code, const char *text, guint16 class_id,
                        guint16 method_id);
