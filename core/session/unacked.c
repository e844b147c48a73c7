/* SPDX-License-Identifier: MIT */
#include "core/session/unacked.h"
#include "core/base/digest.h"

#define FIRST_ROOM 16

static guint64
entry_digest (const UnackedEntry *entry)
{
  guint64 digest = digest_combine (entry->delivery_tag, entry->queue->identity);

  digest = digest_combine (digest, entry->position);
  return digest_combine (digest, (entry->of_consumer ? 2 : 0) + (entry->subscription != NULL));
}

void
unacked_clear (Unacked *unacked)
{
  for (gsize i = unacked->first; i < unacked->end; i++)
    if (unacked->entries[i].queue != NULL)
      queue_unref (unacked->entries[i].queue);
  g_free (unacked->entries);
  *unacked = (Unacked){ 0 };
}

/* Moves what is there to the front, without its holes; grows if that gives too little. */
static void
make_room (Unacked *unacked)
{
  gsize kept = 0;

  for (gsize i = unacked->first; i < unacked->end; i++)
    if (unacked->entries[i].queue != NULL)
      unacked->entries[kept++] = unacked->entries[i];
  unacked->first = 0;
  unacked->end = kept;
  if (kept * 2 < unacked->room)
    return;
  unacked->room = MAX (unacked->room * 2, FIRST_ROOM);
  unacked->entries = g_renew (UnackedEntry, unacked->entries, unacked->room);
}

static void
add (Unacked *unacked, UnackedEntry entry)
{
  g_assert (unacked->count == 0
            || unacked->entries[unacked->end - 1].delivery_tag < entry.delivery_tag);
  if (unacked->end == unacked->room)
    make_room (unacked);
  queue_ref (entry.queue);
  unacked->entries[unacked->end++] = entry;
  unacked->count++;
  unacked->n_of_consumers += entry.of_consumer ? 1 : 0;
  unacked->digest += entry_digest (&entry);
}

void
unacked_add (Unacked *unacked, guint64 delivery_tag, Queue *queue, guint64 position,
             Subscription *subscription)
{
  add (unacked,
       (UnackedEntry){ delivery_tag, position, queue, subscription, subscription != NULL });
}

void
unacked_add_of_cancelled (Unacked *unacked, guint64 delivery_tag, Queue *queue, guint64 position)
{
  add (unacked, (UnackedEntry){ delivery_tag, position, queue, NULL, TRUE });
}

UnackedEntry *
unacked_find (Unacked *unacked, guint64 delivery_tag)
{
  gsize low = unacked->first, high = unacked->end;

  while (low < high)
    {
      gsize middle = low + (high - low) / 2;

      if (unacked->entries[middle].delivery_tag < delivery_tag)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == unacked->end || unacked->entries[low].delivery_tag != delivery_tag
      || unacked->entries[low].queue == NULL)
    return NULL;
  return &unacked->entries[low];
}

UnackedEntry *
unacked_first (Unacked *unacked, guint64 delivery_tag)
{
  if (unacked->count == 0 || unacked->entries[unacked->first].delivery_tag > delivery_tag)
    return NULL;
  return &unacked->entries[unacked->first];
}

void
unacked_remove (Unacked *unacked, UnackedEntry *entry)
{
  unacked->digest -= entry_digest (entry);
  unacked->count--;
  unacked->n_of_consumers -= entry->of_consumer ? 1 : 0;
  queue_unref (g_steal_pointer (&entry->queue));
  while (unacked->first < unacked->end && unacked->entries[unacked->first].queue == NULL)
    unacked->first++;
  if (unacked->first == unacked->end)
    unacked->first = unacked->end = 0;
}

UnackedEntry *
unacked_next (Unacked *unacked, UnackedEntry *entry)
{
  const UnackedEntry *end = unacked->entries + unacked->end;

  for (entry++; entry < end; entry++)
    if (entry->queue != NULL)
      return entry;
  return NULL;
}

void
unacked_forget_subscription (Unacked *unacked, const Subscription *subscription)
{
  for (gsize i = unacked->first; i < unacked->end; i++)
    {
      UnackedEntry *entry = &unacked->entries[i];

      if (entry->queue == NULL || entry->subscription != subscription)
        continue;
      unacked->digest -= entry_digest (entry);
      entry->subscription = NULL;
      unacked->digest += entry_digest (entry);
    }
}

guint64
unacked_digest_in_full (const Unacked *unacked)
{
  guint64 digest = 0;

  for (gsize i = unacked->first; i < unacked->end; i++)
    if (unacked->entries[i].queue != NULL)
      digest += entry_digest (&unacked->entries[i]);
  return digest;
}
