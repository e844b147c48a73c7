/* SPDX-License-Identifier: MIT */
/* Single situations: a few members, a few events. */
#include "core/base/error.h"
#include "tests/transport/contract.h"

static const MemberId ann = { 1, 1 };
static const MemberId bob = { 2, 1 };

static void
test_multicast_right_after_join (gconstpointer data)
{
  const ClusterType *type = data;

  for (guint64 seed = 0; seed < type->n_storms; seed++)
    {
      Cluster *cluster = type->new (seed);
      const GArray *records;
      guint a, b;

      g_assert_true (type->join (cluster, ann, "g", REACTION_NONE, &a, NULL));
      type->settle (cluster);
      g_assert_true (type->join (cluster, bob, "g", REACTION_NONE, &b, NULL));
      g_assert_cmpint (type->multicast (cluster, b, 7, 20), ==, TRANSPORT_SENT);
      type->settle (cluster);
      records = type->records (cluster, b);
      g_assert_cmpuint (records->len, ==, 2);
      g_assert_cmpint (g_array_index (records, Record, 0).kind, ==, RECORD_VIEW);
      g_assert_cmpuint (g_array_index (records, Record, 1).number, ==, 7);
      g_assert_cmpuint (type->records (cluster, a)->len, ==, 3);
      type->free (cluster);
    }
}

static void
test_sends_from_inside_events (gconstpointer data)
{
  const ClusterType *type = data;
  Cluster *cluster = type->new (1);
  const GArray *records;
  guint a, b;

  g_assert_true (type->join (cluster, ann, "g", REACTION_MULTICAST_AT_FIRST_VIEW, &a, NULL));
  g_assert_true (type->join (cluster, bob, "g", REACTION_ANSWER, &b, NULL));
  type->settle (cluster);
  g_assert_cmpint (type->multicast (cluster, a, 3, 20), ==, TRANSPORT_SENT);
  type->settle (cluster);
  records = type->records (cluster, a);
  for (guint i = 0; i < records->len; i++)
    g_assert_false (g_array_index (records, Record, i).inside_call);
  g_assert_cmpuint (g_array_index (records, Record, records->len - 1).number, ==, 3);
  g_assert_true (g_array_index (records, Record, records->len - 1).directed);
  type->free (cluster);
}

static void
test_leaves_from_inside_an_event (gconstpointer data)
{
  const ClusterType *type = data;
  Cluster *cluster = type->new (1);
  const GArray *records;
  guint a, b;

  g_assert_true (type->join (cluster, ann, "g", REACTION_NONE, &a, NULL));
  g_assert_true (type->join (cluster, bob, "g", REACTION_LEAVE_AT_MESSAGE, &b, NULL));
  for (guint i = 1; i <= 3; i++)
    g_assert_cmpint (type->multicast (cluster, a, i, 20), ==, TRANSPORT_SENT);
  type->settle (cluster);
  g_assert_cmpint (type->multicast (cluster, b, 4, 20), ==, TRANSPORT_GONE);
  records = type->records (cluster, b);
  g_assert_cmpint (g_array_index (records, Record, records->len - 1).kind, ==, RECORD_MESSAGE);
  records = type->records (cluster, a);
  g_assert_cmpint (g_array_index (records, Record, records->len - 1).kind, ==, RECORD_VIEW);
  g_assert_true (holds_member (g_array_index (records, Record, records->len - 1).left, bob));
  type->free (cluster);
}

static void
test_leaver_is_heard_to_the_end (gconstpointer data)
{
  const ClusterType *type = data;

  for (guint64 seed = 0; seed < type->n_storms; seed++)
    {
      Cluster *cluster = type->new (seed);
      const GArray *records;
      guint a, b;

      g_assert_true (type->join (cluster, ann, "g", REACTION_NONE, &a, NULL));
      g_assert_true (type->join (cluster, bob, "g", REACTION_NONE, &b, NULL));
      type->settle (cluster);
      for (guint i = 1; i <= 5; i++)
        g_assert_cmpint (type->multicast (cluster, b, i, 50), ==, TRANSPORT_SENT);
      type->leave (cluster, b);
      type->settle (cluster);
      records = type->records (cluster, a);
      for (guint i = 1; i <= 5; i++)
        g_assert_cmpuint (g_array_index (records, Record, records->len - 7 + i).number, ==, i);
      g_assert_true (holds_member (g_array_index (records, Record, records->len - 1).left, bob));
      type->free (cluster);
    }
}

static void
test_rejoins_with_the_same_id (gconstpointer data)
{
  const ClusterType *type = data;

  for (guint64 seed = 0; seed < type->n_storms; seed++)
    {
      Cluster *cluster = type->new (seed);
      const GArray *records;
      guint a, b, again;

      g_assert_true (type->join (cluster, ann, "g", REACTION_NONE, &a, NULL));
      g_assert_true (type->join (cluster, bob, "g", REACTION_NONE, &b, NULL));
      type->settle (cluster);
      type->crash (cluster, bob);
      g_assert_true (type->join (cluster, bob, "g", REACTION_NONE, &again, NULL));
      g_assert_cmpint (type->multicast (cluster, b, 1, 20), ==, TRANSPORT_GONE);
      g_assert_cmpint (type->multicast (cluster, again, 2, 20), ==, TRANSPORT_SENT);
      type->settle (cluster);
      records = type->records (cluster, a);
      g_assert_true (holds_member (g_array_index (records, Record, records->len - 3).left, bob));
      g_assert_true (holds_member (g_array_index (records, Record, records->len - 2).joined, bob));
      g_assert_cmpuint (g_array_index (records, Record, records->len - 1).number, ==, 2);
      g_assert_cmpuint (type->records (cluster, again)->len, ==, 2);
      type->free (cluster);
    }
}

