/* SPDX-License-Identifier: MIT */
/* What the corosync transport makes of histories that real daemons show once in a while, told by a
 * library without a daemon (fake_cpg.h). "@" is this process. */
#include "core/base/error.h"
#include "tests/transport/fake_cpg.h"
#include "tests/transport/transport_under_test.h"
#include "transport/corosync_network.h"
#include "transport/view.h"

#define WAIT_SECONDS 10

typedef struct Site
{
  CorosyncNetwork *network;
  Transport *transport;
  GString *told; /* a line for each event */
} Site;

/* --- what is told ----------------------------------------------------------------------------- */

static void
tell_member (Site *site, MemberId member)
{
  if (member_id_equal (member, site->transport->self))
    g_string_append (site->told, " @");
  else
    g_string_append_printf (site->told, " %u.%u", member.node_id, member.process_id);
}

static void
tell_changes (Site *site, const char *word, const ViewChange *changes, guint n_changes)
{
  if (n_changes > 0)
    g_string_append_printf (site->told, " %s", word);
  for (guint i = 0; i < n_changes; i++)
    {
      tell_member (site, changes[i].member);
      g_string_append_printf (site->told, "(%s)", view_reason_name (changes[i].reason));
    }
}

static void
on_view (gpointer user_data, const View *view)
{
  Site *site = user_data;

  g_string_append_printf (site->told, "ring %u.%" G_GUINT64_FORMAT ":", view->ring.representative,
                          view->ring.sequence);
  for (guint i = 0; i < view->n_members; i++)
    tell_member (site, view->members[i]);
  tell_changes (site, "left", view->left, view->n_left);
  tell_changes (site, "joined", view->joined, view->n_joined);
  g_string_append_c (site->told, '\n');
}

static void
on_message (gpointer user_data, const TransportMessage *message)
{
  Site *site = user_data;

  g_string_append (site->told, "message");
  tell_member (site, message->sender);
  g_string_append_printf (site->told, " %.*s\n", (int) message->bytes->size,
                          (const char *) message->bytes->bytes);
}

static void
on_writable (gpointer user_data)
{
  g_string_append (((Site *) user_data)->told, "writable\n");
}

static void
on_failed (gpointer user_data, const GError *error)
{
  g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_TRANSPORT);
  g_string_append_printf (((Site *) user_data)->told, "failed: %s\n", error->message);
}

static const TransportListener listener = {
  .delivered = on_message,
  .view_changed = on_view,
  .writable = on_writable,
  .failed = on_failed,
};

/* --- the site --------------------------------------------------------------------------------- */

static void
site_join (Site *site)
{
  site->transport = corosync_network_new_transport (site->network);
  g_assert_true (transport_join (site->transport, "g", &listener, site, NULL));
}

static Site *
site_new (void)
{
  Site *site = g_new0 (Site, 1);

  fake_reset ();
  site->network = corosync_network_new ();
  site->told = g_string_new (NULL);
  return site;
}

static void
site_free (Site *site)
{
  if (site->transport != NULL)
    transport_free (site->transport);
  corosync_network_free (site->network);
  g_string_free (site->told, TRUE);
  g_free (site);
}

static void
dispatch (Site *site, gint ms)
{
  GPollFD ready = { .fd = corosync_network_fd (site->network), .events = G_IO_IN };

  if (corosync_network_next_us (site->network) > g_get_monotonic_time ())
    g_poll (&ready, 1, ms);
  while (corosync_network_dispatch (site->network, 3))
    ;
}

static void
wait_until_joined (Site *site)
{
  gint64 deadline_us = g_get_monotonic_time () + WAIT_SECONDS * G_USEC_PER_SEC;

  while (!fake_is_joined ())
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline_us);
      dispatch (site, 1);
    }
  /* It is told that it is. */
  dispatch (site, 10);
}

/* Its former handles are closed: it is not joined by them any more. */
static void
wait_until_closed (Site *site, guint n_handles)
{
  gint64 deadline_us = g_get_monotonic_time () + WAIT_SECONDS * G_USEC_PER_SEC;

  while (fake_counts ().finalizes < n_handles)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline_us);
      dispatch (site, 1);
    }
}

static void
wait_until_told (Site *site, const char *text)
{
  gint64 deadline_us = g_get_monotonic_time () + WAIT_SECONDS * G_USEC_PER_SEC;

  while (strstr (site->told->str, text) == NULL && g_get_monotonic_time () < deadline_us)
    dispatch (site, 10);
  g_assert_cmpstr (site->told->str, ==, text);
}

/* --- histories -------------------------------------------------------------------------------- */

typedef struct Step
{
  enum
  {
    END,
    VIEW,
    RING,
    MESSAGE
  } kind;
  const char *text; /* members, or sender */
  const char *left; /* or the message */
  guint32 left_reason;
  const char *joined;
  guint32 joined_reason;
  guint64 ring;
} Step;

