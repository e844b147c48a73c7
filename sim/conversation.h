/* SPDX-License-Identifier: MIT */
/* What a client was told on one connection, by channel and lane, as digests: either what arrived,
 * or what a broker sent. Lanes are those of core/session/reply_gate.h: replies and deliveries keep
 * their order, returns and confirms keep theirs, and a close is behind both. Confirms are taken
 * one by one, for those that leave together may be joined. */
#pragma once

#include "core/amqp/method.h"
#include "core/session/reply_gate.h"

typedef struct Said
{
  guint64 digest;
  guint64 position; /* of the event that caused it; 0: not known */
  gint64 at_us;     /* when it arrived; 0: not known */
  MethodId method;
} Said;

typedef struct Conversation Conversation;

Conversation *conversation_new (void);
void conversation_free (Conversation *conversation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Conversation, conversation_free)

/* `header` and `body` are of its content, if it has one; the body in any number of pieces. */
void conversation_add (Conversation *conversation, guint16 channel, const Method *method,
                       Slice header, const Slice *bodies, guint n_bodies, guint64 position,
                       gint64 at_us);

/* What arrived, whole; nothing happens where nobody keeps it (NULL). */
void conversation_heard (Conversation *conversation, guint16 channel, const Method *method,
                         Slice header, const Slice *body, gint64 at_us);

/* Channels up to, and not including. */
guint conversation_channels (const Conversation *conversation);
/* NULL, and none, if nothing was said there. Borrowed. */
const Said *conversation_lane (const Conversation *conversation, guint channel, ReplyLane lane,
                               guint *ret_n);
