/* SPDX-License-Identifier: MIT */
/* When the simulated network orders: the timing models, and a token ring's figures beside those
 * that were measured of corosync 3.1 between daemons on one machine of two cores. */
#include "core/base/digest.h"
#include "transport/sim_network.h"

#define NODES_MAX 16

typedef struct Load
{
  SimNetwork *network;
  GPtrArray *transports;
  guint size;
  gint64 begin_us;
  guint n_own[NODES_MAX]; /* came back to their senders since */
  gint64 last_us;
} Load;

typedef struct Sender
{
  Load *load;
  guint index;
  gboolean sends;
  guint window;
} Sender;

static void
send_one (Sender *sender)
{
  g_autoptr (Buffer) bytes = buffer_new (sender->load->size);

  memset (bytes->bytes, 0, bytes->size);
  transport_multicast (g_ptr_array_index (sender->load->transports, sender->index), bytes);
}

static void
sender_delivered (gpointer user_data, const TransportMessage *message)
{
  Sender *sender = user_data;

  if (message->sender.node_id != sender->index + 1)
    return;
  sender->load->n_own[sender->index]++;
  sender->load->last_us = sim_network_now_us (sender->load->network);
  send_one (sender);
}

static void
sender_view_changed (G_GNUC_UNUSED gpointer user_data, G_GNUC_UNUSED const View *view)
{
}

static void
sender_writable (G_GNUC_UNUSED gpointer user_data)
{
}

static void
sender_failed (G_GNUC_UNUSED gpointer user_data, G_GNUC_UNUSED const GError *error)
{
  g_assert_not_reached ();
}

static const TransportListener sender_listener = {
  .delivered = sender_delivered,
  .view_changed = sender_view_changed,
  .writable = sender_writable,
  .failed = sender_failed,
};

/* Messages a second that come back to their senders, each of which has so many under way. */
static gint64
rate (SimTiming timing, guint n_nodes, guint n_senders, guint size, guint window)
{
  const SimNetworkOptions options = { .seed = 1, .timing = timing };
  Load load = { .network = sim_network_new (&options), .size = size };
  Sender senders[NODES_MAX];
  gint64 n_own = 0, elapsed_us;

  load.transports = g_ptr_array_new ();
  for (guint i = 0; i < n_nodes; i++)
    {
      senders[i] = (Sender){ .load = &load, .index = i };
      g_ptr_array_add (load.transports,
                       sim_network_new_transport (load.network, (MemberId){ 1 + i, 1 }));
      g_assert_true (transport_join (g_ptr_array_index (load.transports, i), "g", &sender_listener,
                                     &senders[i], NULL));
    }
  sim_network_advance (load.network, 1000000);
  for (guint i = 0; i < n_senders; i++)
    for (guint j = 0; j < window; j++)
      send_one (&senders[i]);
  sim_network_advance (load.network, 1500000);
  elapsed_us = load.last_us - 1000000;
  for (guint i = 0; i < n_nodes; i++)
    {
      n_own += load.n_own[i];
      transport_free (g_ptr_array_index (load.transports, i));
    }
  g_ptr_array_unref (load.transports);
  sim_network_free (load.network);
  return n_own * 1000000 / elapsed_us;
}

typedef struct Measured
{
  const char *name;
  SimTiming (*timing) (void);
  guint n_nodes;
  guint n_senders;
  guint size;
  guint window;
  gint64 rate; /* of corosync */
} Measured;

/* Where the network is the bound, not the two cores. */
static const Measured measured[] = {
  { "udpu-3-one-at-a-time", sim_timing_ring_udpu, 3, 1, 1024, 1, 7759 },
  { "udpu-3-small-one-at-a-time", sim_timing_ring_udpu, 3, 1, 64, 1, 6500 },
  { "udpu-3-one-each", sim_timing_ring_udpu, 3, 3, 1024, 1, 16993 },
  { "udpu-3-one-floods", sim_timing_ring_udpu, 3, 1, 1024, 512, 40683 },
  { "udpu-3-all-flood", sim_timing_ring_udpu, 3, 3, 1024, 512, 46897 },
  { "udpu-8-one-at-a-time", sim_timing_ring_udpu, 8, 1, 64, 1, 2907 },
  { "udpu-16-one-at-a-time", sim_timing_ring_udpu, 16, 1, 64, 1, 1359 },
  { "udpu-3-large-flood", sim_timing_ring_udpu, 3, 1, 8192, 128, 5780 },
  { "knet-3-one-at-a-time", sim_timing_ring_knet, 3, 1, 64, 1, 2500 },
  { "knet-3-one-each", sim_timing_ring_knet, 3, 3, 64, 1, 5791 },
  { "knet-3-one-floods", sim_timing_ring_knet, 3, 1, 1024, 512, 51951 },
  { "knet-16-one-at-a-time", sim_timing_ring_knet, 16, 1, 64, 1, 460 },
  { "knet-3-huge-one-at-a-time", sim_timing_ring_knet, 3, 1, 65536, 1, 992 },
};

