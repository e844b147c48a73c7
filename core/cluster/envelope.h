/* SPDX-License-Identifier: MIT */
/* What is multicast: an envelope, and in it the entries of one turn of the sender's loop, from
 * many connections. doc/envelope-format.md draws the bytes.
 *
 * The header is the same for all kinds; it says who sent it (in which life), in which epoch, and
 * what the sender knows. Decoding checks everything: frames, methods, tables, content headers. What
 * was decoded is immutable and shared by the members of one process. */
#pragma once

#include "core/amqp/frame.h"
#include "core/amqp/method.h"
#include "core/base/ids.h"
#include "core/session/connection.h"
#include "core/session/session.h"

#define ENVELOPE_VERSION 1

typedef enum EnvelopeKind
{
  ENVELOPE_ORDERED,      /* entries; counted */
  ENVELOPE_HELLO,        /* an idle member is here, with what it holds; not counted */
  ENVELOPE_ENTER,        /* an active member speaks of its epoch; counted */
  ENVELOPE_JOIN_REQUEST, /* an idle member asks to be given the state of an epoch; counted */
  ENVELOPE_DONE,         /* a newcomer has it; counted */
  ENVELOPE_STATE,        /* directed: a chunk of it; not counted */
  ENVELOPE_REPORT,       /* only its claim counts; counted */
  ENVELOPE_FORM,         /* an idle member stands for the beginning of a cluster; not counted */
  ENVELOPE_ACCEPT,       /* a vote for it; not counted */
  ENVELOPE_REFUSAL,      /* directed: why a newcomer cannot come in; not counted */
  ENVELOPE_FORGET,       /* a node's voice is to count no more; counted */
  ENVELOPE_BEHIND,       /* a newcomer asks the others to say less for a while; not counted */
  N_ENVELOPE_KINDS
} EnvelopeKind;

/* A stretch of history between two view changes. Equal only by both. */
typedef struct Epoch
{
  guint64 number;
  guint64 id;
} Epoch;

gboolean epoch_equal (Epoch a, Epoch b);

typedef struct EnvelopeHeader
{
  EnvelopeKind kind;
  gboolean blank; /* the sender holds no state of any lineage */
  guint64 cluster_id;
  Incarnation incarnation;
  Epoch epoch;        /* of the sender when it sent; of a JOIN_REQUEST and a STATE: the one meant */
  guint64 sequence;   /* of the sender in that epoch, from 0; ordered kinds only */
  guint64 key_number; /* the last epoch known to be established, */
  guint64 key_position; /* and what is certain of it */
  gint64 claim;         /* what the sender reports; -1: nothing */
  Epoch promise;
  guint64 position;
  guint64 view;       /* of a HELLO and an ENTER: digest of the view that it was sent in */
  guint64 elapsed_us; /* the sender's monotonic time since it started */
} EnvelopeHeader;

typedef enum EntryType
{
  ENTRY_CONNECTION_OPENED = 1,
  ENTRY_CONNECTION_CLOSED, /* the client asked; it is answered */
  ENTRY_CONNECTION_LOST,   /* its socket is gone */
  ENTRY_CONNECTION_FAILED, /* a syntax error: it is told */
  ENTRY_SESSION_OPENED,
  ENTRY_FRAMES,
  ENTRY_CREDIT
} EntryType;

/* One frame of an ENTRY_FRAMES. A publish whose whole content follows in the same entry, as it
 * nearly always does, is one with its header and bodies: they are no frames of their own then. */
typedef struct EntryFrame
{
  Frame frame;
  guint32 method;   /* index into the envelope's methods, of a METHOD frame */
  Message *content; /* a reference: of such a publish; else NULL */
  guint64 digest;   /* of a HEADER or BODY frame: message_piece_digest */
} EntryFrame;

typedef struct Entry
{
  EntryType type;
  ConnectionId connection_id; /* of all but FRAMES */
  SessionId session_id;       /* of FRAMES */
  union
  {
    ConnectionOpening opening;
    SessionOpening session;
    struct
    {
      guint16 code;
      guint16 class_id;
      guint16 method_id;
      Slice text;
    } failure;
    struct
    {
      guint32 first; /* in the envelope's frames */
      guint32 count;
    } frames;
    guint32 credit;
  };
} Entry;

