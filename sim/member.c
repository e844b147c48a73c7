/* SPDX-License-Identifier: MIT */
#include "sim/member_parts.h"
#include "core/base/limits.h"
#include "sim/client_ears.h"
#include "sim/link.h"
#include "sim/look.h"
#include "sim/member_name.h"
#include "sim/pace.h"
#include "sim/partitions.h"
#include "sim/story.h"
#include "sim/tap.h"
#include "sim/tape_test.h"

/* One of so many looked-at states is computed in full, times the members: it costs as much as
 * the state is large. */
#define STATES_PER_FULL_DIGEST 40

static Transport *
member_new_transport (gpointer user_data)
{
  SimMember *member = user_data;
  World *world = member->world;
  Transport *transport;

  if (member->has_no_daemon)
    return NULL;
  transport = sim_network_new_transport (world->network, member->id);
  member->n_under_way = 0;
  member->donor = PHRASE_NOBODY;
  if (world->has_mutants)
    transport = mutant_new (transport, &world->mutants);
  return tap_new (transport, world, member->name, member->id);
}

static guint
expected_members (const World *world)
{
  return world->options->members - world->options->strangers;
}

SimMember *
sim_member_new (World *world, guint number)
{
  SimMember *member = g_new0 (SimMember, 1);
  char name[MEMBER_NAME_SIZE];

  member->world = world;
  member->number = number;
  member->name = g_strdup (member_name_text (number, name));
  member->id = (MemberId){ .node_id = number + 1, .process_id = 1 };
  member->config = node_config_new (member->name);
  member->config->expected_members = expected_members (world);
  member->is_not_awaited = number >= member->config->expected_members;
  node_config_choose_voters (member->config);
  member->config->reply_when = world->options->reply_when;
  member->config->state_chunk = world->shape.state_chunk;
  member->config->join_backlog = world->shape.join_backlog;
  member->tick_us = ENV_NEVER;
  member->links = g_ptr_array_new ();
  member->held = g_ptr_array_new ();
  member->active_since_us = G_MAXINT64;
  sim_env_init (&member->env, world->network, world_stream (world, number, SIM_PURPOSE_ENV));
  sim_fault_sites_init (&member->sites, world_stream (world, number, SIM_PURPOSE_SITES),
                        world->counts.sites);
  member->host = (NodeHost){
    .env = &member->env.env,
    .new_transport = member_new_transport,
    .user_data = member,
    .rules_off = world->options->rules_off,
    .fault_sites = &member->sites.sites,
  };
  return member;
}

static void
drop_packet (gpointer packet, gpointer user_data)
{
  (void) user_data;
  link_packet_drop (packet);
}

void
sim_member_free (SimMember *member)
{
  g_ptr_array_foreach (member->held, drop_packet, NULL);
  g_ptr_array_set_size (member->held, 0);
  if (member->node != NULL)
    member_end_process (member, MEMBER_CRASHES);
  node_config_free (member->config);
  g_ptr_array_unref (member->links);
  g_ptr_array_unref (member->held);
  g_free (member->name);
  g_free (member);
}

const char *
sim_member_name (const SimMember *member)
{
  return member->name;
}

MemberId
sim_member_id (const SimMember *member)
{
  return member->id;
}

Node *
sim_member_peek_node (SimMember *member)
{
  return member->node;
}

guint
sim_member_number (const SimMember *member)
{
  return member->number;
}

gint64
sim_member_tick_us (const SimMember *member)
{
  return member->tick_us;
}

gboolean
sim_member_has_clients (const SimMember *member)
{
  return member->links->len > 0;
}

/* --- its life --------------------------------------------------------------------------- */

