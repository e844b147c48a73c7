/* SPDX-License-Identifier: MIT */
/* The donor: the eldest full member writes the state as it is right after a join request, and
 * gives it to the newcomer alone, a few chunks a turn. */
#include "core/base/limits.h"
#include "core/cluster/cluster_parts.h"

void
state_transfer_free (StateTransfer *transfer)
{
  buffer_unref (transfer->state);
  g_free (transfer);
}

void
state_update_forget (Cluster *cluster)
{
  if (cluster->transfers->len > 0)
    cluster_reached (cluster, "transfer-given-up");
  g_ptr_array_set_size (cluster->transfers, 0);
}

/* A newcomer takes only what is of its latest request: an earlier one would be sent for nothing. */
static void
drop_earlier (Cluster *cluster, MemberId to)
{
  for (guint i = cluster->transfers->len; i-- > 0;)
    {
      const StateTransfer *transfer = cluster->transfers->pdata[i];

      if (member_id_equal (transfer->to, to))
        g_ptr_array_remove_index (cluster->transfers, i);
    }
}

void
state_update_begin (Cluster *cluster, MemberId to, JoinCut cut)
{
  g_autoptr (StateCodec) codec = state_codec_new_writer ();
  StateTransfer *transfer = g_new0 (StateTransfer, 1);

  drop_earlier (cluster, to);
  cluster_replicated_state (codec, cluster);
  cluster->application->save (cluster->user_data, codec);
  transfer->to = to;
  transfer->cut = cut;
  transfer->epoch = cluster->epoch;
  transfer->state = state_codec_finish (codec);
  transfer->n_chunks
      = (guint32) ((transfer->state->size + LIMIT_STATE_CHUNK - 1) / LIMIT_STATE_CHUNK);
  g_ptr_array_add (cluster->transfers, transfer);
  if (cluster->transfers->len > 1)
    cluster_reached (cluster, "transfers-at-once");
  trace_point (cluster->trace, cluster->name,
               "state for %u.%u: %" G_GSIZE_FORMAT " bytes at position %" G_GUINT64_FORMAT,
               to.node_id, to.process_id, transfer->state->size, cluster->position);
}

/* FALSE: the transport is full. */
static gboolean
send_chunk (Cluster *cluster, StateTransfer *transfer)
{
  gsize offset = (gsize) transfer->next_chunk * LIMIT_STATE_CHUNK;
  gsize length = MIN (LIMIT_STATE_CHUNK, transfer->state->size - offset);
  Slice chunk = slice_sub (slice_of_buffer (transfer->state), offset, length);
  g_autoptr (Buffer) bytes = NULL;
  EnvelopeHeader header;

  cluster_stamp (cluster, ENVELOPE_STATE, &header);
  header.epoch = transfer->epoch;
  bytes = envelope_new_state (&header, transfer->cut, transfer->next_chunk, transfer->n_chunks,
                              chunk);
  if (cluster_fails_at (cluster, "chunk-late")
      || transport_send_to (cluster->transport, transfer->to, bytes) == TRANSPORT_FULL)
    {
      cluster_reached (cluster, "chunk-put-off");
      return FALSE;
    }
  transfer->next_chunk++;
  return TRUE;
}

void
state_update_flush (Cluster *cluster)
{
  for (guint budget = LIMIT_STATE_CHUNKS_PER_TURN; cluster->transfers->len > 0; budget--)
    {
      StateTransfer *transfer = cluster->transfers->pdata[0];

      if (budget == 0 || !send_chunk (cluster, transfer))
        {
          cluster->retry_us = env_now_us (cluster->env) + LIMIT_RETRY_US;
          return;
        }
      if (transfer->next_chunk == transfer->n_chunks)
        g_ptr_array_remove_index (cluster->transfers, 0);
    }
}
