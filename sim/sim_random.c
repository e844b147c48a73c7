/* SPDX-License-Identifier: MIT */
#include "sim/sim_random.h"
#include "core/base/digest.h"

SimStream
sim_stream (guint64 seed, guint64 owner, SimPurpose purpose)
{
  guint64 key = digest_combine (digest_mix (seed), owner);

  return (SimStream){ .key = digest_combine (key, (guint64) purpose) };
}

guint64
sim_stream_u64 (SimStream *stream)
{
  guint64 number = digest_combine (stream->key, stream->index++);

  if (stream->fingerprint != NULL)
    fingerprint_add (stream->fingerprint, INGREDIENT_RANDOM, number);
  return number;
}

guint
sim_stream_below (SimStream *stream, guint below)
{
  g_assert (below > 0);
  return (guint) (sim_stream_u64 (stream) % below);
}

gint64
sim_stream_between (SimStream *stream, gint64 low, gint64 high)
{
  g_assert (low <= high);
  return low + (gint64) (sim_stream_u64 (stream) % (guint64) (high - low + 1));
}

gboolean
sim_stream_chance (SimStream *stream, guint n, guint of)
{
  return sim_stream_below (stream, of) < n;
}
