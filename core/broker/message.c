/* SPDX-License-Identifier: MIT */
#include "core/broker/message.h"
#include "core/amqp/properties.h"
#include "core/base/name_map.h"

/* Small beside the buffer it lies in: it would pin the whole of it (as in slice_hold). */
static gboolean
is_copied (Slice slice)
{
  return slice.owner == NULL || slice.length < slice.owner->size / 4;
}

static gsize
bytes_to_copy (Slice slice)
{
  return is_copied (slice) ? slice.length : 0;
}

static Slice
copy_into (Buffer *own, gsize *offset, Slice slice)
{
  guint8 *at;

  if (slice.length == 0)
    return (Slice){ 0 };
  at = own->bytes + *offset;
  memcpy (at, slice.bytes, slice.length);
  *offset += slice.length;
  return slice_new (at, slice.length, own);
}

static Slice
keep (Buffer *own, gsize *offset, Slice slice)
{
  return is_copied (slice) ? copy_into (own, offset, slice) : slice_hold (slice);
}

static void
drop (Message *message, Slice *slice)
{
  if (slice->owner != message->own)
    slice_release (slice);
}

/* Of what the bytes are, never of how they are kept: that differs between members. */
static guint64
compute_digest (const Message *message, guint64 content_digest)
{
  guint64 digest = digest_combine (content_digest, message->n_bodies);

  digest = digest_slice (digest, message->exchange);
  return digest_slice (digest, message->routing_key);
}

guint64
message_content_digest (Slice header, const Slice *bodies, guint n_bodies)
{
  guint64 digest = message_add_piece (0, message_piece_digest (header));

  for (guint i = 0; i < n_bodies; i++)
    digest = message_add_piece (digest, message_piece_digest (bodies[i]));
  return digest;
}

Message *
message_new (Slice exchange, Slice routing_key, Slice header, const Slice *bodies, guint n_bodies)
{
  return message_new_digested (exchange, routing_key, header, bodies, n_bodies,
                               message_content_digest (header, bodies, n_bodies));
}

Message *
message_new_digested (Slice exchange, Slice routing_key, Slice header, const Slice *bodies,
                      guint n_bodies, guint64 content_digest)
{
  Message *message = g_malloc (sizeof (Message) + n_bodies * sizeof (Slice));
  gsize size = exchange.length + routing_key.length + bytes_to_copy (header), offset = 0;
  ContentHeader decoded;

  if (!content_header_decode (header, &decoded, NULL))
    g_error ("message_new: the header was not checked");
  for (guint i = 0; i < n_bodies; i++)
    size += bytes_to_copy (bodies[i]);
  *message = (Message){
    .ref_count = 1,
    .persistent = properties_delivery_mode (decoded.properties) == 2,
    .exchange_hash = name_hash (exchange),
    .routing_key_hash = name_hash (routing_key),
    .body_size = decoded.body_size,
    .n_bodies = n_bodies,
    .bodies = (Slice *) (message + 1),
    .own = size == 0 ? NULL : buffer_new (size),
  };
  message->exchange = copy_into (message->own, &offset, exchange);
  message->routing_key = copy_into (message->own, &offset, routing_key);
  message->header = keep (message->own, &offset, header);
  for (guint i = 0; i < n_bodies; i++)
    message->bodies[i] = keep (message->own, &offset, bodies[i]);
  message->digest = compute_digest (message, content_digest);
  g_assert (offset == size);
  return message;
}

Message *
message_ref (Message *message)
{
  message->ref_count++;
  return message;
}

void
message_unref (Message *message)
{
  g_assert (message->ref_count > 0);
  if (--message->ref_count > 0)
    return;
  drop (message, &message->header);
  for (guint i = 0; i < message->n_bodies; i++)
    drop (message, &message->bodies[i]);
  if (message->own != NULL)
    buffer_unref (message->own);
  g_free (message);
}

static void
write_fields (StateCodec *codec, Message *message)
{
  state_slice (codec, &message->exchange);
  state_slice (codec, &message->routing_key);
  state_slice (codec, &message->header);
  state_count (codec, message->n_bodies);
  for (guint i = 0; i < message->n_bodies; i++)
    state_slice (codec, &message->bodies[i]);
}

static void
clear_slice (gpointer slice)
{
  slice_release (slice);
}

/* The sum of the bodies is what the header says, and the header is one. */
static gboolean
is_content (Slice header, const Slice *bodies, guint n_bodies)
{
  ContentHeader decoded;
  guint64 size = 0;

  for (guint i = 0; i < n_bodies; i++)
    size += bodies[i].length;
  return content_header_decode (header, &decoded, NULL) && decoded.body_size == size;
}

static Message *
read_fields (StateCodec *codec)
{
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (Slice));
  guint n_bodies = 0;
  const Slice *fields;

  g_array_set_clear_func (slices, clear_slice);
  for (guint i = 0; i < 3 + n_bodies && state_is_good (codec); i++)
    {
      Slice slice = { 0 };

      state_slice (codec, &slice);
      g_array_append_val (slices, slice);
      if (i == 2)
        n_bodies = state_count (codec, 0);
    }
  if (!state_is_good (codec))
    return NULL;
  fields = (const Slice *) (gconstpointer) slices->data;
  if (is_content (fields[2], fields + 3, n_bodies))
    return message_new (fields[0], fields[1], fields[2], fields + 3, n_bodies);
  state_fail (codec);
  return NULL;
}

gboolean
message_state (StateCodec *codec, Message **message)
{
  gpointer object = *message;
  gboolean is_new = state_shared (codec, &object, object != NULL && (*message)->ref_count == 1);

  if (!state_is_reading (codec))
    {
      if (is_new)
        write_fields (codec, *message);
      return TRUE;
    }
  *message = is_new ? read_fields (codec) : object == NULL ? NULL : message_ref (object);
  if (is_new && *message != NULL)
    state_shared_made (codec, *message);
  return state_is_good (codec);
}