void
sim_member_start (SimMember *member)
{
  g_assert (member->node == NULL);
  world_note (member->world, "start %s", member->name);
  world_add_fault (member->world, "start", member->number);
  member->host.trace = member->world->trace;
  if (member->world->tape_test != NULL)
    {
      member->tape = tape_new (tape_test_shelf (member->world->tape_test));
      member->host.watch = &member_tape_watch;
    }
  /* Of so many more there is never a majority. */
  member->config->expected_members = member->foreign == MEMBER_IS_OF_ANOTHER_CLUSTER
                                         ? 2 * member->world->options->members + 1
                                         : expected_members (member->world);
  member->node = node_new (member->config, &member->host);
  member->stopping = FALSE;
  member->was_active = FALSE;
  member->looked_at = 0;
  if (sim_member_is_awaited (member))
    checker_liveness_started (member->world->checker_liveness, member->number,
                              world_now_us (member->world));
  node_start (member->node);
  sim_member_turn (member);
}

/* The process ends: its sockets are closed by the system. */
void
member_gone (SimMember *member)
{
  while (member->links->len > 0)
    {
      Link *link = g_ptr_array_steal_index (member->links, 0);

      link_end_by_member (link);
    }
  member_told_too_much (member);
  g_clear_pointer (&member->node, node_free);
  member->tick_us = ENV_NEVER;
  member->active_since_us = G_MAXINT64;
  checker_liveness_at_rest (member->world->checker_liveness, member->number);
  checker_agreement_ended (member->world->checker_agreement, member->name);
}

void
member_write_to_client (Client *client, Link *link)
{
  Slice slices[64];
  guint n_slices;

  if (link_is_clogged (link))
    return;
  while ((n_slices = client_peek_output (client, slices, G_N_ELEMENTS (slices))) > 0)
    {
      gsize count = 0;

      for (guint i = 0; i < n_slices; i++)
        count += slices[i].length;
      link_to_client (link, slices, n_slices);
      client_output_written (client, count);
    }
}

void
member_release_held (SimMember *member)
{
  g_autoptr (GPtrArray) held = g_steal_pointer (&member->held);

  member->held = g_ptr_array_new ();
  for (guint i = 0; i < held->len; i++)
    link_packet_to_member (held->pdata[i]);
}

void
sim_member_packet (SimMember *member, gpointer packet)
{
  if (!sim_client_may_be_heard (link_packet_client (packet), packet))
    return;
  if (member->sleep != MEMBER_AWAKE)
    g_ptr_array_add (member->held, packet);
  else
    link_packet_to_member (packet);
}

void
sim_member_may_lose_suffix (SimMember *member)
{
  checker_delivery_suffix_lost (member->world->checker_delivery, member->number);
}

gboolean
sim_member_votes (const SimMember *member)
{
  return member->number < sim_options_n_voters (member->world->options);
}

void
sim_member_stop (SimMember *member)
{
  g_assert (member->node != NULL && !member->stopping);
  world_note (member->world, "stop %s", member->name);
  world_add_fault (member->world, "stop", member->number);
  member->stopping = TRUE;
  checker_liveness_at_rest (member->world->checker_liveness, member->number);
  node_stop (member->node);
  sim_member_turn (member);
}

gboolean
sim_member_is_up (const SimMember *member)
{
  return member->node != NULL && !member->stopping;
}

gboolean
sim_member_is_gone (const SimMember *member)
{
  return member->node == NULL;
}

gboolean
sim_member_is_joining (const SimMember *member)
{
  NodeState state = sim_member_is_up (member) ? node_state (member->node) : NODE_OUTSIDE;

  return state == NODE_JOINING || state == NODE_LOADED;
}

gboolean
sim_member_is_awaited (const SimMember *member)
{
  return !member->is_not_awaited && member->foreign == MEMBER_IS_OURS
         && !partitions_is_cut_off_for_ever (member->world->partitions, member->number);
}

void
sim_member_is_not_awaited (SimMember *member)
{
  member->is_not_awaited = TRUE;
}

guint
sim_member_n_in_view (const SimMember *member)
{
  return member->node == NULL ? 0 : member->n_in_view;
}

guint
sim_member_n_under_way (const SimMember *member)
{
  return member->node == NULL ? 0 : member->n_under_way;
}

guint
sim_member_n_ordered (const SimMember *member)
{
  return member->node == NULL ? 0 : sim_network_n_ordered (member->world->network, member->id);
}

