/* SPDX-License-Identifier: MIT */
/* 64-bit hashes of state, to compare replicas by.
 *
 * The digest of a set is the *sum* of its elements' digests (wrapping), so that one element can
 * be added, changed or taken away at its own cost, whatever the size of the set, and in any
 * order. An element's digest mixes everything that says which element it is (its queue, its
 * position) with its value, else two changes could cancel out. Not meant against an adversary.
 *
 * The same on every machine: words go in as numbers, bytes as bytes. */
#pragma once

#include "core/base/ids.h"
#include "core/base/slice.h"

/* Spreads every bit of `value` over the whole word. */
static inline guint64
digest_mix (guint64 value)
{
  value ^= value >> 32;
  value *= G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
  value ^= value >> 32;
  value *= G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
  value ^= value >> 32;
  return value;
}

/* An ordered pair: digest_combine (a, b) and digest_combine (b, a) differ. */
static inline guint64
digest_combine (guint64 digest, guint64 value)
{
  return digest_mix (digest * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + value
                     + G_GUINT64_CONSTANT (0x632be59bd9b4e019));
}

guint64 digest_bytes (guint64 digest, const void *bytes, gsize length);

static inline guint64
digest_slice (guint64 digest, Slice slice)
{
  return digest_bytes (digest, slice.bytes, slice.length);
}

static inline guint64
digest_text (guint64 digest, const char *text)
{
  return digest_bytes (digest, text, strlen (text));
}

static inline guint64
digest_session (guint64 digest, SessionId id)
{
  return digest_combine (digest_combine (digest, id.incarnation), id.counter);
}

static inline guint64
digest_connection (guint64 digest, ConnectionId id)
{
  return digest_combine (digest_combine (digest, id.incarnation), id.counter);
}
