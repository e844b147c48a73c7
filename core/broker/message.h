/* SPDX-License-Identifier: MIT */
/* One published message: immutable, counted, shared by every queue that holds it.
 *
 * It keeps what the client sent as it came: the content header's payload and the bodies'
 * payloads. Large ones are held slices of the envelope that brought them; small ones, which would
 * pin it, are copied into one block of the message's own. */
#pragma once

#include "core/base/digest.h"
#include "core/base/state_codec.h"

typedef struct Message
{
  guint ref_count;
  gboolean persistent;   /* delivery-mode 2 */
  guint64 digest;        /* of all that the client sent, as bytes */
  guint32 exchange_hash; /* name_hash */
  guint32 routing_key_hash;
  guint64 body_size;
  Slice exchange;    /* name; bytes of the message's own */
  Slice routing_key; /* likewise */
  Slice header;      /* payload of the HEADER frame: class, weight, size, properties */
  guint n_bodies;
  Slice *bodies; /* payloads of the BODY frames; body_size bytes in all */
  Buffer *own;   /* what was copied; NULL: nothing */
} Message;

/* One reference, the caller's. All slices are borrowed; the message holds its own. `header` is a
 * payload that content_header_decode took. */
Message *message_new (Slice exchange, Slice routing_key, Slice header, const Slice *bodies,
                      guint n_bodies);
/* For content whose pieces were digested where they came: `content_digest` begins with 0, and each
 * piece is added to it in order. */
Message *message_new_digested (Slice exchange, Slice routing_key, Slice header, const Slice *bodies,
                               guint n_bodies, guint64 content_digest);
guint64 message_content_digest (Slice header, const Slice *bodies, guint n_bodies);
static inline guint64
message_add_piece (guint64 content_digest, guint64 piece_digest)
{
  return digest_combine (content_digest, piece_digest);
}
static inline guint64
message_piece_digest (Slice piece)
{
  return digest_slice (0, piece);
}
Message *message_ref (Message *message);
void message_unref (Message *message);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Message, message_unref)

/* A reference of *message, shared between all that refer to it; a reader makes a reference,
 * yours, or NULL when it failed. */
gboolean message_state (StateCodec *codec, Message **message);
