/* SPDX-License-Identifier: MIT */
/* Everything that the simulated transport can do to its members, many things at once, in each
 * timing: whatever happens, what they are told keeps the contract. */
#include "core/base/digest.h"
#include "tests/transport/split_world.h"

#define NODES 6
#define STEPS 500

typedef struct StormCounts
{
  guint missed;
  guint failed;
  guint refused;
  guint undone; /* losses that were over before they were noticed */
} StormCounts;

static SimTiming
timing_of (guint64 seed)
{
  switch (seed % 6)
    {
    case 0:
      return sim_timing_immediate ();
    case 1:
      return sim_timing_constant (300);
    case 2:
      return sim_timing_uniform (1, 900);
    case 3:
      return sim_timing_heavy_tailed (100, 20000);
    case 4:
      return sim_timing_ring_udpu ();
    default:
      return sim_timing_ring_knet ();
    }
}

static SplitWorld *
storm_world (guint64 seed)
{
  SimNetworkOptions options = {
    .seed = seed,
    .timing = timing_of (seed),
    .lag_us_max = seed % 4 == 0 ? 0 : 1500,
    .detection_us = seed / 6 % 3 * 1500,
    .sync_us = seed / 18 % 2 * 700,
    .window = 64,
  };

  return split_world_new (&options, NODES);
}

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

static gboolean
hears (guint32 node_id, guint32 of, gpointer user_data)
{
  const SplitWorld *world = user_data;

  return digest_combine (digest_combine (world->n_components, node_id), of) % 4 != 0;
}

static void
change_hearing (SplitWorld *world, guint64 number)
{
  char components[NODES + 1] = { 0 };

  for (guint i = 0; i < NODES; i++)
    components[i] = (char) ('0' + digest_combine (number, i) % (2 + number / 64 % 2));
  if (number / 256 % 4 > 1)
    split_partition (world, components);
  else if (number / 256 % 4 == 1)
    sim_network_heal (world->network);
  else
    {
      world->n_components = (guint) number;
      sim_network_set_hearing (world->network, hears, world, 4000, 9000);
    }
}

static void
end_or_start (SplitWorld *world, guint node, guint64 number)
{
  SplitSeat *seat = living_seat (world, node);

  if (seat == NULL)
    {
      split_world_join (world, node);
      return;
    }
  seat->over = TRUE;
  switch (number / 4096 % 6)
    {
    case 0:
      transport_leave (seat->transport);
      break;
    case 1:
      sim_network_lose_suffix (world->network, seat->member);
      sim_network_crash (world->network, seat->member);
      break;
    case 2:
      sim_network_crash_unseen (world->network, seat->member);
      break;
    case 3:
      sim_network_node_down (world->network, node);
      break;
    case 4:
      seat->over = FALSE; /* it will be told */
      sim_network_daemon_down (world->network, node, SIM_DAEMON_KILLED);
      break;
    default:
      seat->over = FALSE;
      sim_network_daemon_down (world->network, node, SIM_DAEMON_STOPPED);
      break;
    }
}

static void
change_weather (SplitWorld *world, guint node, guint64 number)
{
  const MemberId member = { node, 1 };
  gint64 now_us = sim_network_now_us (world->network);
  gint64 until_us = now_us + (gint64) (number / 65536 % 3000);

  switch (number / 4096 % 6)
    {
    case 0:
      sim_network_stall (world->network, until_us);
      break;
    case 1:
      sim_network_spike (world->network, until_us, 1 + (guint) (number / 65536 % 20));
      break;
    case 2:
      sim_network_refuse (world->network, member, until_us);
      break;
    case 3:
      sim_network_set_lag (world->network, member, 0, (gint64) (number / 65536 % 5000));
      break;
    default:
      sim_network_hang (world->network, member, number / 65536 % 3 == 0);
      break;
    }
}

static void
step (SplitWorld *world, guint64 number, StormCounts *counts)
{
  guint node = 1 + (guint) (number / 64 % NODES);
  SplitSeat *seat = living_seat (world, node);
  gint64 forms_us = sim_network_forms_us (world->network);

  switch (number % 64)
    {
    case 0:
    case 1:
      change_hearing (world, number);
      break;
    case 2:
    case 3:
      sim_network_pause (world->network, (MemberId){ node, 1 }, number / 4096 % 3 == 0);
      break;
    case 4:
    case 5:
      end_or_start (world, node, number);
      break;
    case 6:
    case 7:
      change_weather (world, node, number);
      break;
    default:
      if (seat != NULL && number % 64 < 40)
        counts->refused += split_try_multicast (seat) == SPLIT_REFUSED;
      else if (seat != NULL && number % 64 < 46)
        split_send_to (seat, 1 + (guint) (number / 4096 % NODES));
      else
        sim_network_advance (world->network,
                             sim_network_now_us (world->network) + (gint64) (number / 64 % 400));
      return;
    }
  counts->undone += forms_us != G_MAXINT64 && sim_network_forms_us (world->network) == G_MAXINT64;
}

static guint64
storm (guint64 seed, StormCounts *counts)
{
  g_autoptr (SplitWorld) world = storm_world (seed);
  guint64 hash;

  for (guint i = 0; i < STEPS; i++)
    step (world, digest_combine (seed, i), counts);
  for (guint node = 1; node <= NODES; node++)
    {
      sim_network_pause (world->network, (MemberId){ node, 1 }, FALSE);
      sim_network_hang (world->network, (MemberId){ node, 1 }, FALSE);
    }
  sim_network_heal (world->network);
  split_settle (world);
  counts->missed += split_check (world);
  hash = sim_network_order_hash (world->network);
  for (guint i = 0; i < world->seats->len; i++)
    {
      const SplitSeat *seat = split_world_seat (world, i);

      counts->failed += seat->failed;
      hash = digest_combine (hash, split_n_told (seat));
    }
  return hash;
}

/* At last all that live are in one view, the same for all. */
static void
test_storms_keep_the_contract (void)
{
  StormCounts counts = { 0 };

  for (guint64 seed = 0; seed < 400; seed++)
    storm (seed, &counts);
  g_assert_cmpuint (counts.missed, >, 0);
  g_assert_cmpuint (counts.failed, >, 100);
  g_assert_cmpuint (counts.refused, >, 100);
  g_assert_cmpuint (counts.undone, >, 100);
}

static void
test_same_seed_same_run (void)
{
  StormCounts counts = { 0 };

  for (guint64 seed = 0; seed < 36; seed++)
    {
      g_assert_cmpuint (storm (seed, &counts), ==, storm (seed, &counts));
      g_assert_cmpuint (storm (seed, &counts), !=, storm (seed + 36, &counts));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transport/sim-storms/keep-the-contract", test_storms_keep_the_contract);
  g_test_add_func ("/transport/sim-storms/same-seed-same-run", test_same_seed_same_run);
  return g_test_run ();
}
