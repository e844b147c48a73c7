/* SPDX-License-Identifier: MIT */
/* The rows of a membership: found by id, in the order of age, digested by sums. */
#include "core/base/digest.h"
#include "core/cluster/membership.h"

#define N_NODES 200

typedef struct Fixture
{
  GArray *voters;
  Membership membership;
  GArray *expected; /* of MemberId, in the order of age */
  guint64 position;
  guint place;
} Fixture;

static void
fixture_init (Fixture *fixture)
{
  guint32 voters[] = { 3, 5, 11 };

  *fixture = (Fixture){ .voters = g_array_new (FALSE, FALSE, sizeof (guint32)),
                        .expected = g_array_new (FALSE, FALSE, sizeof (MemberId)) };
  g_array_append_vals (fixture->voters, voters, G_N_ELEMENTS (voters));
  membership_init (&fixture->membership, fixture->voters);
}

static void
fixture_clear (Fixture *fixture)
{
  membership_clear (&fixture->membership);
  g_array_unref (fixture->voters);
  g_array_unref (fixture->expected);
}

static void
check (Fixture *fixture)
{
  Membership *membership = &fixture->membership;
  guint n_votes = 0;

  g_assert_cmpuint (membership->full->len, ==, fixture->expected->len);
  for (guint i = 0; i < fixture->expected->len; i++)
    {
      MemberId id = g_array_index (fixture->expected, MemberId, i);

      g_assert_cmpint (membership_full_rank (membership, id), ==, i);
      n_votes += membership_is_voter (membership, id);
    }
  g_assert_cmpuint (membership->votes->len, ==, n_votes);
  g_assert_cmphex (membership_digest (membership), ==, membership_digest_in_full (membership));
}

/* One that is not there comes and speaks, one that is there goes. */
static void
change (Fixture *fixture, guint64 number)
{
  Membership *membership = &fixture->membership;
  MemberId id = { (guint32) (1 + number % N_NODES), (guint32) (1 + number / N_NODES % 2) };
  gint rank = membership_full_rank (membership, id);

  fixture->position++;
  if (rank >= 0)
    {
      g_assert_true (membership_remove_full (membership, id));
      g_array_remove_index (fixture->expected, (guint) rank);
    }
  else
    {
      membership_add_full (membership, id, number, fixture->position);
      membership_spoke (membership, membership_find_sender (membership, id, &fixture->place),
                        fixture->position, 7);
      g_array_append_val (fixture->expected, id);
    }
}

static void
test_found (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  for (guint64 i = 0; i < 5000; i++)
    {
      change (&fixture, digest_mix (i));
      if (i % 97 == 0)
        membership_new_epoch (&fixture.membership);
      if (i % 7 == 0)
        check (&fixture);
    }
  fixture_clear (&fixture);
}

/* Two that had the same events, one of them by way of the bytes. */
static void
test_by_state (void)
{
  g_autoptr (StateCodec) writer = state_codec_new_writer ();
  g_autoptr (StateCodec) reader = NULL;
  g_autoptr (Buffer) bytes = NULL;
  Fixture fixture;
  Membership copy;

  fixture_init (&fixture);
  for (guint64 i = 0; i < 500; i++)
    change (&fixture, digest_mix (i));
  for (guint32 i = 0; i < 20; i++)
    membership_set_joining (&fixture.membership, (MemberId){ 1000 - 7 * (i % 13), 1 },
                            (JoinCut){ i, i });
  g_assert_cmpuint (fixture.membership.joining->len, ==, 13);
  membership_state (writer, &fixture.membership);
  bytes = state_codec_finish (writer);
  reader = state_codec_new_reader (slice_of_buffer (bytes));
  membership_init (&copy, fixture.voters);
  g_assert_true (membership_state (reader, &copy));
  g_assert_true (state_is_complete (reader));
  g_assert_cmphex (membership_digest (&copy), ==, membership_digest (&fixture.membership));
  g_assert_true (
      member_id_equal (membership_donor (&copy), membership_donor (&fixture.membership)));
  membership_remove_joining (&copy, (MemberId){ 1000, 1 });
  g_assert_null (membership_find_joining (&copy, (MemberId){ 1000, 1 }));
  g_assert_cmphex (membership_digest (&copy), !=, membership_digest (&fixture.membership));
  g_assert_cmphex (membership_digest (&copy), ==, membership_digest_in_full (&copy));
  membership_clear (&copy);
  fixture_clear (&fixture);
}

/* The same members, become full in another order: not the same. */
static void
test_order_counts (void)
{
  Fixture one, other;
  MemberId a = { 1, 1 }, b = { 2, 1 };

  fixture_init (&one);
  fixture_init (&other);
  membership_add_full (&one.membership, a, 1, 10);
  membership_add_full (&one.membership, b, 2, 11);
  membership_add_full (&other.membership, b, 2, 10);
  membership_add_full (&other.membership, a, 1, 11);
  g_assert_cmphex (membership_digest (&one.membership), !=, membership_digest (&other.membership));
  fixture_clear (&one);
  fixture_clear (&other);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cluster/member-rows/are-found-after-any-changes", test_found);
  g_test_add_func ("/cluster/member-rows/come-through-the-state-unchanged", test_by_state);
  g_test_add_func ("/cluster/member-rows/order-of-age-is-in-the-digest", test_order_counts);
  return g_test_run ();
}