typedef struct History
{
  const char *name;
  Step steps[8];
  const char *told;
} History;

#define JOINED(members, who)                                                                       \
  {                                                                                                \
    VIEW, members, "", 0, who, CPG_REASON_JOIN, 0                                                  \
  }
#define LEFT(members, who)                                                                         \
  {                                                                                                \
    VIEW, members, who, CPG_REASON_LEAVE, "", 0, 0                                                 \
  }
#define ENDED(members, who)                                                                        \
  {                                                                                                \
    VIEW, members, who, CPG_REASON_PROCDOWN, "", 0, 0                                              \
  }
#define LOST(members, who)                                                                         \
  {                                                                                                \
    VIEW, members, who, CPG_REASON_NODEDOWN, "", 0, 0                                              \
  }
#define FOUND(members, who)                                                                        \
  {                                                                                                \
    VIEW, members, "", 0, who, CPG_REASON_NODEUP, 0                                                \
  }
#define RINGS(sequence)                                                                            \
  {                                                                                                \
    RING, "", "", 0, "", 0, sequence                                                               \
  }
#define SAYS(sender, text)                                                                         \
  {                                                                                                \
    MESSAGE, sender, text, 0, "", 0, 0                                                             \
  }
#define FIRST      JOINED ("@", "@"), RINGS (5)
#define FIRST_TOLD "ring 1.5: @ joined @(join)\n"

static const History histories[] = {
  { "the-ring-comes-after-the-first-view", { FIRST }, FIRST_TOLD },
  { "the-ring-comes-before-the-first-view", { RINGS (5), JOINED ("@", "@") }, FIRST_TOLD },
  { "no-view-before-its-ring", { JOINED ("@", "@") }, "" },
  { "a-message-ends-the-wait-for-a-ring",
    { JOINED ("@", "@"), SAYS ("@", "a") },
    "ring 0.0: @ joined @(join)\nmessage @ a\n" },
  { "joining-and-leaving-have-the-ring-there-is",
    { FIRST, JOINED ("@ 2.7", "2.7"), LEFT ("@", "2.7") },
    FIRST_TOLD "ring 1.5: @ 2.7 joined 2.7(join)\nring 1.5: @ left 2.7(leave)\n" },
  { "the-end-of-a-process-has-the-ring-there-is",
    { FIRST, JOINED ("@ 2.7", "2.7"), ENDED ("@", "2.7"), RINGS (9) },
    FIRST_TOLD "ring 1.5: @ 2.7 joined 2.7(join)\nring 1.5: @ left 2.7(process-down)\n" },
  { "a-lost-node-waits-for-the-new-ring",
    { FIRST, JOINED ("@ 2.7", "2.7"), LOST ("@", "2.7"), RINGS (9) },
    FIRST_TOLD "ring 1.5: @ 2.7 joined 2.7(join)\nring 1.9: @ left 2.7(node-down)\n" },
  { "a-lost-node-without-its-ring-is-not-told",
    { FIRST, JOINED ("@ 2.7", "2.7"), LOST ("@", "2.7") },
    FIRST_TOLD "ring 1.5: @ 2.7 joined 2.7(join)\n" },
  { "one-who-slept-loses-and-finds-all-in-one-ring",
    { FIRST, JOINED ("@ 2.7 3.7", "2.7 3.7"), LOST ("@", "3.7 2.7"), FOUND ("@ 2.7 3.7", "3.7 2.7"),
      RINGS (9), SAYS ("2.7", "a") },
    FIRST_TOLD "ring 1.5: @ 2.7 3.7 joined 2.7(join) 3.7(join)\n"
               "ring 1.9: @ left 3.7(node-down) 2.7(node-down)\n"
               "ring 1.9: @ 2.7 3.7 joined 3.7(node-up) 2.7(node-up)\n"
               "message 2.7 a\n" },
  { "a-process-that-ended-while-it-slept-has-the-new-ring-too",
    { FIRST, JOINED ("@ 2.7 3.7", "2.7 3.7"), LOST ("@ 3.7", "2.7"), ENDED ("@", "3.7"),
      RINGS (9) },
    FIRST_TOLD "ring 1.5: @ 2.7 3.7 joined 2.7(join) 3.7(join)\n"
               "ring 1.9: @ 3.7 left 2.7(node-down)\nring 1.9: @ left 3.7(process-down)\n" },
  { "one-who-left-does-not-leave-again",
    { FIRST, JOINED ("@ 2.7", "2.7"), LEFT ("@", "2.7"), ENDED ("@", "2.7"), SAYS ("@", "a") },
    FIRST_TOLD "ring 1.5: @ 2.7 joined 2.7(join)\nring 1.5: @ left 2.7(leave)\nmessage @ a\n" },
  { "a-message-from-outside-the-view-is-not-told",
    { FIRST, SAYS ("2.7", "a"), SAYS ("@", "b") },
    FIRST_TOLD "message @ b\n" },
  { "nothing-before-its-own-joining",
    { RINGS (5), JOINED ("2.7 3.7", "3.7"), SAYS ("2.7", "a"), JOINED ("@ 2.7 3.7", "@") },
    "ring 1.5: @ 2.7 3.7 joined @(join)\n" },
  { "a-view-that-is-two-changes",
    { FIRST,
      JOINED ("@ 2.7", "2.7"),
      { VIEW, "@ 3.7", "2.7", CPG_REASON_NODEDOWN, "3.7", CPG_REASON_NODEUP, 0 } },
    FIRST_TOLD "ring 1.5: @ 2.7 joined 2.7(join)\n"
               "failed: a view of corosync is two changes at once\n" },
  { "a-view-that-does-not-follow",
    { FIRST, JOINED ("@ 2.7 3.7", "3.7") },
    FIRST_TOLD "failed: a view of corosync does not follow from the one before\n" },
  { "put-out-of-the-group",
    { FIRST, JOINED ("@ 2.7", "2.7"), LOST ("2.7", "@") },
    FIRST_TOLD "ring 1.5: @ 2.7 joined 2.7(join)\n"
               "failed: corosync has put this member out of the group\n" },
};

