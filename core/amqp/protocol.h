/* SPDX-License-Identifier: MIT */
/* Constants of the AMQP wire, and the versions of it. */
#pragma once

#include "core/base/slice.h"

typedef enum ProtocolVersion
{
  PROTOCOL_0_8,
  PROTOCOL_0_9,
  PROTOCOL_0_9_1,
  N_PROTOCOL_VERSIONS
} ProtocolVersion;

typedef enum FrameType
{
  FRAME_METHOD = 1,
  FRAME_HEADER = 2,
  FRAME_BODY = 3,
  FRAME_HEARTBEAT = 8
} FrameType;

#define FRAME_END            0xCE
#define PROTOCOL_HEADER_SIZE 8

/* The greeting: eight bytes. FALSE: not one that we speak. */
gboolean protocol_header_decode (Slice header, ProtocolVersion *ret_version);
/* What we answer to a greeting that we do not speak: "AMQP" 0 0 9 1. */
const guint8 *protocol_header_preferred (void);
/* "0-9-1" */
const char *protocol_version_name (ProtocolVersion version);
