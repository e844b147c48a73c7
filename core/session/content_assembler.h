/* SPDX-License-Identifier: MIT */
/* A message that arrives in pieces: basic.publish, its header, its bodies. What is half received
 * is part of the session, on every member.
 *
 * The edge has checked the order of the pieces (content_sequence.h); out of order here is a peer's
 * mistake and reported as such. Pieces are borrowed while one ordered event is being applied, and
 * held only if the message is not complete at its end (content_assembler_keep): most messages
 * arrive whole. */
#pragma once

#include "core/amqp/method.h"
#include "core/amqp/properties.h"
#include "core/broker/message.h"

typedef struct ContentAssembler
{
  gboolean active; /* a publish has come, its content not yet whole */
  gboolean mandatory;
  gboolean has_header;
  gboolean held; /* `exchange`, `routing_key`, `header` are held */
  Slice *bodies;
  guint n_bodies;
  guint n_held; /* the first so many of them are held */
  guint room;
  guint64 body_left;
  guint64 digest;         /* of what is held but header and bodies */
  guint64 content_digest; /* of those: message_add_piece */
  Slice exchange;
  Slice routing_key;
  Slice header;
} ContentAssembler;

void content_assembler_clear (ContentAssembler *assembler);
/* FALSE: not in order. */
gboolean content_assembler_publish (ContentAssembler *assembler, const BasicPublish *publish);
/* `digest` is message_piece_digest of the payload, which is taken once for all members. */
gboolean content_assembler_header (ContentAssembler *assembler, Slice payload, guint64 digest,
                                   const ContentHeader *header);
gboolean content_assembler_body (ContentAssembler *assembler, Slice payload, guint64 digest);
/* A message is whole: take it with content_assembler_take. */
gboolean content_assembler_is_whole (const ContentAssembler *assembler);
/* The message, yours; the assembler is ready for the next. */
Message *content_assembler_take (ContentAssembler *assembler);
/* The event ends: hold what came in it. */
void content_assembler_keep (ContentAssembler *assembler);
gboolean content_assembler_state (StateCodec *codec, ContentAssembler *assembler);