gint
sim_member_donor (const SimMember *member)
{
  return member->donor;
}

void
sim_member_sent (SimMember *member)
{
  member->n_under_way++;
}

void
sim_member_heard_itself (SimMember *member)
{
  member->n_under_way -= MIN (member->n_under_way, 1);
}

void
sim_member_sent_directed (SimMember *member, MemberId to)
{
  world_member (member->world, to.node_id - 1)->donor = (gint) member->number;
}

gboolean
sim_member_is_active (const SimMember *member)
{
  return sim_member_is_up (member) && node_state (member->node) == NODE_ACTIVE;
}

gboolean
sim_member_was_active (const SimMember *member)
{
  return sim_member_is_up (member) && member->was_active;
}

gint64
sim_member_active_since_us (const SimMember *member)
{
  return member->active_since_us;
}

void
sim_member_view_told (SimMember *member, const View *view)
{
  if (trace_is_heard (member->world->trace))
    {
      g_autofree char *text = story_view (view);

      trace_point (member->world->trace, member->name, "told %s", text);
    }
  member->n_in_view = view->n_members;
  /* The first nodes vote, and members are in the order of their nodes. */
  member->n_voters_in_view
      = view_place (view->members, view->n_members,
                    (MemberId){ sim_options_n_voters (member->world->options) + 1, 0 });
}

guint64
sim_member_position (const SimMember *member)
{
  return member->node == NULL ? 0 : node_position (member->node);
}

guint64
sim_member_agreed_position (const SimMember *member)
{
  return member->node == NULL ? 0 : node_agreed_position (member->node);
}

guint64
sim_member_digest (const SimMember *member)
{
  return member->node == NULL ? 0 : node_digest (member->node);
}

/* --- a turn --------------------------------------------------------------------------------- */

void
sim_member_look_in_full (SimMember *member)
{
  checker_agreement_in_full (member->world->checker_agreement, world_now_us (member->world),
                             member->name, node_position (member->node), node_digest (member->node),
                             node_digest_in_full (member->node));
  look_at_queues_and_sessions (member->world, member);
}

static void
look_at_state (SimMember *member)
{
  World *world = member->world;
  gint64 now_us = world_now_us (world);
  guint64 position, digest, step;

  if (!sim_member_is_active (member))
    {
      if (member->active_since_us != G_MAXINT64)
        {
          sim_member_may_lose_suffix (member);
          member_told_too_much (member);
        }
      member->active_since_us = G_MAXINT64;
      checker_agreement_ended (world->checker_agreement, member->name);
      return;
    }
  if (member->active_since_us == G_MAXINT64)
    {
      member->active_since_us = now_us;
      if (!partitions_are_over (world->partitions, now_us, 0))
        probes_reach (&world->probes, PROBE_JOINED_IN_PARTITION);
      checker_delivery_suffix_kept (world->checker_delivery, member->number);
    }
  if (member->n_voters_in_view < sim_options_n_voters (world->options) / 2 + 1
      && !world->voters_told)
    findings_add (world->findings, "minority-rests",
                  "%s is active at %" G_GINT64_FORMAT "us with %u voters in its view", member->name,
                  now_us, member->n_voters_in_view);
  if (!member->was_active)
    {
      member->was_active = TRUE;
      world->formed = TRUE;
      checker_liveness_at_rest (world->checker_liveness, member->number);
    }
  if (sim_member_has_clients (member))
    member->agreed = node_agreed_position (member->node);
  if (member->number < LIMIT_VOTERS)
    look_at_majority (world, member);
  position = node_position (member->node);
  /* In a large cluster only where so many events have passed: all come to the same positions. */
  step = 1 + world->options->members / 8;
  if (position == member->looked_at || position / step == member->looked_at / step)
    return;
  member->looked_at = position;
  digest = node_digest (member->node);
  fingerprint_add (&world->fingerprint, INGREDIENT_STATE, member->number);
  fingerprint_add (&world->fingerprint, INGREDIENT_STATE, position);
  fingerprint_add (&world->fingerprint, INGREDIENT_STATE, digest);
  checker_agreement_state (world->checker_agreement, now_us, member->name, position,
                           node_agreed_position (member->node), digest);
  if (world->n_states++ % (STATES_PER_FULL_DIGEST * (guint64) world->options->members) == 0)
    sim_member_look_in_full (member);
}

