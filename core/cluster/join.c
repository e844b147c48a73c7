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
backlog_message_clear (gpointer data)
{
  BacklogMessage *message = data;

  envelope_unref (message->envelope);
}

static GArray *
backlog_new (void)
{
  GArray *backlog = g_array_new (FALSE, FALSE, sizeof (BacklogMessage));

  g_array_set_clear_func (backlog, backlog_message_clear);
  return backlog;
}

void
join_init (JoinAttempt *join)
{
  join->chunks = g_ptr_array_new_with_free_func ((GDestroyNotify) buffer_unref);
  join->backlog = backlog_new ();
  join->deadline_us = ENV_NEVER;
}

void
join_clear (JoinAttempt *join)
{
  g_ptr_array_unref (join->chunks);
  g_array_unref (join->backlog);
}

void
join_forget (JoinAttempt *join)
{
  join->asked = join->wanted = FALSE;
  join->deadline_us = ENV_NEVER;
  g_ptr_array_set_size (join->chunks, 0);
  g_array_set_size (join->backlog, 0);
  join->backlog_bytes = 0;
  join->n_chunks = 0;
}

void
join_enter_heard (Cluster *cluster, const EnvelopeHeader *header)
{
  JoinAttempt *join = &cluster->join;

  if (cluster->state != NODE_IDLE && cluster->state != NODE_JOINING)
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
  if (join->chunks->len > 0)
    cluster_reached (cluster, "chunks-dropped");
  g_ptr_array_set_size (join->chunks, 0);
  join->n_chunks = 0;
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

/* Takes the state of the chunks, all of which are there. FALSE: it is none. */
static gboolean
load (Cluster *cluster)
{
  ByteWriter whole = byte_writer_init ();
  g_autoptr (Buffer) bytes = NULL;
  g_autoptr (StateCodec) codec = NULL;
  Membership kept = cluster->membership;
  Epoch epoch = cluster->epoch;
  guint64 position = cluster->position;
  guint64 key_number = cluster->key_number, key_position = cluster->key_position;

  for (guint i = 0; i < cluster->join.chunks->len; i++)
    {
      const Buffer *chunk = cluster->join.chunks->pdata[i];

      byte_writer_bytes (&whole, chunk->bytes, chunk->size);
    }
  bytes = byte_writer_finish (&whole);
  codec = state_codec_new_reader (slice_of_buffer (bytes));
  membership_init (&cluster->membership, cluster->voters);
  if (cluster_replicated_state (codec, cluster) && cluster->promise.number <= cluster->epoch.number
      && cluster->application->load (cluster->user_data, codec))
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

/* What was delivered since the cut takes effect here too, as it did everywhere. */
static void
replay (Cluster *cluster)
{
  g_autoptr (GArray) backlog = g_steal_pointer (&cluster->join.backlog);

  cluster->join.backlog = backlog_new ();
  cluster->join.backlog_bytes = 0;
  if (backlog->len >= LONG_BACKLOG)
    cluster_reached (cluster, "long-backlog");
  for (guint i = 0; i < backlog->len && !cluster->must_rejoin; i++)
    {
      const BacklogMessage *message = &g_array_index (backlog, BacklogMessage, i);

      cluster_accept (cluster, message->sender, message->envelope);
    }
}

static void
enter_when_complete (Cluster *cluster)
{
  JoinAttempt *join = &cluster->join;

  if (cluster->state != NODE_JOINING || join->n_chunks == 0 || join->chunks->len < join->n_chunks)
    return;
  if (!load (cluster))
    {
      log_error (cluster->name, "the state that came is malformed");
      cluster_become_idle (cluster, "the state that came is malformed");
      return;
    }
  g_ptr_array_set_size (join->chunks, 0);
  cluster_set_state (cluster, NODE_LOADED);
  replay (cluster);
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

void
join_buffer (Cluster *cluster, MemberId sender, Envelope *envelope)
{
  JoinAttempt *join = &cluster->join;
  BacklogMessage message = { sender, envelope_ref (envelope) };

  g_array_append_val (join->backlog, message);
  join->backlog_bytes += envelope->bytes->size;
  if (join->backlog_bytes > LIMIT_JOIN_BACKLOG)
    cluster_become_idle (cluster, "the backlog is full before the state is here");
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
  if (envelope->chunk.number != join->chunks->len
      || (join->n_chunks != 0 && envelope->chunk.count != join->n_chunks))
    {
      cluster_reached (cluster, "chunk-missing");
      cluster_become_idle (cluster, "a part of the state is missing");
      return;
    }
  join->n_chunks = envelope->chunk.count;
  join->deadline_us = env_now_us (cluster->env) + LIMIT_JOIN_US;
  g_ptr_array_add (join->chunks,
                   buffer_new_copy (envelope->chunk.bytes.bytes, envelope->chunk.bytes.length));
  enter_when_complete (cluster);
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
  if (cluster->wants_done && cluster->state == NODE_LOADED)
    {
      cluster_stamp (cluster, ENVELOPE_DONE, &header);
      cluster->wants_done = !cluster_multicast (cluster, envelope_new_cut (&header, cut));
    }
}
