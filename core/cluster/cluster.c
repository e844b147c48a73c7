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

Cluster *
cluster_new (const ClusterSettings *settings, const ClusterApplication *application,
             gpointer user_data)
{
  Cluster *cluster = g_new0 (Cluster, 1);

  cluster->name = g_strdup (settings->member);
  cluster->group = g_strdup (settings->group);
  cluster->cluster_id = settings->cluster_id;
  cluster->expected = settings->expected;
  cluster->env = settings->env;
  cluster->trace = settings->trace;
  cluster->application = application;
  cluster->user_data = user_data;
  cluster->retired = g_ptr_array_new_with_free_func ((GDestroyNotify) transport_free);
  cluster->view = g_array_new (FALSE, FALSE, sizeof (MemberId));
  cluster->hellos = g_array_new (FALSE, FALSE, sizeof (Hello));
  cluster->transfers = g_ptr_array_new_with_free_func ((GDestroyNotify) state_transfer_free);
  cluster->blank = TRUE;
  cluster->started_us = env_now_us (cluster->env);
  cluster->hello_due_us = cluster->retry_us = ENV_NEVER;
  cluster->outbox = multicast_outbox_new (settings->envelope_fill, stamp_ordered, cluster);
  membership_init (&cluster->membership);
  join_init (&cluster->join);
  return cluster;
}

void
cluster_free (Cluster *cluster)
{
  g_clear_pointer (&cluster->transport, transport_free);
  g_ptr_array_unref (cluster->retired);
  g_array_unref (cluster->view);
  g_array_unref (cluster->hellos);
  g_ptr_array_unref (cluster->transfers);
  multicast_outbox_free (cluster->outbox);
  membership_clear (&cluster->membership);
  join_clear (&cluster->join);
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
  trace_point (cluster->trace, cluster->name, "state %s, was %s", node_state_name (state),
               node_state_name (former));
  cluster->application->state_changed (cluster->user_data, former, state);
}

void
cluster_stamp (Cluster *cluster, EnvelopeKind kind, EnvelopeHeader *ret_header)
{
  *ret_header = (EnvelopeHeader) {
    .kind = kind,
    .blank = cluster->blank,
    .cluster_id = cluster->cluster_id,
    .incarnation = cluster->incarnation,
    .epoch = cluster->epoch,
    .key_number = cluster->key_number,
    .key_position = cluster->key_position,
    .claim = cluster->state == NODE_ACTIVE ? (gint64) cluster->position : -1,
    .promise = cluster->promise,
    .position = cluster->position,
    .view = cluster->view_digest,
    .elapsed_us = (guint64) (env_now_us (cluster->env) - cluster->started_us),
  };
}

