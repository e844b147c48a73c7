/* SPDX-License-Identifier: MIT */
/* The messages of a queue by position, in segments of LIMIT_SEGMENT_MESSAGES places:
 *
 *     positions   0 ...      511 | 512 ...   1023 | 2048 ...  2559 | 2560 ...
 *     segments    [ r u . u r r ]  [ u u u u u u ]  [ . . . r r r ]  [ r r _ _ _ _ ]
 *                   ready, unacked, or nothing; a segment that holds nothing is freed
 *
 * Each segment is counted, and copied when it is written while shared. So a capture is an array
 * of references, taken at once, and stays as it was while the queue goes on.
 *
 * Knows nothing of consumers, digests and counts of bytes: queue.c keeps those. */
#pragma once

#include "core/broker/message.h"

typedef struct QueueSegments QueueSegments;

/* What stands at a position. */
typedef struct Place
{
  guint64 position;
  Message *message;
  gboolean unacked; /* FALSE: ready */
  gboolean redelivered;
} Place;

QueueSegments *queue_segments_new (void);
void queue_segments_free (QueueSegments *segments);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (QueueSegments, queue_segments_free)
/* Frees whole segments, one at least, as long as no more than `max` messages go; returns how many
 * went. A segment that others share counts as one. */
guint queue_segments_free_some (QueueSegments *segments, guint max);

/* An immutable picture of it: it may be walked and freed, nothing else. */
QueueSegments *queue_segments_capture (const QueueSegments *segments);

guint queue_segments_count (const QueueSegments *segments);
/* The position that the next message gets. */
guint64 queue_segments_next_position (const QueueSegments *segments);

/* At the next position, which is returned. */
guint64 queue_segments_append (QueueSegments *segments, Message *take_message, gboolean unacked);
/* Uses up the next position for a message that never waits here. */
guint64 queue_segments_skip (QueueSegments *segments);
/* The first ready message: unacked from now on (*ret_place borrows it), or taken out (its
 * reference is the caller's). *ret_place is what it was before. FALSE: none is ready. */
gboolean queue_segments_take_first (QueueSegments *segments, gboolean unacked, Place *ret_place);
/* FALSE: no message there, or it is ready. Borrowed. */
gboolean queue_segments_peek_unacked (const QueueSegments *segments, guint64 position,
                                      Place *ret_place);
/* An unacked message is ready again, marked redelivered. *ret_was is what it was, borrowed. */
void queue_segments_requeue (QueueSegments *segments, guint64 position, Place *ret_was);
/* An unacked message leaves; the reference in *ret_was is the caller's. */
void queue_segments_settle (QueueSegments *segments, guint64 position, Place *ret_was);
/* All that is ready leaves, at a cost per segment. The result is for freeing. */
QueueSegments *queue_segments_drop_ready (QueueSegments *segments);

typedef struct QueueSegmentsIter
{
  const QueueSegments *segments;
  gsize index;
  guint offset;
} QueueSegmentsIter;

static inline QueueSegmentsIter
queue_segments_iter (const QueueSegments *segments)
{
  return (QueueSegmentsIter){ .segments = segments };
}

/* In the order of positions; borrowed. FALSE at the end. */
gboolean queue_segments_next (QueueSegmentsIter *iter, Place *ret_place);

/* The next position. A reader then restores what stands before it, in order. */
void queue_segments_position_state (StateCodec *codec, QueueSegments *segments);
/* Puts place->message, whose reference it takes, behind all others. FALSE: it cannot stand there,
 * and is still the caller's. */
gboolean queue_segments_restore (QueueSegments *segments, const Place *place);
