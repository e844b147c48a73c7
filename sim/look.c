/* SPDX-License-Identifier: MIT */
#include "sim/look.h"
#include "core/base/limits.h"
#include "core/broker/queue_segments.h"
#include "core/broker/vhost.h"
#include "core/cluster/cluster_parts.h"
#include "core/node/node_parts.h"
#include "sim/checker_bounds.h"
#include "sim/checker_members.h"
#include "sim/checker_queues.h"
#include "sim/workload.h"

/* --- a crash --------------------------------------------------------------------------------- */

/* So near, neither had got over the other's. */
#define NEAR_US 10000

static gboolean
was_near (gint64 now_us, gint64 then_us)
{
  return then_us > 0 && now_us - then_us < NEAR_US;
}

void
look_at_crash (World *world, SimMember *member)
{
  const Cluster *cluster = sim_member_peek_node (member)->cluster;
  NodeState state = cluster_state (cluster);
  gboolean gives = cluster->transfers->len > 0;
  gboolean takes = state == NODE_JOINING || state == NODE_LOADED;
  gint64 now_us = world_now_us (world);

  if ((gives && was_near (now_us, world->joiner_lost_us))
      || (takes && was_near (now_us, world->donor_lost_us)))
    probes_reach (&world->probes, PROBE_DONOR_AND_JOINER_LOST);
  if (gives)
    {
      probes_reach (&world->probes, PROBE_DONOR_LOST);
      world->donor_lost_us = now_us;
    }
  if (takes)
    {
      probes_reach (&world->probes, PROBE_JOINER_LOST);
      world->joiner_lost_us = now_us;
    }
}

/* --- after each turn ------------------------------------------------------------------------- */

void
look_at_majority (World *world, SimMember *member)
{
  Node *node = sim_member_peek_node (member);
  guint64 epoch = cluster_epoch (node->cluster).number;

  if (sim_member_votes (member))
    checker_majority_reached (world->checker_majority, sim_member_id (member).node_id - 1, epoch,
                              node_position (node));
  checker_majority_agreed (world->checker_majority, world_now_us (world), sim_member_name (member),
                           epoch, node_agreed_position (node));
}

void
look_at_load (World *world, SimMember *member)
{
  const Cluster *cluster = sim_member_peek_node (member)->cluster;
  OutboxLoad outbox = multicast_outbox_load (cluster->outbox);
  const Load load = {
    .window_bytes = outbox.window,
    .waiting_bytes = outbox.waiting,
    .backlog_bytes = cluster->join.backlog_bytes,
    .transfers = cluster->transfers->len,
  };

  checker_bounds_load (world->findings, world_now_us (world), sim_member_name (member),
                       world->options->members, &load);
}

/* --- queues --------------------------------------------------------------------------------- */

/* Of one queue's unacked messages, those that sessions hold. */
typedef struct Holders
{
  guint64 n;
  guint64 n_twice;
} Holders;

/* By the identity of the queue, and by position in it. */
typedef struct Held
{
  IdMap *by_queue; /* -> Holders, owned */
  IdMap *messages;
} Held;

static Holders *
holders_of (Held *held, const Queue *queue)
{
  IdKey key = id_key_of_number (queue->identity);
  Holders *holders = id_map_lookup (held->by_queue, key);

  if (holders == NULL)
    {
      holders = g_new0 (Holders, 1);
      id_map_insert (held->by_queue, key, holders);
    }
  return holders;
}

static void
count_held (Held *held, Session *session)
{
  Unacked *unacked = &session->unacked;

  for (UnackedEntry *entry = unacked_first (unacked, G_MAXUINT64); entry != NULL;
       entry = unacked_next (unacked, entry))
    {
      IdKey key = { entry->queue->identity, entry->position };
      Holders *holders;

      if (entry->queue->vhost == NULL)
        continue;
      holders = holders_of (held, entry->queue);
      holders->n++;
      if (id_map_lookup (held->messages, key) != NULL)
        holders->n_twice++;
      else
        id_map_insert (held->messages, key, entry->queue);
    }
}

static void
held_init (Held *held, SessionMap *sessions)
{
  gpointer session;

  held->by_queue = id_map_new ();
  held->messages = id_map_new ();
  for (IdMapIter iter = id_map_iter (sessions->sessions); id_map_next (&iter, NULL, &session);)
    count_held (held, session);
}

static void
held_clear (Held *held)
{
  IdMapIter iter = id_map_iter (held->by_queue);
  gpointer holders;

  while (id_map_next (&iter, NULL, &holders))
    g_free (holders);
  id_map_free (held->by_queue);
  id_map_free (held->messages);
}

static void
look_at_consumers (const Queue *queue, QueueLook *look)
{
  look->n_consumers = queue->consumers->len;
  for (guint i = 0; i < queue->consumers->len; i++)
    {
      const Consumer *consumer = queue->consumers->pdata[i];
      const Subscription *subscription = consumer->owner;

      look->n_exclusive_consumers += consumer->exclusive != FALSE;
      look->n_idle_consumers += consumer->type->can_take ((Consumer *) queue->consumers->pdata[i]);
      if (queue->exclusive
          && !connection_id_equal (subscription->session->connection->id, queue->owner))
        look->n_strangers++;
    }
}

