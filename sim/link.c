/* SPDX-License-Identifier: MIT */
#include "sim/link.h"
#include "core/base/limits.h"
#include "sim/client_ears.h"
#include "sim/member.h"

struct Link
{
  World *world;
  guint64 number;
  guint client;
  guint member;
  SimStream random;
  gint64 latency_us;
  gint64 to_member_us; /* when the last packet arrives there */
  gint64 to_client_us;
  guint n_packets; /* on their way */
  gboolean client_holds;
  Client *edge; /* the member's node holds; NULL: it does not */
  GByteArray *arrived;
  gsize arrived_first;
  gboolean ended; /* nothing more comes from the client, and the node was not told */
};

typedef enum PacketKind
{
  PACKET_CONNECT,
  PACKET_BYTES,
  PACKET_END, /* an orderly end of the bytes */
  PACKET_TORN
} PacketKind;

typedef struct Packet
{
  Link *link;
  PacketKind kind;
  gsize length;
  guint8 bytes[];
} Packet;

static void
forget_if_unused (Link *link)
{
  if (link->n_packets > 0 || link->client_holds || link->edge != NULL)
    return;
  g_byte_array_unref (link->arrived);
  g_free (link);
}

static Packet *
packet_new (Link *link, PacketKind kind, gsize length)
{
  Packet *packet = g_malloc (sizeof (Packet) + length);

  *packet = (Packet){ .link = link, .kind = kind, .length = length };
  link->n_packets++;
  return packet;
}

static void
packet_free (Packet *packet)
{
  packet->link->n_packets--;
  g_free (packet);
}

/* A little more than the link's latency, but never before the packet ahead of it. */
static gint64
arrival_us (Link *link, gint64 *last_us)
{
  gint64 at_us = world_now_us (link->world) + link->latency_us
                 + sim_stream_between (&link->random, 0, link->latency_us / 4);

  *last_us = MAX (*last_us, at_us);
  return *last_us;
}

static void
send_to_member (Link *link, Packet *packet)
{
  link->world->counts.writes += 1 + packet->length / LIMIT_ENVELOPE_FILL;
  clock_at (link->world->clock, arrival_us (link, &link->to_member_us), CLOCK_TO_MEMBER,
            link->member, packet);
}

static void
send_to_client (Link *link, Packet *packet)
{
  link->world->counts.given++;
  clock_at (link->world->clock, arrival_us (link, &link->to_client_us), CLOCK_TO_CLIENT,
            link->client, packet);
}

/* Sockets do not keep the bounds of writes: one of so many is cut in two, anywhere. */
#define WRITES_PER_CUT 8

/* What is behind the first `skipped` bytes of the slices. */
static void
fill_packet (Packet *packet, const Slice *slices, gsize skipped)
{
  for (gsize filled = 0; filled < packet->length; slices++)
    {
      gsize left = MIN (skipped, slices->length);
      gsize count = MIN (slices->length - left, packet->length - filled);

      if (count > 0)
        memcpy (packet->bytes + filled, slices->bytes + left, count);
      skipped -= left;
      filled += count;
    }
}

static void
send_bytes (Link *link, const Slice *slices, guint n_slices,
            void (*send) (Link *link, Packet *packet))
{
  gsize total = 0, cut = 0;

  for (guint i = 0; i < n_slices; i++)
    total += slices[i].length;
  if (sim_stream_chance (&link->random, 1, WRITES_PER_CUT))
    cut = sim_stream_below (&link->random, (guint32) total);
  for (guint i = 0; i < 2; i++)
    {
      gsize length = i == 0 ? cut : total - cut;
      Packet *packet;

      if (length == 0)
        continue;
      packet = packet_new (link, PACKET_BYTES, length);
      fill_packet (packet, slices, i == 0 ? 0 : cut);
      send (link, packet);
    }
}

/* --- the client's end ---------------------------------------------------------------------- */

Link *
link_open (World *world, guint client, guint member)
{
  Link *link = g_new0 (Link, 1);

  link->world = world;
  link->client = client;
  link->member = member;
  link->client_holds = TRUE;
  link->arrived = g_byte_array_new ();
  link->number = ++world->counts.connections;
  link->random = world_stream (world, link->number, SIM_PURPOSE_LINK);
  link->latency_us
      = sim_stream_between (&link->random, world->shape.link_us_min, world->shape.link_us_max);
  send_to_member (link, packet_new (link, PACKET_CONNECT, 0));
  return link;
}

