/* SPDX-License-Identifier: MIT */
/* Partitions, merges and pauses of the simulated transport, as CPG shows them. */
#include "core/base/digest.h"
#include "tests/transport/split_world.h"

static SplitWorld *
new_world (guint64 seed, guint n_members)
{
  SimNetworkOptions options = sim_network_options_immediate ();

  options.seed = seed;
  return split_world_new (&options, n_members);
}

/* Everything takes a while, and members are late. */
static SplitWorld *
new_slow_world (guint64 seed, guint n_members)
{
  SimNetworkOptions options = {
    .seed = seed,
    .timing = sim_timing_uniform (seed % 3 == 0 ? 1 : 100, 900),
    .lag_us_max = seed % 4 == 0 ? 0 : 1500,
  };

  return split_world_new (&options, n_members);
}

static const Told *
last_told (const SplitSeat *seat)
{
  return split_told (seat, split_n_told (seat) - 1);
}

static void
assert_view (const Told *told, guint n_members, guint n_left, guint n_joined, ViewReason reason)
{
  g_assert_true (told->is_view);
  g_assert_cmpuint (told->members->len, ==, n_members);
  g_assert_cmpuint (told->left->len, ==, n_left);
  g_assert_cmpuint (told->joined->len, ==, n_joined);
  for (guint i = 0; i < n_left; i++)
    g_assert_cmpint (g_array_index (told->left, ViewChange, i).reason, ==, reason);
  for (guint i = 0; i < n_joined; i++)
    g_assert_cmpint (g_array_index (told->joined, ViewChange, i).reason, ==, reason);
}

static void
test_each_side_goes_on (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  guint32 of_two, of_three;

  split_partition (world, "001");
  split_settle (world);
  assert_view (last_told (split_world_seat (world, 0)), 2, 1, 0, VIEW_REASON_NODE_DOWN);
  assert_view (last_told (split_world_seat (world, 1)), 2, 1, 0, VIEW_REASON_NODE_DOWN);
  assert_view (last_told (split_world_seat (world, 2)), 1, 2, 0, VIEW_REASON_NODE_DOWN);
  of_two = split_multicast (split_world_seat (world, 1));
  of_three = split_multicast (split_world_seat (world, 2));
  split_settle (world);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), of_two), >=, 0);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), of_three), <, 0);
  g_assert_cmpint (split_place_of (split_world_seat (world, 2), of_three), >=, 0);
  g_assert_cmpint (split_place_of (split_world_seat (world, 2), of_two), <, 0);
  split_check (world);
}

static void
test_sides_may_share_a_sequence (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  RingId a, b;

  split_partition (world, "010");
  split_settle (world);
  a = last_told (split_world_seat (world, 0))->ring;
  b = last_told (split_world_seat (world, 1))->ring;
  g_assert_cmpuint (a.sequence, ==, b.sequence);
  g_assert_cmpuint (a.representative, !=, b.representative);
}

static void
test_heal_is_one_view_without_any_left (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 5);
  RingId ring;
  guint32 number;

  split_partition (world, "01120");
  split_settle (world);
  sim_network_heal (world->network);
  split_settle (world);
  ring = last_told (split_world_seat (world, 0))->ring;
  number = split_multicast (split_world_seat (world, 3));
  split_settle (world);
  for (guint i = 0; i < 5; i++)
    {
      const SplitSeat *seat = split_world_seat (world, i);
      guint met = split_n_told (seat) - 2;
      guint n_own_side = i == 3 ? 1 : 2;

      assert_view (split_told (seat, met - 1), n_own_side, 5 - n_own_side, 0,
                   VIEW_REASON_NODE_DOWN);
      assert_view (split_told (seat, met), 5, 0, 5 - n_own_side, VIEW_REASON_NODE_UP);
      g_assert_cmpuint (split_told (seat, met)->ring.sequence, ==, ring.sequence);
      g_assert_cmpuint (split_told (seat, met)->ring.representative, ==, 1);
      g_assert_cmpuint (split_told (seat, met + 1)->number, ==, number);
    }
  split_check (world);
}

