/* SPDX-License-Identifier: MIT */
/* How fast the simulated transport is by itself: deliveries a second to listeners that do nothing.
 *
 *     bench_transport [deliveries to make for each size of the group]
 */
#include "transport/sim_network.h"

#include <stdlib.h>

#define MESSAGES_UNDER_WAY 200

static void
null_delivered (G_GNUC_UNUSED gpointer user_data, G_GNUC_UNUSED const TransportMessage *message)
{
}

static void
null_view_changed (G_GNUC_UNUSED gpointer user_data, G_GNUC_UNUSED const View *view)
{
}

static void
null_writable (G_GNUC_UNUSED gpointer user_data)
{
}

static void
null_failed (G_GNUC_UNUSED gpointer user_data, G_GNUC_UNUSED const GError *error)
{
}

static const TransportListener null_listener = {
  .delivered = null_delivered,
  .view_changed = null_view_changed,
  .writable = null_writable,
  .failed = null_failed,
};

static void
bench (guint n_members, guint n_messages, const char *profile, SimNetworkOptions options)
{
  g_autoptr (GPtrArray) transports
      = g_ptr_array_new_with_free_func ((GDestroyNotify) transport_free);
  g_autoptr (Buffer) bytes = buffer_new_copy ("a message of a few bytes", 24);
  SimNetwork *network = sim_network_new (&options);
  guint64 deliveries;
  double seconds;
  gint64 start_us;

  for (guint i = 0; i < n_members; i++)
    {
      Transport *transport = sim_network_new_transport (network, (MemberId){ 1 + i, 1 });

      g_ptr_array_add (transports, transport);
      g_assert_true (transport_join (transport, "bench", &null_listener, NULL, NULL));
    }
  sim_network_advance (network, 1000000);
  deliveries = sim_network_deliveries (network);
  start_us = g_get_monotonic_time ();
  for (guint sent = 0; sent < n_messages;)
    {
      for (guint i = 0; i < MESSAGES_UNDER_WAY; i++, sent++)
        transport_multicast (g_ptr_array_index (transports, sent % n_members), bytes);
      sim_network_advance (network, sim_network_now_us (network) + 3000);
    }
  seconds = (double) (g_get_monotonic_time () - start_us) / 1e6;
  deliveries = sim_network_deliveries (network) - deliveries;
  g_print ("%5u members  %-10s %12" G_GUINT64_FORMAT " deliveries  %7.1f M/s  %5.1f ns each\n",
           n_members, profile, deliveries, (double) deliveries / seconds / 1e6,
           seconds * 1e9 / (double) deliveries);
  g_ptr_array_set_size (transports, 0);
  sim_network_free (network);
}

int
main (int argc, char **argv)
{
  static const guint sizes[] = { 3, 100, 1000 };
  guint64 deliveries = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 60000000;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      guint n_messages = (guint) (deliveries / sizes[i]);

      bench (sizes[i], n_messages, "immediate", (SimNetworkOptions){ 0 });
      bench (sizes[i], n_messages, "latencies",
             (SimNetworkOptions){ .timing = sim_timing_uniform (500, 1500) });
      bench (sizes[i], n_messages, "and lags",
             (SimNetworkOptions){ .timing = sim_timing_uniform (500, 1500), .lag_us_max = 1000 });
      bench (sizes[i], n_messages, "token ring",
             (SimNetworkOptions){ .timing = sim_timing_ring_udpu () });
    }
  return EXIT_SUCCESS;
}
