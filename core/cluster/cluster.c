/* SPDX-License-Identifier: MIT */
#include "core/cluster/cluster_parts.h"
#include "core/base/digest.h"
#include "core/base/limits.h"
#include "core/base/log.h"

static const char *const state_names[] = {
  [NODE_OUTSIDE] = "outside", [NODE_IDLE] = "idle",     [NODE_JOINING] = "joining",
  [NODE_LOADED] = "loaded",   [NODE_ACTIVE] = "active", [NODE_STOPPED] = "stopped",
};

const char *
node_state_name (NodeState state)
{
  return state_names[state];
}

static void
stamp_ordered (gpointer user_data, guint64 sequence, EnvelopeHeader *ret_header)
{
  cluster_stamp (user_data, ENVELOPE_ORDERED, ret_header);
  ret_header->sequence = sequence;
}

static void
sent_ordered (gpointer user_data, const EnvelopeHeader *header)
{
  quorum_spoke (user_data, header->claim);
}

Cluster *
cluster_new (const ClusterSettings *settings, const ClusterApplication *application,
             gpointer user_data)
{
  Cluster *cluster = g_new0 (Cluster, 1);

  cluster->name = g_strdup (settings->member);
  cluster->group = g_strdup (settings->group);
  cluster->cluster_id = settings->cluster_id;
  cluster->voters = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (settings->n_voters > 0)
    g_array_append_vals (cluster->voters, settings->voters, settings->n_voters);
  cluster->n_voters = settings->n_voters > 0 ? settings->n_voters : settings->expected;
  cluster->reply_when = settings->reply_when;
  cluster->ignore_quorum = settings->ignore_quorum;
  cluster->state_chunk = settings->state_chunk;
  cluster->join_backlog = settings->join_backlog;
  cluster->rules_off = settings->rules_off;
  cluster->env = settings->env;
  cluster->trace = settings->trace;
  cluster->fault_sites = settings->fault_sites;
  cluster->application = application;
  cluster->user_data = user_data;
  cluster->retired = g_ptr_array_new_with_free_func ((GDestroyNotify) transport_free);
  cluster->hellos = g_array_new (FALSE, FALSE, sizeof (Hello));
  cluster->candidacy.voters = g_array_new (FALSE, FALSE, sizeof (guint32));
  cluster->candidacy.blank_voters = g_array_new (FALSE, FALSE, sizeof (guint32));
  cluster->transfers = g_ptr_array_new ();
  cluster->blank = TRUE;
  cluster->started_us = env_now_us (cluster->env);
  cluster->hello_due_us = cluster->retry_us = ENV_NEVER;
  cluster->outbox
      = multicast_outbox_new (settings->envelope_fill, stamp_ordered, sent_ordered, cluster);
  cluster->last_claim = -1;
  membership_init (&cluster->membership, cluster->voters);
  join_init (&cluster->join);
  return cluster;
}

void
cluster_free (Cluster *cluster)
{
  state_update_forget (cluster);
  join_forget (cluster);
  g_clear_pointer (&cluster->transport, transport_free);
  g_ptr_array_unref (cluster->retired);
  g_clear_pointer (&cluster->view, view_unref);
  g_array_unref (cluster->hellos);
  g_array_unref (cluster->candidacy.voters);
  g_array_unref (cluster->candidacy.blank_voters);
  g_ptr_array_unref (cluster->transfers);
  multicast_outbox_free (cluster->outbox);
  membership_clear (&cluster->membership);
  g_array_unref (cluster->voters);
  g_free (cluster->join.refusal);
  g_free (cluster->name);
  g_free (cluster->group);
  g_free (cluster);
}

void
cluster_set_state (Cluster *cluster, NodeState state)
{
  NodeState former = cluster->state;

  if (former == state)
    return;
  cluster->state = state;
  if (state == NODE_ACTIVE)
    {
      g_clear_pointer (&cluster->join.refusal, g_free);
      cluster->join.refused_until_us = 0;
    }
  trace_point (cluster->trace, cluster->name, "state %s, was %s", node_state_name (state),
               node_state_name (former));
  cluster->application->state_changed (cluster->user_data, former, state);
}

