/* SPDX-License-Identifier: MIT */
#include "core/broker/queue_segments.h"
#include "core/broker/queue_segment.h"

#define FIRST_ROOM 8

/* `array` has unused room at both ends, so that segments come and go there at no cost; one in the
 * middle goes by moving the shorter side.
 *
 * `ready` is a binary heap of the numbers of those segments that hold ready messages: so the first
 * one is found at once, whatever unacked messages stand before it and wherever one comes back.
 * A segment can only lose its last ready message while it is the first of the heap. A capture
 * has no heap. */
struct QueueSegments
{
  Segment **array;
  gsize room;
  gsize start;
  gsize count;
  guint64 next_position;
  GArray *ready; /* of guint64 */
};

/* --- the heap of segments with ready messages */

static void
ready_push (QueueSegments *segments, guint64 number)
{
  guint64 *heap;
  guint at;

  g_array_append_val (segments->ready, number);
  heap = (guint64 *) (gpointer) segments->ready->data;
  for (at = segments->ready->len - 1; at > 0 && heap[(at - 1) / 2] > number; at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = number;
}

static void
ready_pop (QueueSegments *segments)
{
  guint64 *heap = (guint64 *) (gpointer) segments->ready->data;
  guint length = segments->ready->len - 1, at = 0;
  guint64 number = heap[length];

  for (guint child = 1; child < length; child = 2 * at + 1)
    {
      if (child + 1 < length && heap[child + 1] < heap[child])
        child++;
      if (heap[child] >= number)
        break;
      heap[at] = heap[child];
      at = child;
    }
  heap[at] = number;
  g_array_set_size (segments->ready, length);
}

/* --- the array */

QueueSegments *
queue_segments_new (void)
{
  QueueSegments *segments = g_new0 (QueueSegments, 1);

  segments->ready = g_array_new (FALSE, FALSE, sizeof (guint64));
  return segments;
}

void
queue_segments_free (QueueSegments *segments)
{
  for (gsize i = 0; i < segments->count; i++)
    segment_unref (segments->array[segments->start + i]);
  g_array_unref (segments->ready);
  g_free (segments->array);
  g_free (segments);
}

static Segment **
segment_at (const QueueSegments *segments, gsize index)
{
  g_assert (index < segments->count);
  return &segments->array[segments->start + index];
}

/* FALSE: none; *ret_index is where it would stand. Nearly always there are no gaps, and the
 * first guess is right. */
static gboolean
find_segment (const QueueSegments *segments, guint64 number, gsize *ret_index)
{
  gsize low = 0, high = segments->count;

  if (high > 0 && number >= (*segment_at (segments, 0))->number)
    {
      guint64 guess = number - (*segment_at (segments, 0))->number;

      if (guess < high && (*segment_at (segments, guess))->number == number)
        {
          *ret_index = guess;
          return TRUE;
        }
    }
  while (low < high)
    {
      gsize middle = low + (high - low) / 2;

      if ((*segment_at (segments, middle))->number < number)
        low = middle + 1;
      else
        high = middle;
    }
  *ret_index = low;
  return low < segments->count && (*segment_at (segments, low))->number == number;
}

static void
make_room_at_end (QueueSegments *segments)
{
  if (segments->start + segments->count < segments->room)
    return;
  if (segments->start >= MAX (segments->count, 1))
    memcpy (segments->array, segments->array + segments->start,
            segments->count * sizeof (Segment *));
  else
    {
      Segment **array;

      segments->room = MAX (FIRST_ROOM, 2 * segments->count);
      array = g_new (Segment *, segments->room);
      if (segments->count > 0)
        memcpy (array, segments->array + segments->start, segments->count * sizeof (Segment *));
      g_free (segments->array);
      segments->array = array;
    }
  segments->start = 0;
}

static void
add_segment (QueueSegments *segments, Segment *take_segment)
{
  make_room_at_end (segments);
  segments->array[segments->start + segments->count++] = take_segment;
}

static Segment *
take_segment_out (QueueSegments *segments, gsize index)
{
  Segment *segment = *segment_at (segments, index);
  Segment **first = segment_at (segments, 0);

  if (index < segments->count / 2)
    {
      memmove (first + 1, first, index * sizeof (Segment *));
      segments->start++;
    }
  else
    memmove (first + index, first + index + 1, (segments->count - index - 1) * sizeof (Segment *));
  segments->count--;
  return segment;
}

static void
remove_if_empty (QueueSegments *segments, gsize index)
{
  const Segment *segment = *segment_at (segments, index);

  if (segment->n_ready == 0 && segment->n_unacked == 0)
    segment_unref (take_segment_out (segments, index));
}

/* The segment, for writing. */
static Segment *
own_segment (QueueSegments *segments, gsize index)
{
  Segment **at = segment_at (segments, index);
  Segment *shared = *at;

  if (shared->ref_count > 1)
    {
      *at = segment_copy (shared);
      segment_unref (shared);
    }
  return *at;
}

/* --- what queue.c asks for */

guint
queue_segments_free_some (QueueSegments *segments, guint max)
{
  guint freed = 0;

  while (segments->count > 0)
    {
      Segment *segment = *segment_at (segments, 0);
      guint cost = segment->ref_count > 1 ? 1 : segment->n_ready + segment->n_unacked;

      if (freed > 0 && freed + cost > max)
        break;
      segment_unref (take_segment_out (segments, 0));
      freed += cost;
    }
  return freed;
}

QueueSegments *
queue_segments_capture (const QueueSegments *segments)
{
  QueueSegments *capture = queue_segments_new ();

  capture->array = g_new (Segment *, MAX (segments->count, 1));
  capture->room = MAX (segments->count, 1);
  capture->count = segments->count;
  capture->next_position = segments->next_position;
  for (gsize i = 0; i < segments->count; i++)
    {
      capture->array[i] = *segment_at (segments, i);
      capture->array[i]->ref_count++;
    }
  return capture;
}

guint
queue_segments_count (const QueueSegments *segments)
{
  return (guint) segments->count;
}

guint64
queue_segments_next_position (const QueueSegments *segments)
{
  return segments->next_position;
}

guint64
queue_segments_skip (QueueSegments *segments)
{
  return segments->next_position++;
}

guint64
queue_segments_append (QueueSegments *segments, Message *take_message, gboolean unacked)
{
  guint64 position = segments->next_position++;
  guint64 number = position / LIMIT_SEGMENT_MESSAGES;
  Segment *segment;

  if (segments->count == 0 || (*segment_at (segments, segments->count - 1))->number != number)
    add_segment (segments, segment_new (number));
  segment = own_segment (segments, segments->count - 1);
  segment_put (segment, position % LIMIT_SEGMENT_MESSAGES, take_message, unacked);
  if (!unacked && segment->n_ready == 1)
    ready_push (segments, number);
  return position;
}

gboolean
queue_segments_take_first (QueueSegments *segments, gboolean unacked, Place *ret_place)
{
  Segment *segment;
  gsize index = 0;
  guint offset;

  if (segments->ready->len == 0)
    return FALSE;
  if (!find_segment (segments, g_array_index (segments->ready, guint64, 0), &index))
    g_assert_not_reached ();
  segment = own_segment (segments, index);
  offset = find_place (segment->ready, segment->ready, 0);
  segment_read_place (segment, offset, ret_place);
  clear_bit (segment->ready, offset);
  if (--segment->n_ready == 0)
    ready_pop (segments);
  if (unacked)
    {
      set_bit (segment->unacked, offset);
      segment->n_unacked++;
      return TRUE;
    }
  clear_bit (segment->redelivered, offset);
  remove_if_empty (segments, index);
  return TRUE;
}

static gboolean
find_unacked (const QueueSegments *segments, guint64 position, gsize *ret_index)
{
  return find_segment (segments, position / LIMIT_SEGMENT_MESSAGES, ret_index)
         && bit_is_set ((*segment_at (segments, *ret_index))->unacked,
                        position % LIMIT_SEGMENT_MESSAGES);
}

gboolean
queue_segments_peek_unacked (const QueueSegments *segments, guint64 position, Place *ret_place)
{
  gsize index;

  if (!find_unacked (segments, position, &index))
    return FALSE;
  segment_read_place (*segment_at (segments, index), position % LIMIT_SEGMENT_MESSAGES, ret_place);
  return TRUE;
}

static Segment *
take_unacked (QueueSegments *segments, guint64 position, gsize *ret_index, Place *ret_was)
{
  Segment *segment;

  if (!find_unacked (segments, position, ret_index))
    g_error ("queue: position %" G_GUINT64_FORMAT " is not unacked", position);
  segment = own_segment (segments, *ret_index);
  segment_read_place (segment, position % LIMIT_SEGMENT_MESSAGES, ret_was);
  clear_bit (segment->unacked, position % LIMIT_SEGMENT_MESSAGES);
  segment->n_unacked--;
  return segment;
}

void
queue_segments_requeue (QueueSegments *segments, guint64 position, Place *ret_was)
{
  guint offset = position % LIMIT_SEGMENT_MESSAGES;
  gsize index;
  Segment *segment = take_unacked (segments, position, &index, ret_was);

  set_bit (segment->ready, offset);
  set_bit (segment->redelivered, offset);
  if (++segment->n_ready == 1)
    ready_push (segments, segment->number);
}

void
queue_segments_settle (QueueSegments *segments, guint64 position, Place *ret_was)
{
  guint offset = position % LIMIT_SEGMENT_MESSAGES;
  gsize index;
  Segment *segment = take_unacked (segments, position, &index, ret_was);

  clear_bit (segment->redelivered, offset);
  remove_if_empty (segments, index);
}

QueueSegments *
queue_segments_drop_ready (QueueSegments *segments)
{
  QueueSegments *dropped = queue_segments_new ();
  gsize kept = 0;

  for (gsize i = 0; i < segments->count; i++)
    {
      Segment *segment = *segment_at (segments, i);

      if (segment->n_unacked == 0)
        add_segment (dropped, segment);
      else if (segment->n_ready == 0)
        *segment_at (segments, kept++) = segment;
      else
        {
          *segment_at (segments, kept++) = segment_split_unacked (segment);
          add_segment (dropped, segment);
        }
    }
  segments->count = kept;
  g_array_set_size (segments->ready, 0);
  return dropped;
}

gboolean
queue_segments_next (QueueSegmentsIter *iter, Place *ret_place)
{
  for (; iter->index < iter->segments->count; iter->index++, iter->offset = 0)
    {
      const Segment *segment = *segment_at (iter->segments, iter->index);
      guint offset = iter->offset;

      if (offset < LIMIT_SEGMENT_MESSAGES)
        offset = segment_next_used (segment, offset);
      if (offset == LIMIT_SEGMENT_MESSAGES)
        continue;
      segment_read_place (segment, offset, ret_place);
      iter->offset = offset + 1;
      return TRUE;
    }
  return FALSE;
}

/* --- as state */

void
queue_segments_position_state (StateCodec *codec, QueueSegments *segments)
{
  state_u64 (codec, &segments->next_position);
}

gboolean
queue_segments_restore (QueueSegments *segments, const Place *place)
{
  guint64 number = place->position / LIMIT_SEGMENT_MESSAGES;
  guint offset = place->position % LIMIT_SEGMENT_MESSAGES;
  Segment *last = segments->count == 0 ? NULL : *segment_at (segments, segments->count - 1);

  if (place->position >= segments->next_position
      || (last != NULL
          && (number < last->number
              || (number == last->number
                  && segment_next_used (last, offset) < LIMIT_SEGMENT_MESSAGES))))
    return FALSE;
  if (last == NULL || number > last->number)
    {
      last = segment_new (number);
      add_segment (segments, last);
    }
  segment_put (last, offset, place->message, place->unacked);
  if (place->redelivered)
    set_bit (last->redelivered, offset);
  if (!place->unacked && last->n_ready == 1)
    ready_push (segments, number);
  return TRUE;
}
