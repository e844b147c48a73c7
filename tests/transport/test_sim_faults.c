/* SPDX-License-Identifier: MIT */
/* What can happen to processes, nodes, daemons and links of the simulated transport, and what it
 * looks like to the members. */
#include "tests/transport/split_world.h"

#define DETECTION_US 10000
#define SYNC_US      1000

static SplitWorld *
new_world (guint64 seed, guint n_members)
{
  const SimNetworkOptions options = {
    .seed = seed,
    .timing = sim_timing_constant (100),
    .detection_us = DETECTION_US,
  };

  return split_world_new (&options, n_members);
}

static void
pass (SplitWorld *world, gint64 us)
{
  sim_network_advance (world->network, sim_network_now_us (world->network) + us);
}

static const Told *
last_told (const SplitSeat *seat)
{
  return split_told (seat, split_n_told (seat) - 1);
}

static void
assert_left (const Told *told, guint n_members, guint n_left, ViewReason reason)
{
  g_assert_true (told->is_view);
  g_assert_cmpuint (told->members->len, ==, n_members);
  g_assert_cmpuint (told->left->len, ==, n_left);
  for (guint i = 0; i < n_left; i++)
    g_assert_cmpint (g_array_index (told->left, ViewChange, i).reason, ==, reason);
}

static void
node_down (SplitWorld *world, guint seat)
{
  split_world_seat (world, seat)->over = TRUE;
  sim_network_node_down (world->network, split_world_seat (world, seat)->member.node_id);
}

static void
test_loss_takes_time (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  SplitSeat *other = split_world_seat (world, 0);
  guint n_told = split_n_told (other);
  guint32 meanwhile;

  node_down (world, 2);
  meanwhile = split_multicast (other);
  pass (world, DETECTION_US - 1);
  g_assert_cmpuint (split_n_told (other), ==, n_told);
  pass (world, 2);
  assert_left (split_told (other, n_told), 2, 1, VIEW_REASON_NODE_DOWN);
  split_settle (world);
  /* Accepted in one view, delivered in the next. */
  g_assert_cmpint (split_place_of (other, meanwhile), >, (gint) n_told);
  g_assert_cmpint (split_place_of (split_world_seat (world, 1), meanwhile), >=, 0);
  split_check (world);
}

static void
test_losses_at_one_time_are_one_view (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 4);

  node_down (world, 2);
  pass (world, DETECTION_US / 2);
  node_down (world, 3);
  split_settle (world);
  assert_left (last_told (split_world_seat (world, 0)), 2, 2, VIEW_REASON_NODE_DOWN);
  split_check (world);
}

static void
test_losses_one_by_one_are_views (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 4);

  node_down (world, 2);
  pass (world, DETECTION_US + 1);
  node_down (world, 3);
  split_settle (world);
  assert_left (last_told (split_world_seat (world, 0)), 2, 1, VIEW_REASON_NODE_DOWN);
  split_check (world);
}

static void
test_what_is_undone_in_time_never_was (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  SplitSeat *seat = split_world_seat (world, 2);
  guint n_told = split_n_told (seat);
  guint32 before = split_multicast (seat), meanwhile;

  split_partition (world, "001");
  meanwhile = split_multicast (split_world_seat (world, 0));
  pass (world, DETECTION_US / 2);
  sim_network_heal (world->network);
  split_settle (world);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpint (split_place_of (split_world_seat (world, i), before), >=, 0);
      g_assert_cmpint (split_place_of (split_world_seat (world, i), meanwhile), >=, 0);
    }
  g_assert_cmpuint (split_n_told (seat), ==, n_told + 2);
  split_check (world);
}

static void
test_restart_before_it_is_noticed (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  const SplitSeat *other = split_world_seat (world, 0);
  guint n_told = split_n_told (other);

  node_down (world, 2);
  pass (world, DETECTION_US / 4);
  split_world_join (world, 3);
  split_settle (world);
  assert_left (split_told (other, n_told), 2, 1, VIEW_REASON_NODE_DOWN);
  g_assert_cmpuint (split_told (other, n_told + 1)->members->len, ==, 3);
  /* Nodes of one ring, whatever became of their processes. */
  g_assert_cmpuint (split_told (other, n_told)->ring.sequence, ==,
                    split_told (other, n_told + 1)->ring.sequence);
  split_check (world);
}

static void
test_daemon_takes_what_waits_with_it (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  SplitSeat *lost = split_world_seat (world, 2);
  guint n_told = split_n_told (lost);
  guint32 accepted = split_multicast (lost);

  sim_network_daemon_down (world->network, 3, SIM_DAEMON_KILLED);
  split_settle (world);
  g_assert_true (lost->failed);
  g_assert_cmpuint (split_n_told (lost), ==, n_told);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), accepted), <, 0);
  assert_left (last_told (split_world_seat (world, 0)), 2, 1, VIEW_REASON_NODE_DOWN);
  split_check (world);
}

