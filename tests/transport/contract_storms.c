/* SPDX-License-Identifier: MIT */
/* Claims that hold for every storm. A storm is made once, and each claim looks at what its seats
 * were told. */
#include "tests/transport/contract.h"

typedef void (*StormClaim) (const Storm *storm, guint seat);

/* --- claims about every seat of a storm --------------------------------------------------- */

static void
claim_no_event_inside_a_call (const Storm *storm, guint seat)
{
  for (guint i = 0; i < storm_n_records (storm, seat); i++)
    g_assert_false (storm_record (storm, seat, i)->inside_call);
}

static void
claim_first_event_is_own_view (const Storm *storm, guint seat)
{
  MemberId member = storm_seat (storm, seat)->member;
  const Record *first;

  if (storm_n_records (storm, seat) == 0)
    return;
  first = storm_record (storm, seat, 0);
  g_assert_cmpint (first->kind, ==, RECORD_VIEW);
  g_assert_true (holds_member (first->members, member));
  g_assert_true (holds_member (first->joined, member));
}

static void
check_view_change (const GArray *former, const Record *view)
{
  g_assert_true (view->left->len == 0 || view->joined->len == 0);
  g_assert_cmpuint (view->members->len, ==, former->len - view->left->len + view->joined->len);
  for (guint i = 1; i < view->members->len; i++)
    g_assert_cmpint (member_id_compare (g_array_index (view->members, MemberId, i - 1),
                                        g_array_index (view->members, MemberId, i)),
                     <, 0);
  for (guint i = 0; i < former->len; i++)
    {
      MemberId member = g_array_index (former, MemberId, i);

      g_assert_true (holds_member (view->members, member) != holds_member (view->left, member));
    }
  for (guint i = 0; i < view->joined->len; i++)
    {
      MemberId member = g_array_index (view->joined, MemberId, i);

      g_assert_false (holds_member (former, member));
      g_assert_true (holds_member (view->members, member));
    }
}

static void
claim_left_and_joined_are_differences (const Storm *storm, guint seat)
{
  const GArray *former = NULL;

  for (guint i = 0; i < storm_n_records (storm, seat); i++)
    {
      const Record *record = storm_record (storm, seat, i);

      if (record->kind != RECORD_VIEW)
        continue;
      if (former != NULL)
        check_view_change (former, record);
      former = record->members;
    }
}

static void
claim_nothing_from_outside_the_view (const Storm *storm, guint seat)
{
  const GArray *members = NULL;

  for (guint i = 0; i < storm_n_records (storm, seat); i++)
    {
      const Record *record = storm_record (storm, seat, i);

      if (record->kind == RECORD_VIEW)
        members = record->members;
      if (record->kind == RECORD_MESSAGE)
        g_assert_true (holds_member (members, record->sender));
    }
}

static void
claim_nothing_twice_or_altered (const Storm *storm, guint seat)
{
  g_autofree guint *seen = g_new0 (guint, storm->sent->len + 1);

  for (guint i = 0; i < storm_n_records (storm, seat); i++)
    {
      const Record *record = storm_record (storm, seat, i);

      if (record->kind != RECORD_MESSAGE)
        continue;
      g_assert_true (record->intact);
      g_assert_cmpuint (++seen[storm_sent (storm, record->number)->number], ==, 1);
    }
}

static void
claim_self_delivery (const Storm *storm, guint seat)
{
  const StormSeat *self = storm_seat (storm, seat);
  guint next = 0;

  if (self->end != SEAT_STAYS)
    return;
  for (guint i = 0; i < storm_n_records (storm, seat); i++)
    {
      const Record *record = storm_record (storm, seat, i);

      if (record->kind != RECORD_MESSAGE || record->directed
          || storm_sent (storm, record->number)->seat != seat)
        continue;
      for (;; next++)
        {
          const Sent *sent = &g_array_index (storm->sent, Sent, next);

          if (sent->seat == seat && !sent->directed)
            break;
        }
      g_assert_cmpuint (storm_sent (storm, ++next)->number, ==, record->number);
    }
  for (; next < storm->sent->len; next++)
    {
      const Sent *sent = &g_array_index (storm->sent, Sent, next);

      g_assert_false (sent->seat == seat && !sent->directed);
    }
}

/* Numbers rise as they are sent. */
static void
check_rising (const Storm *storm, guint seat, gboolean directed)
{
  g_autofree guint32 *last = g_new0 (guint32, storm->seats->len);

  for (guint i = 0; i < storm_n_records (storm, seat); i++)
    {
      const Record *record = storm_record (storm, seat, i);
      guint sender;

      if (record->kind != RECORD_MESSAGE || record->directed != directed)
        continue;
      sender = storm_sent (storm, record->number)->seat;
      g_assert_cmpuint (record->number, >, last[sender]);
      last[sender] = record->number;
    }
}

