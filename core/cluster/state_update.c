/* SPDX-License-Identifier: MIT */
/* The donor: the eldest full member takes a picture of the state as it is right after a join
 * request, and gives it to the newcomer alone. It is written while it is sent, a few chunks at a
 * time: service goes on, and no more than a part of it is ever there as bytes. */
#include "core/base/limits.h"
#include "core/cluster/cluster_parts.h"

static void
transfer_free (Cluster *cluster, StateTransfer *transfer)
{
  if (transfer->capture != NULL)
    cluster->application->release (cluster->user_data, transfer->capture);
  g_clear_pointer (&transfer->codec, state_codec_free);
  g_clear_pointer (&transfer->last, buffer_unref);
  g_clear_pointer (&transfer->part, buffer_unref);
  g_free (transfer);
}

static void
remove_transfer (Cluster *cluster, guint index)
{
  transfer_free (cluster, g_ptr_array_remove_index (cluster->transfers, index));
}

void
state_update_forget (Cluster *cluster)
{
  if (cluster->transfers->len > 0)
    cluster_reached (cluster, "transfer-given-up");
  while (cluster->transfers->len > 0)
    remove_transfer (cluster, cluster->transfers->len - 1);
}

/* A newcomer takes only what is of its latest request: an earlier one would be sent for nothing. */
static void
drop_earlier (Cluster *cluster, MemberId to)
{
  for (guint i = cluster->transfers->len; i-- > 0;)
    {
      const StateTransfer *transfer = cluster->transfers->pdata[i];

      if (member_id_equal (transfer->to, to))
        remove_transfer (cluster, i);
    }
}

void
state_update_begin (Cluster *cluster, MemberId to, JoinCut cut)
{
  g_autoptr (StateCodec) codec = state_codec_new_writer ();
  StateTransfer *transfer = g_new0 (StateTransfer, 1);

  drop_earlier (cluster, to);
  cluster_replicated_state (codec, cluster);
  transfer->to = to;
  transfer->cut = cut;
  transfer->epoch = cluster->epoch;
  transfer->last = state_codec_finish (codec);
  transfer->codec = state_codec_new_writer ();
  transfer->capture = cluster->application->capture (cluster->user_data, transfer->codec);
  g_ptr_array_add (cluster->transfers, transfer);
  if (cluster->transfers->len > 1)
    cluster_reached (cluster, "transfers-at-once");
  trace_point (cluster->trace, cluster->name, "state for %u.%u: at position %" G_GUINT64_FORMAT,
               to.node_id, to.process_id, cluster->position);
}

/* What this floor holds comes last: with it the newcomer has all that it needs to begin. */
static void
write_part (Cluster *cluster, StateTransfer *transfer)
{
  gpointer capture = transfer->capture;

  transfer->sent = 0;
  if (capture == NULL)
    {
      transfer->part = g_steal_pointer (&transfer->last);
      return;
    }
  if (cluster->application->write (cluster->user_data, capture, transfer->codec,
                                   cluster->state_chunk))
    {
      cluster->application->release (cluster->user_data, capture);
      transfer->capture = NULL;
    }
  transfer->part = state_codec_take_part (transfer->codec);
}

/* How many bytes of state were sent; 0: the transport is full. */
static gsize
send_chunk (Cluster *cluster, StateTransfer *transfer)
{
  gsize left = transfer->part->size - transfer->sent, length = MIN (cluster->state_chunk, left);
  ChunkEnd end = length < left            ? CHUNK_ENDS_NOTHING
                 : transfer->last != NULL ? CHUNK_ENDS_PART
                                          : CHUNK_ENDS_STATE;
  g_autoptr (Buffer) bytes = NULL;
  EnvelopeHeader header;

  cluster_stamp (cluster, ENVELOPE_STATE, &header);
  header.epoch = transfer->epoch;
  bytes = envelope_new_state (&header, transfer->cut, transfer->n_chunks, end,
                              slice_sub (slice_of_buffer (transfer->part), transfer->sent, length));
  if (cluster_fails_at (cluster, "chunk-late")
      || transport_send_to (cluster->transport, transfer->to, bytes) == TRANSPORT_FULL)
    {
      cluster_reached (cluster, "chunk-put-off");
      return 0;
    }
  transfer->n_chunks++;
  transfer->sent += length;
  if (end != CHUNK_ENDS_NOTHING)
    g_clear_pointer (&transfer->part, buffer_unref);
  return length;
}

/* The newcomers are served in turn, a chunk each. */
static gsize
serve_first (Cluster *cluster)
{
  StateTransfer *transfer = cluster->transfers->pdata[0];
  gsize sent;

  if (transfer->part == NULL)
    write_part (cluster, transfer);
  sent = send_chunk (cluster, transfer);
  if (sent == 0)
    return 0;
  if (transfer->part == NULL && transfer->last == NULL)
    remove_transfer (cluster, 0);
  else
    g_ptr_array_add (cluster->transfers, g_ptr_array_remove_index (cluster->transfers, 0));
  return sent;
}

void
state_update_flush (Cluster *cluster)
{
  gsize budget = LIMIT_STATE_CHUNKS_PER_TURN * cluster->state_chunk, sent;
  gint64 now_us;

  if (cluster->transfers->len == 0)
    return;
  now_us = env_now_us (cluster->env);
  if (now_us >= cluster->state_due_us)
    {
      cluster->state_due_us = now_us + LIMIT_RETRY_US;
      do
        sent = serve_first (cluster);
      while (sent > 0 && (budget -= MIN (budget, sent)) > 0 && cluster->transfers->len > 0);
    }
  if (cluster->transfers->len > 0)
    cluster->retry_us = MIN (cluster->retry_us, cluster->state_due_us);
}
