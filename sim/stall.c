/* SPDX-License-Identifier: MIT */
#include "sim/stall.h"
#include "core/base/limits.h"
#include "sim/client.h"
#include "sim/member.h"
#include "sim/partitions.h"

/* Members that are told of one by one. */
#define MEMBERS_TOLD 8

gboolean
stall_has_majority (const World *world)
{
  for (guint i = 0; i < world->members->len; i++)
    if (partitions_hears_majority (world->partitions, i))
      return TRUE;
  return FALSE;
}

static void
add_member (GString *text, World *world, SimMember *member)
{
  const char *name = sim_member_name (member);
  guint number = sim_member_id (member).node_id - 1;

  g_string_append_printf (text, "; %s is ", name);
  if (!sim_member_is_awaited (member))
    g_string_append (text, "away for ever");
  else if (sim_member_is_gone (member))
    g_string_append (text, "not running");
  else if (!sim_member_is_awake (member))
    g_string_append (text, "not scheduled");
  else if (sim_member_is_active (member))
    g_string_append_printf (
        text, "active at position %" G_GUINT64_FORMAT ", a majority has %" G_GUINT64_FORMAT,
        sim_member_position (member), sim_member_agreed_position (member));
  else
    g_string_append_printf (text, "%s and %s",
                            node_state_name (node_state (sim_member_peek_node (member))),
                            sim_member_was_active (member) ? "holds a state" : "holds nothing yet");
  if (sim_member_is_up (member) && !partitions_hears_majority (world->partitions, number))
    g_string_append (text, ", without a majority");
}

static void
add_clients (GString *text, const World *world)
{
  guint n_away = 0;

  for (guint i = 0; i < world->clients->len; i++)
    n_away += !sim_client_is_open (world_client (world, i));
  g_string_append_printf (text, "; %u publishers are not done, %u of %u clients have no connection",
                          world->publishers_left, n_away, world->clients->len);
}

char *
stall_text (World *world)
{
  GString *text = g_string_new (NULL);
  guint n_hear = 0;
  guint n_voters = sim_options_n_voters (world->options);

  for (guint i = 0; i < n_voters; i++)
    n_hear += partitions_hears_majority (world->partitions, i);
  g_string_append_printf (text, "%u of %u voters hear a majority%s", n_hear, n_voters,
                          n_hear == 0 ? ": the cluster has to rest" : "");
  for (guint i = 0; i < MIN (world->members->len, MEMBERS_TOLD); i++)
    add_member (text, world, world_member (world, i));
  if (world->members->len > MEMBERS_TOLD)
    g_string_append_printf (text, "; and %u members more", world->members->len - MEMBERS_TOLD);
  add_clients (text, world);
  return g_string_free (text, FALSE);
}