/* 1 and 3 take turns; 1 has consumed some, 2 and 3 nothing. What of it each side is told. */
static void
check_tails (guint64 seed, guint consumed, guint *n_gaps, guint *n_taken_back, guint *n_whole)
{
  g_autoptr (SplitWorld) world = new_world (seed, 3);
  guint n_of_three = 0, n_before_gap = 0;
  gboolean gap = FALSE;

  for (guint i = 0; i < 10; i++)
    split_multicast (split_world_seat (world, i % 2 == 0 ? 0 : 2));
  split_consume (split_world_seat (world, 0), consumed);
  split_partition (world, "001");
  split_settle (world);
  for (guint32 number = 0; number < 10; number++)
    {
      gint place = split_place_of (split_world_seat (world, 1), number);

      g_assert_true ((place >= 0) == (split_place_of (split_world_seat (world, 0), number) >= 0));
      /* Of its own members a side has all; the others' up to the gap. */
      if (number % 2 == 0)
        g_assert_cmpint (place, >=, 0);
      else
        {
          g_assert_true (place < 0 || !gap);
          g_assert_true (place >= 0 || number >= consumed);
          n_of_three += place >= 0;
          gap = gap || place < 0;
        }
      n_before_gap += !gap;
      g_assert_true (number % 2 == 0 || split_place_of (split_world_seat (world, 2), number) >= 0);
      *n_taken_back += number % 2 == 0 && split_place_of (split_world_seat (world, 2), number) < 0;
    }
  *n_gaps += gap && n_before_gap < 9;
  *n_whole += n_of_three == 5;
  split_check (world);
}

static void
test_side_has_what_was_consumed_and_its_own (void)
{
  guint n_gaps = 0, n_taken_back = 0, n_whole = 0;

  for (guint64 seed = 0; seed < 60; seed++)
    check_tails (seed, (guint) (seed % 11), &n_gaps, &n_taken_back, &n_whole);
  g_assert_cmpuint (n_gaps, >, 5);
  g_assert_cmpuint (n_taken_back, >, 5);
  g_assert_cmpuint (n_whole, >, 5);
}

/* It never had the time to notice. */
static void
test_paused_member_is_told_both_views_at_once (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  SplitSeat *paused = split_world_seat (world, 2);
  guint n_told = split_n_told (paused);
  guint32 held;

  sim_network_pause (world->network, paused->member, TRUE);
  held = split_multicast (paused);
  split_partition (world, "001");
  split_multicast (split_world_seat (world, 0));
  split_settle (world);
  g_assert_cmpuint (split_n_told (paused), ==, n_told);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), held), <, 0);
  sim_network_heal (world->network);
  split_settle (world);
  g_assert_cmpuint (split_n_told (paused), ==, n_told);
  sim_network_pause (world->network, paused->member, FALSE);
  split_settle (world);
  g_assert_cmpuint (split_n_told (paused), ==, n_told + 3);
  assert_view (split_told (paused, n_told), 1, 2, 0, VIEW_REASON_NODE_DOWN);
  assert_view (split_told (paused, n_told + 1), 3, 0, 2, VIEW_REASON_NODE_UP);
  g_assert_cmpuint (split_told (paused, n_told + 2)->number, ==, held);
  split_check (world);
}

static void
test_pause_delays_and_loses_nothing (void)
{
  g_autoptr (SplitWorld) world = new_slow_world (1, 3);
  SplitSeat *paused = split_world_seat (world, 1);
  guint n_told = split_n_told (paused);
  guint32 before = split_multicast (paused), other;

  sim_network_pause (world->network, paused->member, TRUE);
  other = split_multicast (split_world_seat (world, 0));
  split_settle (world);
  g_assert_cmpuint (split_n_told (paused), ==, n_told);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), other), >=, 0);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), before), <, 0);
  sim_network_pause (world->network, paused->member, FALSE);
  split_settle (world);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (split_place_of (split_world_seat (world, i), other), <,
                     split_place_of (split_world_seat (world, i), before));
  split_check (world);
}

static void
test_crash_of_a_paused_member_is_seen (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 2);
  SplitSeat *paused = split_world_seat (world, 1);
  guint32 lost;

  sim_network_pause (world->network, paused->member, TRUE);
  lost = split_multicast (paused);
  paused->over = TRUE;
  transport_free (paused->transport);
  paused->transport = sim_network_new_transport (world->network, (MemberId){ 9, 9 });
  split_settle (world);
  assert_view (last_told (split_world_seat (world, 0)), 1, 1, 0, VIEW_REASON_PROCESS_DOWN);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), lost), <, 0);
}

