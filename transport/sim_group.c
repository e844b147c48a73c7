/* SPDX-License-Identifier: MIT */
#include "transport/sim_group.h"
#include "core/base/digest.h"

/* Bytes at each end of a message that go into the order's hash: enough to tell messages apart
 * (they begin with their number), and the same small cost for a message of a mebibyte. */
#define HASHED_BYTES 64

SimGroup *
sim_group_new (const char *name, guint index, guint component, guint64 *n_views)
{
  SimGroup *group = g_new0 (SimGroup, 1);

  group->ref_count = 1;
  group->name = g_strdup (name);
  group->index = index;
  group->component = component;
  group->n_views = n_views;
  group->trim_from = 1;
  group->chunks = g_ptr_array_new_with_free_func (g_free);
  group->members = g_array_new (FALSE, FALSE, sizeof (MemberId));
  group->ended = g_array_new (FALSE, FALSE, sizeof (SimEnded));
  group->hash = digest_text (0, name);
  return group;
}

SimGroup *
sim_group_ref (SimGroup *group)
{
  group->ref_count++;
  return group;
}

void
sim_group_unref (SimGroup *group)
{
  if (--group->ref_count > 0)
    return;
  sim_group_trim (group, group->end);
  g_ptr_array_unref (group->chunks);
  g_free (group->spare);
  g_clear_pointer (&group->sides, g_array_unref);
  g_array_unref (group->members);
  g_array_unref (group->ended);
  g_free (group->name);
  g_free (group);
}

SimItem *
sim_group_append (SimGroup *group, gint64 now_us)
{
  guint64 chunk = group->end / SIM_ITEMS_PER_CHUNK;
  SimItem *item;

  if (chunk - group->first_chunk == group->chunks->len)
    {
      SimItem *spare = g_steal_pointer (&group->spare);

      g_ptr_array_add (group->chunks,
                       spare != NULL ? spare : g_new0 (SimItem, SIM_ITEMS_PER_CHUNK));
    }
  item = sim_group_item (group, group->end++);
  group->last_us = MAX (group->last_us, now_us);
  item->ordered_us = group->last_us;
  return item;
}

static void
item_clear (SimItem *item)
{
  if (item->cache.value != NULL && item->cache.destroy != NULL)
    item->cache.destroy (item->cache.value);
  g_clear_pointer (&item->message.bytes, buffer_unref);
  g_clear_pointer (&item->view, view_unref);
  *item = (SimItem){ 0 };
}

void
sim_group_hash_member (SimGroup *group, guint64 kind, MemberId member)
{
  group->hash = digest_combine (group->hash, kind);
  group->hash = digest_combine (group->hash, (guint64) member.node_id << 32 | member.process_id);
}

void
sim_group_append_message (SimGroup *group, gint64 now_us, MemberId sender, Buffer *bytes,
                          guint32 missed)
{
  SimItem *item = sim_group_append (group, now_us);
  gsize hashed = MIN (bytes->size, HASHED_BYTES);

  item->message = (TransportMessage){
    .sender = sender,
    .bytes = buffer_ref (bytes),
    .cache = &item->cache,
  };
  item->cache.place = group->end;
  item->missed = missed;
  sim_group_hash_member (group, 0, sender);
  group->hash = digest_combine (group->hash, bytes->size);
  group->hash = digest_bytes (group->hash, bytes->bytes, hashed);
  if (bytes->size > HASHED_BYTES)
    group->hash = digest_bytes (group->hash, bytes->bytes + bytes->size - hashed, hashed);
}

void
sim_group_append_view (SimGroup *group, gint64 now_us, guint64 number, const ViewChange *left,
                       guint n_left, const ViewChange *joined, guint n_joined)
{
  SimItem *item = sim_group_append (group, now_us);
  View view = {
    .members = (const MemberId *) (gpointer) group->members->data,
    .n_members = group->members->len,
    .left = left,
    .n_left = n_left,
    .joined = joined,
    .n_joined = n_joined,
    .ring = group->ring,
    .number = number > 0 ? number : ++*group->n_views,
  };

  group->is_first_view = FALSE;
  item->view = view_copy (&view);
}

gboolean
sim_group_holds (const SimGroup *group, MemberId member)
{
  const View view = {
    .members = (const MemberId *) (gpointer) group->members->data,
    .n_members = group->members->len,
  };

  return view_holds (&view, member);
}

static guint
place_of (const SimGroup *group, MemberId member)
{
  return view_place ((const MemberId *) (gpointer) group->members->data, group->members->len,
                     member);
}

void
sim_group_append_joined (SimGroup *group, gint64 now_us, MemberId member)
{
  ViewChange joined = { member, VIEW_REASON_JOIN };

  g_assert (!sim_group_holds (group, member));
  g_array_insert_val (group->members, place_of (group, member), member);
  sim_group_hash_member (group, 1, member);
  sim_group_append_view (group, now_us, 0, NULL, 0, &joined, 1);
}

void
sim_group_append_left (SimGroup *group, gint64 now_us, MemberId member, ViewReason reason)
{
  ViewChange left = { member, reason };

  g_assert (sim_group_holds (group, member));
  g_array_remove_index (group->members, place_of (group, member));
  sim_group_hash_member (group, 2 + (guint64) reason, member);
  sim_group_append_view (group, now_us, 0, &left, 1, NULL, 0);
}

void
sim_group_lose (SimGroup *group, guint64 position, MemberId sender)
{
  for (position = MAX (position, group->first); position < group->end; position++)
    {
      SimItem *item = sim_group_item (group, position);

      if (item->view != NULL || item->missed == SIM_MISSED_BY_ALL
          || !member_id_equal (item->message.sender, sender))
        continue;
      item->missed = SIM_MISSED_BY_ALL;
      sim_group_hash_member (group, 16, sender);
      group->hash = digest_combine (group->hash, position);
    }
}

void
sim_group_note_ended (SimGroup *group, MemberId member, guint64 position)
{
  SimEnded ended = { member.node_id, position };

  for (guint i = 0; i < group->ended->len; i++)
    {
      SimEnded *former = &g_array_index (group->ended, SimEnded, i);

      if (former->node_id != ended.node_id)
        continue;
      former->consumed = MAX (former->consumed, position);
      return;
    }
  g_array_append_val (group->ended, ended);
}

void
sim_group_trim (SimGroup *group, guint64 position)
{
  guint64 chunk = position / SIM_ITEMS_PER_CHUNK;

  g_assert (position <= group->end);
  for (; group->first < position; group->first++)
    item_clear (sim_group_item (group, group->first));
  if (chunk > group->first_chunk)
    {
      if (group->spare == NULL)
        group->spare = g_steal_pointer (&group->chunks->pdata[0]);
      g_ptr_array_remove_range (group->chunks, 0, (guint) (chunk - group->first_chunk));
      group->first_chunk = chunk;
    }
}
