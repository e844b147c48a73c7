/* SPDX-License-Identifier: MIT */
#include "tests/transport/split_world.h"

static void
told_clear (gpointer data)
{
  Told *told = data;

  g_clear_pointer (&told->members, g_array_unref);
  g_clear_pointer (&told->left, g_array_unref);
  g_clear_pointer (&told->joined, g_array_unref);
}

static void
forget_decoded (gpointer data)
{
  SplitWorld *world = data;

  world->forgotten++;
}

static void
seat_delivered (gpointer user_data, const TransportMessage *message)
{
  SplitSeat *seat = user_data;
  Told told = { .sender = message->sender, .directed = message->directed };

  g_assert_false (seat->over);
  memcpy (&told.number, message->bytes->bytes, sizeof told.number);
  g_array_append_val (seat->told, told);
  if (message->cache->value != NULL)
    return;
  seat->world->decoded++;
  message->cache->value = seat->world;
  message->cache->destroy = forget_decoded;
}

static void
seat_view_changed (gpointer user_data, const View *view)
{
  SplitSeat *seat = user_data;
  Told told = { .is_view = TRUE, .view = view->number, .ring = view->ring };

  g_assert_false (seat->over);
  told.members = g_array_new (FALSE, FALSE, sizeof (MemberId));
  told.left = g_array_new (FALSE, FALSE, sizeof (ViewChange));
  told.joined = g_array_new (FALSE, FALSE, sizeof (ViewChange));
  g_array_append_vals (told.members, view->members, view->n_members);
  if (view->n_left > 0)
    g_array_append_vals (told.left, view->left, view->n_left);
  if (view->n_joined > 0)
    g_array_append_vals (told.joined, view->joined, view->n_joined);
  g_array_append_val (seat->told, told);
}

static void
seat_writable (gpointer user_data)
{
  (void) user_data;
}

static void
seat_failed (gpointer user_data, const GError *error)
{
  SplitSeat *seat = user_data;

  g_assert_nonnull (error);
  g_assert_false (seat->over);
  seat->over = seat->failed = TRUE;
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
  SplitSeat *seat = data;

  transport_free (seat->transport);
  g_array_unref (seat->told);
  g_free (seat);
}

SplitWorld *
split_world_new (const SimNetworkOptions *options, guint n_members)
{
  SplitWorld *world = g_new0 (SplitWorld, 1);

  world->network = sim_network_new (options);
  world->seats = g_ptr_array_new_with_free_func (seat_free);
  world->sent = g_array_new (FALSE, FALSE, sizeof (Sent));
  for (guint i = 0; i < n_members; i++)
    split_world_join (world, 1 + i);
  split_settle (world);
  return world;
}

void
split_world_free (SplitWorld *world)
{
  g_ptr_array_unref (world->seats);
  sim_network_free (world->network);
  g_array_unref (world->sent);
  g_free (world);
}

SplitSeat *
split_world_join (SplitWorld *world, guint node)
{
  SplitSeat *seat = g_new0 (SplitSeat, 1);

  seat->world = world;
  seat->member = (MemberId){ node, 1 };
  seat->told = g_array_new (FALSE, FALSE, sizeof (Told));
  g_array_set_clear_func (seat->told, told_clear);
  seat->transport = sim_network_new_transport (world->network, seat->member);
  g_assert_true (transport_join (seat->transport, "g", &seat_listener, seat, NULL));
  g_ptr_array_add (world->seats, seat);
  return seat;
}

SplitSeat *
split_world_seat (const SplitWorld *world, guint seat)
{
  return g_ptr_array_index (world->seats, seat);
}

static Buffer *
new_message (SplitSeat *seat, gboolean directed, guint32 *ret_number)
{
  Sent sent = { .n_told = seat->told->len, .directed = directed };

  for (guint i = 0; i < seat->world->seats->len; i++)
    if (split_world_seat (seat->world, i) == seat)
      sent.seat = i;
  *ret_number = seat->world->sent->len;
  g_array_append_val (seat->world->sent, sent);
  return buffer_new_copy (ret_number, sizeof *ret_number);
}

guint32
split_try_multicast (SplitSeat *seat)
{
  guint32 number;
  g_autoptr (Buffer) bytes = new_message (seat, FALSE, &number);

  if (transport_multicast (seat->transport, bytes) == TRANSPORT_SENT)
    return number;
  /* As if it had been somebody's that nobody asks for. */
  g_array_index (seat->world->sent, Sent, number).directed = TRUE;
  return SPLIT_REFUSED;
}

guint32
split_multicast (SplitSeat *seat)
{
  guint32 number = split_try_multicast (seat);

  g_assert_cmpuint (number, !=, SPLIT_REFUSED);
  return number;
}

guint32
split_send_to (SplitSeat *seat, guint node)
{
  guint32 number;
  g_autoptr (Buffer) bytes = new_message (seat, TRUE, &number);

  g_assert_cmpint (transport_send_to (seat->transport, (MemberId){ node, 1 }, bytes), !=,
                   TRANSPORT_FULL);
  return number;
}

static guint
component_of (guint32 node_id, gpointer user_data)
{
  const SplitWorld *world = user_data;

  return world->components[node_id];
}

void
split_partition (SplitWorld *world, const char *components)
{
  for (guint i = 0; components[i] != '\0'; i++)
    world->components[1 + i] = (guint) (components[i] - '0');
  sim_network_partition (world->network, component_of, world);
}

void
split_settle (SplitWorld *world)
{
  gint64 next_us;

  while (sim_network_dispatch (world->network, 3))
    ;
  while ((next_us = sim_network_next_us (world->network)) != G_MAXINT64)
    sim_network_advance (world->network, next_us);
}

void
split_consume (SplitSeat *seat, guint n_events)
{
  sim_network_dispatch_member (seat->world->network, seat->member, n_events);
}

guint
split_n_told (const SplitSeat *seat)
{
  return seat->told->len;
}

const Told *
split_told (const SplitSeat *seat, guint index)
{
  g_assert_cmpuint (index, <, seat->told->len);
  return &g_array_index (seat->told, Told, index);
}

gint
split_place_of (const SplitSeat *seat, guint32 number)
{
  for (guint i = 0; i < seat->told->len; i++)
    if (!split_told (seat, i)->is_view && split_told (seat, i)->number == number)
      return (gint) i;
  return -1;
}