static QueueLook
look_at_queue (const Queue *queue, SessionMap *sessions, Held *held)
{
  QueueSegmentsIter iter = queue_segments_iter (queue->segments);
  const Holders *holders = holders_of (held, queue);
  Place place;
  QueueLook look = {
    .name = queue->name,
    .published = queue_segments_next_position (queue->segments),
    .n_ready = queue->n_ready,
    .n_unacked = queue->n_unacked,
    .n_taken = queue->n_taken,
    .n_dropped = queue->n_dropped,
    .n_purged = queue->n_purged,
    .n_held = holders->n,
    .n_held_twice = holders->n_twice,
    .lasts_too_long = queue->auto_delete && queue->had_consumer && queue->consumers->len == 0,
    .exclusive = queue->exclusive,
    .owner_is_gone
    = queue->exclusive && session_map_lookup_connection (sessions, queue->owner) == NULL,
  };

  while (queue_segments_next (&iter, &place))
    {
      look.n_unacked_there += place.unacked != FALSE;
      look.n_ready_there += !place.unacked;
    }
  look_at_consumers (queue, &look);
  return look;
}

static void
look_at_queues (World *world, const SimMember *member, Node *node)
{
  NameMapIter vhosts = name_map_iter (broker_vhosts (node->broker));
  gpointer vhost, queue;
  Held held;

  held_init (&held, node->sessions);
  while (name_map_next (&vhosts, NULL, &vhost))
    for (NameMapIter queues = name_map_iter (((const Vhost *) vhost)->queues);
         name_map_next (&queues, NULL, &queue);)
      {
        const QueueLook look = look_at_queue (queue, node->sessions, &held);

        checker_queues_look (world->findings, world_now_us (world), sim_member_name (member),
                             node_position (node), &look);
      }
  held_clear (&held);
}

static void
look_at_published (World *world, SimMember *member)
{
  Node *node = sim_member_peek_node (member);
  Vhost *vhost = broker_lookup_vhost (node->broker, slice_of_text ("/"));

  for (guint i = 0; i < n_workload_queues; i++)
    {
      const char *name = workload_queues[i].name;
      const Queue *queue = vhost_lookup_queue (vhost, slice_of_text (name));
      guint64 n_confirmed, n_sent;

      checker_delivery_count (world->checker_delivery, i, &n_sent, &n_confirmed);
      checker_queues_end (world->findings, world_now_us (world), name,
                          queue == NULL ? 0 : queue_segments_next_position (queue->segments),
                          n_confirmed, n_sent);
    }
}

/* --- sessions --------------------------------------------------------------------------------- */

static gboolean
is_full (const Cluster *cluster, MemberId member)
{
  for (guint i = 0; i < cluster_n_full (cluster); i++)
    if (member_id_equal (cluster_full (cluster, i), member))
      return TRUE;
  return FALSE;
}

static void
look_at_sessions (World *world, const SimMember *member, Node *node)
{
  IdMapIter iter = id_map_iter (node->sessions->sessions);
  gpointer value;

  while (id_map_next (&iter, NULL, &value))
    {
      const Session *session = value;
      const SessionLook look = {
        .id = session->id,
        .primary = session->connection->primary,
        .primary_is_full = is_full (node->cluster, session->connection->primary),
        .is_served_here = session->is_served_here,
      };

      checker_sessions_look (world->checker_sessions, world_now_us (world),
                             sim_member_name (member), sim_member_id (member), node_position (node),
                             &look);
    }
}

static void
look_at_members (World *world, const SimMember *member, Node *node)
{
  const Cluster *cluster = node->cluster;

  for (guint i = 0; i < cluster_n_full (cluster); i++)
    {
      MemberId full = cluster_full (cluster, i);

      checker_members_look (world->findings, world_now_us (world), sim_member_name (member),
                            node_position (node), full, view_holds (cluster->view, full));
    }
}

void
look_at_queues_and_sessions (World *world, SimMember *member)
{
  Node *node = sim_member_peek_node (member);

  look_at_queues (world, member, node);
  look_at_sessions (world, member, node);
  look_at_members (world, member, node);
}

/* The sequence in an epoch is an assertion: whoever finds a gap comes back with a new life, and
 * that hides a mistake. */
void
look_at_gaps (World *world)
{
  guint64 n_gaps = world->probes.counts[PROBE_GAP_REJOIN];

  if (n_gaps > 0)
    findings_add (world->findings, "nothing-missing",
                  "%" G_GUINT64_FORMAT " times up to %" G_GINT64_FORMAT
                  "us an active member found that it had not applied a message of its epoch",
                  n_gaps, world_now_us (world));
}

/* --- the end ---------------------------------------------------------------------------------- */

static void
look_at_traffic (World *world)
{
  const WorldCounts *counts = &world->counts;
  guint64 seconds = (guint64) world_now_us (world) / G_USEC_PER_SEC;
  const Traffic traffic = {
    .multicasts = counts->multicasts,
    .writes = counts->writes,
    .given = counts->given,
    .views = counts->views,
    .seconds = (1 + seconds) * world->members->len,
    .n_voters = MIN (world->members->len, LIMIT_VOTERS),
  };

  checker_bounds_traffic (world->findings, world_now_us (world), &traffic);
}

void
look_at_end (World *world, SimMember *first)
{
  for (guint i = 0; i < world->members->len; i++)
    {
      SimMember *member = world_member (world, i);

      if (!sim_member_is_active (member))
        continue;
      sim_member_look_in_full (member);
      checker_agreement_at_rest (world->checker_agreement, world_now_us (world),
                                 sim_member_name (member), sim_member_position (member),
                                 sim_member_digest (member));
    }
  look_at_traffic (world);
  checker_order_end (world->checker_order, world_now_us (world));
  look_at_published (world, first);
  sim_member_play_tape (first);
}
