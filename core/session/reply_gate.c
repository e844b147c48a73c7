/* SPDX-License-Identifier: MIT */
#include "core/session/reply_gate.h"
#include "core/base/error.h"

/* A method's strings are borrowed: what is held is its encoded form. Confirms, by far the most, are
 * held as numbers. */
typedef struct HeldReply
{
  ReplyLane lane;
  guint16 channel;
  gboolean must_be_safe;
  guint64 position;
  gboolean is_confirm;
  BasicAck confirm;
  Buffer *method; /* a METHOD payload; NULL for a confirm */
  Message *content;
  gsize credit;
} HeldReply;

struct ReplyGate
{
  GQueue held;           /* of HeldReply, in the order in which they came */
  GHashTable *n_in_lane; /* (channel, lane) -> how many are held; looked up, never walked */
  guint n_followers;     /* held only because of what is before them */
};

static gpointer
lane_key (guint16 channel, ReplyLane lane)
{
  return GUINT_TO_POINTER (((guint) channel << 1 | (guint) lane) + 1);
}

static guint
count_in_lane (const ReplyGate *gate, guint16 channel, ReplyLane lane)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (gate->n_in_lane, lane_key (channel, lane)));
}

static void
change_count (ReplyGate *gate, const HeldReply *held, int difference)
{
  guint count = count_in_lane (gate, held->channel, held->lane) + (guint) difference;
  gpointer key = lane_key (held->channel, held->lane);

  if (count == 0)
    g_hash_table_remove (gate->n_in_lane, key);
  else
    g_hash_table_insert (gate->n_in_lane, key, GUINT_TO_POINTER (count));
  if (!held->must_be_safe)
    gate->n_followers += (guint) difference;
}

static void
held_reply_free (gpointer data)
{
  HeldReply *held = data;

  g_clear_pointer (&held->method, buffer_unref);
  g_clear_pointer (&held->content, message_unref);
  g_free (held);
}

ReplyGate *
reply_gate_new (void)
{
  ReplyGate *gate = g_new0 (ReplyGate, 1);

  g_queue_init (&gate->held);
  gate->n_in_lane = g_hash_table_new (NULL, NULL);
  return gate;
}

void
reply_gate_free (ReplyGate *gate)
{
  g_queue_clear_full (&gate->held, held_reply_free);
  g_hash_table_unref (gate->n_in_lane);
  g_free (gate);
}

gboolean
reply_gate_is_empty (const ReplyGate *gate)
{
  return gate->held.length == 0;
}

static ReplyLane
lane_of (MethodId id)
{
  return id == METHOD_BASIC_RETURN || id == METHOD_BASIC_ACK || id == METHOD_BASIC_NACK
             ? REPLY_LANE_CONFIRMS
             : REPLY_LANE_MAIN;
}

/* Nothing goes on its channel after it. */
static gboolean
is_close (MethodId id)
{
  return id == METHOD_CHANNEL_CLOSE || id == METHOD_CHANNEL_CLOSE_OK;
}

/* Something earlier on the same lane, or anything earlier if it is a close, is held. */
static gboolean
must_queue (const ReplyGate *gate, const GatedReply *reply)
{
  if (count_in_lane (gate, reply->channel, lane_of (reply->method->id)) > 0)
    return TRUE;
  return is_close (reply->method->id)
         && count_in_lane (gate, reply->channel, REPLY_LANE_CONFIRMS) > 0;
}

static void
hold (ReplyGate *gate, const GatedReply *reply)
{
  HeldReply *held = g_new0 (HeldReply, 1);

  held->lane = lane_of (reply->method->id);
  held->channel = reply->channel;
  held->must_be_safe = reply->must_be_safe;
  held->position = reply->position;
  held->is_confirm = reply->method->id == METHOD_BASIC_ACK;
  if (held->is_confirm)
    held->confirm = reply->method->basic_ack;
  else
    {
      ByteWriter writer = byte_writer_init ();

      method_encode (PROTOCOL_0_9_1, reply->method, &writer);
      held->method = byte_writer_finish (&writer);
    }
  if (reply->content != NULL)
    held->content = message_ref (reply->content);
  g_queue_push_tail (&gate->held, held);
  change_count (gate, held, 1);
}

gboolean
reply_gate_passes (ReplyGate *gate, const GatedReply *reply, guint64 limit)
{
  if ((!reply->must_be_safe || reply->position <= limit)
      && (gate->held.length == 0 || !must_queue (gate, reply)))
    return TRUE;
  hold (gate, reply);
  return FALSE;
}

void
reply_gate_charge (ReplyGate *gate, gsize credit)
{
  HeldReply *last = g_queue_peek_tail (&gate->held);

  g_assert (last != NULL);
  last->credit += credit;
}

/* --- release ------------------------------------------------------------------------------------
 */

/* What is known of the lanes while the held are walked in their order. */
typedef struct Walk
{
  GHashTable *blocked; /* (channel, lane) -> itself; looked up, never walked */
  guint16 channel;     /* of the confirm that waits to be joined by the next; 0: none does */
  BasicAck confirm;
} Walk;

static gboolean
is_blocked (const Walk *walk, const HeldReply *held, MethodId id)
{
  if (g_hash_table_contains (walk->blocked, lane_key (held->channel, held->lane)))
    return TRUE;
  return is_close (id)
         && g_hash_table_contains (walk->blocked, lane_key (held->channel, REPLY_LANE_CONFIRMS));
}

static void
send_joined (Walk *walk, ReplySend send, gpointer user_data)
{
  Method method = { .id = METHOD_BASIC_ACK };

  if (walk->channel == 0)
    return;
  method.basic_ack = walk->confirm;
  send (user_data, walk->channel, &method, NULL, 0);
  walk->channel = 0;
}

static void
send_held (Walk *walk, const HeldReply *held, const Method *method, ReplySend send,
           gpointer user_data)
{
  if (!held->is_confirm)
    {
      send_joined (walk, send, user_data);
      send (user_data, held->channel, method, held->content, held->credit);
      return;
    }
  if (walk->channel == held->channel)
    {
      walk->confirm.delivery_tag = held->confirm.delivery_tag;
      walk->confirm.multiple = TRUE;
      return;
    }
  send_joined (walk, send, user_data);
  walk->channel = held->channel;
  walk->confirm = held->confirm;
}

void
reply_gate_release (ReplyGate *gate, guint64 limit, ReplySend send, gpointer user_data)
{
  g_autoptr (GHashTable) blocked = NULL;
  Walk walk = { 0 };
  GList *next;

  if (gate->held.length == 0)
    return;
  walk.blocked = blocked = g_hash_table_new (NULL, NULL);
  for (GList *at = gate->held.head; at != NULL; at = next)
    {
      HeldReply *held = at->data;
      Method method = { .id = METHOD_BASIC_ACK };

      next = at->next;
      /* Positions only grow: once one is not released, only followers could be. */
      if (held->must_be_safe && held->position > limit && gate->n_followers == 0)
        break;
      if (!held->is_confirm
          && !method_decode_from_broker (PROTOCOL_0_9_1, slice_of_buffer (held->method), &method,
                                         NULL))
        g_assert_not_reached ();
      if (is_blocked (&walk, held, method.id) || (held->must_be_safe && held->position > limit))
        {
          g_hash_table_add (walk.blocked, lane_key (held->channel, held->lane));
          continue;
        }
      send_held (&walk, held, &method, send, user_data);
      change_count (gate, held, -1);
      held_reply_free (held);
      g_queue_delete_link (&gate->held, at);
    }
  send_joined (&walk, send, user_data);
}
