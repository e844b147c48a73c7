/* SPDX-License-Identifier: MIT */
/* The contract where groups are partitioned, told by what each member was told. */
#include "tests/transport/split_world.h"
#include "transport/view.h"

static gboolean
holds (const GArray *members, MemberId member)
{
  for (guint i = 0; i < members->len; i++)
    if (member_id_equal (g_array_index (members, MemberId, i), member))
      return TRUE;
  return FALSE;
}

/* It is another one where nodes were lost or met, and never one again. */
static void
check_ring (const Told *former, const Told *view)
{
  GArray *changes = view->left->len > 0 ? view->left : view->joined;
  ViewReason reason = g_array_index (changes, ViewChange, 0).reason;

  g_assert_cmpuint (view->ring.sequence, >=, former->ring.sequence);
  if (view->ring.sequence == former->ring.sequence)
    g_assert_cmpuint (view->ring.representative, ==, former->ring.representative);
  if (reason == VIEW_REASON_NODE_DOWN)
    g_assert_cmpuint (view->ring.sequence, >, former->ring.sequence);
}

static void
check_follows (const SplitSeat *seat, const Told *former, const Told *view)
{
  guint n_former = former == NULL ? 0 : former->members->len;

  g_assert_true (holds (view->members, seat->member));
  for (guint i = 1; i < view->members->len; i++)
    g_assert_cmpint (member_id_compare (g_array_index (view->members, MemberId, i - 1),
                                        g_array_index (view->members, MemberId, i)),
                     <, 0);
  if (former == NULL)
    return;
  g_assert_cmpuint (view->view, >, former->view);
  check_ring (former, view);
  g_assert_true ((view->left->len > 0) != (view->joined->len > 0));
  g_assert_cmpuint (view->members->len + view->left->len, ==, n_former + view->joined->len);
  for (guint i = 0; i < view->left->len; i++)
    {
      MemberId left = g_array_index (view->left, ViewChange, i).member;

      g_assert_true (holds (former->members, left));
      g_assert_false (holds (view->members, left));
    }
  for (guint i = 0; i < view->joined->len; i++)
    {
      MemberId joined = g_array_index (view->joined, ViewChange, i).member;

      g_assert_false (holds (former->members, joined));
      g_assert_true (holds (view->members, joined));
    }
}

/* Views add up, senders are in them, and each sender's messages come in order, none twice. */
static void
check_seat (const SplitSeat *seat)
{
  const Told *view = NULL;
  gint64 last[2][16];

  for (guint i = 0; i < G_N_ELEMENTS (last[0]); i++)
    last[0][i] = last[1][i] = -1;
  for (guint i = 0; i < split_n_told (seat); i++)
    {
      const Told *told = split_told (seat, i);

      if (told->is_view)
        {
          check_follows (seat, view, told);
          view = told;
          continue;
        }
      g_assert_nonnull (view);
      g_assert_true (holds (view->members, told->sender));
      g_assert_cmpint (told->number, >, last[told->directed][told->sender.node_id]);
      last[told->directed][told->sender.node_id] = told->number;
    }
}

/* What it multicast comes back, all of it and in order, unless it ended. */
static void
check_own (const SplitWorld *world, guint index)
{
  const SplitSeat *seat = split_world_seat (world, index);
  guint next = 0;

  for (guint number = 0; number < world->sent->len; number++)
    {
      const Sent *sent = &g_array_index (world->sent, Sent, number);

      if (sent->seat != index || sent->directed)
        continue;
      while (next < split_n_told (seat)
             && (split_told (seat, next)->is_view || split_told (seat, next)->directed
                 || !member_id_equal (split_told (seat, next)->sender, seat->member)))
        next++;
      if (next == split_n_told (seat))
        {
          g_assert_true (seat->over);
          return;
        }
      g_assert_cmpuint (split_told (seat, next++)->number, ==, number);
    }
}

