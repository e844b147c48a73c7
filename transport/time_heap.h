/* SPDX-License-Identifier: MIT */
/* What will happen, soonest first. Entries of one time come by (kind, member, sequence), so that
 * no tie is broken by chance. The sequence is counted by the heap: first in, first out. */
#pragma once

#include "core/base/ids.h"

typedef struct TimeHeap TimeHeap;

typedef struct TimeHeapEntry
{
  gint64 time_us;
  guint kind;
  MemberId member;
  guint64 sequence; /* set by time_heap_push */
  gpointer value;   /* borrowed */
} TimeHeapEntry;

TimeHeap *time_heap_new (void);
void time_heap_free (TimeHeap *heap);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TimeHeap, time_heap_free)

guint time_heap_size (const TimeHeap *heap);
void time_heap_push (TimeHeap *heap, gint64 time_us, guint kind, MemberId member, gpointer value);
/* NULL: empty. Valid until the next push or pop. */
const TimeHeapEntry *time_heap_peek (const TimeHeap *heap);
/* The heap must not be empty. */
TimeHeapEntry time_heap_pop (TimeHeap *heap);
/* Takes out every entry for which `matches` is TRUE; it frees the value. */
void time_heap_remove_if (TimeHeap *heap, gboolean (*matches) (TimeHeapEntry *entry, gpointer data),
                          gpointer data);
