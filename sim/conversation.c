/* SPDX-License-Identifier: MIT */
#include "sim/conversation.h"
#include "core/base/digest.h"

typedef struct Channel
{
  GArray *lanes[N_REPLY_LANES]; /* of Said */
  guint64 last_confirmed;
} Channel;

struct Conversation
{
  GArray *channels; /* of Channel */
};

static void
channel_clear (gpointer data)
{
  Channel *channel = data;

  for (guint i = 0; i < N_REPLY_LANES; i++)
    g_array_unref (channel->lanes[i]);
}

Conversation *
conversation_new (void)
{
  Conversation *conversation = g_new0 (Conversation, 1);

  conversation->channels = g_array_new (FALSE, FALSE, sizeof (Channel));
  g_array_set_clear_func (conversation->channels, channel_clear);
  return conversation;
}

void
conversation_free (Conversation *conversation)
{
  g_array_unref (conversation->channels);
  g_free (conversation);
}

static Channel *
channel_of (Conversation *conversation, guint16 number)
{
  while (number >= conversation->channels->len)
    {
      Channel channel = { 0 };

      for (guint i = 0; i < N_REPLY_LANES; i++)
        channel.lanes[i] = g_array_new (FALSE, FALSE, sizeof (Said));
      g_array_append_val (conversation->channels, channel);
    }
  return &g_array_index (conversation->channels, Channel, number);
}

/* However it is cut into pieces. */
static guint64
content_digest (guint64 digest, Slice header, const Slice *bodies, guint n_bodies)
{
  g_autoptr (GByteArray) whole = NULL;

  digest = digest_slice (digest, header);
  if (n_bodies == 0)
    return digest;
  if (n_bodies == 1)
    return digest_slice (digest, bodies[0]);
  whole = g_byte_array_new ();
  for (guint i = 0; i < n_bodies; i++)
    g_byte_array_append (whole, bodies[i].bytes, (guint) bodies[i].length);
  return digest_bytes (digest, whole->data, whole->len);
}

static void
add_confirms (Channel *channel, const BasicAck *ack, Said said)
{
  guint64 first = ack->multiple ? channel->last_confirmed + 1 : ack->delivery_tag;

  for (guint64 tag = first; tag <= ack->delivery_tag; tag++)
    {
      said.digest = digest_combine (METHOD_BASIC_ACK, tag);
      g_array_append_val (channel->lanes[REPLY_LANE_CONFIRMS], said);
    }
  channel->last_confirmed = MAX (channel->last_confirmed, ack->delivery_tag);
}

void
conversation_add (Conversation *conversation, guint16 number, const Method *method, Slice header,
                  const Slice *bodies, guint n_bodies, guint64 position, gint64 at_us)
{
  Channel *channel = channel_of (conversation, number);
  Said said = { .position = position, .at_us = at_us, .method = method->id };

  if (method->id == METHOD_BASIC_ACK)
    {
      add_confirms (channel, &method->basic_ack, said);
      return;
    }
  said.digest = method_digest (method, 0);
  if (method_has_content (method->id))
    said.digest = content_digest (said.digest, header, bodies, n_bodies);
  if (method->id == METHOD_CHANNEL_OPEN_OK)
    channel->last_confirmed = 0;
  if (method->id == METHOD_BASIC_RETURN || method->id == METHOD_BASIC_NACK
      || method->id == METHOD_CHANNEL_CLOSE || method->id == METHOD_CHANNEL_CLOSE_OK)
    g_array_append_val (channel->lanes[REPLY_LANE_CONFIRMS], said);
  if (method->id != METHOD_BASIC_RETURN && method->id != METHOD_BASIC_NACK)
    g_array_append_val (channel->lanes[REPLY_LANE_MAIN], said);
}

void
conversation_heard (Conversation *conversation, guint16 channel, const Method *method, Slice header,
                    const Slice *body, gint64 at_us)
{
  if (conversation != NULL)
    conversation_add (conversation, channel, method, header, body, body != NULL && body->length > 0,
                      0, at_us);
}

guint
conversation_channels (const Conversation *conversation)
{
  return conversation->channels->len;
}

const Said *
conversation_lane (const Conversation *conversation, guint number, ReplyLane lane, guint *ret_n)
{
  const Channel *channel;

  *ret_n = 0;
  if (number >= conversation->channels->len)
    return NULL;
  channel = &g_array_index (conversation->channels, Channel, number);
  *ret_n = channel->lanes[lane]->len;
  return (const Said *) (gconstpointer) channel->lanes[lane]->data;
}