/* Mostly it says whose processes it had. */
static void
test_daemon_that_stops_is_noticed_at_once (void)
{
  guint n_said = 0;

  for (guint64 seed = 0; seed < 40; seed++)
    {
      g_autoptr (SplitWorld) world = new_world (seed, 3);
      const Told *view;

      sim_network_daemon_down (world->network, 3, SIM_DAEMON_STOPPED);
      pass (world, DETECTION_US / 2);
      view = last_told (split_world_seat (world, 0));
      n_said += g_array_index (view->left, ViewChange, 0).reason == VIEW_REASON_PROCESS_DOWN;
      g_assert_cmpuint (view->members->len, ==, 2);
      split_settle (world);
      split_check (world);
    }
  g_assert_cmpuint (n_said, >, 20);
  g_assert_cmpuint (n_said, <, 40);
}

static void
test_hung_member_is_listed (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  SplitSeat *hung = split_world_seat (world, 2);
  guint n_told = split_n_told (hung), n_other = split_n_told (split_world_seat (world, 1));
  guint32 own = split_multicast (hung);

  sim_network_hang (world->network, hung->member, TRUE);
  split_multicast (split_world_seat (world, 0));
  pass (world, 100 * DETECTION_US);
  g_assert_cmpuint (split_n_told (hung), ==, n_told);
  g_assert_cmpint (split_place_of (split_world_seat (world, 1), own), >=, 0);
  /* Two messages, and no view. */
  g_assert_cmpuint (split_n_told (split_world_seat (world, 1)), ==, n_other + 2);
  sim_network_hang (world->network, hung->member, FALSE);
  split_settle (world);
  g_assert_cmpuint (split_n_told (hung), ==, n_told + 2);
  split_check (world);
}

/* The ring waits for it, for a while; then it goes on without, and one day with it. */
static void
test_paused_node_is_cut_off (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  SplitSeat *other = split_world_seat (world, 0), *paused = split_world_seat (world, 2);
  guint n_told = split_n_told (other), n_views = 0;

  sim_network_pause (world->network, paused->member, TRUE);
  split_multicast (other);
  pass (world, DETECTION_US / 2);
  g_assert_cmpuint (split_n_told (other), ==, n_told);
  pass (world, DETECTION_US);
  assert_left (split_told (other, n_told), 2, 1, VIEW_REASON_NODE_DOWN);
  n_told = split_n_told (paused);
  sim_network_pause (world->network, paused->member, FALSE);
  split_settle (world);
  for (guint i = n_told; i < split_n_told (paused); i++)
    n_views += split_told (paused, i)->is_view;
  g_assert_cmpuint (n_views, ==, 2);
  g_assert_cmpuint (last_told (paused)->members->len, ==, 3);
  split_check (world);
}

static void
test_ghost_is_listed_until_it_comes_back (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  SplitSeat *other = split_world_seat (world, 0);
  guint n_told = split_n_told (other);

  split_world_seat (world, 2)->over = TRUE;
  sim_network_crash_unseen (world->network, (MemberId){ 3, 1 });
  pass (world, 100 * DETECTION_US);
  g_assert_cmpuint (split_n_told (other), ==, n_told);
  split_world_join (world, 3);
  split_settle (world);
  assert_left (split_told (other, n_told), 2, 1, VIEW_REASON_PROCESS_DOWN);
  g_assert_cmpuint (last_told (other)->members->len, ==, 3);
  split_check (world);
}

static void
test_refused_for_a_while (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 2);
  SplitSeat *seat = split_world_seat (world, 0);

  sim_network_refuse (world->network, seat->member,
                      sim_network_now_us (world->network) + DETECTION_US);
  g_assert_cmpuint (split_try_multicast (seat), ==, SPLIT_REFUSED);
  split_multicast (split_world_seat (world, 1));
  pass (world, DETECTION_US);
  split_multicast (seat);
  split_settle (world);
  split_check (world);
}

static void
test_new_ring_refuses_at_first (void)
{
  const SimNetworkOptions options = { .timing = sim_timing_constant (100), .sync_us = SYNC_US };
  g_autoptr (SplitWorld) world = split_world_new (&options, 3);

  split_partition (world, "001");
  g_assert_cmpuint (split_try_multicast (split_world_seat (world, 0)), ==, SPLIT_REFUSED);
  pass (world, SYNC_US);
  split_multicast (split_world_seat (world, 0));
  split_settle (world);
  split_check (world);
}

