/* SPDX-License-Identifier: MIT */
#include "sim/tap.h"
#include "sim/member.h"
#include "sim/own_places.h"

typedef struct Tap
{
  Transport transport;
  Transport *inner;
  World *world;
  ViewTape *tape;
  OrderTape *order;
  OwnPlaces places;
  MemberId member;
} Tap;

static SimMember *
member_of (const Tap *tap)
{
  return world_member (tap->world, tap->member.node_id - 1);
}

static void
tap_delivered (gpointer user_data, const TransportMessage *message)
{
  Tap *tap = user_data;
  gint64 now_us = world_now_us (tap->world);

  if (message->directed)
    view_tape_directed (tap->tape, now_us, message->sender);
  else
    {
      const Told told = told_of (message);
      gboolean own = member_id_equal (message->sender, tap->member);

      view_tape_message (tap->tape, now_us, told);
      order_tape_message (tap->order, now_us, told);
      own_places_heard (&tap->places, own);
      if (own)
        sim_member_heard_itself (member_of (tap));
    }
  tap->transport.listener->delivered (tap->transport.user_data, message);
}

static guint64
change_number (const ViewChange *change)
{
  return (guint64) change->reason << 32 | change->member.node_id;
}

static void
add_view (Fingerprint *fingerprint, MemberId told, const View *view)
{
  fingerprint_add (fingerprint, INGREDIENT_VIEWS, told.node_id);
  fingerprint_add (fingerprint, INGREDIENT_VIEWS, view->ring.representative);
  fingerprint_add (fingerprint, INGREDIENT_VIEWS, view->ring.sequence);
  fingerprint_add (fingerprint, INGREDIENT_VIEWS, view->n_members);
  fingerprint_add (fingerprint, INGREDIENT_VIEWS, view->n_left);
  fingerprint_add (fingerprint, INGREDIENT_VIEWS, view->n_joined);
  for (guint i = 0; i < view->n_left; i++)
    fingerprint_add (fingerprint, INGREDIENT_VIEWS, change_number (&view->left[i]));
  for (guint i = 0; i < view->n_joined; i++)
    fingerprint_add (fingerprint, INGREDIENT_VIEWS, change_number (&view->joined[i]));
}

static void
tap_view_changed (gpointer user_data, const View *view)
{
  Tap *tap = user_data;

  add_view (&tap->world->fingerprint, tap->member, view);
  tap->world->counts.views++;
  view_tape_view (tap->tape, world_now_us (tap->world), view);
  order_tape_view (tap->order, view);
  own_places_view (&tap->places);
  sim_member_view_told (member_of (tap), view);
  tap->transport.listener->view_changed (tap->transport.user_data, view);
}

static void
tap_writable (gpointer user_data)
{
  Tap *tap = user_data;

  tap->transport.listener->writable (tap->transport.user_data);
}

static void
be_over (Tap *tap)
{
  view_tape_over (tap->tape);
  order_tape_over (tap->order);
}

static void
tap_failed (gpointer user_data, const GError *error)
{
  Tap *tap = user_data;

  be_over (tap);
  tap->transport.over = TRUE;
  tap->transport.listener->failed (tap->transport.user_data, error);
}

static const TransportListener tap_listener = {
  .delivered = tap_delivered,
  .view_changed = tap_view_changed,
  .writable = tap_writable,
  .failed = tap_failed,
};

static gboolean
tap_join (Transport *transport, const char *group, GError **error)
{
  Tap *tap = (Tap *) transport;

  return transport_join (tap->inner, group, &tap_listener, tap, error);
}

/* Behind the four bytes of an envelope's magic. */
#define VERSION_OFFSET 4

/* As a member of the next version of this program would say it. Yours. */
static Buffer *
newer (Buffer *message)
{
  Buffer *copy = buffer_new_copy (message->bytes, message->size);

  copy->bytes[VERSION_OFFSET]++;
  return copy;
}

static TransportResult
tap_multicast (Transport *transport, Buffer *original)
{
  Tap *tap = (Tap *) transport;
  g_autoptr (Buffer) message = sim_member_foreign (member_of (tap)) == MEMBER_IS_NEWER
                                   ? newer (original)
                                   : buffer_ref (original);
  TransportResult result = transport_multicast (tap->inner, message);

  if (result == TRANSPORT_SENT)
    {
      guint64 hash = told_hash (message);

      tap->world->counts.multicasts++;
      view_tape_sent (tap->tape, hash);
      order_tape_sent (tap->order, world_now_us (tap->world), hash);
      own_places_sent (&tap->places, sim_network_forms_us (tap->world->network) != G_MAXINT64);
      sim_member_sent (member_of (tap));
    }
  if (result == TRANSPORT_FULL)
    {
      tap->world->counts.full++;
      probes_reach (&tap->world->probes, PROBE_FULL);
    }
  return result;
}

static TransportResult
tap_send_to (Transport *transport, MemberId to, Buffer *message)
{
  Tap *tap = (Tap *) transport;

  sim_member_sent_directed (member_of (tap), to);
  return transport_send_to (tap->inner, to, message);
}

static void
tap_leave (Transport *transport)
{
  Tap *tap = (Tap *) transport;

  be_over (tap);
  transport_leave (tap->inner);
}

static void
tap_free (Transport *transport)
{
  Tap *tap = (Tap *) transport;

  be_over (tap);
  transport_free (tap->inner);
  g_free (tap);
}

static const TransportType tap_type = {
  .name = "tap",
  .join = tap_join,
  .multicast = tap_multicast,
  .send_to = tap_send_to,
  .leave = tap_leave,
  .free = tap_free,
};

Transport *
tap_new (Transport *inner, World *world, const char *name, MemberId member)
{
  Tap *tap = g_new0 (Tap, 1);

  tap->transport.type = &tap_type;
  tap->transport.self = member;
  tap->inner = inner;
  tap->world = world;
  tap->tape = checker_view_joins (world->checker_view, name, member);
  tap->order = checker_order_joins (world->checker_order, name, member);
  tap->places.probes = &world->probes;
  tap->member = member;
  return &tap->transport;
}