/* Under way when the sides meet: the other side may miss the first of them, the own never. */
static void
test_merge_has_holes (void)
{
  guint n_missed = 0, n_without = 0;

  for (guint64 seed = 1; seed <= 40; seed++)
    {
      g_autoptr (SplitWorld) world = new_slow_world (seed, 4);
      guint missed;

      split_partition (world, "0011");
      split_settle (world);
      for (guint i = 0; i < 24; i++)
        split_multicast (split_world_seat (world, i % 4));
      sim_network_heal (world->network);
      split_settle (world);
      for (guint i = 0; i < 8; i++)
        split_multicast (split_world_seat (world, i % 4));
      split_settle (world);
      split_world_join (world, 5); /* ends the view */
      split_settle (world);
      missed = split_check (world);
      n_missed += missed;
      n_without += missed == 0;
      for (guint i = 0; i < 4; i++)
        for (guint32 number = 24; number < 32; number++)
          g_assert_cmpint (split_place_of (split_world_seat (world, i), number), >=, 0);
    }
  g_assert_cmpuint (n_missed, >, 20);
  g_assert_cmpuint (n_without, >, 0);
}

static void
test_directed_is_lost_between_sides (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  guint32 under_way = split_send_to (split_world_seat (world, 0), 3), between, within, met;

  split_partition (world, "001");
  between = split_send_to (split_world_seat (world, 0), 3);
  within = split_send_to (split_world_seat (world, 0), 2);
  split_settle (world);
  sim_network_heal (world->network);
  split_consume (split_world_seat (world, 0), 10);
  met = split_send_to (split_world_seat (world, 0), 3);
  split_settle (world);
  g_assert_cmpint (split_place_of (split_world_seat (world, 2), under_way), <, 0);
  g_assert_cmpint (split_place_of (split_world_seat (world, 2), between), <, 0);
  g_assert_cmpint (split_place_of (split_world_seat (world, 1), within), >=, 0);
  g_assert_cmpint (split_place_of (split_world_seat (world, 2), met), >=, 0);
  split_check (world);
}

static void
test_joins_and_ends_stay_on_their_side (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);

  split_partition (world, "0011");
  split_world_join (world, 4);
  split_settle (world);
  assert_view (last_told (split_world_seat (world, 3)), 2, 0, 1, VIEW_REASON_JOIN);
  assert_view (last_told (split_world_seat (world, 2)), 2, 0, 1, VIEW_REASON_JOIN);
  assert_view (last_told (split_world_seat (world, 0)), 2, 1, 0, VIEW_REASON_NODE_DOWN);
  split_world_seat (world, 1)->over = TRUE;
  sim_network_crash (world->network, (MemberId){ 2, 1 });
  split_settle (world);
  assert_view (last_told (split_world_seat (world, 0)), 1, 1, 0, VIEW_REASON_PROCESS_DOWN);
  sim_network_heal (world->network);
  split_settle (world);
  assert_view (last_told (split_world_seat (world, 0)), 3, 0, 2, VIEW_REASON_NODE_UP);
  assert_view (last_told (split_world_seat (world, 2)), 3, 0, 1, VIEW_REASON_NODE_UP);
  split_check (world);
}

static void
test_nothing_is_kept_that_all_have_read (void)
{
  g_autoptr (SplitWorld) world = new_slow_world (3, 4);

  for (guint i = 0; i < 6; i++)
    {
      split_partition (world, i % 2 == 0 ? "0101" : "0012");
      for (guint j = 0; j < 20; j++)
        split_multicast (split_world_seat (world, j % 4));
      sim_network_advance (world->network, sim_network_now_us (world->network) + 700);
      sim_network_heal (world->network);
    }
  split_settle (world);
  while (sim_network_dispatch (world->network, 1))
    ;
  g_assert_cmpuint (world->decoded, >, 0);
  g_assert_cmpuint (world->forgotten, ==, world->decoded);
  split_check (world);
}

/* --- storms --------------------------------------------------------------------------------- */

#define STORM_NODES 6