static void
test_stall_and_spike_only_delay (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 2);
  gint64 now_us = sim_network_now_us (world->network);
  guint32 stalled, slow;

  sim_network_stall (world->network, now_us + 5000);
  stalled = split_multicast (split_world_seat (world, 0));
  pass (world, 4999);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), stalled), <, 0);
  pass (world, 2);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), stalled), >=, 0);
  sim_network_spike (world->network, now_us + 100000, 20);
  slow = split_multicast (split_world_seat (world, 0));
  pass (world, 1999);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), slow), <, 0);
  pass (world, 2);
  g_assert_cmpint (split_place_of (split_world_seat (world, 0), slow), >=, 0);
  split_check (world);
}

static gboolean
hears_but_one_way (guint32 node_id, guint32 of, G_GNUC_UNUSED gpointer user_data)
{
  return !(node_id == 1 && of == 3);
}

/* Node 1 does not hear 3, which hears it: they are in no ring together, and 2 is with one of them,
 * by turns. */
static void
test_one_way_cut_is_a_cut (void)
{
  g_autoptr (SplitWorld) world = new_world (1, 3);
  const SplitSeat *two = split_world_seat (world, 1);
  gboolean with_one = FALSE, with_three = FALSE;
  guint n_told = split_n_told (two);

  sim_network_set_hearing (world->network, hears_but_one_way, NULL, 2 * DETECTION_US,
                           3 * DETECTION_US);
  pass (world, 100 * DETECTION_US);
  for (guint i = n_told; i < split_n_told (two); i++)
    {
      const GArray *members = split_told (two, i)->members;

      g_assert_cmpuint (members->len, <, 3);
      with_one = with_one || g_array_index (members, MemberId, 0).node_id == 1;
      with_three = with_three || g_array_index (members, MemberId, members->len - 1).node_id == 3;
    }
  g_assert_true (with_one && with_three);
  sim_network_heal (world->network);
  split_settle (world);
  g_assert_cmpuint (last_told (two)->members->len, ==, 3);
  split_check (world);
}

static gboolean
hears_neighbours (guint32 node_id, guint32 of, G_GNUC_UNUSED gpointer user_data)
{
  return (node_id + 5 - of) % 5 != 2 && (node_id + 5 - of) % 5 != 3;
}

/* Five in a circle that hear their neighbours only: never more than two in one ring. */
static void
test_circle_never_is_one (void)
{
  g_autoptr (SplitWorld) world = new_world (3, 5);
  guint n_views = 0;

  sim_network_set_hearing (world->network, hears_neighbours, NULL, 2 * DETECTION_US,
                           4 * DETECTION_US);
  pass (world, DETECTION_US + 1);
  for (guint round = 0; round < 50; round++)
    {
      pass (world, DETECTION_US);
      for (guint i = 0; i < 5; i++)
        g_assert_cmpuint (last_told (split_world_seat (world, i))->members->len, <=, 2);
    }
  for (guint i = 0; i < 5; i++)
    n_views += split_n_told (split_world_seat (world, i));
  g_assert_cmpuint (n_views, >, 50);
  sim_network_heal (world->network);
  split_settle (world);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpuint (last_told (split_world_seat (world, i))->members->len, ==, 5);
  split_check (world);
}

#define ADD(name, function) g_test_add_func ("/transport/sim-faults/" name, function)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("loss-takes-time", test_loss_takes_time);
  ADD ("losses-at-one-time-are-one-view", test_losses_at_one_time_are_one_view);
  ADD ("losses-one-by-one-are-views", test_losses_one_by_one_are_views);
  ADD ("what-is-undone-in-time-never-was", test_what_is_undone_in_time_never_was);
  ADD ("restart-before-it-is-noticed", test_restart_before_it_is_noticed);
  ADD ("daemon-takes-what-waits-with-it", test_daemon_takes_what_waits_with_it);
  ADD ("daemon-that-stops-is-noticed-at-once", test_daemon_that_stops_is_noticed_at_once);
  ADD ("hung-member-is-listed", test_hung_member_is_listed);
  ADD ("paused-node-is-cut-off", test_paused_node_is_cut_off);
  ADD ("ghost-is-listed-until-it-comes-back", test_ghost_is_listed_until_it_comes_back);
  ADD ("refused-for-a-while", test_refused_for_a_while);
  ADD ("new-ring-refuses-at-first", test_new_ring_refuses_at_first);
  ADD ("stall-and-spike-only-delay", test_stall_and_spike_only_delay);
  ADD ("one-way-cut-is-a-cut", test_one_way_cut_is_a_cut);
  ADD ("circle-never-is-one", test_circle_never_is_one);
  return g_test_run ();
}
