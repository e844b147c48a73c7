/* SPDX-License-Identifier: MIT */
/* The simulated transport under the contract test, ordered at once or with latencies and lags. */
#include "tests/transport/transport_under_test.h"
#include "transport/sim_network.h"

typedef struct Seat
{
  Cluster *cluster;
  Transport *transport;
  MemberId member;
  Reaction reaction;
  gboolean reacted;
  gboolean inside_call;
  GArray *records;
} Seat;

struct Cluster
{
  SimNetwork *network;
  gboolean delayed;
  GPtrArray *seats;
};

/* --- what seats are told ------------------------------------------------------------------- */

static void
seat_told (Seat *seat, Record record)
{
  record.inside_call = seat->inside_call;
  g_array_append_val (seat->records, record);
}

static GArray *
members_of_changes (const ViewChange *changes, guint n_changes)
{
  GArray *members = g_array_new (FALSE, FALSE, sizeof (MemberId));

  for (guint i = 0; i < n_changes; i++)
    g_array_append_val (members, changes[i].member);
  return members;
}

static void
seat_delivered (gpointer user_data, const TransportMessage *message)
{
  Seat *seat = user_data;
  Record record = {
    .kind = RECORD_MESSAGE,
    .sender = message->sender,
    .directed = message->directed,
    .size = message->bytes->size,
  };

  record.intact = message_read (message->bytes, &record.number);
  seat_told (seat, record);
  if (seat->reaction == REACTION_LEAVE_AT_MESSAGE)
    {
      seat->inside_call = TRUE;
      transport_leave (seat->transport);
      seat->inside_call = FALSE;
    }
  if (seat->reaction == REACTION_ANSWER && !message->directed
      && !member_id_equal (message->sender, seat->member))
    {
      g_autoptr (Buffer) answer = message_new (record.number, message->bytes->size);

      seat->inside_call = TRUE;
      transport_send_to (seat->transport, message->sender, answer);
      seat->inside_call = FALSE;
    }
}

static void
seat_view_changed (gpointer user_data, const View *view)
{
  Seat *seat = user_data;
  Record record = { .kind = RECORD_VIEW };

  record.members = g_array_new (FALSE, FALSE, sizeof (MemberId));
  g_array_append_vals (record.members, view->members, view->n_members);
  record.left = members_of_changes (view->left, view->n_left);
  record.joined = members_of_changes (view->joined, view->n_joined);
  seat_told (seat, record);
  if (seat->reaction == REACTION_MULTICAST_AT_FIRST_VIEW && !seat->reacted)
    {
      g_autoptr (Buffer) bytes = message_new (REACTION_NUMBER, REACTION_SIZE);

      seat->reacted = TRUE;
      seat->inside_call = TRUE;
      transport_multicast (seat->transport, bytes);
      seat->inside_call = FALSE;
    }
}

static void
seat_writable (gpointer user_data)
{
  seat_told (user_data, (Record){ .kind = RECORD_WRITABLE });
}

static void
seat_failed (gpointer user_data, G_GNUC_UNUSED const GError *error)
{
  seat_told (user_data, (Record){ .kind = RECORD_FAILED });
}

static const TransportListener seat_listener = {
  .delivered = seat_delivered,
  .view_changed = seat_view_changed,
  .writable = seat_writable,
  .failed = seat_failed,
};

static void
seat_free (gpointer data)
{
  Seat *seat = data;

  transport_free (seat->transport);
  g_array_unref (seat->records);
  g_free (seat);
}

/* --- the cluster --------------------------------------------------------------------------- */

static Cluster *
cluster_new (const SimNetworkOptions *options)
{
  Cluster *cluster = g_new0 (Cluster, 1);

  cluster->network = sim_network_new (options);
  cluster->delayed = options->timing.kind != SIM_TIMING_IMMEDIATE;
  cluster->seats = g_ptr_array_new_with_free_func (seat_free);
  return cluster;
}

static Cluster *
immediate_new (G_GNUC_UNUSED guint64 seed)
{
  SimNetworkOptions options = sim_network_options_immediate ();

  return cluster_new (&options);
}

/* Even seeds have no lags, every third no least latency: the shapes that the order of work inside
 * one instant depends on. */
static Cluster *
delayed_new (guint64 seed)
{
  SimNetworkOptions options = {
    .seed = seed,
    .timing = sim_timing_uniform (seed % 3 == 0 ? 0 : 100, 700),
    .lag_us_max = seed % 2 == 0 ? 0 : 900,
    .window = 4096,
    .members_max = LIMIT_GROUP_MEMBERS,
  };

  return cluster_new (&options);
}