void
cluster_stamp (Cluster *cluster, EnvelopeKind kind, EnvelopeHeader *ret_header)
{
  quorum_reckon (cluster);
  *ret_header = (EnvelopeHeader){
    .kind = kind,
    .blank = cluster->blank,
    .cluster_id = cluster->cluster_id,
    .incarnation = cluster->incarnation,
    .epoch = cluster->epoch,
    .key_number = cluster->key_number,
    .key_position = cluster->key_position,
    .claim = quorum_claim (cluster),
    .promise = cluster->promise,
    .position = cluster->position,
    .view = kind == ENVELOPE_HELLO || kind == ENVELOPE_ENTER ? view_change_digest (cluster) : 0,
    .elapsed_us = (guint64) (env_now_us (cluster->env) - cluster->started_us),
  };
}

gboolean
cluster_multicast (Cluster *cluster, Buffer *take_bytes)
{
  TransportResult result = cluster_fails_at (cluster, "multicast-refused")
                               ? TRANSPORT_FULL
                               : transport_multicast (cluster->transport, take_bytes);

  buffer_unref (take_bytes);
  if (result != TRANSPORT_FULL)
    return TRUE;
  cluster->retry_us = env_now_us (cluster->env) + LIMIT_RETRY_US;
  return FALSE;
}

/* --- coming and going ------------------------------------------------------------------------- */

void
cluster_become_idle (Cluster *cluster, const char *why)
{
  quorum_reckon (cluster);
  if (cluster->state == NODE_ACTIVE)
    {
      log_warning (cluster->name, "not active any more: %s", why);
      if (cluster->position > cluster->agreed)
        cluster_reached (cluster, "unreleased-at-end");
    }
  multicast_outbox_clear (cluster->outbox);
  state_update_forget (cluster);
  join_forget (cluster);
  flow_forget (cluster);
  formation_forget (cluster);
  cluster->wants_enter = cluster->wants_done = cluster->wants_forget = FALSE;
  cluster->forget_node = 0;
  quorum_forget_reports (cluster);
  cluster->agreed = cluster->limit = cluster->report_position = 0;
  cluster->hello_due_us = env_now_us (cluster->env) + LIMIT_HELLO_DELAY_US;
  cluster_set_state (cluster, NODE_IDLE);
}

static void
leave_group (Cluster *cluster)
{
  if (cluster->transport == NULL)
    return;
  transport_leave (cluster->transport);
  g_ptr_array_add (cluster->retired, g_steal_pointer (&cluster->transport));
}

static void
fall_outside (Cluster *cluster, const char *why)
{
  cluster_become_idle (cluster, why);
  leave_group (cluster);
  g_clear_pointer (&cluster->view, view_unref);
  cluster->hello_due_us = ENV_NEVER;
  cluster->retry_us = env_now_us (cluster->env);
  cluster_set_state (cluster, NODE_OUTSIDE);
}

void
cluster_rejoin (Cluster *cluster, const char *why)
{
  if (cluster->state == NODE_STOPPED)
    return;
  log_error (cluster->name, "leaving the group, to join it again: %s", why);
  cluster->must_rejoin = TRUE;
}

/* --- the group ----------------------------------------------------------------------------------
 */

/* Every member refuses it alike: the bytes are the same everywhere. A stranger may say much. */
static void
ignore (Cluster *cluster, MemberId sender, const char *why)
{
  trace_point (cluster->trace, cluster->name, "ignore %u.%u, %s", sender.node_id, sender.process_id,
               why);
  if (!cluster->ignored_told)
    log_warning (cluster->name, "messages of %u.%u are ignored: %s", sender.node_id,
                 sender.process_id, why);
  cluster->ignored_told = TRUE;
}

