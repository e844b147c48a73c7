/* SPDX-License-Identifier: MIT */
#include "core/cluster/membership.h"
#include "core/base/digest.h"

#define FIRST_SLOTS 8

static FullMember *
full_at (const Membership *membership, guint index)
{
  return &g_array_index (membership->full, FullMember, index);
}

static Speaker *
speaker_at (const Membership *membership, guint index)
{
  return &g_array_index (membership->speakers, Speaker, index);
}

static JoiningMember *
joining_at (const Membership *membership, guint index)
{
  return &g_array_index (membership->joining, JoiningMember, index);
}

void
membership_init (Membership *membership, const GArray *voters)
{
  *membership = (Membership){
    .full = g_array_new (FALSE, FALSE, sizeof (FullMember)),
    .joining = g_array_new (FALSE, FALSE, sizeof (JoiningMember)),
    .slots = g_new0 (guint32, FIRST_SLOTS),
    .n_slots = FIRST_SLOTS,
    .votes = g_array_new (FALSE, FALSE, sizeof (guint)),
    .speakers = g_array_new (FALSE, FALSE, sizeof (Speaker)),
    .stale = g_array_new (FALSE, FALSE, sizeof (guint)),
    .voters = voters,
  };
}

void
membership_clear (Membership *membership)
{
  g_clear_pointer (&membership->full, g_array_unref);
  g_clear_pointer (&membership->joining, g_array_unref);
  g_clear_pointer (&membership->slots, g_free);
  g_clear_pointer (&membership->votes, g_array_unref);
  g_clear_pointer (&membership->speakers, g_array_unref);
  g_clear_pointer (&membership->stale, g_array_unref);
}

gboolean
membership_is_voter (const Membership *membership, MemberId id)
{
  for (guint i = 0; i < membership->voters->len; i++)
    if (g_array_index (membership->voters, guint32, i) == id.node_id)
      return TRUE;
  return membership->voters->len == 0;
}

/* --- by id -------------------------------------------------------------------------------- */

static guint32
slot_of (const Membership *membership, MemberId id)
{
  return (guint32) digest_mix ((guint64) id.process_id << 32 | id.node_id)
         & (membership->n_slots - 1);
}

static guint32
next_slot (const Membership *membership, guint32 slot)
{
  return (slot + 1) & (membership->n_slots - 1);
}

gint
membership_full_rank (const Membership *membership, MemberId id)
{
  guint32 slot = slot_of (membership, id);

  for (; membership->slots[slot] != 0; slot = next_slot (membership, slot))
    if (member_id_equal (full_at (membership, membership->slots[slot] - 1)->id, id))
      return (gint) membership->slots[slot] - 1;
  return -1;
}

static void
put_slot (Membership *membership, guint rank)
{
  guint32 slot = slot_of (membership, full_at (membership, rank)->id);

  while (membership->slots[slot] != 0)
    slot = next_slot (membership, slot);
  membership->slots[slot] = rank + 1;
}

static void
index_full (Membership *membership, guint rank)
{
  if (2 * (rank + 1) > membership->n_slots)
    {
      membership->n_slots *= 2;
      g_free (membership->slots);
      membership->slots = g_new0 (guint32, membership->n_slots);
      for (guint i = 0; i < rank; i++)
        put_slot (membership, i);
    }
  put_slot (membership, rank);
  if (membership_is_voter (membership, full_at (membership, rank)->id))
    g_array_append_val (membership->votes, rank);
}

/* Those that stand behind the free slot, and could not be found across it, move into it. */
static void
free_slot (Membership *membership, guint32 slot)
{
  guint32 hole = slot;

  membership->slots[hole] = 0;
  for (slot = next_slot (membership, hole); membership->slots[slot] != 0;
       slot = next_slot (membership, slot))
    {
      guint32 home = slot_of (membership, full_at (membership, membership->slots[slot] - 1)->id);

      if (((slot - home) & (membership->n_slots - 1)) < ((slot - hole) & (membership->n_slots - 1)))
        continue;
      membership->slots[hole] = membership->slots[slot];
      membership->slots[slot] = 0;
      hole = slot;
    }
}

static void
unindex_full (Membership *membership, guint rank)
{
  guint32 slot = slot_of (membership, full_at (membership, rank)->id);
  guint n_votes = 0;

  while (membership->slots[slot] != rank + 1)
    slot = next_slot (membership, slot);
  free_slot (membership, slot);
  for (guint32 i = 0; i < membership->n_slots; i++)
    membership->slots[i] -= membership->slots[i] > rank + 1;
  for (guint i = 0; i < membership->votes->len; i++)
    {
      guint vote = g_array_index (membership->votes, guint, i);

      if (vote != rank)
        g_array_index (membership->votes, guint, n_votes++) = vote - (vote > rank);
    }
  g_array_set_size (membership->votes, n_votes);
}

/* --- digests -------------------------------------------------------------------------------- */

static guint64
digest_id (MemberId id)
{
  return digest_combine (id.node_id, id.process_id);
}

static guint64
digest_who (const FullMember *member)
{
  return digest_combine (digest_combine (digest_id (member->id), member->incarnation),
                         member->since);
}

