/* SPDX-License-Identifier: MIT */
/* How a group's log becomes several, and several one. */
#include "core/base/digest.h"
#include "transport/sim_group.h"

/* Of how many before the merge the other sides may miss a part. */
#define MISSED_MAX 12

static gint
place_in (const GArray *members, MemberId member)
{
  guint place = view_place ((const MemberId *) (gconstpointer) members->data, members->len, member);

  return place < members->len && member_id_equal (g_array_index (members, MemberId, place), member)
             ? (gint) place
             : -1 - (gint) place;
}

static void
add_member (GArray *members, MemberId member)
{
  gint place = place_in (members, member);

  if (place < 0)
    g_array_insert_val (members, (guint) (-1 - place), member);
}

static void
remove_member (GArray *members, MemberId member)
{
  gint place = place_in (members, member);

  if (place >= 0)
    g_array_remove_index (members, (guint) place);
}

/* --- splitting ------------------------------------------------------------------------------ */

/* Takes back the views from `position` on: sets the side's members as they were there. */
static void
go_back (SimGroup *side, const SimGroup *whole, guint64 position)
{
  g_array_set_size (side->members, 0);
  if (whole->members->len > 0)
    g_array_append_vals (side->members, whole->members->data, whole->members->len);
  for (guint64 i = whole->end; i-- > position;)
    {
      const View *view = sim_group_item (whole, i)->view;

      if (view == NULL)
        continue;
      for (guint j = 0; j < view->n_joined; j++)
        remove_member (side->members, view->joined[j].member);
      for (guint j = 0; j < view->n_left; j++)
        add_member (side->members, view->left[j].member);
    }
}

static void
append_copy (SimGroup *side, const SimItem *item)
{
  SimItem *copy = sim_group_append (side, item->ordered_us);

  copy->missed = item->missed;
  if (item->view != NULL)
    {
      copy->view = view_ref (item->view);
      return;
    }
  copy->message = item->message;
  copy->message.cache = &copy->cache;
  copy->cache.place = item->cache.place;
  buffer_ref (copy->message.bytes);
}

/* Past a gap there are only the messages of those inside, up to what they did to the view: the
 * positions of that and of all that they sent after it go to `put_off`. */
static void
append_past_gap (SimGroup *side, const SimGroup *whole, guint64 cut, SimIsInside is_inside,
                 gconstpointer user_data, GArray *put_off)
{
  for (guint64 i = cut; i < whole->end; i++)
    {
      const SimItem *item = sim_group_item (whole, i);
      MemberId member = item->message.sender;

      /* No ring change is past the cut: a view is of one member there. */
      if (item->view != NULL)
        member = item->view->n_left > 0 ? item->view->left[0].member : item->view->joined[0].member;
      if (!is_inside (member, user_data))
        continue;
      if (item->view == NULL && put_off->len == 0)
        append_copy (side, item);
      else
        g_array_append_val (put_off, i);
    }
}

void
sim_group_append_lost (SimGroup *side, SimIsInside is_inside, gconstpointer user_data,
                       gint64 now_us)
{
  g_autoptr (GArray) left = g_array_new (FALSE, FALSE, sizeof (ViewChange));

  if (side->owes_loss)
    side->ring = side->owed_ring;
  side->owes_loss = FALSE;
  for (guint i = side->members->len; i-- > 0;)
    {
      ViewChange change = { g_array_index (side->members, MemberId, i), VIEW_REASON_NODE_DOWN };

      if (is_inside (change.member, user_data))
        continue;
      g_array_append_val (left, change);
      g_array_remove_index (side->members, i);
      sim_group_hash_member (side, 2 + (guint64) VIEW_REASON_NODE_DOWN, change.member);
    }
  if (left->len > 0)
    sim_group_append_view (side, now_us, 0, (const ViewChange *) (gpointer) left->data, left->len,
                           NULL, 0);
  side->settled = side->end;
}

static void
append_put_off (SimGroup *side, gint64 now_us, const SimItem *item)
{
  if (item->view == NULL)
    sim_group_append_message (side, now_us, item->message.sender, item->message.bytes,
                              item->missed == SIM_MISSED_BY_ALL ? SIM_MISSED_BY_ALL
                                                                : SIM_MISSED_BY_NOBODY);
  else if (item->view->n_joined > 0)
    sim_group_append_joined (side, now_us, item->view->joined[0].member);
  else
    sim_group_append_left (side, now_us, item->view->left[0].member, item->view->left[0].reason);
}