gboolean
cluster_multicast (Cluster *cluster, Buffer *take_bytes)
{
  TransportResult result = transport_multicast (cluster->transport, take_bytes);

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
  if (cluster->state == NODE_ACTIVE)
    log_warning (cluster->name, "not active any more: %s", why);
  multicast_outbox_clear (cluster->outbox);
  state_update_forget (cluster);
  join_forget (&cluster->join);
  g_array_set_size (cluster->hellos, 0);
  cluster->wants_enter = cluster->wants_done = FALSE;
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
  g_array_set_size (cluster->view, 0);
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

/* --- the order ---------------------------------------------------------------------------------- */

gboolean
cluster_is_counted (EnvelopeKind kind)
{
  return kind != ENVELOPE_HELLO && kind != ENVELOPE_STATE;
}

/* What is known of the present epoch is what was applied in it. */
static void
advance (Cluster *cluster)
{
  cluster->position++;
  cluster->key_number = cluster->epoch.number;
  cluster->key_position = cluster->position;
}

static void
new_epoch (Cluster *cluster, guint64 number, guint64 id)
{
  cluster->epoch = (Epoch) { number, id };
  cluster->promise = cluster->epoch;
  membership_new_epoch (&cluster->membership);
  cluster->key_number = number;
  cluster->key_position = cluster->position;
}

/* Why an envelope is not accepted; NULL: it is (protocol: Accepting). */
static const char *
why_refused (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  const EnvelopeHeader *header = &envelope->header;
  const FullMember *member = membership_find_full (&cluster->membership, sender);
  const JoiningMember *joining = membership_find_joining (&cluster->membership, sender);

  if (!epoch_equal (header->epoch, cluster->epoch))
    return "of another epoch";
  if (header->kind == ENVELOPE_JOIN_REQUEST)
    return NULL;
  if (header->kind == ENVELOPE_DONE)
    return joining != NULL && joining->cut.incarnation == envelope->cut.incarnation
                   && joining->cut.number == envelope->cut.number
               ? NULL
               : "of another cut";
  if (member == NULL)
    return "not a full member";
  return member->incarnation == header->incarnation ? NULL : "of another life";
}

/* The sequence is an assertion: whoever misses one has lost the order. */
static gboolean
check_sequence (Cluster *cluster, MemberId sender, const EnvelopeHeader *header)
{
  FullMember *member = membership_find_full (&cluster->membership, sender);

  if (header->sequence == member->next_sequence)
    {
      member->next_sequence++;
      return TRUE;
    }
  cluster_rejoin (cluster, "a message of another member is missing");
  return FALSE;
}

static void
accept_ordered (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  if (!check_sequence (cluster, sender, &envelope->header))
    return;
  advance (cluster);
  if (member_id_equal (sender, cluster->self)
      && envelope->header.incarnation == cluster->incarnation
      && !multicast_outbox_delivered (cluster->outbox, envelope->header.sequence))
    cluster_rejoin (cluster, "an own message was delivered that was not sent");
  cluster->application->apply (cluster->user_data, sender, envelope, cluster->position);
}

static void
accept_join_request (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  advance (cluster);
  if (membership_remove_full (&cluster->membership, sender))
    cluster->application->members_lost (cluster->user_data, &sender, 1, cluster->position);
  membership_set_joining (&cluster->membership, sender, envelope->cut);
  if (cluster->state == NODE_ACTIVE
      && membership_full_rank (&cluster->membership, cluster->self) == 0)
    state_update_begin (cluster, sender, envelope->cut);
}

static void
accept_done (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  advance (cluster);
  membership_remove_joining (&cluster->membership, sender);
  membership_add_full (&cluster->membership, sender, envelope->header.incarnation);
  if (cluster->state != NODE_LOADED || !member_id_equal (sender, cluster->self))
    return;
  join_forget (&cluster->join);
  cluster_set_state (cluster, NODE_ACTIVE);
}

void
cluster_accept (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  const char *refused = why_refused (cluster, sender, envelope);

  trace_point (cluster->trace, cluster->name,
               "deliver %s of %u.%u epoch=%" G_GUINT64_FORMAT " sequence=%" G_GUINT64_FORMAT
               " position=%" G_GUINT64_FORMAT "%s%s",
               envelope_kind_name (envelope->header.kind), sender.node_id, sender.process_id,
               envelope->header.epoch.number, envelope->header.sequence,
               cluster->position + (refused == NULL), refused == NULL ? "" : " refused: ",
               refused == NULL ? "" : refused);
  if (refused != NULL)
    return;
  switch (envelope->header.kind)
    {
    case ENVELOPE_ORDERED:
      accept_ordered (cluster, sender, envelope);
      break;
    case ENVELOPE_ENTER:
      advance (cluster);
      break;
    case ENVELOPE_JOIN_REQUEST:
      accept_join_request (cluster, sender, envelope);
      break;
    case ENVELOPE_DONE:
      accept_done (cluster, sender, envelope);
      break;
    case ENVELOPE_HELLO:
    case ENVELOPE_STATE:
    case N_ENVELOPE_KINDS:
      g_assert_not_reached ();
    }
}

/* A member that is not active only listens for who is, and for what it asked for. */
static void
hear (Cluster *cluster, const TransportMessage *message, const Envelope *envelope)
{
  gboolean is_own = member_id_equal (message->sender, cluster->self)
                    && envelope->header.incarnation == cluster->incarnation;

  if (envelope->header.kind == ENVELOPE_ENTER)
    join_enter_heard (cluster, &envelope->header);
  if (cluster->state == NODE_JOINING)
    join_buffer (cluster, message->sender, message->bytes);
  else if (envelope->header.kind == ENVELOPE_JOIN_REQUEST && is_own)
    join_request_delivered (cluster, envelope);
}

static void
envelope_arrived (Cluster *cluster, const TransportMessage *message, const Envelope *envelope)
{
  const EnvelopeHeader *header = &envelope->header;

  if (message->directed || header->kind == ENVELOPE_STATE)
    {
      if (message->directed && header->kind == ENVELOPE_STATE)
        join_chunk_arrived (cluster, envelope);
      return;
    }
  if (header->kind == ENVELOPE_HELLO)
    {
      formation_hello (cluster, message->sender, header);
      return;
    }
  if (cluster->state == NODE_ACTIVE || cluster->state == NODE_LOADED)
    cluster_accept (cluster, message->sender, envelope);
  else
    hear (cluster, message, envelope);
}

static void
on_delivered (gpointer user_data, const TransportMessage *message)
{
  Cluster *cluster = user_data;
  g_autoptr (GError) error = NULL;

  if (cluster->must_rejoin || cluster->state == NODE_STOPPED)
    return;
  if (message->cache->value == NULL)
    {
      message->cache->value = envelope_decode (message->bytes, cluster->cluster_id, &error);
      message->cache->destroy = (GDestroyNotify) envelope_free;
    }
  if (message->cache->value == NULL)
    {
      /* Every member refuses it alike: the bytes are the same everywhere. */
      log_warning (cluster->name, "a message of %u.%u is ignored: %s", message->sender.node_id,
                   message->sender.process_id, error->message);
      return;
    }
  envelope_arrived (cluster, message, message->cache->value);
}

/* --- views ------------------------------------------------------------------------------------ */

static int
compare_member_ids (gconstpointer a, gconstpointer b, gpointer user_data)
{
  (void) user_data;
  return member_id_compare (*(const MemberId *) a, *(const MemberId *) b);
}

static guint64
digest_members (guint64 digest, const MemberId *members, guint n_members)
{
  digest = digest_combine (digest, n_members);
  for (guint i = 0; i < n_members; i++)
    {
      digest = digest_combine (digest, members[i].node_id);
      digest = digest_combine (digest, members[i].process_id);
    }
  return digest;
}

/* The id of the epoch that a view change begins: of the former one, who is there, and who left,
 * in one order whatever the view's lists have (protocol: H). */
static guint64
next_epoch_id (const Cluster *cluster, const View *view)
{
  g_autofree MemberId *left = g_new (MemberId, view->n_left + 1);
  guint64 digest = digest_combine (cluster->epoch.id, cluster->epoch.number);

  for (guint i = 0; i < view->n_left; i++)
    left[i] = view->left[i].member;
  if (view->n_left > 1)
    g_qsort_with_data (left, (gint) view->n_left, sizeof (MemberId), compare_member_ids, NULL);
  digest = digest_members (digest, view->members, view->n_members);
  return digest_members (digest, left, view->n_left);
}

static void
view_changed_when_active (Cluster *cluster, const View *view)
{
  g_autofree MemberId *lost = g_new (MemberId, view->n_left + 1);
  guint n_lost = 0;

  cluster->position++;
  for (guint i = 0; i < view->n_left; i++)
    {
      MemberId gone = view->left[i].member;

      membership_remove_joining (&cluster->membership, gone);
      if (membership_remove_full (&cluster->membership, gone))
        lost[n_lost++] = gone;
    }
  if (n_lost > 0)
    cluster->application->members_lost (cluster->user_data, lost, n_lost, cluster->position);
  new_epoch (cluster, cluster->epoch.number + 1, next_epoch_id (cluster, view));
  state_update_forget (cluster);
  multicast_outbox_resend (cluster->outbox);
  cluster->wants_enter = TRUE;
}

static void
on_view_changed (gpointer user_data, const View *view)
{
  Cluster *cluster = user_data;

  if (cluster->must_rejoin || cluster->state == NODE_STOPPED)
    return;
  cluster->self = cluster->transport->self;
  g_array_set_size (cluster->view, 0);
  g_array_append_vals (cluster->view, view->members, view->n_members);
  cluster->view_digest
      = digest_members (digest_combine (view->ring.representative, view->ring.sequence),
                        view->members, view->n_members);
  trace_point (cluster->trace, cluster->name,
               "view members=%u left=%u joined=%u position=%" G_GUINT64_FORMAT, view->n_members,
               view->n_left, view->n_joined, cluster->position);
  log_notice (cluster->name, "view: %u members, %u left, %u joined", view->n_members, view->n_left,
              view->n_joined);
  if (cluster->state == NODE_ACTIVE)
    view_changed_when_active (cluster, view);
  else
    cluster_become_idle (cluster, "the view changed");
  formation_view_changed (cluster);
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
  join_forget (&cluster->join);
  cluster->hello_due_us = cluster->retry_us = ENV_NEVER;
  cluster_set_state (cluster, NODE_STOPPED);
}

/* --- the end of a turn ---------------------------------------------------------------------------- */

static void
say (Cluster *cluster, gboolean *wanted, EnvelopeKind kind)
{
  EnvelopeHeader header;

  if (!*wanted)
    return;
  cluster_stamp (cluster, kind, &header);
  *wanted = !cluster_multicast (cluster, envelope_new_bare (&header));
}

static void
flush_active (Cluster *cluster)
{
  gint rank = membership_full_rank (&cluster->membership, cluster->self);

  if (rank >= LIMIT_VOTERS)
    cluster->wants_enter = FALSE;
  say (cluster, &cluster->wants_enter, ENVELOPE_ENTER);
  if (multicast_outbox_flush (cluster->outbox, cluster->transport))
    cluster->retry_us = env_now_us (cluster->env) + LIMIT_RETRY_US;
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
  gboolean hello = now_us >= cluster->hello_due_us && cluster->state == NODE_IDLE;

  if (now_us >= cluster->retry_us)
    {
      cluster->retry_us = ENV_NEVER;
      if (cluster->state == NODE_OUTSIDE && cluster->transport == NULL)
        join_group (cluster);
    }
  if (now_us >= cluster->hello_due_us)
    {
      cluster->hello_due_us = cluster->state == NODE_IDLE ? now_us + LIMIT_HELLO_REPEAT_US
                                                          : ENV_NEVER;
      if (!cluster->join.asked)
        say (cluster, &hello, ENVELOPE_HELLO);
    }
  if (cluster->join.asked && now_us >= cluster->join.deadline_us)
    cluster_become_idle (cluster, "the state did not come in time");
}

/* --- looking ------------------------------------------------------------------------------------------ */

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
cluster_digest (const Cluster *cluster)
{
  guint64 digest = digest_combine (cluster->epoch.number, cluster->epoch.id);

  digest = digest_combine (digest, cluster->position);
  return digest_combine (digest, membership_digest (&cluster->membership));
}

guint
cluster_n_members (const Cluster *cluster)
{
  return cluster->view->len;
}

MemberId
cluster_member (const Cluster *cluster, guint index)
{
  return g_array_index (cluster->view, MemberId, index);
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
  state_u64 (codec, &cluster->epoch.number);
  state_u64 (codec, &cluster->epoch.id);
  state_u64 (codec, &cluster->position);
  return membership_state (codec, &cluster->membership);
}
