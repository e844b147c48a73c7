/* SPDX-License-Identifier: MIT */
#include "core/cluster/membership.h"
#include "core/base/digest.h"

static FullMember *
full_at (const Membership *membership, guint index)
{
  return &g_array_index (membership->full, FullMember, index);
}

static JoiningMember *
joining_at (const Membership *membership, guint index)
{
  return &g_array_index (membership->joining, JoiningMember, index);
}

void
membership_init (Membership *membership, const GArray *voters)
{
  membership->full = g_array_new (FALSE, FALSE, sizeof (FullMember));
  membership->joining = g_array_new (FALSE, FALSE, sizeof (JoiningMember));
  membership->ranks = id_map_new ();
  membership->votes = g_array_new (FALSE, FALSE, sizeof (guint));
  membership->voters = voters;
}

void
membership_clear (Membership *membership)
{
  g_clear_pointer (&membership->full, g_array_unref);
  g_clear_pointer (&membership->joining, g_array_unref);
  g_clear_pointer (&membership->ranks, id_map_free);
  g_clear_pointer (&membership->votes, g_array_unref);
}

gboolean
membership_is_voter (const Membership *membership, MemberId id)
{
  for (guint i = 0; i < membership->voters->len; i++)
    if (g_array_index (membership->voters, guint32, i) == id.node_id)
      return TRUE;
  return membership->voters->len == 0;
}

static void
index_full (Membership *membership, guint rank)
{
  MemberId id = full_at (membership, rank)->id;

  id_map_insert (membership->ranks, id_key_of_member (id), GUINT_TO_POINTER (rank + 1));
  if (membership_is_voter (membership, id))
    g_array_append_val (membership->votes, rank);
}

static void
index_all (Membership *membership)
{
  id_map_free (membership->ranks);
  membership->ranks = id_map_new ();
  g_array_set_size (membership->votes, 0);
  for (guint i = 0; i < membership->full->len; i++)
    index_full (membership, i);
}

gint
membership_full_rank (const Membership *membership, MemberId id)
{
  return (gint) GPOINTER_TO_UINT (id_map_lookup (membership->ranks, id_key_of_member (id))) - 1;
}

FullMember *
membership_find_full (Membership *membership, MemberId id)
{
  gint rank = membership_full_rank (membership, id);

  return rank < 0 ? NULL : full_at (membership, (guint) rank);
}

MemberId
membership_donor (const Membership *membership)
{
  for (guint i = 0; i < membership->full->len; i++)
    if (full_at (membership, i)->last_position > 0)
      return full_at (membership, i)->id;
  return (MemberId){ 0 };
}

void
membership_add_full (Membership *membership, MemberId id, Incarnation incarnation)
{
  FullMember member = { .id = id, .incarnation = incarnation, .claim = -1 };

  g_assert (membership_full_rank (membership, id) < 0);
  g_array_append_val (membership->full, member);
  index_full (membership, membership->full->len - 1);
}

gboolean
membership_remove_full (Membership *membership, MemberId id)
{
  gint rank = membership_full_rank (membership, id);

  if (rank < 0)
    return FALSE;
  g_array_remove_index (membership->full, (guint) rank);
  index_all (membership);
  return TRUE;
}

JoiningMember *
membership_find_joining (Membership *membership, MemberId id)
{
  for (guint i = 0; i < membership->joining->len; i++)
    if (member_id_equal (joining_at (membership, i)->id, id))
      return joining_at (membership, i);
  return NULL;
}

void
membership_set_joining (Membership *membership, MemberId id, JoinCut cut)
{
  JoiningMember member = { id, cut };

  membership_remove_joining (membership, id);
  g_array_append_val (membership->joining, member);
}

void
membership_remove_joining (Membership *membership, MemberId id)
{
  for (guint i = 0; i < membership->joining->len; i++)
    if (member_id_equal (joining_at (membership, i)->id, id))
      {
        g_array_remove_index (membership->joining, i);
        return;
      }
}

void
membership_new_epoch (Membership *membership)
{
  for (guint i = 0; i < membership->full->len; i++)
    {
      FullMember *member = full_at (membership, i);

      member->next_sequence = member->last_position = 0;
      member->claim = -1;
    }
}

static guint64
digest_member (guint64 digest, MemberId id)
{
  return digest_combine (digest_combine (digest, id.node_id), id.process_id);
}

guint64
membership_digest (const Membership *membership)
{
  guint64 digest = digest_combine (membership->full->len, membership->joining->len);

  for (guint i = 0; i < membership->full->len; i++)
    {
      const FullMember *member = full_at (membership, i);

      digest = digest_combine (digest_member (digest, member->id), member->incarnation);
      digest = digest_combine (digest, member->next_sequence);
      digest = digest_combine (digest, member->last_position);
      digest = digest_combine (digest, (guint64) member->claim);
    }
  for (guint i = 0; i < membership->joining->len; i++)
    {
      const JoiningMember *member = joining_at (membership, i);

      digest = digest_combine (digest_member (digest, member->id), member->cut.incarnation);
      digest = digest_combine (digest, member->cut.number);
    }
  return digest;
}

gboolean
membership_state (StateCodec *codec, Membership *membership)
{
  guint n_full = state_count (codec, membership->full->len);
  guint n_joining = state_count (codec, membership->joining->len);

  if (state_is_reading (codec))
    {
      g_array_set_size (membership->full, n_full);
      g_array_set_size (membership->joining, n_joining);
    }
  for (guint i = 0; i < n_full; i++)
    {
      FullMember *member = full_at (membership, i);

      state_member_id (codec, &member->id);
      state_u64 (codec, &member->incarnation);
      state_u64 (codec, &member->next_sequence);
      state_u64 (codec, &member->last_position);
      state_i64 (codec, &member->claim);
      if (state_is_reading (codec) && membership_full_rank (membership, member->id) >= 0)
        state_fail (codec);
      else if (state_is_reading (codec))
        index_full (membership, i);
    }
  for (guint i = 0; i < n_joining; i++)
    {
      JoiningMember *member = joining_at (membership, i);

      state_member_id (codec, &member->id);
      state_u64 (codec, &member->cut.incarnation);
      state_u64 (codec, &member->cut.number);
    }
  return state_is_good (codec);
}
