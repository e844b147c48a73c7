/* SPDX-License-Identifier: MIT */
/* From a 128-bit id (or one word) to a pointer: open addressing, and iterated in the order of
 * insertion, so that a walk over it is the same on every member.
 *
 * Values are borrowed, not NULL. While walking, the present entry may be removed, nothing else
 * may change. */
#pragma once

#include "core/base/ids.h"

typedef struct IdMap IdMap;

typedef struct IdKey
{
  guint64 high;
  guint64 low;
} IdKey;

static inline IdKey
id_key_of_session (SessionId id)
{
  return (IdKey){ id.incarnation, id.counter };
}

static inline IdKey
id_key_of_connection (ConnectionId id)
{
  return (IdKey){ id.incarnation, id.counter };
}

static inline IdKey
id_key_of_member (MemberId id)
{
  return (IdKey){ id.node_id, id.process_id };
}

static inline IdKey
id_key_of_number (guint64 number)
{
  return (IdKey){ 0, number };
}

IdMap *id_map_new (void);
void id_map_free (IdMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IdMap, id_map_free)

guint id_map_size (const IdMap *map);
/* NULL: none. */
gpointer id_map_lookup (const IdMap *map, IdKey key);
/* The key must not be there yet. */
void id_map_insert (IdMap *map, IdKey key, gpointer value);
/* The value that was there, or NULL. */
gpointer id_map_remove (IdMap *map, IdKey key);

typedef struct IdMapIter
{
  IdMap *map;
  gsize next;
} IdMapIter;

static inline IdMapIter
id_map_iter (IdMap *map)
{
  return (IdMapIter){ .map = map };
}

/* FALSE at the end. Either output may be NULL. */
gboolean id_map_next (IdMapIter *iter, IdKey *ret_key, gpointer *ret_value);