/* What both were told they were told in one order. */
static void
check_order (const SplitWorld *world, const SplitSeat *a, const SplitSeat *b)
{
  g_autofree gint *places = g_new (gint, world->sent->len + 1);
  gint last = -1;

  for (guint i = 0; i < world->sent->len; i++)
    places[i] = -1;
  for (guint i = 0; i < split_n_told (b); i++)
    if (!split_told (b, i)->is_view && !split_told (b, i)->directed)
      places[split_told (b, i)->number] = (gint) i;
  for (guint i = 0; i < split_n_told (a); i++)
    {
      const Told *told = split_told (a, i);

      if (told->is_view || told->directed || places[told->number] < 0)
        continue;
      g_assert_cmpint (places[told->number], >, last);
      last = places[told->number];
    }
}

/* Where that view is; -1: it was not told it. */
static gint
place_of_view (const SplitSeat *seat, guint64 number)
{
  for (guint i = 0; i < split_n_told (seat); i++)
    {
      const Told *told = split_told (seat, i);

      if (told->is_view && told->view == number)
        return (gint) i;
    }
  return -1;
}

static gint
next_view (const SplitSeat *seat, gint place, gint step)
{
  for (place += step; place >= 0 && (guint) place < split_n_told (seat); place += step)
    if (split_told (seat, (guint) place)->is_view)
      return place;
  return -1;
}

static gboolean
are_one_view (const SplitSeat *a, gint in_a, const SplitSeat *b, gint in_b)
{
  return in_a >= 0 && in_b >= 0 && place_of_view (b, split_told (a, (guint) in_a)->view) == in_b;
}

/* Of what `b` was told in that view and `a` was not: only what was sent before its sender was told
 * the view, and nothing of that sender that `a` was told comes before it. */
static guint
check_missed (const SplitWorld *world, const SplitSeat *a, gint from_a, const SplitSeat *b,
              gint from_b)
{
  guint64 view = split_told (a, (guint) from_a)->view;
  guint n_missed = 0;

  for (gint i = from_b + 1; (guint) i < split_n_told (b) && !split_told (b, (guint) i)->is_view;
       i++)
    {
      const Told *told = split_told (b, (guint) i);
      const Sent *sent = &g_array_index (world->sent, Sent, told->number);
      gint met;

      if (told->directed || split_place_of (a, told->number) >= 0)
        continue;
      n_missed++;
      met = place_of_view (split_world_seat (world, sent->seat), view);
      g_assert_true (met < 0 || sent->n_told <= (guint) met);
      g_assert_false (member_id_equal (told->sender, a->member));
      for (gint j = from_a + 1; j < next_view (a, from_a, 1); j++)
        if (!split_told (a, (guint) j)->directed
            && member_id_equal (split_told (a, (guint) j)->sender, told->sender))
          g_assert_cmpuint (split_told (a, (guint) j)->number, >, told->number);
    }
  return n_missed;
}

static guint
check_pair (const SplitWorld *world, const SplitSeat *a, const SplitSeat *b)
{
  guint n_missed = 0;

  check_order (world, a, b);
  for (gint in_a = next_view (a, -1, 1); in_a >= 0; in_a = next_view (a, in_a, 1))
    {
      const Told *view = split_told (a, (guint) in_a);
      gint in_b = place_of_view (b, view->view);
      guint missed;

      if (in_b < 0)
        continue;
      g_assert_cmpuint (view->members->len, ==, split_told (b, (guint) in_b)->members->len);
      if (!are_one_view (a, next_view (a, in_a, 1), b, next_view (b, in_b, 1)))
        continue;
      missed = check_missed (world, a, in_a, b, in_b);
      if (view->joined->len == 0
          || g_array_index (view->joined, ViewChange, 0).reason != VIEW_REASON_NODE_UP
          || are_one_view (a, next_view (a, in_a, -1), b, next_view (b, in_b, -1)))
        g_assert_cmpuint (missed, ==, 0);
      n_missed += missed;
    }
  return n_missed;
}

guint
split_check (const SplitWorld *world)
{
  guint n_missed = 0;

  for (guint i = 0; i < world->seats->len; i++)
    {
      check_seat (split_world_seat (world, i));
      check_own (world, i);
      for (guint j = 0; j < world->seats->len; j++)
        if (i != j)
          n_missed += check_pair (world, split_world_seat (world, i), split_world_seat (world, j));
    }
  return n_missed;
}
