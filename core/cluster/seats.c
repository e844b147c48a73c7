/* SPDX-License-Identifier: MIT */
#include "core/cluster/seats.h"
#include "core/base/digest.h"
#include "core/base/limits.h"

/* A text for people names so many nodes. */
#define NAMED_MAX 12

static guint32
node_at (const Membership *membership, guint index)
{
  return g_array_index (membership->seats, guint32, index);
}

/* Where it is, or belongs. */
static guint
place_of (const Membership *membership, guint32 node_id)
{
  guint place = 0;

  while (place < membership->seats->len && node_at (membership, place) < node_id)
    place++;
  return place;
}

gboolean
seats_have (const Membership *membership, guint32 node_id)
{
  guint place = place_of (membership, node_id);

  return place < membership->seats->len && node_at (membership, place) == node_id;
}

void
seats_take (Membership *membership, guint32 node_id, guint64 position)
{
  if (seats_have (membership, node_id))
    return;
  g_array_insert_val (membership->seats, place_of (membership, node_id), node_id);
  membership->seats_changed = position;
}

gboolean
seats_give_up (Membership *membership, guint32 node_id, guint64 position)
{
  if (!seats_have (membership, node_id))
    return FALSE;
  g_array_remove_index (membership->seats, place_of (membership, node_id));
  membership->seats_changed = position;
  return TRUE;
}

guint64
seats_digest (const Membership *membership)
{
  guint64 digest = digest_combine (membership->seats->len, membership->seats_changed);

  for (guint i = 0; i < membership->seats->len; i++)
    digest = digest_combine (digest, node_at (membership, i));
  return digest;
}

void
seats_state (StateCodec *codec, Membership *membership)
{
  guint n_seats = state_count (codec, membership->seats->len);

  state_u64 (codec, &membership->seats_changed);
  for (guint i = 0; i < n_seats && state_is_good (codec); i++)
    {
      guint32 node_id = state_is_reading (codec) ? 0 : node_at (membership, i);

      state_u32 (codec, &node_id);
      if (!state_is_reading (codec))
        continue;
      if (i >= LIMIT_VOTES || place_of (membership, node_id) < i
          || seats_have (membership, node_id))
        state_fail (codec);
      else
        g_array_append_val (membership->seats, node_id);
    }
}

static gboolean
is_in (const View *view, guint32 node_id)
{
  guint place = view_place (view->members, view->n_members, (MemberId){ node_id, 0 });

  return place < view->n_members && view->members[place].node_id == node_id;
}

char *
seats_text (const Membership *membership, const View *but)
{
  GString *text = g_string_new (NULL);
  guint n_named = 0;

  for (guint i = 0; i < membership->seats->len; i++)
    {
      if (but != NULL && is_in (but, node_at (membership, i)))
        continue;
      if (n_named++ < NAMED_MAX)
        g_string_append_printf (text, "%s%u", n_named > 1 ? " " : "", node_at (membership, i));
    }
  if (n_named > NAMED_MAX)
    g_string_append_printf (text, " and %u more", n_named - NAMED_MAX);
  return g_string_free (text, FALSE);
}