/* 0: it has said nothing in this epoch. */
static guint64
digest_spoken (const Speaker *speaker)
{
  guint64 digest = digest_combine (digest_id (speaker->id), speaker->next_sequence);

  if (speaker->last_position == 0)
    return 0;
  digest = digest_combine (digest, speaker->last_position);
  return digest_combine (digest, (guint64) speaker->claim);
}

static guint64
digest_joining (const JoiningMember *member)
{
  return digest_combine (digest_combine (digest_id (member->id), member->cut.incarnation),
                         member->cut.number);
}

static guint64
digest_sums (const Membership *membership, guint64 who, guint64 spoken, guint64 joining)
{
  guint64 digest = digest_combine (membership->full->len, membership->joining->len);

  return digest_combine (digest_combine (digest_combine (digest, who), spoken), joining);
}

static void
reckon_stale (Membership *membership)
{
  for (guint i = 0; i < membership->stale->len; i++)
    {
      Speaker *speaker = speaker_at (membership, g_array_index (membership->stale, guint, i));

      membership->spoken_sum -= speaker->digested;
      speaker->digested = digest_spoken (speaker);
      membership->spoken_sum += speaker->digested;
      speaker->stale = FALSE;
    }
  g_array_set_size (membership->stale, 0);
}

guint64
membership_digest (Membership *membership)
{
  reckon_stale (membership);
  return digest_sums (membership, membership->who_sum, membership->spoken_sum,
                      membership->joining_sum);
}

guint64
membership_digest_in_full (const Membership *membership)
{
  guint64 who = 0, spoken = 0, joining = 0;

  for (guint i = 0; i < membership->full->len; i++)
    who += digest_who (full_at (membership, i));
  for (guint i = 0; i < membership->speakers->len; i++)
    spoken += digest_spoken (speaker_at (membership, i));
  for (guint i = 0; i < membership->joining->len; i++)
    joining += digest_joining (joining_at (membership, i));
  return digest_sums (membership, who, spoken, joining);
}

/* --- full members --------------------------------------------------------------------------- */

MemberId
membership_donor (const Membership *membership)
{
  guint eldest = G_MAXUINT;

  for (guint i = 0; i < membership->speakers->len && eldest > 0; i++)
    if (speaker_at (membership, i)->last_position > 0)
      eldest = MIN (eldest, speaker_at (membership, i)->rank);
  return eldest == G_MAXUINT ? (MemberId){ 0 } : full_at (membership, eldest)->id;
}

void
membership_add_full (Membership *membership, MemberId id, Incarnation incarnation, guint64 since)
{
  FullMember member = { .id = id, .incarnation = incarnation, .since = since };

  g_assert (membership_full_rank (membership, id) < 0);
  g_array_append_val (membership->full, member);
  index_full (membership, membership->full->len - 1);
  membership->who_sum += digest_who (&member);
}

static void
remove_speaker (Membership *membership, guint place)
{
  reckon_stale (membership);
  membership->spoken_sum -= speaker_at (membership, place)->digested;
  g_array_remove_index (membership->speakers, place);
  for (guint i = place; i < membership->speakers->len; i++)
    full_at (membership, speaker_at (membership, i)->rank)->speaker = i + 1;
}

gboolean
membership_remove_full (Membership *membership, MemberId id)
{
  gint rank = membership_full_rank (membership, id);
  const FullMember *member;

  if (rank < 0)
    return FALSE;
  member = full_at (membership, (guint) rank);
  membership->who_sum -= digest_who (member);
  if (member->speaker > 0)
    remove_speaker (membership, member->speaker - 1);
  unindex_full (membership, (guint) rank);
  g_array_remove_index (membership->full, (guint) rank);
  for (guint i = 0; i < membership->speakers->len; i++)
    speaker_at (membership, i)->rank -= speaker_at (membership, i)->rank > (guint) rank;
  return TRUE;
}

/* --- speakers ------------------------------------------------------------------------------- */

static Speaker *
begin_to_speak (Membership *membership, guint rank)
{
  FullMember *member = full_at (membership, rank);
  const Speaker speaker = {
    .id = member->id,
    .incarnation = member->incarnation,
    .claim = -1,
    .rank = rank,
  };

  g_array_append_val (membership->speakers, speaker);
  member->speaker = membership->speakers->len;
  return speaker_at (membership, member->speaker - 1);
}

Speaker *
membership_find_sender (Membership *membership, MemberId id, guint *place)
{
  gint rank;
  guint speaker;

  if (*place < membership->speakers->len
      && member_id_equal (speaker_at (membership, *place)->id, id))
    return speaker_at (membership, *place);
  rank = membership_full_rank (membership, id);
  if (rank < 0)
    return NULL;
  speaker = full_at (membership, (guint) rank)->speaker;
  *place = speaker > 0 ? speaker - 1 : membership->speakers->len;
  return speaker > 0 ? speaker_at (membership, speaker - 1)
                     : begin_to_speak (membership, (guint) rank);
}

MemberId
membership_voter_id (const Membership *membership, guint index)
{
  return full_at (membership, g_array_index (membership->votes, guint, index))->id;
}

