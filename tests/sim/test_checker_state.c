/* SPDX-License-Identifier: MIT */
/* The checkers of what a member's state must show are given states that break their promise; and in
 * whole runs one member's state is spoiled, which they find. */
#include "core/base/limits.h"
#include "core/broker/vhost.h"
#include "core/cluster/cluster_parts.h"
#include "core/node/node_parts.h"
#include "sim/checker_bounds.h"
#include "sim/checker_majority.h"
#include "sim/checker_members.h"
#include "sim/checker_queues.h"
#include "sim/checker_sessions.h"
#include "sim/member.h"
#include "sim/workload.h"
#include "tests/sim/checker_cases.h"

/* --- queues ------------------------------------------------------------------------------- */

/* Ten messages came: three are ready, two unacked, five gone. */
static const QueueLook whole = {
  .name = "q",
  .published = 10,
  .n_ready = 3,
  .n_unacked = 2,
  .n_taken = 3,
  .n_dropped = 1,
  .n_purged = 1,
  .n_ready_there = 3,
  .n_unacked_there = 2,
  .n_held = 2,
  .n_consumers = 1,
  .n_exclusive_consumers = 1,
  .exclusive = TRUE,
};

static void
look (Findings *findings, QueueLook queue)
{
  checker_queues_look (findings, 700, "A", 42, &queue);
}

static void
history_gone_without_trace (Findings *findings, gboolean broken)
{
  QueueLook queue = whole;

  queue.published += broken;
  look (findings, queue);
}

static void
history_miscounted (Findings *findings, gboolean broken)
{
  QueueLook queue = whole;

  queue.n_ready_there -= broken;
  look (findings, queue);
}

static void
history_without_holder (Findings *findings, gboolean broken)
{
  QueueLook queue = whole;

  queue.n_held -= broken;
  look (findings, queue);
}

static void
history_held_twice (Findings *findings, gboolean broken)
{
  QueueLook queue = whole;

  queue.n_held_twice += broken;
  look (findings, queue);
}

static void
history_exclusive_consumer (Findings *findings, gboolean broken)
{
  QueueLook queue = whole;

  queue.n_consumers += broken;
  look (findings, queue);
}

static void
history_exclusive_queue (Findings *findings, gboolean broken)
{
  QueueLook queue = whole;

  queue.n_strangers += broken;
  look (findings, queue);
}

static void
history_owner_gone (Findings *findings, gboolean broken)
{
  QueueLook queue = whole;

  queue.owner_is_gone = broken;
  look (findings, queue);
}

static void
history_lasts_too_long (Findings *findings, gboolean broken)
{
  QueueLook queue = whole;

  queue.lasts_too_long = broken;
  look (findings, queue);
}

static void
history_idle_consumer (Findings *findings, gboolean broken)
{
  QueueLook queue = whole;

  queue.n_idle_consumers += broken;
  look (findings, queue);
}

static void
history_never_came (Findings *findings, gboolean broken)
{
  checker_queues_end (findings, 900, "q", 10, broken ? 11 : 10, 12);
}

static void
history_came_again (Findings *findings, gboolean broken)
{
  checker_queues_end (findings, 900, "q", 10, 9, broken ? 9 : 10);
}

/* --- sessions --------------------------------------------------------------------------------- */

static const MemberId ann = { 1, 1 };
static const MemberId bob = { 2, 1 };

static void
history_full_and_gone (Findings *findings, gboolean broken)
{
  checker_members_look (findings, 100, "A", 42, bob, !broken);
}

static void
look_at_session (CheckerSessions *checker, gint64 now_us, MemberId member, MemberId primary,
                 gboolean primary_is_full, gboolean is_served_here)
{
  const SessionLook session = { { 7, 1 }, primary, primary_is_full, is_served_here };

  checker_sessions_look (checker, now_us, member.node_id == 1 ? "A" : "B", member, 42, &session);
}

