/* SPDX-License-Identifier: MIT */
#include "core/base/digest.h"

static guint64
load_word (const guint8 *bytes, gsize count)
{
  guint64 word = 0;

  for (gsize i = 0; i < count; i++)
    word |= (guint64) bytes[i] << (8 * i);
  return word;
}

guint64
digest_bytes (guint64 digest, const void *bytes, gsize length)
{
  const guint8 *at = bytes;
  gsize left = length;

  digest = digest_combine (digest, length);
  for (; left >= 8; at += 8, left -= 8)
    digest = digest_combine (digest, load_word (at, 8));
  if (left > 0)
    digest = digest_combine (digest, load_word (at, left));
  return digest;
}
