/* SPDX-License-Identifier: MIT */
/* What the simulated transport adds to the contract: shared decoding, and virtual time. */
#include "core/base/digest.h"
#include "transport/sim_network.h"

#define N_MEMBERS 5

typedef struct Reader
{
  SimNetwork *network;
  Transport *transport;
  guint64 hash; /* of everything it was told, and when */
  gint64 last_us;
  guint n_messages;
  guint n_decoded;   /* messages that it was the first to look at */
  guint echoes_left; /* it answers so many messages with one of its own */
} Reader;

static guint destroyed;

static void
cache_destroy (gpointer value)
{
  destroyed++;
  g_free (value);
}

static void
reader_told (Reader *reader, guint64 what)
{
  gint64 now_us = sim_network_now_us (reader->network);

  g_assert_cmpint (now_us, >=, reader->last_us);
  reader->last_us = now_us;
  reader->hash = digest_combine (digest_combine (reader->hash, what), (guint64) now_us);
}

static void
reader_delivered (gpointer user_data, const TransportMessage *message)
{
  Reader *reader = user_data;

  reader->n_messages++;
  reader_told (reader, message->sender.node_id);
  if (message->cache->value == NULL)
    {
      reader->n_decoded++;
      message->cache->value = g_new (int, 1);
      message->cache->destroy = cache_destroy;
    }
  if (reader->echoes_left > 0)
    {
      g_autoptr (Buffer) bytes = buffer_new_copy ("echo", 4);

      reader->echoes_left--;
      transport_multicast (reader->transport, bytes);
    }
}

static void
reader_view_changed (gpointer user_data, const View *view)
{
  reader_told (user_data, view->n_members);
}

static void
reader_writable (gpointer user_data)
{
  reader_told (user_data, 0);
}

static void
reader_failed (G_GNUC_UNUSED gpointer user_data, G_GNUC_UNUSED const GError *error)
{
  g_assert_not_reached ();
}

static const TransportListener reader_listener = {
  .delivered = reader_delivered,
  .view_changed = reader_view_changed,
  .writable = reader_writable,
  .failed = reader_failed,
};

static SimNetwork *
network_with_readers (const SimNetworkOptions *options, Reader *readers)
{
  SimNetwork *network = sim_network_new (options);

  for (guint i = 0; i < N_MEMBERS; i++)
    {
      readers[i] = (Reader){ .network = network };
      readers[i].transport = sim_network_new_transport (network, (MemberId){ 1 + i, 1 });
      g_assert_true (
          transport_join (readers[i].transport, "g", &reader_listener, &readers[i], NULL));
    }
  return network;
}

static void
multicast (Reader *reader)
{
  g_autoptr (Buffer) bytes = buffer_new_copy ("hello", 5);

  g_assert_cmpint (transport_multicast (reader->transport, bytes), ==, TRANSPORT_SENT);
}

static void
free_all (SimNetwork *network, Reader *readers)
{
  for (guint i = 0; i < N_MEMBERS; i++)
    transport_free (readers[i].transport);
  sim_network_free (network);
}

static void
test_message_is_decoded_once (void)
{
  SimNetworkOptions options = sim_network_options_immediate ();
  Reader readers[N_MEMBERS];
  SimNetwork *network = network_with_readers (&options, readers);
  guint n_decoded = 0;

  destroyed = 0;
  for (guint i = 0; i < 10; i++)
    multicast (&readers[i % N_MEMBERS]);
  while (sim_network_dispatch (network, 3))
    ;
  for (guint i = 0; i < N_MEMBERS; i++)
    {
      g_assert_cmpuint (readers[i].n_messages, ==, 10);
      n_decoded += readers[i].n_decoded;
    }
  g_assert_cmpuint (n_decoded, ==, 10);
  g_assert_cmpuint (destroyed, ==, 10);
  free_all (network, readers);
}

/* The last reader is the one that keeps it. */
static void
test_message_is_kept_for_the_slowest (void)
{
  SimNetworkOptions options = sim_network_options_immediate ();
  Reader readers[N_MEMBERS];
  SimNetwork *network = network_with_readers (&options, readers);

  destroyed = 0;
  multicast (&readers[0]);
  for (guint i = 0; i < N_MEMBERS; i++)
    {
      g_assert_cmpuint (destroyed, ==, 0);
      while (sim_network_dispatch_member (network, (MemberId){ 1 + i, 1 }, 1))
        ;
    }
  g_assert_cmpuint (destroyed, ==, 1);
  free_all (network, readers);
}