static void
history_two_primaries (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerSessions) checker = checker_sessions_new (findings);

  look_at_session (checker, 100, ann, ann, TRUE, TRUE);
  look_at_session (checker, 110, bob, broken ? bob : ann, TRUE, broken);
}

static void
history_answers_uncalled (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerSessions) checker = checker_sessions_new (findings);

  look_at_session (checker, 100, bob, ann, TRUE, broken);
}

static void
history_primary_is_gone (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerSessions) checker = checker_sessions_new (findings);

  look_at_session (checker, 100, bob, ann, !broken, FALSE);
}

/* --- majority and bounds ---------------------------------------------------------------------- */

/* Of three voters one is gone: what two have had is agreed. */
static void
history_agreed (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerMajority) checker = checker_majority_new (findings, 3);

  checker_majority_reached (checker, 0, 4, 50);
  checker_majority_reached (checker, 1, 3, broken ? 39 : 40);
  checker_majority_reached (checker, 0, 5, 51);
  checker_majority_agreed (checker, 100, "A", 5, 40);
  checker_majority_agreed (checker, 110, "A", 5, 12);
}

static void
history_agreed_in_another_epoch (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerMajority) checker = checker_majority_new (findings, 3);

  checker_majority_reached (checker, 0, 4, 50);
  checker_majority_reached (checker, 1, broken ? 5 : 4, 50);
  checker_majority_agreed (checker, 100, "A", 4, 50);
}

static void
look_at_load_of (Findings *findings, Load load)
{
  checker_bounds_load (findings, 100, "A", 3, &load);
}

static void
history_window (Findings *findings, gboolean broken)
{
  look_at_load_of (findings, (Load){ .window_bytes = LIMIT_TRANSPORT_MESSAGE + broken });
}

static void
history_outbox (Findings *findings, gboolean broken)
{
  look_at_load_of (findings, (Load){ .waiting_bytes = broken ? 2000000 : 1000000 });
}

static void
history_backlog (Findings *findings, gboolean broken)
{
  look_at_load_of (findings, (Load){ .backlog_bytes = LIMIT_JOIN_BACKLOG + broken });
}

static void
history_transfers (Findings *findings, gboolean broken)
{
  look_at_load_of (findings, (Load){ .transfers = 3 + broken });
}

static void
history_traffic (Findings *findings, gboolean broken)
{
  const Traffic traffic = { .multicasts = broken ? 300 : 200,
                            .writes = 60,
                            .given = 40,
                            .views = 3,
                            .seconds = 1,
                            .n_voters = 3 };

  checker_bounds_traffic (findings, 100, &traffic);
}