/* The cut of a join: whose, and which of its requests. */
typedef struct JoinCut
{
  Incarnation incarnation;
  guint64 number;
} JoinCut;

/* A state goes in parts, a part in chunks. */
typedef enum ChunkEnd
{
  CHUNK_ENDS_NOTHING,
  CHUNK_ENDS_PART,
  CHUNK_ENDS_STATE
} ChunkEnd;

/* Read from its bytes once, and shared by all that are told it. */
typedef struct Envelope
{
  guint ref_count;
  EnvelopeHeader header;
  Buffer *bytes;   /* a reference: all slices borrow from it */
  GArray *entries; /* of Entry */
  GArray *frames;  /* of EntryFrame */
  GArray *methods; /* of Method */
  /* Of ORDERED: why its entries cannot be read, and there are none of them; NULL: they can. It has
   * its place and its sequence all the same: else everybody would miss it, and leave. */
  GError *malformed;
  JoinCut cut; /* of JOIN_REQUEST, DONE, STATE and REFUSAL */
  struct
  {
    Epoch epoch;          /* that would begin */
    gboolean all_present; /* of FORM: every expected voter said hello, so the blank may vote */
  } vote;                 /* of FORM and ACCEPT */
  struct
  {
    guint32 number; /* from 0 */
    ChunkEnd end;
    Slice bytes;
  } chunk;           /* of STATE */
  Slice refusal;     /* text, of REFUSAL */
  guint32 forgotten; /* node, of FORGET */
  /* Where its sender was found among those that had spoken: where to look first. */
  guint sender_place;
} Envelope;

/* SYSTEM_ERROR_MALFORMED, _VERSION or _OTHER_GROUP: it is no envelope of ours, and not counted. */
Envelope *envelope_decode (Buffer *bytes, guint64 cluster_id, GError **error);
Envelope *envelope_ref (Envelope *envelope);
void envelope_unref (Envelope *envelope);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Envelope, envelope_unref)
const char *envelope_kind_name (EnvelopeKind kind);

/* --- writing ------------------------------------------------------------------------------- */

#define ENVELOPE_HEADER_SIZE 128

/* The header's place is left free; envelope_seal fills it when it is known. */
void envelope_begin (ByteWriter *writer);
/* Of sealed or unsealed bytes, in place: header and checksum. The buffer must not be shared. */
void envelope_seal (Buffer *bytes, const EnvelopeHeader *header);
/* The same bytes under another header, yours. */
Buffer *envelope_restamp (const Buffer *bytes, const EnvelopeHeader *header);

void envelope_put_connection_opened (ByteWriter *writer, const ConnectionOpening *opening);
void envelope_put_connection_closed (ByteWriter *writer, ConnectionId id);
void envelope_put_connection_lost (ByteWriter *writer, ConnectionId id);
void envelope_put_connection_failed (ByteWriter *writer, ConnectionId id, const GError *error,
                                     guint16 class_id, guint16 method_id);
void envelope_put_session_opened (ByteWriter *writer, ConnectionId connection,
                                  const SessionOpening *opening);
void envelope_put_credit (ByteWriter *writer, ConnectionId id, guint32 bytes);
/* The returned offset is for envelope_put_frame: further frames of the same session can be added
 * as long as no other entry was begun. */
gsize envelope_put_frames (ByteWriter *writer, SessionId id, ProtocolVersion version);
void envelope_put_frame (ByteWriter *writer, gsize offset, const Frame *frame);

/* Sealed, yours. */
Buffer *envelope_new_bare (const EnvelopeHeader *header);
Buffer *envelope_new_cut (const EnvelopeHeader *header, JoinCut cut);
Buffer *envelope_new_vote (const EnvelopeHeader *header, Epoch epoch, gboolean all_present);
/* `text` has at most LIMIT_REFUSAL bytes. */
Buffer *envelope_new_refusal (const EnvelopeHeader *header, JoinCut cut, const char *text);
Buffer *envelope_new_forget (const EnvelopeHeader *header, guint32 node_id);
Buffer *envelope_new_state (const EnvelopeHeader *header, JoinCut cut, guint32 number, ChunkEnd end,
                            Slice chunk);
