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

static gboolean
maps_state (StateCodec *codec, Segment *segment)
{
  for (guint i = 0; i < N_WORDS; i++)
    {
      state_u64 (codec, &segment->ready[i]);
      state_u64 (codec, &segment->unacked[i]);
      state_u64 (codec, &segment->redelivered[i]);
      if ((segment->ready[i] & segment->unacked[i]) != 0
          || (segment->redelivered[i] & ~(segment->ready[i] | segment->unacked[i])) != 0)
        state_fail (codec);
    }
  return state_is_good (codec) && segment_next_used (segment, 0) < LIMIT_SEGMENT_MESSAGES;
}

void
segment_write_state (StateCodec *codec, Segment *segment)
{
  state_u64 (codec, &segment->number);
  maps_state (codec, segment);
  for (guint i = segment_next_used (segment, 0); i < LIMIT_SEGMENT_MESSAGES;
       i = segment_next_used (segment, i + 1))
    message_state (codec, &segment->messages[i]);
}

/* The maps are filled in as messages are there, so that what was read so far can be freed at any
 * point. */
Segment *
segment_read_state (StateCodec *codec)
{
  Segment maps = { .ref_count = 1 };
  Segment *segment;

  state_u64 (codec, &maps.number);
  if (!maps_state (codec, &maps))
    return NULL;
  segment = segment_new (maps.number);
  for (guint i = segment_next_used (&maps, 0); i < LIMIT_SEGMENT_MESSAGES;
       i = segment_next_used (&maps, i + 1))
    {
      Message *message = NULL;

      if (!message_state (codec, &message))
        {
          segment_unref (segment);
          return NULL;
        }
      segment_put (segment, i, message, bit_is_set (maps.unacked, i));
    }
  memcpy (segment->redelivered, maps.redelivered, sizeof segment->redelivered);
  return segment;
}