/* Within a third of what was measured. */
static void
test_figures (gconstpointer data)
{
  const Measured *row = data;
  gint64 ours = rate (row->timing (), row->n_nodes, row->n_senders, row->size, row->window);

  g_test_message ("%" G_GINT64_FORMAT " a second; corosync %" G_GINT64_FORMAT, ours, row->rate);
  g_assert_cmpint (ours, >, row->rate * 2 / 3);
  g_assert_cmpint (ours, <, row->rate * 3 / 2);
}

static void
test_draws_are_within_bounds (void)
{
  const SimTiming constant = sim_timing_constant (300);
  const SimTiming uniform = sim_timing_uniform (200, 1200);
  gint64 sum = 0;

  for (guint64 i = 0; i < 10000; i++)
    {
      gint64 us = sim_timing_draw_us (&uniform, digest_mix (i));

      g_assert_cmpint (sim_timing_draw_us (&constant, digest_mix (i)), ==, 300);
      g_assert_cmpint (us, >=, 200);
      g_assert_cmpint (us, <=, 1200);
      sum += us;
    }
  g_assert_cmpint (sum / 10000, >, 680);
  g_assert_cmpint (sum / 10000, <, 720);
}

/* Half of the draws are in a thousandth of the span, some in its last half. */
static void
test_heavy_tail_is_rare_and_long (void)
{
  const SimTiming timing = sim_timing_heavy_tailed (100, 102500);
  guint n_near = 0, n_far = 0;

  for (guint64 i = 0; i < 100000; i++)
    {
      gint64 us = sim_timing_draw_us (&timing, digest_mix (i));

      g_assert_cmpint (us, >=, 100);
      g_assert_cmpint (us, <=, 102500);
      n_near += us <= 200;
      n_far += us > 51300;
    }
  g_assert_cmpuint (n_near, >, 50000);
  g_assert_cmpuint (n_near, <, 80000);
  g_assert_cmpuint (n_far, >, 20);
  g_assert_cmpuint (n_far, <, 200);
}

/* A ring that was idle has its token held; whoever is next waits about a round. */
static void
test_idle_ring_is_no_faster (void)
{
  gint64 once = rate (sim_timing_ring_udpu (), 3, 1, 64, 1);

  g_assert_cmpint (once, <, 10000);
}

static void
test_more_nodes_are_slower (void)
{
  gint64 before = G_MAXINT64;

  for (guint n_nodes = 1; n_nodes <= NODES_MAX; n_nodes *= 2)
    {
      gint64 now = rate (sim_timing_ring_udpu (), n_nodes, 1, 64, 1);

      g_assert_cmpint (now, <, before);
      before = now;
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transport/sim-timing/draws-are-within-bounds", test_draws_are_within_bounds);
  g_test_add_func ("/transport/sim-timing/heavy-tail-is-rare-and-long",
                   test_heavy_tail_is_rare_and_long);
  g_test_add_func ("/transport/sim-timing/idle-ring-is-no-faster", test_idle_ring_is_no_faster);
  g_test_add_func ("/transport/sim-timing/more-nodes-are-slower", test_more_nodes_are_slower);
  for (guint i = 0; i < G_N_ELEMENTS (measured); i++)
    {
      g_autofree char *path
          = g_strconcat ("/transport/sim-timing/as-measured/", measured[i].name, NULL);

      g_test_add_data_func (path, &measured[i], test_figures);
    }
  return g_test_run ();
}
