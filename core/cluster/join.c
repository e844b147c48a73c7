/* SPDX-License-Identifier: MIT */
/* The newcomer (protocol: Join). It hears an active member, asks to enter its epoch, and the
 * delivery of that request is the cut: the state as it was right after comes in chunks, what is
 * delivered after it is buffered, then replayed. Any view change begins it anew. */
#include "core/base/limits.h"
#include "core/base/log.h"
#include "core/cluster/cluster_parts.h"

/* Messages replayed by a newcomer that are worth telling of. */
#define LONG_BACKLOG 32

static void
backlog_message_free (gpointer data)
{
  BacklogMessage *message = data;

  envelope_unref (message->envelope);
  g_free (message);
}

void
join_init (JoinAttempt *join)
{
  join->part = byte_writer_init ();
  g_queue_init (&join->backlog);
  join->deadline_us = ENV_NEVER;
}

/* What came of the state. */
static void
forget_state (Cluster *cluster)
{
  JoinAttempt *join = &cluster->join;

  byte_writer_clear (&join->part);
  g_clear_pointer (&join->codec, state_codec_free);
  if (join->coming != NULL)
    cluster->application->give_up (cluster->user_data, g_steal_pointer (&join->coming));
  g_clear_pointer (&join->last, buffer_unref);
  join->n_chunks = 0;
}

void
join_forget (Cluster *cluster)
{
  JoinAttempt *join = &cluster->join;

  join->asked = join->wanted = FALSE;
  join->deadline_us = ENV_NEVER;
  forget_state (cluster);
  g_queue_clear_full (&join->backlog, backlog_message_free);
  join->backlog_bytes = 0;
}

void
join_enter_heard (Cluster *cluster, const EnvelopeHeader *header)
{
  JoinAttempt *join = &cluster->join;

  if (cluster->state != NODE_IDLE && cluster->state != NODE_JOINING)
    return;
  if (env_now_us (cluster->env) < join->ask_from_us)
    return;
  if (env_now_us (cluster->env) < join->refused_until_us
      && epoch_equal (header->epoch, join->refused_by))
    return;
  /* One of a former view: its sender may not be active any more, and if it is it will say it again,
   * for a request in the former epoch would be refused by all. */
  if (header->view != view_change_digest (cluster))
    return;
  /* What was on its way when we stopped being active. */
  if (header->incarnation == cluster->incarnation)
    return;
  /* Its epoch may be bumped in this very view: then the later one is asked for. Of two that are
   * active the one that knows more goes on, whatever the numbers of their epochs. */
  if (join->asked
      && (header->key_number < join->target_key
          || (header->key_number == join->target_key
              && header->epoch.number <= join->target.number)))
    return;
  /* What we know must not be more than what they know: then they are to step down. */
  if (!cluster->blank && header->key_number < cluster->key_number)
    return;
  if (cluster->state == NODE_JOINING)
    {
      cluster_reached (cluster, "join-overtaken");
      cluster_become_idle (cluster, "the epoch that it asked to enter is over");
    }
  /* What has come for a former request is of another cut. */
  if (join->n_chunks > 0)
    cluster_reached (cluster, "chunks-dropped");
  forget_state (cluster);
  join->asked = join->wanted = TRUE;
  join->target = header->epoch;
  join->target_key = header->key_number;
  join->number++;
  join->deadline_us = env_now_us (cluster->env) + LIMIT_JOIN_US;
}

static gboolean
is_our_cut (const Cluster *cluster, JoinCut cut)
{
  return cluster->join.asked && cut.incarnation == cluster->incarnation
         && cut.number == cluster->join.number;
}

/* The last part is of this floor; with it all that came is what this member holds, in one step.
 * FALSE: it is no state. */