static void
test_crashed_reader_keeps_nothing (void)
{
  SimNetworkOptions options = sim_network_options_immediate ();
  Reader readers[N_MEMBERS];
  SimNetwork *network = network_with_readers (&options, readers);

  destroyed = 0;
  while (sim_network_dispatch (network, 100))
    ;
  multicast (&readers[0]);
  for (guint i = 1; i < N_MEMBERS; i++)
    sim_network_dispatch_member (network, (MemberId){ 1 + i, 1 }, 100);
  g_assert_cmpuint (destroyed, ==, 0);
  sim_network_crash (network, (MemberId){ 1, 1 });
  while (sim_network_dispatch (network, 100))
    ;
  g_assert_cmpuint (destroyed, ==, 1);
  g_assert_cmpuint (readers[0].n_messages, ==, 0);
  free_all (network, readers);
}

/* What happened to five members that answer each other for a while, as one number. */
static guint64
conversation (SimTiming timing, guint64 seed, gint64 step_us)
{
  SimNetworkOptions options = {
    .seed = seed,
    .timing = timing,
    .lag_us_max = seed % 2 == 0 ? 0 : 500,
    .members_max = LIMIT_GROUP_MEMBERS,
  };
  Reader readers[N_MEMBERS];
  SimNetwork *network = network_with_readers (&options, readers);
  guint64 hash;

  for (guint i = 0; i < N_MEMBERS; i++)
    readers[i].echoes_left = 30;
  sim_network_advance (network, 10000); /* all have joined */
  multicast (&readers[seed % N_MEMBERS]);
  for (gint64 at_us = 10000; sim_network_next_us (network) != G_MAXINT64; at_us += step_us)
    sim_network_advance (network, at_us);
  hash = sim_network_order_hash (network);
  for (guint i = 0; i < N_MEMBERS; i++)
    {
      g_assert_cmpuint (readers[i].n_messages, ==, 1 + 30 * N_MEMBERS);
      hash = digest_combine (hash, readers[i].hash);
    }
  free_all (network, readers);
  return hash;
}

#define N_TIMINGS 5

static SimTiming
timing_of (guint kind)
{
  const SimTiming timings[N_TIMINGS] = {
    sim_timing_constant (300), sim_timing_uniform (200, 900), sim_timing_heavy_tailed (100, 20000),
    sim_timing_ring_udpu (),   sim_timing_ring_knet (),
  };

  return timings[kind];
}

static void
test_same_seed_same_run (void)
{
  for (guint64 seed = 0; seed < 20; seed++)
    {
      SimTiming timing = timing_of (seed % N_TIMINGS);

      g_assert_cmpuint (conversation (timing, seed, 50), ==, conversation (timing, seed, 50));
      g_assert_cmpuint (conversation (timing, seed, 50), !=, conversation (timing, seed + 1, 50));
    }
}

/* Members are run one after another within a stretch: how long the stretches are means nothing. */
static void
test_steps_of_any_length_mean_the_same (void)
{
  for (guint64 seed = 0; seed < 20; seed++)
    {
      SimTiming timing = timing_of (seed % N_TIMINGS);
      guint64 hash = conversation (timing, seed, 1);

      g_assert_cmpuint (conversation (timing, seed, 37), ==, hash);
      g_assert_cmpuint (conversation (timing, seed, 250), ==, hash);
      g_assert_cmpuint (conversation (timing, seed, 10000), ==, hash);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transport/sim/message-is-decoded-once", test_message_is_decoded_once);
  g_test_add_func ("/transport/sim/message-is-kept-for-the-slowest",
                   test_message_is_kept_for_the_slowest);
  g_test_add_func ("/transport/sim/crashed-reader-keeps-nothing",
                   test_crashed_reader_keeps_nothing);
  g_test_add_func ("/transport/sim/same-seed-same-run", test_same_seed_same_run);
  g_test_add_func ("/transport/sim/steps-of-any-length-mean-the-same",
                   test_steps_of_any_length_mean_the_same);
  return g_test_run ();
}