static void
on_delivered (gpointer user_data, const TransportMessage *message)
{
  Cluster *cluster = user_data;
  g_autoptr (GError) error = NULL;
  Envelope *envelope;

  if (cluster->must_rejoin || cluster->state == NODE_STOPPED)
    return;
  if (message->cache->value == NULL)
    {
      message->cache->value = envelope_decode (message->bytes, cluster->cluster_id, &error);
      message->cache->destroy = (GDestroyNotify) envelope_unref;
    }
  envelope = message->cache->value;
  /* Decoded by one that shares our process, and is of another cluster: of its own. */
  if (envelope == NULL || envelope->header.cluster_id != cluster->cluster_id)
    {
      ignore (cluster, message->sender, envelope == NULL ? error->message : "of another cluster");
      return;
    }
  acceptance_envelope_arrived (cluster, message, envelope);
}

static void
on_view_changed (gpointer user_data, const View *view)
{
  Cluster *cluster = user_data;

  if (cluster->must_rejoin || cluster->state == NODE_STOPPED)
    return;
  cluster->self = cluster->transport->self;
  cluster->votes = membership_is_voter (&cluster->membership, cluster->self);
  view_change_apply (cluster, view);
}

static void
on_writable (gpointer user_data)
{
  Cluster *cluster = user_data;

  cluster->retry_us = env_now_us (cluster->env);
}

static void
on_failed (gpointer user_data, const GError *error)
{
  cluster_rejoin (user_data, error->message);
}

static const TransportListener listener = {
  .delivered = on_delivered,
  .view_changed = on_view_changed,
  .writable = on_writable,
  .failed = on_failed,
};

static void
join_group (Cluster *cluster)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Transport) transport = cluster->application->new_transport (cluster->user_data);

  cluster->retry_us = env_now_us (cluster->env) + LIMIT_HELLO_REPEAT_US;
  if (transport == NULL)
    return;
  while ((cluster->incarnation = env_random_u64 (cluster->env)) == 0)
    ;
  if (!transport_join (transport, cluster->group, &listener, cluster, &error))
    {
      log_warning (cluster->name, "cannot join group %s: %s", cluster->group, error->message);
      return;
    }
  cluster->transport = g_steal_pointer (&transport);
  cluster->retry_us = ENV_NEVER;
}

void
cluster_start (Cluster *cluster)
{
  g_assert (cluster->state == NODE_OUTSIDE && cluster->transport == NULL);
  join_group (cluster);
}

void
cluster_stop (Cluster *cluster)
{
  if (cluster->state == NODE_STOPPED)
    return;
  leave_group (cluster);
  cluster->must_rejoin = FALSE;
  multicast_outbox_clear (cluster->outbox);
  state_update_forget (cluster);
  join_forget (cluster);
  cluster->hello_due_us = cluster->retry_us = ENV_NEVER;
  cluster_set_state (cluster, NODE_STOPPED);
}

/* --- the end of a turn
 * ---------------------------------------------------------------------------- */

void
cluster_say (Cluster *cluster, gboolean *wanted, EnvelopeKind kind)
{
  EnvelopeHeader header;

  if (!*wanted)
    return;
  cluster_stamp (cluster, kind, &header);
  *wanted = !cluster_multicast (cluster, envelope_new_bare (&header));
  if (!*wanted && cluster_is_counted (kind))
    quorum_spoke (cluster, header.claim);
}

static void
say_forget (Cluster *cluster)
{
  EnvelopeHeader header;

  if (!cluster->wants_forget)
    return;
  cluster_stamp (cluster, ENVELOPE_FORGET, &header);
  cluster->wants_forget
      = !cluster_multicast (cluster, envelope_new_forget (&header, cluster->forget_node));
  if (!cluster->wants_forget)
    quorum_spoke (cluster, header.claim);
}

/* Voters speak for the cluster: enough of them, and more would only cost. */
static void
flush_active (Cluster *cluster)
{
  if (!cluster->votes)
    cluster->wants_enter = FALSE;
  cluster_say (cluster, &cluster->wants_enter, ENVELOPE_ENTER);
  flow_pace (cluster);
  if (!cluster_is_late_at (cluster, "outbox-late")
      && multicast_outbox_flush (cluster->outbox, cluster->transport))
    cluster->retry_us = env_now_us (cluster->env) + LIMIT_RETRY_US;
  flow_paced (cluster);
  say_forget (cluster);
  quorum_flush (cluster);
  state_update_flush (cluster);
}