static void
test_refuses_to_join_twice (gconstpointer data)
{
  const ClusterType *type = data;
  Cluster *cluster = type->new (1);
  g_autoptr (GError) error = NULL;
  guint a, b;

  g_assert_true (type->join (cluster, ann, "g", REACTION_NONE, &a, NULL));
  g_assert_false (type->join (cluster, ann, "g", REACTION_NONE, &b, &error));
  g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_TRANSPORT);
  type->free (cluster);
}

static void
test_full_then_writable (gconstpointer data)
{
  const ClusterType *type = data;
  Cluster *cluster = type->new (1);
  TransportResult result = TRANSPORT_SENT;
  guint32 n_sent = 0;
  guint n_writable = 0;
  const GArray *records;
  guint a;

  g_assert_true (type->join (cluster, ann, "g", REACTION_NONE, &a, NULL));
  type->settle (cluster);
  while (n_sent < 100000 && result == TRANSPORT_SENT)
    if ((result = type->multicast (cluster, a, n_sent + 1, 1000)) == TRANSPORT_SENT)
      n_sent++;
  if (!type->bounds_window)
    {
      g_test_skip ("this backend has room for all");
      type->free (cluster);
      return;
    }
  g_assert_cmpint (result, ==, TRANSPORT_FULL);
  type->settle (cluster);
  records = type->records (cluster, a);
  for (guint i = 0; i < records->len; i++)
    n_writable += g_array_index (records, Record, i).kind == RECORD_WRITABLE;
  g_assert_cmpuint (n_writable, ==, 1);
  g_assert_cmpuint (records->len, ==, 1 + n_sent + n_writable);
  g_assert_cmpint (type->multicast (cluster, a, n_sent + 1, 1000), ==, TRANSPORT_SENT);
  type->free (cluster);
}

static void
test_members_are_bounded (gconstpointer data)
{
  const ClusterType *type = data;
  Cluster *cluster = type->new (1);
  g_autoptr (GError) error = NULL;
  guint seat;

  for (guint i = 0; i < LIMIT_GROUP_MEMBERS; i++)
    {
      MemberId member = { 1 + i, 1 };

      g_assert_true (type->join (cluster, member, "g", REACTION_NONE, &seat, NULL));
      if (i == 0)
        type->settle (cluster);
      if (i % 50 == 0)
        type->step (cluster);
    }
  g_assert_false (type->join (cluster, (MemberId){ 1000, 1 }, "g", REACTION_NONE, &seat, &error));
  g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_TRANSPORT);
  type->settle (cluster);
  g_assert_cmpuint (type->records (cluster, 0)->len, ==, LIMIT_GROUP_MEMBERS);
  type->free (cluster);
}

static void
test_largest_message_passes (gconstpointer data)
{
  const ClusterType *type = data;
  Cluster *cluster = type->new (1);
  const Record *record;
  guint a, b;

  g_assert_true (type->join (cluster, ann, "g", REACTION_NONE, &a, NULL));
  g_assert_true (type->join (cluster, bob, "g", REACTION_NONE, &b, NULL));
  type->settle (cluster);
  g_assert_cmpint (type->multicast (cluster, a, 9, LIMIT_TRANSPORT_MESSAGE), ==, TRANSPORT_SENT);
  type->settle (cluster);
  record = &g_array_index (type->records (cluster, b), Record, type->records (cluster, b)->len - 1);
  g_assert_cmpuint (record->size, ==, LIMIT_TRANSPORT_MESSAGE);
  g_assert_true (record->intact);
  type->free (cluster);
}

/* --- the list ------------------------------------------------------------------------------- */

static const struct
{
  const char *name;
  GTestDataFunc test;
} situations[] = {
  { "multicast-right-after-join-comes-after-own-view", test_multicast_right_after_join },
  { "sends-from-inside-events", test_sends_from_inside_events },
  { "leaves-from-inside-an-event", test_leaves_from_inside_an_event },
  { "a-leaver-is-heard-to-the-end", test_leaver_is_heard_to_the_end },
  { "rejoins-with-the-same-id-after-a-crash", test_rejoins_with_the_same_id },
  { "refuses-to-join-twice", test_refuses_to_join_twice },
  { "full-then-writable", test_full_then_writable },
  { "members-are-bounded", test_members_are_bounded },
  { "the-largest-message-passes", test_largest_message_passes },
};

void
contract_add_situations (const ClusterType *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (situations); i++)
    {
      g_autofree char *path = g_strdup_printf ("/transport/%s/%s", type->name, situations[i].name);

      g_test_add_data_func (path, type, situations[i].test);
    }
}