static char *
with_self (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "@", 0);

  return g_strjoinv (fake_self (), parts);
}

static void
play (const Step *step)
{
  g_autofree char *text = with_self (step->text);
  g_autofree char *left = with_self (step->left);
  g_autofree char *joined = with_self (step->joined);

  switch (step->kind)
    {
    case END:
      break;
    case VIEW:
      fake_view (text, left, step->left_reason, joined, step->joined_reason);
      break;
    case RING:
      fake_ring (1, step->ring);
      break;
    case MESSAGE:
      fake_message (text, left);
      break;
    }
}

static void
test_history (gconstpointer data)
{
  const History *history = data;
  Site *site = site_new ();

  site_join (site);
  wait_until_joined (site);
  for (const Step *step = history->steps; step->kind != END; step++)
    play (step);
  dispatch (site, 10);
  g_assert_cmpstr (site->told->str, ==, history->told);
  site_free (site);
}

/* --- the daemon ------------------------------------------------------------------------------- */

static Site *
site_new_joined (void)
{
  Site *site = site_new ();

  site_join (site);
  wait_until_joined (site);
  fake_view (fake_self (), "", 0, fake_self (), CPG_REASON_JOIN);
  fake_ring (1, 5);
  wait_until_told (site, FIRST_TOLD);
  g_string_truncate (site->told, 0);
  return site;
}

static TransportResult
say (Site *site, const char *text)
{
  g_autoptr (Buffer) bytes = buffer_new_copy (text, strlen (text));

  return transport_multicast (site->transport, bytes);
}

#define GONE "failed: the group is gone: corosync does not run here, or has ended\n"

static void
test_death_is_failed_and_nothing_else (void)
{
  Site *site = site_new_joined ();

  fake_message (fake_self (), "lost with its daemon");
  fake_die ();
  wait_until_told (site, GONE);
  g_assert_cmpint (say (site, "x"), ==, TRANSPORT_GONE);
  dispatch (site, 10);
  g_assert_cmpstr (site->told->str, ==, GONE);
  site_free (site);
}

static void
test_death_is_noticed_by_a_multicast_too (void)
{
  Site *site = site_new_joined ();

  fake_answer (FAKE_MULTICAST, CS_ERR_LIBRARY);
  g_assert_cmpint (say (site, "x"), ==, TRANSPORT_GONE);
  g_assert_cmpstr (site->told->str, ==, "");
  wait_until_told (site, GONE);
  site_free (site);
}

static void
test_full_then_writable (void)
{
  Site *site = site_new_joined ();

  fake_answer (FAKE_MULTICAST, CS_ERR_TRY_AGAIN);
  g_assert_cmpint (say (site, "x"), ==, TRANSPORT_FULL);
  g_assert_cmpstr (site->told->str, ==, "");
  wait_until_told (site, "writable\n");
  dispatch (site, 10);
  g_assert_cmpstr (site->told->str, ==, "writable\n");
  site_free (site);
}