guint64
link_number (const Link *link)
{
  return link->number;
}

char *
link_peer (guint client, guint64 number)
{
  return g_strdup_printf ("client-%u.%" G_GUINT64_FORMAT, client, number);
}

void
link_to_member (Link *link, const Slice *slices, guint n_slices)
{
  send_bytes (link, slices, n_slices, send_to_member);
}

void
link_end_by_client (Link *link, gboolean torn)
{
  link->client_holds = FALSE;
  send_to_member (link, packet_new (link, torn ? PACKET_TORN : PACKET_END, 0));
}

/* --- the member's end --------------------------------------------------------------------------
 */

void
link_to_client (Link *link, const Slice *slices, guint n_slices)
{
  send_bytes (link, slices, n_slices, send_to_client);
}

void
link_end_by_member (Link *link)
{
  link->edge = NULL;
  send_to_client (link, packet_new (link, PACKET_END, 0));
}

void
link_set_edge (Link *link, Client *edge)
{
  link->edge = edge;
}

Client *
link_peek_edge (const Link *link)
{
  return link->edge;
}

Slice
link_peek_arrived (const Link *link)
{
  return slice_new (link->arrived->data + link->arrived_first,
                    link->arrived->len - link->arrived_first, NULL);
}

void
link_consume_arrived (Link *link, gsize count)
{
  link->arrived_first += count;
  if (link->arrived_first == link->arrived->len)
    {
      g_byte_array_set_size (link->arrived, 0);
      link->arrived_first = 0;
    }
}

gboolean
link_take_end (Link *link)
{
  if (!link->ended || link->arrived->len > 0)
    return FALSE;
  link->ended = FALSE;
  return TRUE;
}

gboolean
link_is_clogged (const Link *link)
{
  return sim_client_hearing (world_client (link->world, link->client)) != CLIENT_HEARS;
}

void
link_unclog (Link *link)
{
  if (link->edge != NULL)
    sim_member_writable (world_member (link->world, link->member), link);
}

/* --- arrivals ------------------------------------------------------------------------------------
 */

static void
arrive_at_member (SimMember *member, Link *link, const Packet *packet)
{
  g_autofree char *peer = NULL;

  switch (packet->kind)
    {
    case PACKET_CONNECT:
      peer = link_peer (link->client, link->number);
      if (!sim_member_accept (member, link, peer))
        send_to_client (link, packet_new (link, PACKET_END, 0));
      break;
    case PACKET_BYTES:
      if (link->edge == NULL)
        break;
      g_byte_array_append (link->arrived, packet->bytes, (guint) packet->length);
      sim_member_readable (member, link);
      break;
    case PACKET_END:
      if (link->edge == NULL)
        break;
      link->ended = TRUE;
      sim_member_readable (member, link);
      break;
    case PACKET_TORN:
      if (link->edge != NULL)
        sim_member_torn (member, link);
      break;
    }
}

void
link_packet_to_member (gpointer data)
{
  Packet *packet = data;
  Link *link = packet->link;

  arrive_at_member (world_member (link->world, link->member), link, packet);
  packet_free (packet);
  forget_if_unused (link);
}

void
link_packet_to_client (gpointer data)
{
  Packet *packet = data;
  Link *link = packet->link;
  SimClient *client = world_client (link->world, link->client);

  if (link->client_holds && packet->kind == PACKET_BYTES)
    sim_client_arrived (client, packet->bytes, packet->length);
  else if (link->client_holds)
    {
      link->client_holds = FALSE;
      sim_client_link_ended (client);
    }
  packet_free (packet);
  forget_if_unused (link);
}

SimClient *
link_packet_client (gpointer data)
{
  const Link *link = ((Packet *) data)->link;

  return world_client (link->world, link->client);
}

SimMember *
link_packet_member (gpointer data)
{
  const Link *link = ((Packet *) data)->link;

  return world_member (link->world, link->member);
}

void
link_packet_drop (gpointer data)
{
  Packet *packet = data;
  Link *link = packet->link;

  packet_free (packet);
  forget_if_unused (link);
}