static const CheckerCase cases[] = {
  { "agreed-without-a-majority",
    history_agreed,
    "agreed-is-held",
    VERDICT_VIOLATION,
    { "100us A", "position 40 (epoch 5)", "1 of 3 voters" } },
  { "agreed-by-those-of-a-later-epoch",
    history_agreed_in_another_epoch,
    "agreed-is-held",
    VERDICT_VIOLATION,
    { "100us A", "position 50 (epoch 4)", "1 of 3 voters" } },
  { "window-too-large",
    history_window,
    "bounded",
    VERDICT_VIOLATION,
    { "100us the own window of A", "1047553 bytes", "1047552 is the most" } },
  { "outbox-too-large",
    history_outbox,
    "bounded",
    VERDICT_VIOLATION,
    { "100us the outbox of A", "2000000 bytes", "the most" } },
  { "backlog-too-large",
    history_backlog,
    "bounded",
    VERDICT_VIOLATION,
    { "100us the newcomer's backlog of A", "67108865 bytes", "the most" } },
  { "too-many-transfers",
    history_transfers,
    "bounded",
    VERDICT_VIOLATION,
    { "100us A", "4 newcomers", "only 3 members" } },
  { "multicasts-without-a-cause",
    history_traffic,
    "bounded",
    VERDICT_VIOLATION,
    { "100us", "300 times", "is the most" } },
  { "message-gone-without-a-trace",
    history_gone_without_trace,
    "conserved",
    VERDICT_VIOLATION,
    { "700us, position 42, queue 'q' of A", "given 11 messages", "without a trace" } },
  { "messages-miscounted",
    history_miscounted,
    "conserved",
    VERDICT_VIOLATION,
    { "queue 'q' of A", "3 ready", "in it are 2 and 2" } },
  { "unacked-without-a-holder",
    history_without_holder,
    "one-holder",
    VERDICT_VIOLATION,
    { "queue 'q' of A", "2 unacked", "sessions hold 1" } },
  { "unacked-with-two-holders",
    history_held_twice,
    "one-holder",
    VERDICT_VIOLATION,
    { "queue 'q' of A", "1 twice", "settled twice" } },
  { "exclusive-consumer-with-another",
    history_exclusive_consumer,
    "exclusive-consumer",
    VERDICT_VIOLATION,
    { "queue 'q' of A", "2 consumers", "the only one" } },
  { "exclusive-queue-with-a-stranger",
    history_exclusive_queue,
    "exclusive-queue",
    VERDICT_VIOLATION,
    { "queue 'q' of A", "1 of its consumers", "other connections" } },
  { "exclusive-queue-without-an-owner",
    history_owner_gone,
    "exclusive-queue",
    VERDICT_VIOLATION,
    { "queue 'q' of A", "is exclusive, but", "connection that it served is gone" } },
  { "there-without-its-last-consumer",
    history_lasts_too_long,
    "auto-deleted",
    VERDICT_VIOLATION,
    { "queue 'q' of A", "deleted with its last consumer", "but it is there" } },
  { "ready-beside-an-idle-consumer",
    history_idle_consumer,
    "ready-is-served",
    VERDICT_VIOLATION,
    { "queue 'q' of A has 3", "1 of its consumers", "not asked" } },
  { "confirmed-never-came",
    history_never_came,
    "conserved",
    VERDICT_VIOLATION,
    { "900us queue 'q'", "11 were confirmed", "never came" } },
  { "came-once-more",
    history_came_again,
    "conserved",
    VERDICT_VIOLATION,
    { "900us queue 'q'", "clients sent it 9", "more than once" } },
  { "full-and-gone",
    history_full_and_gone,
    "full-is-there",
    VERDICT_VIOLATION,
    { "100us, position 42", "2.1 is a full member in the state of A", "not in its view" } },
  { "two-primaries",
    history_two_primaries,
    "one-primary",
    VERDICT_VIOLATION,
    { "1.1 in the state of A (at 100us)", "2.1 in that of B (at 110us)", "two may answer" } },
  { "answers-uncalled",
    history_answers_uncalled,
    "one-primary",
    VERDICT_VIOLATION,
    { "100us, position 42", "B answers", "primary is 1.1" } },
  { "primary-is-gone",
    history_primary_is_gone,
    "one-primary",
    VERDICT_VIOLATION,
    { "100us, position 42", "served by 1.1 in the state of B", "nobody answers" } },
};

/* --- whole runs ------------------------------------------------------------------------------- */

typedef struct Spoiled
{
  const char *name;
  void (*spoil) (Node *node);
  const char *rule;
} Spoiled;

static Queue *
find_queue (Node *node, gboolean with_consumer)
{
  Vhost *vhost = broker_lookup_vhost (node->broker, slice_of_text ("/"));

  for (guint i = 0; i < n_workload_queues; i++)
    {
      Queue *queue = vhost_lookup_queue (vhost, slice_of_text (workload_queues[i].name));

      if (!with_consumer || queue->consumers->len > 1)
        return queue;
    }
  g_assert_not_reached ();
}

static void
lose_a_message (Node *node)
{
  find_queue (node, FALSE)->n_taken--;
}