static SplitSeat *
living_seat (const SplitWorld *world, guint node)
{
  for (guint i = 0; i < world->seats->len; i++)
    {
      SplitSeat *seat = split_world_seat (world, i);

      if (seat->member.node_id == node && !seat->over)
        return seat;
    }
  return NULL;
}

static void
storm_step (SplitWorld *world, guint64 number)
{
  guint node = 1 + (guint) (number / 64 % STORM_NODES);
  SplitSeat *seat = living_seat (world, node);
  char components[STORM_NODES + 1] = { 0 };

  switch (number % 64)
    {
    case 0:
    case 1:
      for (guint i = 0; i < STORM_NODES; i++)
        components[i] = (char) ('0' + digest_combine (number, i) % (2 + number / 64 % 2));
      split_partition (world, components);
      break;
    case 2:
      sim_network_heal (world->network);
      break;
    case 3:
    case 4:
      sim_network_pause (world->network, (MemberId){ node, 1 }, number / 4096 % 3 == 0);
      break;
    case 5:
      if (seat == NULL)
        split_world_join (world, node);
      else if (number / 4096 % 2 == 0)
        transport_leave (seat->transport);
      else
        sim_network_crash (world->network, seat->member);
      if (seat != NULL)
        seat->over = TRUE;
      break;
    default:
      if (seat != NULL && number % 64 < 40)
        split_multicast (seat);
      else if (seat != NULL && number % 64 < 46)
        split_send_to (seat, 1 + (guint) (number / 4096 % STORM_NODES));
      else
        sim_network_advance (world->network,
                             sim_network_now_us (world->network) + (gint64) (number / 64 % 400));
      break;
    }
}

static guint64
storm (guint64 seed, guint *n_missed)
{
  g_autoptr (SplitWorld) world = new_slow_world (seed, STORM_NODES);
  guint64 hash;

  for (guint i = 0; i < 500; i++)
    storm_step (world, digest_combine (seed, i));
  for (guint node = 1; node <= STORM_NODES; node++)
    sim_network_pause (world->network, (MemberId){ node, 1 }, FALSE);
  sim_network_heal (world->network);
  split_settle (world);
  *n_missed += split_check (world);
  hash = sim_network_order_hash (world->network);
  for (guint node = 1; node <= STORM_NODES; node++)
    {
      const SplitSeat *seat = living_seat (world, node);

      hash = digest_combine (hash, seat == NULL ? 0 : split_n_told (seat));
    }
  return hash;
}

static void
test_storms_keep_the_contract (void)
{
  guint n_missed = 0;

  for (guint64 seed = 0; seed < 300; seed++)
    storm (seed, &n_missed);
  g_assert_cmpuint (n_missed, >, 0);
}

static void
test_same_seed_same_run (void)
{
  guint n_missed = 0;

  for (guint64 seed = 0; seed < 5; seed++)
    {
      g_assert_cmpuint (storm (seed, &n_missed), ==, storm (seed, &n_missed));
      g_assert_cmpuint (storm (seed, &n_missed), !=, storm (seed + 1, &n_missed));
    }
}

#define ADD(name, function) g_test_add_func ("/transport/sim-partition/" name, function)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("each-side-goes-on", test_each_side_goes_on);
  ADD ("sides-may-share-a-sequence", test_sides_may_share_a_sequence);
  ADD ("heal-is-one-view-without-any-left", test_heal_is_one_view_without_any_left);
  ADD ("side-has-what-was-consumed-and-its-own", test_side_has_what_was_consumed_and_its_own);
  ADD ("paused-member-is-told-both-views-at-once", test_paused_member_is_told_both_views_at_once);
  ADD ("pause-delays-and-loses-nothing", test_pause_delays_and_loses_nothing);
  ADD ("crash-of-a-paused-member-is-seen", test_crash_of_a_paused_member_is_seen);
  ADD ("merge-has-holes", test_merge_has_holes);
  ADD ("directed-is-lost-between-sides", test_directed_is_lost_between_sides);
  ADD ("joins-and-ends-stay-on-their-side", test_joins_and_ends_stay_on_their_side);
  ADD ("nothing-is-kept-that-all-have-read", test_nothing_is_kept_that_all_have_read);
  ADD ("storms-keep-the-contract", test_storms_keep_the_contract);
  ADD ("same-seed-same-run", test_same_seed_same_run);
  return g_test_run ();
}
