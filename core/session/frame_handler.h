/* SPDX-License-Identifier: MIT */
/* One link of a chain, the design note's way: a handler has a name, does its one thing with a
 * frame, and passes it on to the next, or does not. Chains are composed in
 * core/handlers/chain_builder.c and nowhere else.
 *
 * Handlers keep no state of a session's own: that is in the Session, which the frame points at.
 * So a member has one chain of each kind, not one a session. */
#pragma once

#include "core/amqp/frame.h"
#include "core/amqp/method.h"
#include "core/base/ids.h"
#include "core/base/trace.h"
#include "core/broker/message.h"

typedef struct Client Client;
typedef struct Session Session;
typedef struct FrameHandler FrameHandler;

/* A frame on its way through a chain. Borrowed by every handler, valid during the call.
 *
 * From a client: `frame` as it came. From the group: a publish with its header and bodies in one,
 * as `content`, if they came together. To a client: `method`, and with a method that has content
 * also `content`. */
typedef struct SessionFrame
{
  Client *client;       /* at the edge: who sent it; NULL afterwards */
  MemberId sender;      /* from the group: who multicast it */
  SessionId session_id; /* from ConnectionFrameHandler on */
  Session *session;     /* from MulticastFrameHandler on */
  Frame frame;
  const Method *method;  /* decoded; NULL for HEADER and BODY frames */
  guint64 piece_digest;  /* from the group, of those: message_piece_digest of the payload */
  Message *content;      /* header and bodies; NULL: none, or in frames of their own */
  gboolean must_be_safe; /* to a client only: it promises something (SafeReplyHandler) */
  FrameHandler *send;    /* set by MulticastFrameHandler: where answers go */
  guint64 position;      /* of the ordered event that caused it; 0 at the edge */
} SessionFrame;

typedef struct FrameHandlerType
{
  const char *name; /* the note's: "ReplicateOutHandler" */
  void (*handle) (FrameHandler *handler, SessionFrame *frame);
} FrameHandlerType;

struct FrameHandler
{
  const FrameHandlerType *type;
  FrameHandler *next; /* borrowed; NULL at the end */
  gpointer context;   /* what the handler works on, borrowed */
  Trace *trace;       /* NULL: none */
  const char *member; /* this member's name, for traces */
};

void frame_handler_trace (const FrameHandler *handler, const SessionFrame *frame);

static inline void
frame_handler_handle (FrameHandler *handler, SessionFrame *frame)
{
  if (G_UNLIKELY (trace_is_heard (handler->trace)))
    frame_handler_trace (handler, frame);
  handler->type->handle (handler, frame);
}

/* To the next link, if there is one. */
static inline void
frame_handler_pass (FrameHandler *handler, SessionFrame *frame)
{
  if (handler->next != NULL)
    frame_handler_handle (handler->next, frame);
}
