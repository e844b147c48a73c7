/* SPDX-License-Identifier: MIT */
#include "core/session/content_assembler.h"
#include "core/base/digest.h"

void
content_assembler_clear (ContentAssembler *assembler)
{
  if (assembler->held)
    {
      slice_release (&assembler->exchange);
      slice_release (&assembler->routing_key);
      slice_release (&assembler->header);
    }
  for (guint i = 0; i < assembler->n_held; i++)
    slice_release (&assembler->bodies[i]);
  g_free (assembler->bodies);
  *assembler = (ContentAssembler){ 0 };
}

/* Empty again, but keeps the room for bodies, which the next message will want too. */
static void
reset (ContentAssembler *assembler)
{
  Slice *bodies = g_steal_pointer (&assembler->bodies);
  guint room = assembler->room;

  for (guint i = 0; i < assembler->n_held; i++)
    slice_release (&bodies[i]);
  assembler->n_held = 0;
  content_assembler_clear (assembler);
  assembler->bodies = bodies;
  assembler->room = room;
}

gboolean
content_assembler_publish (ContentAssembler *assembler, const BasicPublish *publish)
{
  if (assembler->active)
    return FALSE;
  assembler->active = TRUE;
  assembler->mandatory = publish->mandatory;
  assembler->exchange = publish->exchange;
  assembler->routing_key = publish->routing_key;
  return TRUE;
}

gboolean
content_assembler_header (ContentAssembler *assembler, Slice payload, guint64 digest,
                          const ContentHeader *header)
{
  if (!assembler->active || assembler->has_header)
    return FALSE;
  assembler->has_header = TRUE;
  assembler->header = assembler->held ? slice_hold (payload) : payload;
  assembler->content_digest = message_add_piece (assembler->content_digest, digest);
  assembler->body_left = header->body_size;
  return TRUE;
}

gboolean
content_assembler_body (ContentAssembler *assembler, Slice payload, guint64 digest)
{
  if (!assembler->has_header || payload.length > assembler->body_left)
    return FALSE;
  assembler->body_left -= payload.length;
  if (payload.length == 0)
    return TRUE;
  if (assembler->n_bodies == assembler->room)
    {
      assembler->room = MAX (assembler->room * 2, 4);
      assembler->bodies = g_renew (Slice, assembler->bodies, assembler->room);
    }
  assembler->bodies[assembler->n_bodies++] = payload;
  assembler->content_digest = message_add_piece (assembler->content_digest, digest);
  return TRUE;
}

gboolean
content_assembler_is_whole (const ContentAssembler *assembler)
{
  return assembler->has_header && assembler->body_left == 0;
}

Message *
content_assembler_take (ContentAssembler *assembler)
{
  Message *message;

  g_assert (content_assembler_is_whole (assembler));
  message
      = message_new_digested (assembler->exchange, assembler->routing_key, assembler->header,
                              assembler->bodies, assembler->n_bodies, assembler->content_digest);
  reset (assembler);
  return message;
}

void
content_assembler_keep (ContentAssembler *assembler)
{
  if (!assembler->active)
    return;
  if (!assembler->held)
    {
      assembler->digest = digest_slice (digest_slice (assembler->mandatory, assembler->exchange),
                                        assembler->routing_key);
      assembler->exchange = slice_hold (assembler->exchange);
      assembler->routing_key = slice_hold (assembler->routing_key);
      assembler->header = slice_hold (assembler->header);
      assembler->held = TRUE;
    }
  for (; assembler->n_held < assembler->n_bodies; assembler->n_held++)
    assembler->bodies[assembler->n_held] = slice_hold (assembler->bodies[assembler->n_held]);
}

gboolean
content_assembler_state (StateCodec *codec, ContentAssembler *assembler)
{
  guint count;

  state_boolean (codec, &assembler->active);
  if (!assembler->active)
    return state_is_good (codec);
  if (state_is_reading (codec))
    assembler->held = TRUE;
  state_boolean (codec, &assembler->mandatory);
  state_boolean (codec, &assembler->has_header);
  state_slice (codec, &assembler->exchange);
  state_slice (codec, &assembler->routing_key);
  state_slice (codec, &assembler->header);
  state_u64 (codec, &assembler->body_left);
  state_u64 (codec, &assembler->digest);
  count = state_count (codec, assembler->n_bodies);
  if (state_is_reading (codec))
    {
      assembler->bodies = g_new0 (Slice, count);
      assembler->n_bodies = assembler->n_held = assembler->room = count;
    }
  for (guint i = 0; i < count; i++)
    state_slice (codec, &assembler->bodies[i]);
  if (state_is_reading (codec) && assembler->has_header)
    assembler->content_digest
        = message_content_digest (assembler->header, assembler->bodies, count);
  return state_is_good (codec);
}
