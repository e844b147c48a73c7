/* SPDX-License-Identifier: MIT */
#include "sim/client_ears.h"
#include "sim/link.h"
#include "sim/member.h"

struct ClientEars
{
  ClientHearing hearing;
  gint64 since_us;
  GPtrArray *held; /* of packets of links, that came while it did not read */
  GPtrArray *sent; /* likewise, that it sent while it was cut off */
};

ClientEars *
client_ears_new (void)
{
  ClientEars *ears = g_new0 (ClientEars, 1);

  ears->held = g_ptr_array_new_with_free_func (link_packet_drop);
  ears->sent = g_ptr_array_new_with_free_func (link_packet_drop);
  return ears;
}

void
client_ears_free (ClientEars *ears)
{
  g_ptr_array_unref (ears->held);
  g_ptr_array_unref (ears->sent);
  g_free (ears);
}

ClientHearing
sim_client_hearing (const SimClient *client)
{
  return client->ears->hearing;
}

gint64
sim_client_hears_for_us (const SimClient *client)
{
  return client->ears->hearing != CLIENT_HEARS
             ? 0
             : world_now_us (client->world) - client->ears->since_us;
}

gboolean
sim_client_may_receive (SimClient *client, gpointer packet)
{
  if (client->ears->hearing == CLIENT_HEARS)
    return TRUE;
  g_ptr_array_add (client->ears->held, packet);
  return FALSE;
}

gboolean
sim_client_may_be_heard (SimClient *client, gpointer packet)
{
  if (client->ears->hearing != CLIENT_IS_CUT_OFF)
    return TRUE;
  g_ptr_array_add (client->ears->sent, packet);
  return FALSE;
}

static gpointer
take_first (GPtrArray *packets)
{
  return packets->len == 0 ? NULL : g_ptr_array_steal_index (packets, 0);
}

static void
release (SimClient *client)
{
  ClientEars *ears = client->ears;
  gpointer packet;

  while ((packet = take_first (ears->held)) != NULL)
    link_packet_to_client (packet);
  while ((packet = take_first (ears->sent)) != NULL)
    sim_member_packet (link_packet_member (packet), packet);
  if (sim_client_peek_link (client) != NULL)
    link_unclog (sim_client_peek_link (client));
}

void
sim_client_set_hearing (SimClient *client, ClientHearing hearing)
{
  ClientEars *ears = client->ears;

  if (ears->hearing == hearing)
    return;
  ears->hearing = hearing;
  ears->since_us = world_now_us (client->world);
  if (hearing == CLIENT_HEARS)
    release (client);
}
