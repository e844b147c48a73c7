/* SPDX-License-Identifier: MIT */
/* One segment of a queue: LIMIT_SEGMENT_MESSAGES places in a row. Only queue_segments.c uses it.
 *
 * Counted: a function that changes a segment takes one that nobody shares (ref_count 1). */
#pragma once

#include "core/base/limits.h"
#include "core/broker/queue_segments.h"

#define N_WORDS (LIMIT_SEGMENT_MESSAGES / 64)

G_STATIC_ASSERT (LIMIT_SEGMENT_MESSAGES % 64 == 0);

typedef struct Segment
{
  guint ref_count;
  guint n_ready;
  guint n_unacked;
  guint64 number;         /* of its first position, divided by the places in a segment */
  guint64 ready[N_WORDS]; /* bit maps of places */
  guint64 unacked[N_WORDS];
  guint64 redelivered[N_WORDS];
  Message *messages[LIMIT_SEGMENT_MESSAGES]; /* valid where ready or unacked */
} Segment;

static inline gboolean
bit_is_set (const guint64 *words, guint offset)
{
  return words[offset / 64] >> (offset % 64) & 1;
}

static inline void
set_bit (guint64 *words, guint offset)
{
  words[offset / 64] |= G_GUINT64_CONSTANT (1) << (offset % 64);
}

static inline void
clear_bit (guint64 *words, guint offset)
{
  words[offset / 64] &= ~(G_GUINT64_CONSTANT (1) << (offset % 64));
}

/* The first place from `offset` on that is set in either map; LIMIT_SEGMENT_MESSAGES: none. */
static inline guint
find_place (const guint64 *words, const guint64 *more_words, guint offset)
{
  guint64 mask = G_MAXUINT64 << (offset % 64);

  for (guint i = offset / 64; i < N_WORDS; i++)
    {
      guint64 word = (words[i] | more_words[i]) & mask;

      if (word != 0)
        return i * 64 + (guint) __builtin_ctzll (word);
      mask = G_MAXUINT64;
    }
  return LIMIT_SEGMENT_MESSAGES;
}

Segment *segment_new (guint64 number);
void segment_unref (Segment *segment);
Segment *segment_copy (const Segment *segment);
/* A segment of its own for the unacked messages. They leave the old one if nobody shares it. */
Segment *segment_split_unacked (Segment *segment);

/* The first place from `offset` on that holds a message; LIMIT_SEGMENT_MESSAGES: none. */
guint segment_next_used (const Segment *segment, guint offset);
void segment_read_place (const Segment *segment, guint offset, Place *ret_place);
/* Where nothing is. */
void segment_put (Segment *segment, guint offset, Message *take_message, gboolean unacked);
