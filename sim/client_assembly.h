/* SPDX-License-Identifier: MIT */
/* A method with content, on its way to a client, until its last body. */
#pragma once

#include "core/base/slice.h"

typedef struct ClientAssembly
{
  Slice method; /* held payloads */
  Slice header;
  guint64 body_size;
  GByteArray *body;
  gboolean under_way;
  gboolean has_header;
} ClientAssembly;

/* Keeps the room for bodies. */
void client_assembly_clear (ClientAssembly *assembly);
