/* SPDX-License-Identifier: MIT */
#include "sim/clock.h"

struct Clock
{
  TimeHeap *heap;
};

Clock *
clock_new (void)
{
  Clock *clock = g_new0 (Clock, 1);

  clock->heap = time_heap_new ();
  return clock;
}

void
clock_free (Clock *clock, void (*drop) (const ClockEvent *event))
{
  while (drop != NULL && time_heap_size (clock->heap) > 0)
    {
      ClockEvent event = clock_take (clock);

      drop (&event);
    }
  time_heap_free (clock->heap);
  g_free (clock);
}

void
clock_at (Clock *clock, gint64 time_us, ClockKind kind, guint owner, gpointer value)
{
  time_heap_push (clock->heap, time_us, kind, (MemberId){ owner, 0 }, value);
}

gint64
clock_next_us (const Clock *clock)
{
  const TimeHeapEntry *head = time_heap_peek (clock->heap);

  return head == NULL ? G_MAXINT64 : head->time_us;
}

ClockEvent
clock_take (Clock *clock)
{
  TimeHeapEntry entry = time_heap_pop (clock->heap);

  return (ClockEvent){
    .time_us = entry.time_us,
    .kind = (ClockKind) entry.kind,
    .owner = entry.member.node_id,
    .value = entry.value,
  };
}