static gboolean
take_state (Cluster *cluster)
{
  JoinAttempt *join = &cluster->join;
  g_autoptr (StateCodec) codec = state_codec_new_reader (slice_of_buffer (join->last));
  Membership kept = cluster->membership;
  Epoch epoch = cluster->epoch;
  guint64 position = cluster->position;
  guint64 key_number = cluster->key_number, key_position = cluster->key_position;

  membership_init (&cluster->membership, cluster->voters);
  if (cluster_replicated_state (codec, cluster) && state_is_complete (codec)
      && cluster->promise.number <= cluster->epoch.number && join->coming != NULL
      && cluster->application->take (cluster->user_data, join->coming))
    {
      membership_clear (&kept);
      if (!cluster->blank)
        cluster_reached (cluster, "state-replaced");
      cluster->blank = FALSE;
      cluster->promise = cluster->epoch;
      return TRUE;
    }
  membership_clear (&cluster->membership);
  cluster->membership = kept;
  cluster->epoch = epoch;
  cluster->position = position;
  cluster->key_number = key_number;
  cluster->key_position = key_position;
  return FALSE;
}

static void
enter_when_complete (Cluster *cluster)
{
  JoinAttempt *join = &cluster->join;

  if (cluster->state != NODE_JOINING || join->last == NULL)
    return;
  if (!take_state (cluster))
    {
      log_error (cluster->name, "the state that came is malformed");
      cluster_become_idle (cluster, "the state that came is malformed");
      return;
    }
  forget_state (cluster);
  if (join->backlog.length >= LONG_BACKLOG)
    cluster_reached (cluster, "long-backlog");
  cluster_set_state (cluster, NODE_LOADED);
  cluster->wants_done = TRUE;
}

void
join_request_delivered (Cluster *cluster, const Envelope *envelope)
{
  if (cluster->state != NODE_IDLE || !is_our_cut (cluster, envelope->cut))
    return;
  cluster_set_state (cluster, NODE_JOINING);
  enter_when_complete (cluster);
}

gboolean
join_is_behind (const Cluster *cluster)
{
  return cluster->state == NODE_LOADED && cluster->join.backlog.length > 0;
}

/* The others go on; this member costs them nothing for a while. */
static void
give_up (Cluster *cluster)
{
  JoinAttempt *join = &cluster->join;

  join->backoff_us = CLAMP (2 * join->backoff_us, LIMIT_JOIN_BACKOFF_US, LIMIT_JOIN_BACKOFF_US_MAX);
  join->ask_from_us = env_now_us (cluster->env) + join->backoff_us;
  cluster_reached (cluster, "join-given-up");
  cluster_become_idle (cluster, "more comes than this member can catch up on: it asks again later");
}

void
join_buffer (Cluster *cluster, MemberId sender, Envelope *envelope)
{
  JoinAttempt *join = &cluster->join;
  BacklogMessage *message = g_new (BacklogMessage, 1);

  *message = (BacklogMessage){ sender, envelope_ref (envelope) };
  g_queue_push_tail (&join->backlog, message);
  join->backlog_bytes += envelope->bytes->size;
  if (join->backlog_bytes > cluster->join_backlog)
    give_up (cluster);
}

/* Some of what was delivered since the cut takes effect here too, as it did everywhere. */
static void
replay (Cluster *cluster)
{
  JoinAttempt *join = &cluster->join;
  gsize replayed = 0;

  while (join_is_behind (cluster) && !cluster->must_rejoin && replayed < LIMIT_REPLAY_PER_TURN)
    {
      BacklogMessage *message = g_queue_pop_head (&join->backlog);
      gsize size = message->envelope->bytes->size;

      join->backlog_bytes -= size;
      replayed += size;
      cluster_accept (cluster, message->sender, message->envelope);
      backlog_message_free (message);
    }
  join->deadline_us = env_now_us (cluster->env) + LIMIT_JOIN_US;
  if (join_is_behind (cluster))
    cluster->retry_us = env_now_us (cluster->env) + LIMIT_RETRY_US;
}

/* FALSE: the bytes are no state. */
static gboolean
read_part (Cluster *cluster, Slice bytes, ChunkEnd end)
{
  JoinAttempt *join = &cluster->join;

  if (end == CHUNK_ENDS_STATE)
    {
      join->last = buffer_new_copy (bytes.bytes, bytes.length);
      return TRUE;
    }
  if (join->codec == NULL)
    {
      join->codec = state_codec_new_reader (bytes);
      join->coming = cluster->application->expect (cluster->user_data);
    }
  else
    state_codec_give_part (join->codec, bytes);
  return cluster->application->read (cluster->user_data, join->coming, join->codec);
}

