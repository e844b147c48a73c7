/* SPDX-License-Identifier: MIT */
/* `slots` finds: an open-addressing hash table, never more than half full, never walked. The sorted
 * array is what is walked, and it is sorted only when a walk begins after a change. A removed entry
 * stays in the array as a hole. */
#include "core/base/name_map.h"
#include "core/base/digest.h"

#define FIRST_SLOTS 4

typedef struct Entry
{
  gpointer value; /* NULL: removed while it still stands in `sorted` */
  gsize length;
  guint8 bytes[];
} Entry;

typedef struct Slot
{
  Entry *entry; /* NULL: free */
  guint32 hash;
} Slot;

struct NameMap
{
  Slot *slots;
  guint32 n_slots; /* a power of two; 0: nothing was ever there */
  guint n_values;
  GPtrArray *sorted; /* of Entry, owned */
  gboolean is_sorted;
};

static Slice
name_of (const Entry *entry)
{
  return slice_new (entry->bytes, entry->length, NULL);
}

static Entry *
entry_new (Slice name, gpointer value)
{
  Entry *entry = g_malloc (sizeof (Entry) + name.length);

  entry->value = value;
  entry->length = name.length;
  if (name.length > 0)
    memcpy (entry->bytes, name.bytes, name.length);
  return entry;
}

guint32
name_hash (Slice name)
{
  return (guint32) digest_slice (0, name);
}

NameMap *
name_map_new (void)
{
  NameMap *map = g_new0 (NameMap, 1);

  map->sorted = g_ptr_array_new_with_free_func (g_free);
  map->is_sorted = TRUE;
  return map;
}

void
name_map_free (NameMap *map)
{
  g_free (map->slots);
  g_ptr_array_unref (map->sorted);
  g_free (map);
}

guint
name_map_size (const NameMap *map)
{
  return map->n_values;
}

/* --- the table ---------------------------------------------------------------------------- */

/* The name's slot, or the free one where the search for it ends. There must be slots. */
static guint32
find_slot (const NameMap *map, Slice name, guint32 hash)
{
  guint32 mask = map->n_slots - 1, slot = hash & mask;

  while (
      map->slots[slot].entry != NULL
      && (map->slots[slot].hash != hash || !slice_equal (name_of (map->slots[slot].entry), name)))
    slot = (slot + 1) & mask;
  return slot;
}

static void
grow (NameMap *map)
{
  guint32 n_old = map->n_slots;
  g_autofree Slot *old = g_steal_pointer (&map->slots);

  map->n_slots = MAX (2 * n_old, FIRST_SLOTS);
  map->slots = g_new0 (Slot, map->n_slots);
  for (guint32 i = 0; i < n_old; i++)
    if (old[i].entry != NULL)
      map->slots[find_slot (map, name_of (old[i].entry), old[i].hash)] = old[i];
}

/* Those behind it that a search would not find any more across the free slot move up. */
static void
free_slot (NameMap *map, guint32 slot)
{
  guint32 mask = map->n_slots - 1;

  for (guint32 next = (slot + 1) & mask; map->slots[next].entry != NULL; next = (next + 1) & mask)
    {
      if (((next - map->slots[next].hash) & mask) < ((next - slot) & mask))
        continue;
      map->slots[slot] = map->slots[next];
      slot = next;
    }
  map->slots[slot] = (Slot){ 0 };
}

gpointer
name_map_lookup_hashed (const NameMap *map, Slice name, guint32 hash)
{
  const Entry *entry;

  if (map->n_values == 0)
    return NULL;
  entry = map->slots[find_slot (map, name, hash)].entry;
  return entry == NULL ? NULL : entry->value;
}

gpointer
name_map_lookup (const NameMap *map, Slice name)
{
  return map->n_values == 0 ? NULL : name_map_lookup_hashed (map, name, name_hash (name));
}

/* Forgets the holes once they are half of the array. */
static void
compact (NameMap *map)
{
  guint kept = 0;

  if (map->sorted->len < 16 || map->sorted->len < 2 * name_map_size (map))
    return;
  for (guint i = 0; i < map->sorted->len; i++)
    {
      Entry *entry = map->sorted->pdata[i];

      if (entry->value == NULL)
        g_free (entry);
      else
        map->sorted->pdata[kept++] = entry;
    }
  map->sorted->len = kept;
}

void
name_map_insert (NameMap *map, Slice name, gpointer value)
{
  Entry *entry = entry_new (name, value);
  guint32 hash = name_hash (name), slot;

  g_assert (value != NULL);
  compact (map);
  if (2 * (map->n_values + 1) > map->n_slots)
    grow (map);
  slot = find_slot (map, name, hash);
  if (map->slots[slot].entry != NULL)
    g_error ("name_map_insert: the name is there already");
  map->slots[slot] = (Slot){ entry, hash };
  map->n_values++;
  if (map->is_sorted && map->sorted->len > 0)
    map->is_sorted = slice_compare (name_of (map->sorted->pdata[map->sorted->len - 1]), name) < 0;
  g_ptr_array_add (map->sorted, entry);
}

gpointer
name_map_remove (NameMap *map, Slice name)
{
  Entry *entry;
  guint32 slot;

  if (map->n_values == 0)
    return NULL;
  slot = find_slot (map, name, name_hash (name));
  entry = map->slots[slot].entry;
  if (entry == NULL)
    return NULL;
  free_slot (map, slot);
  map->n_values--;
  return g_steal_pointer (&entry->value);
}

/* --- the walk ----------------------------------------------------------------------------- */

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  return slice_compare (name_of (*(const Entry *const *) a), name_of (*(const Entry *const *) b));
}

NameMapIter
name_map_iter (NameMap *map)
{
  compact (map);
  if (!map->is_sorted)
    g_ptr_array_sort (map->sorted, compare_entries);
  map->is_sorted = TRUE;
  return (NameMapIter){ .map = map };
}

gboolean
name_map_next (NameMapIter *iter, Slice *ret_name, gpointer *ret_value)
{
  while (iter->next < iter->map->sorted->len)
    {
      const Entry *entry = iter->map->sorted->pdata[iter->next++];

      if (entry->value == NULL)
        continue;
      if (ret_name != NULL)
        *ret_name = name_of (entry);
      if (ret_value != NULL)
        *ret_value = entry->value;
      return TRUE;
    }
  return FALSE;
}