/* As much as the node wants to read now. */
static void
read_from_client (Client *client, Link *link)
{
  Slice arrived;

  while (client_wants_bytes (client) && (arrived = link_peek_arrived (link)).length > 0)
    {
      gsize room;
      guint8 *space = client_read_space (client, &room);
      gsize count = MIN (room, arrived.length);

      memcpy (space, arrived.bytes, count);
      link_consume_arrived (link, count);
      client_bytes_read (client, count);
    }
  if (!client_is_finished (client) && link_take_end (link))
    client_end_of_file (client);
}

static void
let_go (SimMember *member, Link *link)
{
  Client *client = link_peek_edge (link);

  g_ptr_array_remove (member->links, link);
  link_end_by_member (link);
  node_client_gone (member->node, client);
}

static void
serve (SimMember *member, Client *client)
{
  Link *link = client_get_user_data (client);

  member_write_to_client (client, link);
  if (client_is_finished (client))
    let_go (member, link);
  else
    read_from_client (client, link);
}

void
member_schedule_tick (SimMember *member)
{
  gint64 deadline_us = sim_env_true_us (&member->env, node_next_deadline_us (member->node));

  if (deadline_us >= member->tick_us)
    return;
  /* A deadline that has passed is served at the next microsecond: a node that always has one
   * must not stop time. */
  member->tick_us = MAX (deadline_us, world_now_us (member->world) + 1);
  clock_at (member->world->clock, member->tick_us, CLOCK_TICK, member->number, NULL);
}

void
sim_member_turn (SimMember *member)
{
  gboolean again = TRUE;

  while (again)
    {
      Client *client;

      again = FALSE;
      node_flush (member->node);
      while ((client = node_take_touched (member->node)) != NULL)
        {
          serve (member, client);
          again = TRUE;
        }
    }
  look_at_load (member->world, member);
  look_at_state (member);
  if (member->stopping && node_is_stopped (member->node))
    {
      world_note (member->world, "gone %s", member->name);
      member_gone (member);
    }
  else
    member_schedule_tick (member);
}

void
sim_member_tick (SimMember *member, gint64 time_us)
{
  /* Of a former life, or one that was overtaken by a sooner one. */
  if (member->node == NULL || time_us != member->tick_us)
    return;
  member->tick_us = ENV_NEVER;
  if (member->sleep != MEMBER_AWAKE)
    return;
  if (node_next_deadline_us (member->node) <= env_now_us (&member->env.env))
    node_tick (member->node);
  sim_member_turn (member);
}

/* --- its end of the links -----------------------------------------------------------------------
 */

gboolean
sim_member_accept (SimMember *member, Link *link, const char *peer)
{
  Client *client;

  if (!sim_member_is_up (member))
    return FALSE;
  client = node_client_connected (member->node, peer);
  client_set_user_data (client, link);
  link_set_edge (link, client);
  if (member->world->tape_test != NULL)
    tape_test_accepted (member->world->tape_test, link_number (link));
  g_ptr_array_add (member->links, link);
  pace_met_client (member->world->pace, member);
  sim_member_turn (member);
  return TRUE;
}

void
sim_member_readable (SimMember *member, Link *link)
{
  read_from_client (link_peek_edge (link), link);
  sim_member_turn (member);
}

void
sim_member_writable (SimMember *member, Link *link)
{
  if (member->sleep != MEMBER_AWAKE)
    return;
  serve (member, link_peek_edge (link));
  sim_member_turn (member);
}

void
sim_member_torn (SimMember *member, Link *link)
{
  let_go (member, link);
  sim_member_turn (member);
}