/* Most parts are one chunk, and read where they lie. */
static gboolean
take_chunk (Cluster *cluster, Slice bytes, ChunkEnd end)
{
  JoinAttempt *join = &cluster->join;
  g_autoptr (Buffer) whole = NULL;

  if (end != CHUNK_ENDS_NOTHING && join->part.length == 0)
    return read_part (cluster, bytes, end);
  byte_writer_slice (&join->part, bytes);
  if (end == CHUNK_ENDS_NOTHING)
    return TRUE;
  whole = byte_writer_finish (&join->part);
  return read_part (cluster, slice_of_buffer (whole), end);
}

void
join_chunk_arrived (Cluster *cluster, const Envelope *envelope)
{
  JoinAttempt *join = &cluster->join;

  if ((cluster->state != NODE_IDLE && cluster->state != NODE_JOINING)
      || !is_our_cut (cluster, envelope->cut)
      || !epoch_equal (envelope->header.epoch, join->target))
    return;
  if (cluster_fails_at (cluster, "join-given-up"))
    {
      cluster_become_idle (cluster, "the state came too late");
      return;
    }
  if (envelope->chunk.number != join->n_chunks || join->last != NULL)
    {
      cluster_reached (cluster, "chunk-missing");
      cluster_become_idle (cluster, "a part of the state is missing");
      return;
    }
  join->n_chunks++;
  join->deadline_us = env_now_us (cluster->env) + LIMIT_JOIN_US;
  if (take_chunk (cluster, envelope->chunk.bytes, envelope->chunk.end))
    {
      enter_when_complete (cluster);
      return;
    }
  log_error (cluster->name, "the state that came is malformed");
  cluster_become_idle (cluster, "the state that came is malformed");
}

void
join_refused (Cluster *cluster, const char *why, gboolean lasting)
{
  JoinAttempt *join = &cluster->join;
  gint64 now_us = env_now_us (cluster->env);

  if (g_strcmp0 (join->refusal, why) != 0)
    log_warning (cluster->name, "the cluster does not let this member in: %s", why);
  g_free (join->refusal);
  join->refusal = g_strdup (why);
  cluster_become_idle (cluster, why);
  if (lasting)
    {
      join->refused_by = join->target;
      join->refused_until_us = cluster->hello_due_us = now_us + LIMIT_REFUSED_US;
    }
}

void
join_refusal_arrived (Cluster *cluster, const Envelope *envelope)
{
  g_autofree char *why = NULL;

  if ((cluster->state != NODE_IDLE && cluster->state != NODE_JOINING)
      || !is_our_cut (cluster, envelope->cut))
    return;
  why = slice_to_text (envelope->refusal);
  join_refused (cluster, why, TRUE);
}

/* A full transport loses it: the newcomer asks again when nothing has come in time. */
void
join_refuse (Cluster *cluster, MemberId newcomer, JoinCut cut, const char *why)
{
  g_autofree char *text = g_strndup (why, LIMIT_REFUSAL);
  g_autoptr (Buffer) bytes = NULL;
  EnvelopeHeader header;

  cluster_stamp (cluster, ENVELOPE_REFUSAL, &header);
  bytes = envelope_new_refusal (&header, cut, text);
  transport_send_to (cluster->transport, newcomer, bytes);
}

void
join_flush (Cluster *cluster)
{
  JoinAttempt *join = &cluster->join;
  JoinCut cut = { cluster->incarnation, join->number };
  EnvelopeHeader header;

  if (join->wanted && cluster->state == NODE_IDLE)
    {
      cluster_stamp (cluster, ENVELOPE_JOIN_REQUEST, &header);
      header.epoch = join->target;
      join->wanted = !cluster_multicast (cluster, envelope_new_cut (&header, cut));
    }
  if (join_is_behind (cluster))
    replay (cluster);
  flow_say_behind (cluster);
  if (cluster->wants_done && cluster->state == NODE_LOADED && !join_is_behind (cluster))
    {
      cluster_stamp (cluster, ENVELOPE_DONE, &header);
      cluster->wants_done = !cluster_multicast (cluster, envelope_new_cut (&header, cut));
    }
}
