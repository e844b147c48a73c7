/* SPDX-License-Identifier: MIT */
/* The hash table finds; it is never walked. The sorted array is what is walked, and it is sorted
 * only when a walk begins after a change. A removed entry stays in the array as a hole. */
#include "core/base/name_map.h"
#include "core/base/digest.h"

typedef struct Entry
{
  gpointer value; /* NULL: removed while it still stands in `sorted` */
  Slice name;     /* of `bytes`; of a key to look up by: of whoever asks */
  guint8 bytes[];
} Entry;

struct NameMap
{
  GHashTable *table; /* a set of Entry */
  GPtrArray *sorted; /* of Entry, owned */
  gboolean is_sorted;
};

static guint
hash_entry (gconstpointer entry)
{
  return (guint) digest_slice (0, ((const Entry *) entry)->name);
}

static gboolean
entries_equal (gconstpointer a, gconstpointer b)
{
  return slice_equal (((const Entry *) a)->name, ((const Entry *) b)->name);
}

static Entry *
entry_new (Slice name, gpointer value)
{
  Entry *entry = g_malloc (sizeof (Entry) + name.length);

  entry->value = value;
  entry->name = slice_new (entry->bytes, name.length, NULL);
  if (name.length > 0)
    memcpy (entry->bytes, name.bytes, name.length);
  return entry;
}

NameMap *
name_map_new (void)
{
  NameMap *map = g_new0 (NameMap, 1);

  map->table = g_hash_table_new (hash_entry, entries_equal);
  map->sorted = g_ptr_array_new_with_free_func (g_free);
  map->is_sorted = TRUE;
  return map;
}

void
name_map_free (NameMap *map)
{
  g_hash_table_unref (map->table);
  g_ptr_array_unref (map->sorted);
  g_free (map);
}

guint
name_map_size (const NameMap *map)
{
  return g_hash_table_size (map->table);
}

gpointer
name_map_lookup (const NameMap *map, Slice name)
{
  const Entry key = { .name = name };
  const Entry *entry = g_hash_table_lookup (map->table, &key);

  return entry == NULL ? NULL : entry->value;
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

  g_assert (value != NULL);
  compact (map);
  if (!g_hash_table_add (map->table, entry))
    g_error ("name_map_insert: the name is there already");
  if (map->is_sorted && map->sorted->len > 0)
    map->is_sorted
        = slice_compare (((const Entry *) map->sorted->pdata[map->sorted->len - 1])->name, name)
          < 0;
  g_ptr_array_add (map->sorted, entry);
}

gpointer
name_map_remove (NameMap *map, Slice name)
{
  const Entry key = { .name = name };
  Entry *entry = NULL;

  if (!g_hash_table_steal_extended (map->table, &key, (gpointer *) &entry, NULL))
    return NULL;
  return g_steal_pointer (&entry->value);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  return slice_compare ((*(const Entry *const *) a)->name, (*(const Entry *const *) b)->name);
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
        *ret_name = entry->name;
      if (ret_value != NULL)
        *ret_value = entry->value;
      return TRUE;
    }
  return FALSE;
}
