/* SPDX-License-Identifier: MIT */
#include "core/broker/queue_segment.h"

guint
segment_next_used (const Segment *segment, guint offset)
{
  return find_place (segment->ready, segment->unacked, offset);
}

static guint
next_unacked (const Segment *segment, guint offset)
{
  return find_place (segment->unacked, segment->unacked, offset);
}

Segment *
segment_new (guint64 number)
{
  Segment *segment = g_malloc (sizeof (Segment));

  /* The places themselves are not cleared: the maps say which of them count. */
  memset (segment, 0, G_STRUCT_OFFSET (Segment, messages));
  segment->ref_count = 1;
  segment->number = number;
  return segment;
}

void
segment_unref (Segment *segment)
{
  if (--segment->ref_count > 0)
    return;
  for (guint i = segment_next_used (segment, 0); i < LIMIT_SEGMENT_MESSAGES;
       i = segment_next_used (segment, i + 1))
    message_unref (segment->messages[i]);
  g_free (segment);
}

Segment *
segment_copy (const Segment *segment)
{
  Segment *copy = g_memdup2 (segment, sizeof (Segment));

  copy->ref_count = 1;
  for (guint i = segment_next_used (copy, 0); i < LIMIT_SEGMENT_MESSAGES;
       i = segment_next_used (copy, i + 1))
    message_ref (copy->messages[i]);
  return copy;
}

Segment *
segment_split_unacked (Segment *segment)
{
  Segment *unacked = segment_new (segment->number);

  for (guint i = next_unacked (segment, 0); i < LIMIT_SEGMENT_MESSAGES;
       i = next_unacked (segment, i + 1))
    {
      unacked->messages[i] = segment->messages[i];
      if (segment->ref_count > 1)
        message_ref (segment->messages[i]);
    }
  unacked->n_unacked = segment->n_unacked;
  memcpy (unacked->unacked, segment->unacked, sizeof unacked->unacked);
  for (guint i = 0; i < N_WORDS; i++)
    unacked->redelivered[i] = segment->redelivered[i] & segment->unacked[i];
  if (segment->ref_count == 1)
    {
      memset (segment->unacked, 0, sizeof segment->unacked);
      segment->n_unacked = 0;
    }
  return unacked;
}

void
segment_read_place (const Segment *segment, guint offset, Place *ret_place)
{
  *ret_place = (Place){
    .position = segment->number * LIMIT_SEGMENT_MESSAGES + offset,
    .message = segment->messages[offset],
    .unacked = bit_is_set (segment->unacked, offset),
    .redelivered = bit_is_set (segment->redelivered, offset),
  };
}

void
segment_put (Segment *segment, guint offset, Message *take_message, gboolean unacked)
{
  g_assert (!bit_is_set (segment->ready, offset) && !bit_is_set (segment->unacked, offset));
  segment->messages[offset] = take_message;
  set_bit (unacked ? segment->unacked : segment->ready, offset);
  if (unacked)
    segment->n_unacked++;
  else
    segment->n_ready++;
}