void
cluster_flush (Cluster *cluster)
{
  if (cluster->must_rejoin)
    {
      cluster->must_rejoin = FALSE;
      fall_outside (cluster, "leaving the group");
    }
  if (cluster->retired->len > 0)
    g_ptr_array_set_size (cluster->retired, 0);
  if (cluster->state == NODE_ACTIVE)
    flush_active (cluster);
  else if (cluster->state != NODE_OUTSIDE && cluster->state != NODE_STOPPED)
    join_flush (cluster);
}

gint64
cluster_next_deadline_us (const Cluster *cluster)
{
  gint64 deadline = MIN (cluster->hello_due_us, cluster->retry_us);

  return cluster->join.asked ? MIN (deadline, cluster->join.deadline_us) : deadline;
}

void
cluster_tick (Cluster *cluster, gint64 now_us)
{
  if (now_us >= cluster->retry_us)
    {
      cluster->retry_us = ENV_NEVER;
      if (cluster->state == NODE_OUTSIDE && cluster->transport == NULL)
        join_group (cluster);
    }
  if (now_us >= cluster->hello_due_us)
    formation_tick (cluster, now_us);
  if (cluster->join.asked && now_us >= cluster->join.deadline_us)
    {
      cluster_reached (cluster, "join-timed-out");
      cluster_become_idle (cluster, "the state did not come in time");
    }
}

/* --- looking
 * ------------------------------------------------------------------------------------------ */

MulticastOutbox *
cluster_outbox (Cluster *cluster)
{
  return cluster->outbox;
}

NodeState
cluster_state (const Cluster *cluster)
{
  return cluster->state;
}

guint64
cluster_position (const Cluster *cluster)
{
  return cluster->position;
}

Epoch
cluster_epoch (const Cluster *cluster)
{
  return cluster->epoch;
}

Incarnation
cluster_incarnation (const Cluster *cluster)
{
  return cluster->transport == NULL ? 0 : cluster->incarnation;
}

MemberId
cluster_self (const Cluster *cluster)
{
  return cluster->self;
}

guint64
cluster_limit (Cluster *cluster)
{
  quorum_reckon (cluster);
  return cluster->limit;
}

void
cluster_awaits_release (Cluster *cluster)
{
  cluster->release_awaited = TRUE;
}

guint64
cluster_agreed (Cluster *cluster)
{
  quorum_reckon (cluster);
  return cluster->agreed;
}

void
cluster_wants_report (Cluster *cluster, guint64 position)
{
  cluster->report_position = MAX (cluster->report_position, position);
}

static guint64
digest_with (const Cluster *cluster, guint64 membership)
{
  guint64 digest = digest_combine (cluster->epoch.number, cluster->epoch.id);

  return digest_combine (digest_combine (digest, cluster->position), membership);
}

guint64
cluster_digest (Cluster *cluster)
{
  return digest_with (cluster, membership_digest (&cluster->membership));
}

guint64
cluster_digest_in_full (const Cluster *cluster)
{
  return digest_with (cluster, membership_digest_in_full (&cluster->membership));
}

gboolean
cluster_is_quorate (const Cluster *cluster)
{
  return quorum_is_present (cluster);
}

guint
cluster_n_members (const Cluster *cluster)
{
  return cluster->view == NULL ? 0 : cluster->view->n_members;
}

MemberId
cluster_member (const Cluster *cluster, guint index)
{
  return cluster->view->members[index];
}

guint
cluster_n_full (const Cluster *cluster)
{
  return cluster->membership.full->len;
}

MemberId
cluster_full (const Cluster *cluster, guint index)
{
  return g_array_index (cluster->membership.full, FullMember, index).id;
}

gboolean
cluster_replicated_state (StateCodec *codec, Cluster *cluster)
{
  quorum_reckon (cluster);
  state_u64 (codec, &cluster->epoch.number);
  state_u64 (codec, &cluster->epoch.id);
  state_u64 (codec, &cluster->position);
  state_u64 (codec, &cluster->key_number);
  state_u64 (codec, &cluster->key_position);
  return membership_state (codec, &cluster->membership);
}