static void
forget_unacked (Node *node, gboolean give_back)
{
  gpointer value;

  for (IdMapIter iter = id_map_iter (node->sessions->sessions); id_map_next (&iter, NULL, &value);)
    {
      Unacked *unacked = &((Session *) value)->unacked;
      UnackedEntry *entry = unacked_first (unacked, G_MAXUINT64);

      if (entry == NULL)
        continue;
      if (give_back)
        queue_requeue (entry->queue, entry->position);
      unacked_remove (unacked, entry);
      return;
    }
  g_assert_not_reached ();
}

static void
lose_a_holder (Node *node)
{
  forget_unacked (node, FALSE);
}

static void
keep_unused (Node *node)
{
  Vhost *vhost = broker_lookup_vhost (node->broker, slice_of_text ("/"));
  const QueueDeclaration unused = { .name = slice_of_text ("unused"), .auto_delete = TRUE };

  vhost_declare_queue (vhost, &unused, (ConnectionId){ 0 }, NULL)->had_consumer = TRUE;
}

static void
ask_nobody (Node *node)
{
  forget_unacked (node, TRUE);
}

static void
promise_to_be_alone (Node *node)
{
  ((Consumer *) find_queue (node, TRUE)->consumers->pdata[0])->exclusive = TRUE;
}

static void
make_exclusive (Node *node)
{
  find_queue (node, TRUE)->exclusive = TRUE;
}

static void
answer_uncalled (Node *node)
{
  gpointer value;

  for (IdMapIter iter = id_map_iter (node->sessions->sessions); id_map_next (&iter, NULL, &value);)
    ((Session *) value)->is_served_here = TRUE;
}

static void
stay_when_lost (Node *node)
{
  const MemberId stranger = { 77, 1 };

  membership_add_full (&node->cluster->membership, stranger, 77, node_position (node));
}

static void
agree_alone (Node *node)
{
  node->cluster->agreed += 1000;
}

static void
keep_all (Node *node)
{
  node->cluster->join.backlog_bytes = LIMIT_JOIN_BACKLOG + 1;
}

static const Spoiled spoiled[] = {
  { "agreed-alone", agree_alone, "agreed-is-held" },
  { "a-backlog-without-end", keep_all, "bounded" },
  { "a-lost-message", lose_a_message, "conserved" },
  { "a-lost-holder", lose_a_holder, "one-holder" },
  { "an-idle-consumer", ask_nobody, "ready-is-served" },
  { "an-unused-queue", keep_unused, "auto-deleted" },
  { "an-exclusive-consumer", promise_to_be_alone, "exclusive-consumer" },
  { "an-exclusive-queue", make_exclusive, "exclusive-queue" },
  { "a-full-member-that-left", stay_when_lost, "full-is-there" },
  { "a-second-primary", answer_uncalled, "one-primary" },
};

static void
test_spoiled (gconstpointer data)
{
  const Spoiled *each = data;
  SimOptions options = sim_options_default ();
  g_autoptr (World) world = NULL;
  SimMember *member;

  options.seed = 1;
  options.clients = 16;
  options.crashes = options.partitions = 0;
  world = world_new (&options);
  world_run_to (world, PHASE_DRAIN);
  g_assert_cmpuint (findings_count (world->findings), ==, 0);
  member = world_member (world, 0);
  each->spoil (sim_member_peek_node (member));
  sim_member_turn (member);
  sim_member_look_in_full (member);
  g_test_message ("%s", findings_text (world->findings, 0));
  g_assert_true (checker_cases_says (world->findings, each->rule));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  checker_cases_add (cases, G_N_ELEMENTS (cases));
  for (guint i = 0; i < G_N_ELEMENTS (spoiled); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/checkers/finds/spoiled/", spoiled[i].name, NULL);

      g_test_add_data_func (path, &spoiled[i], test_spoiled);
    }
  return g_test_run ();
}
