/* SPDX-License-Identifier: MIT */
/* What a client may not be told yet, at the edge of its primary.
 *
 * A frame that promises something (a confirm, the -ok of a durable declaration) is held until the
 * position that caused it is released: until enough members are known to have it. What follows on
 * the same lane of its channel waits behind it, so that the client sees one order. Two lanes a
 * channel: replies and deliveries; returns and confirms. A close waits for both.
 *
 * Nothing here is state: holding decides what leaves and when, never what happens. Owned by the
 * client, and gone with it: what was held was never told. */
#pragma once

#include "core/amqp/method.h"
#include "core/broker/message.h"

typedef struct ReplyGate ReplyGate;

typedef enum ReplyLane
{
  REPLY_LANE_MAIN,
  REPLY_LANE_CONFIRMS,
  N_REPLY_LANES
} ReplyLane;

typedef struct GatedReply
{
  guint16 channel;
  gboolean must_be_safe; /* FALSE: only waits its turn */
  guint64 position;      /* of the event that caused it */
  const Method *method;
  Message *content; /* borrowed; NULL: none */
} GatedReply;

/* A reply whose turn has come, and the credit it costs. Borrowed for the call. */
typedef void (*ReplySend) (gpointer user_data, guint16 channel, const Method *method,
                           const Message *content, gsize credit);

ReplyGate *reply_gate_new (void);
void reply_gate_free (ReplyGate *gate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReplyGate, reply_gate_free)

gboolean reply_gate_is_empty (const ReplyGate *gate);
/* TRUE: it may leave now. FALSE: it is held, as a copy. `limit`: positions up to it are released.
 */
gboolean reply_gate_passes (ReplyGate *gate, const GatedReply *reply, guint64 limit);
/* What was held last costs so many bytes of its connection's credit. */
void reply_gate_charge (ReplyGate *gate, gsize credit);
/* Sends what may leave now, each lane in order; confirms of one channel that have become safe
 * together leave as one. */
void reply_gate_release (ReplyGate *gate, guint64 limit, ReplySend send, gpointer user_data);