SimGroup *
sim_group_new_side (const SimGroup *whole, guint component, RingId ring, guint64 from, guint64 cut,
                    SimIsInside is_inside, gconstpointer user_data, gboolean sleeps, gint64 now_us)
{
  SimGroup *side = sim_group_new (whole->name, whole->index, component, whole->n_views);
  g_autoptr (GArray) put_off = g_array_new (FALSE, FALSE, sizeof (guint64));

  g_assert (whole->first <= from && from <= cut && cut <= whole->end);
  g_assert (whole->settled <= cut);
  side->first = side->end = from;
  side->first_chunk = from / SIM_ITEMS_PER_CHUNK;
  side->start = whole->start;
  side->sides = whole->sides == NULL ? NULL : g_array_ref (whole->sides);
  side->merge = whole->merge;
  side->merge_seed = whole->merge_seed;
  side->ring = ring;
  side->hash = digest_combine (digest_combine (whole->hash, component), cut);
  for (guint64 i = from; i < cut; i++)
    append_copy (side, sim_group_item (whole, i));
  go_back (side, whole, cut);
  append_past_gap (side, whole, cut, is_inside, user_data, put_off);
  side->settled = side->end;
  side->owes_loss = sleeps && put_off->len == 0;
  if (side->owes_loss)
    {
      side->owed_ring = ring;
      side->ring = whole->ring;
      return side;
    }
  sim_group_append_lost (side, is_inside, user_data, now_us);
  for (guint i = 0; i < put_off->len; i++)
    append_put_off (side, now_us, sim_group_item (whole, g_array_index (put_off, guint64, i)));
  return side;
}

guint64
sim_group_find_joined (const SimGroup *group, MemberId member)
{
  for (guint64 i = group->end; i-- > group->first;)
    {
      const View *view = sim_group_item (group, i)->view;

      for (guint j = 0; view != NULL && j < view->n_joined; j++)
        if (member_id_equal (view->joined[j].member, member))
          return i;
    }
  g_assert_not_reached ();
}

/* --- merging ---------------------------------------------------------------------------------- */

/* The last view of that side: the members of all, those of the others as joined. */
static void
append_met (SimGroup *side, const SimGroup *merged, guint64 number, gint64 now_us)
{
  g_autoptr (GArray) joined = g_array_new (FALSE, FALSE, sizeof (ViewChange));

  for (guint i = merged->members->len; i-- > 0;)
    {
      ViewChange change = { g_array_index (merged->members, MemberId, i), VIEW_REASON_NODE_UP };

      if (!sim_group_holds (side, change.member))
        g_array_append_val (joined, change);
    }
  g_array_set_size (side->members, 0);
  g_array_append_vals (side->members, merged->members->data, merged->members->len);
  side->ring = merged->ring;
  sim_group_append_view (side, now_us, number, NULL, 0,
                         (const ViewChange *) (gpointer) joined->data, joined->len);
}

static void
note_side (GArray *sides, guint side, const SimGroup *group)
{
  for (guint i = 0; i < group->members->len; i++)
    {
      SimSide of = { g_array_index (group->members, MemberId, i).node_id, side };

      if (sides->len == 0 || g_array_index (sides, SimSide, sides->len - 1).node_id != of.node_id)
        g_array_append_val (sides, of);
    }
}

SimGroup *
sim_group_new_merged (GPtrArray *sides, RingId ring, guint64 merge_seed, gint64 now_us)
{
  const SimGroup *first = g_ptr_array_index (sides, 0);
  SimGroup *merged = sim_group_new (first->name, first->index, first->component, first->n_views);
  guint64 number = ++*first->n_views;

  g_assert (sides->len >= 2);
  merged->sides = g_array_new (FALSE, FALSE, sizeof (SimSide));
  merged->merge_seed = merge_seed;
  merged->ring = ring;
  merged->is_first_view = TRUE;
  for (guint i = 0; i < sides->len; i++)
    {
      const SimGroup *side = g_ptr_array_index (sides, i);

      for (guint j = 0; j < side->members->len; j++)
        add_member (merged->members, g_array_index (side->members, MemberId, j));
      note_side (merged->sides, i, side);
      merged->hash = digest_combine (merged->hash, side->hash);
    }
  for (guint i = 0; i < sides->len; i++)
    {
      SimGroup *side = g_ptr_array_index (sides, i);

      append_met (side, merged, number, now_us);
      merged->start = MAX (merged->start, side->end);
      merged->last_us = MAX (merged->last_us, side->last_us);
    }
  merged->first = merged->end = merged->settled = merged->start;
  merged->first_chunk = merged->start / SIM_ITEMS_PER_CHUNK;
  return merged;
}

/* --- what is missed --------------------------------------------------------------------------- */

static gint
side_of (const SimGroup *group, guint32 node_id)
{
  for (guint i = 0; i < group->sides->len; i++)
    if (g_array_index (group->sides, SimSide, i).node_id == node_id)
      return (gint) g_array_index (group->sides, SimSide, i).side;
  return -1;
}

/* In one of two cases nothing; now and then all that was under way. */
static guint32
n_missed (const SimGroup *group, MemberId sender, gint side)
{
  guint64 number = digest_combine (group->merge_seed, sender.node_id);

  number = digest_combine (digest_combine (number, sender.process_id), (guint64) side);
  if (number % 2 == 0)
    return 0;
  return number / 2 % 8 == 0 ? G_MAXUINT32 : 1 + (guint32) (number / 16 % MISSED_MAX);
}

gboolean
sim_group_misses (const SimGroup *group, const SimItem *item, MemberId reader)
{
  MemberId sender = item->message.sender;
  gint side;

  if (item->missed == SIM_MISSED_BY_NOBODY || item->missed == SIM_MISSED_BY_ALL)
    return item->missed == SIM_MISSED_BY_ALL;
  side = side_of (group, reader.node_id);
  if (side < 0 || side == side_of (group, sender.node_id))
    return FALSE;
  return item->missed <= n_missed (group, sender, side);
}
