/* SPDX-License-Identifier: MIT */
/* What the ordered events make a member tell its own client; the only way from the replicated
 * side to the edge. Each is for the client's primary only. */
#pragma once

#include "core/amqp/method.h"
#include "core/broker/message.h"
#include "core/session/client.h"
#include "core/session/reply_gate.h"

/* The connection is open everywhere: connection.open-ok. */
void client_answer_opened (Client *client);
/* The client asked to close, and everything before that has taken effect: connection.close-ok, once
 * nothing is held any more. */
void client_answer_closed (Client *client);
/* The connection has ended everywhere because of what the client did: connection.close, once
 * nothing is held any more. */
void client_answer_failed (Client *client, guint16 code, const char *text, guint16 class_id,
                           guint16 method_id);
/* A frame of a session: from ConnectionSendHandler. `content` NULL: none. */
void client_answer_frame (Client *client, guint16 channel, const Method *method,
                          const Message *content);
/* TRUE: the reply may leave now; FALSE: it is held until client_release. */
gboolean client_gate_passes (Client *client, const GatedReply *reply, guint64 limit);
/* Answers that positions up to `limit` caused may be told; what was held and is safe now leaves.
 * TRUE: more is held. */
gboolean client_release (Client *client, guint64 limit);
/* So many bytes of credit were used by the frame that was just sent, or held. */
void client_answer_used_credit (Client *client, gsize bytes);
