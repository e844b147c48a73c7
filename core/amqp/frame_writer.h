/* SPDX-License-Identifier: MIT */
/* Frames on their way to a socket: small payloads gather in a buffer, payloads larger than
 * LIMIT_WRITE_COPY are referenced (copied if no Buffer owns them), and all leave as slices for one
 * writev. A writer with nothing to write holds no memory but its own struct. */
#pragma once

#include "core/amqp/frame.h"
#include "core/amqp/method.h"

typedef struct FrameWriter FrameWriter;

FrameWriter *frame_writer_new (void);
void frame_writer_free (FrameWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FrameWriter, frame_writer_free)

void frame_writer_raw (FrameWriter *writer, Slice bytes);
void frame_writer_method (FrameWriter *writer, ProtocolVersion version, guint16 channel,
                          const Method *method);
/* A HEADER frame and as many BODY frames as frame_max (whole frames) asks for; bodies are joined
 * or cut as needed, an empty body is no frame. */
void frame_writer_content (FrameWriter *writer, guint16 channel, Slice header, const Slice *bodies,
                           guint n_bodies, guint32 frame_max);
void frame_writer_heartbeat (FrameWriter *writer);

/* Bytes that wait. */
gsize frame_writer_pending (const FrameWriter *writer);
/* The first of them, as at most `max` slices; returns how many. Valid until the next call. */
guint frame_writer_peek (FrameWriter *writer, Slice *slices, guint max);
void frame_writer_consume (FrameWriter *writer, gsize count);
