/* SPDX-License-Identifier: MIT */
/* What clients sent, as envelope.c reads it. */
#pragma once

#include "core/cluster/envelope.h"

/* The rest of the reader as frames, appended to the envelope's. FALSE: malformed. */
gboolean envelope_read_frames (Envelope *envelope, ProtocolVersion version, ByteReader *reader);
/* The clear function of the envelope's frames. */
void envelope_clear_frame (gpointer frame);
