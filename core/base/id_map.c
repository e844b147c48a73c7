/* SPDX-License-Identifier: MIT */
/* `entries` holds keys and values in the order of insertion, removed ones as holes; `slots` is
 * the hash table, of indices into it plus one. Both are rebuilt when half of either is used up. */
#include "core/base/id_map.h"
#include "core/base/digest.h"

#define FIRST_SLOTS  8
#define SLOT_EMPTY   0
#define SLOT_REMOVED G_MAXUINT32

typedef struct Entry
{
  IdKey key;
  gpointer value; /* NULL: a hole */
} Entry;

struct IdMap
{
  guint32 *slots;
  gsize n_slots; /* a power of two, larger than n_entries */
  Entry *entries;
  gsize n_entries; /* holes included; grows only until the next rebuild */
  guint n_values;
};

IdMap *
id_map_new (void)
{
  IdMap *map = g_new0 (IdMap, 1);

  map->n_slots = FIRST_SLOTS;
  map->slots = g_new0 (guint32, map->n_slots);
  map->entries = g_new (Entry, map->n_slots / 2);
  return map;
}

void
id_map_free (IdMap *map)
{
  g_free (map->slots);
  g_free (map->entries);
  g_free (map);
}

guint
id_map_size (const IdMap *map)
{
  return map->n_values;
}

static gsize
hash_key (IdKey key)
{
  return (gsize) digest_mix (key.high * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + key.low);
}

/* The slot that holds `key`, or the empty one that ends its search. */
static gsize
find_slot (const IdMap *map, IdKey key)
{
  gsize slot = hash_key (key) & (map->n_slots - 1);

  for (;; slot = (slot + 1) & (map->n_slots - 1))
    {
      const Entry *entry;

      if (map->slots[slot] == SLOT_EMPTY)
        return slot;
      if (map->slots[slot] == SLOT_REMOVED)
        continue;
      entry = &map->entries[map->slots[slot] - 1];
      if (entry->key.high == key.high && entry->key.low == key.low)
        return slot;
    }
}

gpointer
id_map_lookup (const IdMap *map, IdKey key)
{
  guint32 index = map->slots[find_slot (map, key)];

  return index == SLOT_EMPTY ? NULL : map->entries[index - 1].value;
}

/* Without holes, with room for as many values again. */
static void
rebuild (IdMap *map)
{
  g_autofree Entry *old = g_steal_pointer (&map->entries);
  gsize n_old = map->n_entries;

  g_free (map->slots);
  map->n_slots = FIRST_SLOTS;
  while (map->n_slots / 4 < (gsize) map->n_values + 1)
    map->n_slots *= 2;
  map->slots = g_new0 (guint32, map->n_slots);
  map->entries = g_new (Entry, map->n_slots / 2);
  map->n_entries = 0;
  for (gsize i = 0; i < n_old; i++)
    {
      if (old[i].value == NULL)
        continue;
      map->entries[map->n_entries] = old[i];
      map->slots[find_slot (map, old[i].key)] = (guint32) ++map->n_entries;
    }
}

void
id_map_insert (IdMap *map, IdKey key, gpointer value)
{
  gsize slot;

  g_assert (value != NULL);
  if (map->n_entries == map->n_slots / 2)
    rebuild (map);
  slot = find_slot (map, key);
  g_assert (map->slots[slot] == SLOT_EMPTY);
  map->entries[map->n_entries] = (Entry){ key, value };
  map->slots[slot] = (guint32) ++map->n_entries;
  map->n_values++;
}

gpointer
id_map_remove (IdMap *map, IdKey key)
{
  gsize slot = find_slot (map, key);
  guint32 index = map->slots[slot];
  gpointer value;

  if (index == SLOT_EMPTY)
    return NULL;
  value = g_steal_pointer (&map->entries[index - 1].value);
  map->slots[slot] = SLOT_REMOVED;
  map->n_values--;
  return value;
}

gboolean
id_map_next (IdMapIter *iter, IdKey *ret_key, gpointer *ret_value)
{
  while (iter->next < iter->map->n_entries)
    {
      const Entry *entry = &iter->map->entries[iter->next++];

      if (entry->value == NULL)
        continue;
      if (ret_key != NULL)
        *ret_key = entry->key;
      if (ret_value != NULL)
        *ret_value = entry->value;
      return TRUE;
    }
  return FALSE;
}
