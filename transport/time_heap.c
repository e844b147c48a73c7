/* SPDX-License-Identifier: MIT */
#include "transport/time_heap.h"

struct TimeHeap
{
  GArray *entries; /* of TimeHeapEntry, a binary heap */
  guint64 next_sequence;
};

TimeHeap *
time_heap_new (void)
{
  TimeHeap *heap = g_new0 (TimeHeap, 1);

  heap->entries = g_array_new (FALSE, FALSE, sizeof (TimeHeapEntry));
  return heap;
}

void
time_heap_free (TimeHeap *heap)
{
  g_array_unref (heap->entries);
  g_free (heap);
}

guint
time_heap_size (const TimeHeap *heap)
{
  return heap->entries->len;
}

static TimeHeapEntry *
entry_at (const TimeHeap *heap, guint index)
{
  return &g_array_index (heap->entries, TimeHeapEntry, index);
}

static gboolean
is_before (const TimeHeapEntry *a, const TimeHeapEntry *b)
{
  int order;

  if (a->time_us != b->time_us)
    return a->time_us < b->time_us;
  if (a->kind != b->kind)
    return a->kind < b->kind;
  order = member_id_compare (a->member, b->member);
  return order != 0 ? order < 0 : a->sequence < b->sequence;
}

static void
sift_up (TimeHeap *heap, guint index)
{
  TimeHeapEntry entry = *entry_at (heap, index);

  while (index > 0 && is_before (&entry, entry_at (heap, (index - 1) / 2)))
    {
      *entry_at (heap, index) = *entry_at (heap, (index - 1) / 2);
      index = (index - 1) / 2;
    }
  *entry_at (heap, index) = entry;
}

/* Down to a leaf by the sooner children, then up again: what is put on top was one of the last, and
 * belongs near the leaves. Half as many comparisons. */
static void
sift_down (TimeHeap *heap, guint top)
{
  TimeHeapEntry entry = *entry_at (heap, top);
  guint index = top, child;

  while ((child = 2 * index + 1) < heap->entries->len)
    {
      if (child + 1 < heap->entries->len
          && is_before (entry_at (heap, child + 1), entry_at (heap, child)))
        child++;
      *entry_at (heap, index) = *entry_at (heap, child);
      index = child;
    }
  while (index > top && is_before (&entry, entry_at (heap, (index - 1) / 2)))
    {
      *entry_at (heap, index) = *entry_at (heap, (index - 1) / 2);
      index = (index - 1) / 2;
    }
  *entry_at (heap, index) = entry;
}

void
time_heap_push (TimeHeap *heap, gint64 time_us, guint kind, MemberId member, gpointer value)
{
  TimeHeapEntry entry = {
    .time_us = time_us,
    .kind = kind,
    .member = member,
    .sequence = heap->next_sequence++,
    .value = value,
  };

  g_array_append_val (heap->entries, entry);
  sift_up (heap, heap->entries->len - 1);
}

const TimeHeapEntry *
time_heap_peek (const TimeHeap *heap)
{
  return heap->entries->len == 0 ? NULL : entry_at (heap, 0);
}

TimeHeapEntry
time_heap_pop (TimeHeap *heap)
{
  TimeHeapEntry entry;

  g_assert (heap->entries->len > 0);
  entry = *entry_at (heap, 0);
  *entry_at (heap, 0) = *entry_at (heap, heap->entries->len - 1);
  g_array_set_size (heap->entries, heap->entries->len - 1);
  if (heap->entries->len > 0)
    sift_down (heap, 0);
  return entry;
}

void
time_heap_remove_if (TimeHeap *heap, gboolean (*matches) (TimeHeapEntry *entry, gpointer data),
                     gpointer data)
{
  guint kept = 0;

  for (guint i = 0; i < heap->entries->len; i++)
    if (!matches (entry_at (heap, i), data))
      *entry_at (heap, kept++) = *entry_at (heap, i);
  if (kept == heap->entries->len)
    return;
  g_array_set_size (heap->entries, kept);
  for (guint i = kept / 2; i-- > 0;)
    sift_down (heap, i);
}