static void
changed (Membership *membership, Speaker *speaker)
{
  guint place = (guint) (speaker - speaker_at (membership, 0));

  if (speaker->stale)
    return;
  speaker->stale = TRUE;
  g_array_append_val (membership->stale, place);
}

void
membership_spoke (Membership *membership, Speaker *speaker, guint64 position, gint64 claim)
{
  speaker->last_position = position;
  speaker->claim = MAX (speaker->claim, claim);
  changed (membership, speaker);
}

void
membership_new_epoch (Membership *membership)
{
  for (guint i = 0; i < membership->speakers->len; i++)
    full_at (membership, speaker_at (membership, i)->rank)->speaker = 0;
  g_array_set_size (membership->speakers, 0);
  g_array_set_size (membership->stale, 0);
  membership->spoken_sum = 0;
}

/* --- newcomers ------------------------------------------------------------------------------ */

/* Where it is, or belongs. */
static guint
joining_place (const Membership *membership, MemberId id)
{
  guint low = 0, high = membership->joining->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (member_id_compare (joining_at (membership, middle)->id, id) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static gboolean
joins_at (const Membership *membership, guint place, MemberId id)
{
  return place < membership->joining->len
         && member_id_equal (joining_at (membership, place)->id, id);
}

const JoiningMember *
membership_find_joining (const Membership *membership, MemberId id)
{
  guint place = joining_place (membership, id);

  return joins_at (membership, place, id) ? joining_at (membership, place) : NULL;
}

void
membership_set_joining (Membership *membership, MemberId id, JoinCut cut)
{
  JoiningMember member = { id, cut };
  guint place;

  membership_remove_joining (membership, id);
  place = joining_place (membership, id);
  g_array_insert_val (membership->joining, place, member);
  membership->joining_sum += digest_joining (&member);
}

void
membership_remove_joining (Membership *membership, MemberId id)
{
  guint place = joining_place (membership, id);

  if (!joins_at (membership, place, id))
    return;
  membership->joining_sum -= digest_joining (joining_at (membership, place));
  g_array_remove_index (membership->joining, place);
}

/* --- the whole state ------------------------------------------------------------------------ */

/* What a reader has got of a full member. */
static void
full_was_read (StateCodec *codec, Membership *membership, guint rank)
{
  FullMember *member = full_at (membership, rank);

  if (membership_full_rank (membership, member->id) >= 0
      || (rank > 0 && full_at (membership, rank - 1)->since >= member->since))
    {
      state_fail (codec);
      return;
    }
  index_full (membership, rank);
  membership->who_sum += digest_who (member);
}

static void
full_state (StateCodec *codec, Membership *membership)
{
  guint n_full = state_count (codec, membership->full->len);

  for (guint i = 0; i < n_full && state_is_good (codec); i++)
    {
      const FullMember none = { 0 };
      FullMember *member;

      if (state_is_reading (codec))
        g_array_append_val (membership->full, none);
      member = full_at (membership, i);
      state_member_id (codec, &member->id);
      state_u64 (codec, &member->incarnation);
      state_u64 (codec, &member->since);
      if (state_is_reading (codec))
        full_was_read (codec, membership, i);
    }
}

/* The place that a reader has got, among the full members. */
static Speaker *
speaker_was_read (StateCodec *codec, Membership *membership, guint32 rank)
{
  if (state_is_good (codec) && rank < membership->full->len
      && full_at (membership, rank)->speaker == 0)
    return begin_to_speak (membership, rank);
  state_fail (codec);
  return NULL;
}

static void
speakers_state (StateCodec *codec, Membership *membership)
{
  guint n_speakers = state_count (codec, membership->speakers->len);

  for (guint i = 0; i < n_speakers && state_is_good (codec); i++)
    {
      Speaker *speaker = state_is_reading (codec) ? NULL : speaker_at (membership, i);
      guint32 rank = speaker == NULL ? 0 : speaker->rank;

      state_u32 (codec, &rank);
      if (speaker == NULL)
        speaker = speaker_was_read (codec, membership, rank);
      if (speaker == NULL)
        return;
      state_u64 (codec, &speaker->next_sequence);
      state_u64 (codec, &speaker->last_position);
      state_i64 (codec, &speaker->claim);
      changed (membership, speaker);
    }
}

static void
joining_state (StateCodec *codec, Membership *membership)
{
  guint n_joining = state_count (codec, membership->joining->len);

  for (guint i = 0; i < n_joining && state_is_good (codec); i++)
    {
      JoiningMember member = { 0 };

      if (!state_is_reading (codec))
        member = *joining_at (membership, i);
      state_member_id (codec, &member.id);
      state_u64 (codec, &member.cut.incarnation);
      state_u64 (codec, &member.cut.number);
      if (state_is_reading (codec))
        membership_set_joining (membership, member.id, member.cut);
    }
}

gboolean
membership_state (StateCodec *codec, Membership *membership)
{
  full_state (codec, membership);
  speakers_state (codec, membership);
  joining_state (codec, membership);
  return state_is_good (codec);
}