/* A daemon that is absent is asked at growing distances; then it comes. */
static void
test_waits_for_a_daemon (void)
{
  Site *site = site_new ();
  gint64 until_us = g_get_monotonic_time () + 300000;

  fake_answer (FAKE_CONNECT, CS_ERR_LIBRARY);
  site_join (site);
  while (g_get_monotonic_time () < until_us)
    dispatch (site, 10);
  g_assert_cmpuint (fake_counts ().connects, >, 1);
  g_assert_cmpuint (fake_counts ().connects, <=, 8);
  g_assert_cmpint (say (site, "x"), ==, TRANSPORT_FULL);
  g_assert_cmpstr (site->told->str, ==, "");
  fake_answer (FAKE_CONNECT, CS_ERR_TRY_AGAIN);
  dispatch (site, 10);
  fake_answer (FAKE_CONNECT, CS_OK);
  wait_until_joined (site);
  site_free (site);
}

static void
test_gives_up_what_is_forbidden (void)
{
  Site *site = site_new ();

  fake_answer (FAKE_CONNECT, CS_ERR_ACCESS);
  site_join (site);
  wait_until_told (site, "failed: cannot join the group: corosync does not allow it: this user "
                         "needs a line in uidgid.d\n");
  g_assert_cmpuint (fake_counts ().connects, ==, 1);
  site_free (site);
}

/* Nothing that is called or dispatched waits for a daemon that stands still. */
static void
test_nothing_waits_for_a_frozen_daemon (void)
{
  Site *site = site_new_joined ();
  gint64 before_us = g_get_monotonic_time ();

  fake_freeze ();
  g_assert_cmpint (say (site, "x"), ==, TRANSPORT_SENT);
  transport_leave (site->transport);
  transport_free (site->transport);
  site_join (site);
  g_assert_cmpint (say (site, "x"), ==, TRANSPORT_FULL);
  dispatch (site, 0);
  g_assert_cmpint (g_get_monotonic_time () - before_us, <, G_USEC_PER_SEC);
  g_assert_false (fake_counts ().finalizes > 0);
  fake_thaw ();
  wait_until_closed (site, 2);
  wait_until_joined (site);
  site_free (site);
  g_assert_cmpuint (fake_counts ().leaves, ==, 1);
}

static void
test_full_group_is_not_joined (void)
{
  Site *site = site_new ();

  fake_set_members (LIMIT_GROUP_MEMBERS);
  site_join (site);
  wait_until_told (site, "failed: the group has 128 members, and no room for more\n");
  g_assert_false (fake_is_joined ());
  site_free (site);
}

static void
test_overfull_view_is_failed (void)
{
  Site *site = site_new_joined ();
  g_autoptr (GString) members = g_string_new (fake_self ());
  g_autoptr (GString) others = g_string_new (NULL);

  for (guint i = 0; i < LIMIT_GROUP_MEMBERS; i++)
    g_string_append_printf (others, " 2.%u", i + 1);
  g_string_append (members, others->str);
  fake_view (members->str, "", 0, others->str, CPG_REASON_NODEUP);
  wait_until_told (site, "failed: the group has more members than corosync can count\n");
  site_free (site);
}

/* A handle goes on receiving after it has left; nobody hears of it, and it is not used again. */
static void
test_one_handle_for_one_membership (void)
{
  Site *site = site_new_joined ();
  guint n_connects = fake_counts ().connects;

  fake_message (fake_self (), "too late");
  transport_leave (site->transport);
  g_assert_cmpint (say (site, "x"), ==, TRANSPORT_GONE);
  dispatch (site, 10);
  g_assert_cmpstr (site->told->str, ==, "");
  transport_free (site->transport);
  site_join (site);
  wait_until_closed (site, 2);
  wait_until_joined (site);
  g_assert_cmpuint (fake_counts ().connects, ==, n_connects + 2);
  g_assert_cmpuint (fake_counts ().leaves, ==, 1);
  g_assert_cmpuint (fake_counts ().finalizes, ==, 2);
  site_free (site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (histories); i++)
    {
      g_autofree char *path
          = g_strconcat ("/transport/corosync-membership/", histories[i].name, NULL);

      g_test_add_data_func (path, &histories[i], test_history);
    }
#define ADD(name, function) g_test_add_func ("/transport/corosync-membership/" name, function)
  ADD ("death-is-failed-and-nothing-else", test_death_is_failed_and_nothing_else);
  ADD ("death-is-noticed-by-a-multicast-too", test_death_is_noticed_by_a_multicast_too);
  ADD ("full-then-writable", test_full_then_writable);
  ADD ("waits-for-a-daemon", test_waits_for_a_daemon);
  ADD ("gives-up-what-is-forbidden", test_gives_up_what_is_forbidden);
  ADD ("nothing-waits-for-a-frozen-daemon", test_nothing_waits_for_a_frozen_daemon);
  ADD ("a-full-group-is-not-joined", test_full_group_is_not_joined);
  ADD ("an-overfull-view-is-failed", test_overfull_view_is_failed);
  ADD ("one-handle-for-one-membership", test_one_handle_for_one_membership);
  return g_test_run ();
}
