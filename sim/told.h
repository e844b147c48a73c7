/* SPDX-License-Identifier: MIT */
/* One message of the group as the checkers know it: by who sent it, and by a hash of its head,
 * which tells it from all others of its sender (an envelope's header ends with a checksum of it
 * all). */
#pragma once

#include "core/base/digest.h"
#include "transport/transport.h"

#define TOLD_BYTES 128

typedef struct Told
{
  MemberId sender;
  guint64 hash;
  guint64 place; /* in the order; 0: unknown */
} Told;

static inline guint64
told_hash (const Buffer *bytes)
{
  return digest_bytes (bytes->size, bytes->bytes, MIN (bytes->size, TOLD_BYTES));
}

static inline Told
told_of (const TransportMessage *message)
{
  MessageCache *cache = message->cache;

  /* Once for all that are told it. */
  if (cache->hash == 0)
    cache->hash = told_hash (message->bytes);
  return (Told){ message->sender, cache->hash, cache->place };
}