static void
claim_sender_fifo (const Storm *storm, guint seat)
{
  check_rising (storm, seat, FALSE);
}

static void
claim_send_to_is_fifo (const Storm *storm, guint seat)
{
  check_rising (storm, seat, TRUE);
}

static void
claim_send_to_only_its_target (const Storm *storm, guint seat)
{
  g_autofree guint *seen = g_new0 (guint, storm->sent->len + 1);

  for (guint i = 0; i < storm_n_records (storm, seat); i++)
    {
      const Record *record = storm_record (storm, seat, i);

      if (record->kind != RECORD_MESSAGE)
        continue;
      g_assert_true (record->directed == storm_sent (storm, record->number)->directed);
      if (!record->directed)
        continue;
      g_assert_true (member_id_equal (storm_sent (storm, record->number)->to,
                                      storm_seat (storm, seat)->member));
      seen[record->number]++;
    }
  for (guint i = 0; i < storm->sent->len; i++)
    {
      const Sent *sent = &g_array_index (storm->sent, Sent, i);

      if (sent->directed && sent->to_seat == seat && storm_seat (storm, seat)->end == SEAT_STAYS
          && storm_seat (storm, sent->seat)->end == SEAT_STAYS)
        g_assert_cmpuint (seen[sent->number], ==, 1);
    }
}

static void
claim_groups_are_independent (const Storm *storm, guint seat)
{
  for (guint i = 0; i < storm_n_records (storm, seat); i++)
    {
      const Record *record = storm_record (storm, seat, i);

      if (record->kind == RECORD_MESSAGE)
        g_assert_cmpuint (storm_sent (storm, record->number)->group, ==,
                          storm_seat (storm, seat)->group);
    }
}

static void
claim_nothing_after_the_end (const Storm *storm, guint seat)
{
  if (storm_seat (storm, seat)->end != SEAT_STAYS)
    g_assert_cmpuint (storm_n_records (storm, seat), ==,
                      storm_seat (storm, seat)->n_records_at_end);
}

/* --- claims about two seats --------------------------------------------------------------- */

static gboolean
is_shared (const Record *record)
{
  return record->kind == RECORD_VIEW || (record->kind == RECORD_MESSAGE && !record->directed);
}

/* The next record of the common order at or after `index`; the number of records at the end. */
static guint
next_shared (const Storm *storm, guint seat, guint index)
{
  while (index < storm_n_records (storm, seat) && !is_shared (storm_record (storm, seat, index)))
    index++;
  return index;
}

static gboolean
same_members (const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (MemberId)) == 0;
}

static gboolean
same_record (const Record *a, const Record *b)
{
  if (a->kind != b->kind)
    return FALSE;
  if (a->kind == RECORD_MESSAGE)
    return a->number == b->number;
  return same_members (a->members, b->members) && a->left->len == b->left->len
         && a->joined->len == b->joined->len;
}

/* From `at` on, `early` was told what `late` was told, as long as both were told anything. */
static gboolean
agrees_from (const Storm *storm, guint early, guint at, guint late)
{
  guint i = next_shared (storm, early, at);
  guint j = next_shared (storm, late, 0);

  while (i < storm_n_records (storm, early) && j < storm_n_records (storm, late))
    {
      if (!same_record (storm_record (storm, early, i), storm_record (storm, late, j)))
        return FALSE;
      i = next_shared (storm, early, i + 1);
      j = next_shared (storm, late, j + 1);
    }
  return TRUE;
}

/* A member comes and goes, so more than one of `early`'s views may look like the first of
 * `late`: one of them has to be it. */
static gboolean
were_told_the_same (const Storm *storm, guint early, guint late)
{
  const Record *first = storm_record (storm, late, 0);

  for (guint i = 0; i < storm_n_records (storm, early); i++)
    {
      const Record *record = storm_record (storm, early, i);

      if (record->kind == RECORD_VIEW && same_record (record, first)
          && holds_member (record->joined, storm_seat (storm, late)->member)
          && agrees_from (storm, early, i, late))
        return TRUE;
    }
  return FALSE;
}

/* One order, and the same messages between the same two views: from its first view on, each was
 * told what the steady ones were told, who were there before it and stayed to the end. */
static void
claim_same_events_together (const Storm *storm, guint seat)
{
  guint group = storm_seat (storm, seat)->group;

  if (storm_n_records (storm, seat) > 0)
    g_assert_true (were_told_the_same (storm, storm_steady (group, 0), seat));
}

