/* SPDX-License-Identifier: MIT */
#include "core/base/digest.h"

#define N_LANES    4
#define LANE_PRIME G_GUINT64_CONSTANT (0x9fb21c651e98df25)

static guint64
load_word (const guint8 *bytes)
{
  guint64 word;

  memcpy (&word, bytes, sizeof word);
  return GUINT64_FROM_LE (word);
}

static guint64
load_half (const guint8 *bytes)
{
  guint32 half;

  memcpy (&half, bytes, sizeof half);
  return GUINT32_FROM_LE (half);
}

/* 1 to 7 bytes as a word, by loads that overlap instead of a loop. */
static guint64
load_rest (const guint8 *bytes, gsize count)
{
  if (count >= 4)
    return load_half (bytes) | load_half (bytes + count - 4) << (8 * (count - 4));
  return bytes[0] | (guint64) bytes[count / 2] << (8 * (count / 2))
         | (guint64) bytes[count - 1] << (8 * (count - 1));
}

static guint64
fold (guint64 lane, guint64 word)
{
  guint64 value = (lane ^ word) * LANE_PRIME;

  return value ^ value >> 32;
}

/* A long run (a message's body) goes word by word through four lanes, which the processor works
 * on at once: one chain of digest_combine would be ten times slower. Written out, since compilers
 * make a loop over lanes one over vectors, which cannot multiply words. */
static guint64
digest_lanes (guint64 digest, const guint8 *bytes, gsize n_words)
{
  const guint8 *end = bytes + n_words * 8;
  guint64 a = 1, b = 2, c = 3, d = 4;

  for (; bytes < end; bytes += N_LANES * 8)
    {
      a = fold (a, load_word (bytes));
      b = fold (b, load_word (bytes + 8));
      c = fold (c, load_word (bytes + 16));
      d = fold (d, load_word (bytes + 24));
    }
  digest = digest_combine (digest_combine (digest, a), b);
  return digest_combine (digest_combine (digest, c), d);
}

/* Names and short bodies go through one lane, which does not wait for `digest`: so the processor
 * works on the slices of a message at once, and only the last step of each is a chain. */
guint64
digest_bytes (guint64 digest, const void *bytes, gsize length)
{
  const guint8 *at = bytes;
  gsize left = length;
  gsize n_words = length / (8 * N_LANES) * N_LANES;
  guint64 lane = fold (1, length);

  if (n_words > N_LANES)
    {
      digest = digest_lanes (digest, at, n_words);
      at += n_words * 8;
      left -= n_words * 8;
    }
  for (; left >= 8; at += 8, left -= 8)
    lane = fold (lane, load_word (at));
  if (left > 0)
    lane = fold (lane, load_rest (at, left));
  return digest_combine (digest, lane);
}