static void
cluster_free (Cluster *cluster)
{
  g_ptr_array_unref (cluster->seats);
  sim_network_free (cluster->network);
  g_free (cluster);
}

static gboolean
cluster_join (Cluster *cluster, MemberId member, const char *group, Reaction reaction,
              guint *ret_seat, GError **error)
{
  Seat *seat = g_new0 (Seat, 1);
  gboolean joined;

  seat->cluster = cluster;
  seat->member = member;
  seat->reaction = reaction;
  seat->records = g_array_new (FALSE, FALSE, sizeof (Record));
  g_array_set_clear_func (seat->records, record_clear);
  seat->transport = sim_network_new_transport (cluster->network, member);
  seat->inside_call = TRUE;
  joined = transport_join (seat->transport, group, &seat_listener, seat, error);
  seat->inside_call = FALSE;
  if (!joined)
    {
      seat_free (seat);
      return FALSE;
    }
  *ret_seat = cluster->seats->len;
  g_ptr_array_add (cluster->seats, seat);
  return TRUE;
}

static TransportResult
cluster_multicast (Cluster *cluster, guint index, guint32 number, gsize size)
{
  Seat *seat = g_ptr_array_index (cluster->seats, index);
  g_autoptr (Buffer) bytes = message_new (number, size);
  TransportResult result;

  seat->inside_call = TRUE;
  result = transport_multicast (seat->transport, bytes);
  seat->inside_call = FALSE;
  return result;
}

static TransportResult
cluster_send_to (Cluster *cluster, guint index, MemberId to, guint32 number, gsize size)
{
  Seat *seat = g_ptr_array_index (cluster->seats, index);
  g_autoptr (Buffer) bytes = message_new (number, size);
  TransportResult result;

  seat->inside_call = TRUE;
  result = transport_send_to (seat->transport, to, bytes);
  seat->inside_call = FALSE;
  return result;
}

static void
cluster_leave (Cluster *cluster, guint index)
{
  Seat *seat = g_ptr_array_index (cluster->seats, index);

  seat->inside_call = TRUE;
  transport_leave (seat->transport);
  seat->inside_call = FALSE;
}

/* Sooner or later it is ordered, and then it is a member for all. */
static gboolean
cluster_knows (Cluster *cluster, guint index, guint other)
{
  const Seat *seat = g_ptr_array_index (cluster->seats, other);

  (void) index;
  return seat->records->len > 0;
}

static void
cluster_crash (Cluster *cluster, MemberId member)
{
  sim_network_crash (cluster->network, member);
}

static void
cluster_step (Cluster *cluster)
{
  if (cluster->delayed)
    sim_network_advance (cluster->network, sim_network_now_us (cluster->network) + 150);
  else
    sim_network_dispatch (cluster->network, 2);
}

static void
cluster_settle (Cluster *cluster)
{
  gint64 next_us;

  if (!cluster->delayed)
    while (sim_network_dispatch (cluster->network, 3))
      ;
  while ((next_us = sim_network_next_us (cluster->network)) != G_MAXINT64)
    sim_network_advance (cluster->network, next_us);
}

static const GArray *
cluster_records (Cluster *cluster, guint index)
{
  const Seat *seat = g_ptr_array_index (cluster->seats, index);

  return seat->records;
}

const ClusterType sim_immediate_cluster = {
  .name = "sim-immediate",
  .n_storms = 40,
  .new = immediate_new,
  .free = cluster_free,
  .join = cluster_join,
  .multicast = cluster_multicast,
  .send_to = cluster_send_to,
  .knows = cluster_knows,
  .leave = cluster_leave,
  .crash = cluster_crash,
  .step = cluster_step,
  .settle = cluster_settle,
  .records = cluster_records,
};

const ClusterType sim_delayed_cluster = {
  .name = "sim-delayed",
  .n_storms = 40,
  .bounds_window = TRUE,
  .orders_later = TRUE,
  .new = delayed_new,
  .free = cluster_free,
  .join = cluster_join,
  .multicast = cluster_multicast,
  .send_to = cluster_send_to,
  .knows = cluster_knows,
  .leave = cluster_leave,
  .crash = cluster_crash,
  .step = cluster_step,
  .settle = cluster_settle,
  .records = cluster_records,
};