static gboolean
was_told (const Storm *storm, guint seat, guint32 number)
{
  for (guint i = 0; i < storm_n_records (storm, seat); i++)
    if (storm_record (storm, seat, i)->kind == RECORD_MESSAGE
        && storm_record (storm, seat, i)->number == number)
      return TRUE;
  return FALSE;
}

/* --- claims over all storms --------------------------------------------------------------- */

typedef struct ClaimCase
{
  const ClusterType *type;
  StormClaim claim;
} ClaimCase;

/* Of Storm, of all backends: made when first wanted. */
static GPtrArray *storms;

static const Storm *
storm_of (const ClusterType *type, guint64 seed)
{
  if (storms == NULL)
    storms = g_ptr_array_new_with_free_func ((GDestroyNotify) storm_free);
  for (guint i = 0; i < storms->len; i++)
    {
      const Storm *storm = storms->pdata[i];

      if (storm->type == type && storm->seed == seed)
        return storm;
    }
  g_ptr_array_add (storms, storm_new (type, seed));
  return storms->pdata[storms->len - 1];
}

void
contract_end_storms (void)
{
  g_clear_pointer (&storms, g_ptr_array_unref);
}

static void
run_claim (gconstpointer data)
{
  const ClaimCase *claim_case = data;

  for (guint64 seed = 0; seed < claim_case->type->n_storms; seed++)
    {
      const Storm *storm = storm_of (claim_case->type, seed);

      for (guint seat = 0; seat < storm->seats->len; seat++)
        claim_case->claim (storm, seat);
    }
}

/* The steady members of a group are there all the time. */
static void
test_lost_for_all_or_delivered_to_all (gconstpointer data)
{
  const ClusterType *type = data;
  guint n_lost = 0;
  guint n_delivered = 0;

  for (guint64 seed = 0; seed < type->n_storms; seed++)
    {
      const Storm *storm = storm_of (type, seed);

      for (guint i = 0; i < storm->sent->len; i++)
        {
          const Sent *sent = &g_array_index (storm->sent, Sent, i);
          gboolean told;

          if (sent->directed)
            continue;
          told = was_told (storm, storm_steady (sent->group, 0), sent->number);
          for (guint j = 1; j < STORM_STEADY; j++)
            g_assert_true (was_told (storm, storm_steady (sent->group, j), sent->number) == told);
          if (storm_seat (storm, sent->seat)->end != SEAT_CRASHED)
            g_assert_true (told);
          else if (told)
            n_delivered++;
          else
            n_lost++;
        }
    }
  g_assert_cmpuint (n_delivered, >, 0);
  if (type->orders_later)
    g_assert_cmpuint (n_lost, >, 0);
}

/* --- the list ------------------------------------------------------------------------------- */

static const struct
{
  const char *name;
  StormClaim claim;
} storm_claims[] = {
  { "no-event-comes-inside-a-call", claim_no_event_inside_a_call },
  { "first-event-is-a-view-with-itself-joined", claim_first_event_is_own_view },
  { "left-and-joined-are-set-differences", claim_left_and_joined_are_differences },
  { "nothing-comes-from-outside-the-view", claim_nothing_from_outside_the_view },
  { "nothing-comes-twice-or-altered", claim_nothing_twice_or_altered },
  { "what-it-multicasts-comes-back", claim_self_delivery },
  { "multicasts-of-one-sender-stay-in-order", claim_sender_fifo },
  { "one-order-and-the-same-messages-between-views", claim_same_events_together },
  { "send-to-reaches-its-target-only", claim_send_to_only_its_target },
  { "send-to-stays-in-order", claim_send_to_is_fifo },
  { "groups-are-independent", claim_groups_are_independent },
  { "nothing-comes-after-leave-or-crash", claim_nothing_after_the_end },
};

void
contract_add_storm_claims (const ClusterType *type)
{
  g_autofree char *lost = g_strdup_printf (
      "/transport/%s/of-a-crashed-sender-lost-for-all-or-delivered-to-all", type->name);

  for (guint i = 0; i < G_N_ELEMENTS (storm_claims); i++)
    {
      ClaimCase claim_case = { type, storm_claims[i].claim };
      g_autofree char *path
          = g_strdup_printf ("/transport/%s/%s", type->name, storm_claims[i].name);

      g_test_add_data_func_full (path, g_memdup2 (&claim_case, sizeof claim_case), run_claim,
                                 g_free);
    }
  g_test_add_data_func (lost, type, test_lost_for_all_or_delivered_to_all);
}
