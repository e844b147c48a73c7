/* SPDX-License-Identifier: MIT */
/* From a name (any bytes) to a pointer: found by hash, iterated in the order of names
 * (slice_compare), so that a walk over it is the same on every member.
 *
 * The map keeps its own copy of each name. Values are borrowed, not NULL. While walking,
 * the present entry may be removed, nothing else may change. */
#pragma once

#include "core/base/slice.h"

typedef struct NameMap NameMap;

NameMap *name_map_new (void);
void name_map_free (NameMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NameMap, name_map_free)

guint name_map_size (const NameMap *map);
/* NULL: none. */
gpointer name_map_lookup (const NameMap *map, Slice name);
/* For a name that is looked up again and again, in one map or in many: `hash` is its name_hash. */
guint32 name_hash (Slice name);
gpointer name_map_lookup_hashed (const NameMap *map, Slice name, guint32 hash);
/* The name must not be there yet. */
void name_map_insert (NameMap *map, Slice name, gpointer value);
/* The value that was there, or NULL. */
gpointer name_map_remove (NameMap *map, Slice name);

typedef struct NameMapIter
{
  NameMap *map;
  guint next;
} NameMapIter;

NameMapIter name_map_iter (NameMap *map);
/* FALSE at the end. Either output may be NULL; the name is valid until its entry is removed. */
gboolean name_map_next (NameMapIter *iter, Slice *ret_name, gpointer *ret_value);
