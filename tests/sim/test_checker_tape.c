/* SPDX-License-Identifier: MIT */
/* The tape test is given conversations that one broker would not have; and whole runs in which a
 * client was told too much, or a member is not what the order makes of it. */
#include "core/broker/broker_internal.h"
#include "core/node/node_parts.h"
#include "sim/checker_tape.h"
#include "sim/member.h"
#include "sim/tape_test.h"
#include "sim/workload.h"
#include "tests/sim/checker_cases.h"

/* --- conversations ------------------------------------------------------------------------ */

static void
say (Conversation *conversation, MethodId id, guint64 position, gint64 at_us)
{
  const Method method = { .id = id };

  conversation_add (conversation, 1, &method, (Slice){ 0 }, NULL, 0, position, at_us);
}

static void
deliver (Conversation *conversation, guint64 tag, const char *body, guint64 position)
{
  const Method method = { .id = METHOD_BASIC_DELIVER, .basic_deliver = { .delivery_tag = tag } };
  const Slice bodies[] = { slice_sub (slice_of_text (body), 0, 2),
                           slice_sub (slice_of_text (body), 2, strlen (body) - 2) };
  const Slice whole = slice_of_text (body);

  /* The broker has it as its publisher cut it, the client has it whole. */
  conversation_add (conversation, 1, &method, slice_of_text ("head"),
                    position > 0 ? bodies : &whole, position > 0 ? 2 : 1, position, 700);
}

static void
confirm (Conversation *conversation, guint64 tag, gboolean multiple, guint64 position)
{
  const Method method
      = { .id = METHOD_BASIC_ACK, .basic_ack = { .delivery_tag = tag, .multiple = multiple } };

  conversation_add (conversation, 1, &method, (Slice){ 0 }, NULL, 0, position, 800);
}

/* Opened, one delivery, three confirms in two steps, one more delivery. */
static Conversation *
what_one_broker_sends (void)
{
  Conversation *sent = conversation_new ();

  say (sent, METHOD_CHANNEL_OPEN_OK, 10, 0);
  deliver (sent, 1, "hello", 11);
  confirm (sent, 1, FALSE, 12);
  confirm (sent, 3, TRUE, 13);
  deliver (sent, 2, "again", 14);
  return sent;
}

static void
compare (Findings *findings, const Conversation *told, guint64 safe, gboolean is_complete)
{
  g_autoptr (Conversation) sent = what_one_broker_sends ();
  const HeardBy heard = { "consumer-3", "B", 5, told, safe, TRUE, is_complete };

  g_assert_cmpuint (checker_tape_compare (findings, &heard, sent), >, 0);
}

static void
history_another_delivery (Findings *findings, gboolean broken)
{
  g_autoptr (Conversation) told = conversation_new ();

  say (told, METHOD_CHANNEL_OPEN_OK, 0, 600);
  deliver (told, 1, broken ? "hullo" : "hello", 0);
  compare (findings, told, G_MAXUINT64, FALSE);
}

/* Deliveries overtake confirms that are held, and held confirms leave as one. */
static void
history_confirms (Findings *findings, gboolean broken)
{
  g_autoptr (Conversation) told = conversation_new ();

  say (told, METHOD_CHANNEL_OPEN_OK, 0, 600);
  deliver (told, 1, "hello", 0);
  deliver (told, 2, "again", 0);
  confirm (told, broken ? 4 : 3, TRUE, 0);
  compare (findings, told, G_MAXUINT64, TRUE);
}

static void
history_cut_short (Findings *findings, gboolean broken)
{
  g_autoptr (Conversation) told = conversation_new ();

  say (told, METHOD_CHANNEL_OPEN_OK, 0, 600);
  deliver (told, 1, "hello", 0);
  confirm (told, 3, TRUE, 0);
  compare (findings, told, G_MAXUINT64, broken);
}

/* Past what a majority had its member told it what nobody else knows. */
static void
history_lost_tail (Findings *findings, gboolean broken)
{
  g_autoptr (Conversation) told = conversation_new ();

  say (told, METHOD_CHANNEL_OPEN_OK, 0, 600);
  deliver (told, 1, "hello", 0);
  deliver (told, 2, "other", 0);
  deliver (told, 3, "more", 0);
  compare (findings, told, broken ? 14 : 13, FALSE);
}

static void
history_unsafe_confirm (Findings *findings, gboolean broken)
{
  g_autoptr (Conversation) told = conversation_new ();

  say (told, METHOD_CHANNEL_OPEN_OK, 0, 600);
  confirm (told, 1, FALSE, 0);
  if (broken)
    confirm (told, 2, FALSE, 0);
  compare (findings, told, 12, FALSE);
}

static void
history_state (Findings *findings, gboolean broken)
{
  checker_tape_state (findings, 900, "A", 42, 0xaaaa, broken ? 0xbbbb : 0xaaaa);
}

static void
history_unknown_state (Findings *findings, gboolean broken)
{
  if (broken)
    checker_tape_unknown (findings, 900, "A", 42);
}

static const CheckerCase cases[] = {
  { "another-delivery",
    history_another_delivery,
    "tape",
    VERDICT_VIOLATION,
    { "consumer-3", "basic.deliver at 700us", "at position 11" } },
  { "a-confirm-too-many",
    history_confirms,
    "tape",
    VERDICT_VIOLATION,
    { "consumer-3", "was told 4 returns and confirms", "sends 3" } },
  { "told-too-little",
    history_cut_short,
    "tape",
    VERDICT_VIOLATION,
    { "consumer-3", "was told 2 replies and deliveries until it closed", "sends 3" } },
  { "another-tail-that-a-majority-had",
    history_lost_tail,
    "tape",
    VERDICT_VIOLATION,
    { "consumer-3", "the 3th", "at position 14" } },
  { "a-confirm-that-was-not-safe",
    history_unsafe_confirm,
    "tape",
    VERDICT_VIOLATION,
    { "consumer-3", "a confirm at 800us", "only what caused the first 1" } },
  { "state-that-the-order-does-not-make",
    history_state,
    "tape",
    VERDICT_VIOLATION,
    { "A holds", "position 42 (at 900us)", "one unclustered broker" } },
  { "state-that-nobody-gave",
    history_unknown_state,
    "tape",
    VERDICT_VIOLATION,
    { "A took a state", "position 42 (at 900us)", "no member had" } },
};

/* --- whole runs ------------------------------------------------------------------------------- */

static World *
run_to_settle (SimOptions *options)
{
  World *world;

  *options = sim_options_default ();
  options->seed = 3;
  options->crashes = 4;
  options->partitions = 4;
  world = world_new (options);
  world_run_to (world, PHASE_SETTLE);
  g_assert_cmpuint (findings_count (world->findings), ==, 0);
  return world;
}

static void
test_run_is_compared (void)
{
  SimOptions options;
  g_autoptr (World) world = run_to_settle (&options);

  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
  g_assert_cmpuint (tape_test_compared (world->tape_test), >, 500);
}

/* The last connection is the steward's or a consumer's, and is closed in the end. */
static void
test_told_too_much (void)
{
  SimOptions options;
  g_autoptr (World) world = run_to_settle (&options);

  say (tape_test_conversation (world->tape_test, world->counts.connections), METHOD_BASIC_QOS_OK, 0,
       5);
  g_assert_cmpint (world_run (world), ==, VERDICT_VIOLATION);
  g_test_message ("%s", findings_text (world->findings, 0));
  g_assert_true (checker_cases_says (world->findings, "tape"));
}

/* Whatever other members say: only who plays the order from its beginning sees it. */
static void
test_state_is_wrong (void)
{
  SimOptions options;
  g_autoptr (World) world = run_to_settle (&options);
  SimMember *member = world_member (world, 0);
  Vhost *vhost;

  g_assert_cmpint (world_run (world), ==, VERDICT_PASS);
  vhost = broker_lookup_vhost (sim_member_peek_node (member)->broker, slice_of_text ("/"));
  queue_take_turn (vhost_lookup_queue (vhost, slice_of_text (workload_queues[0].name)));
  sim_member_play_tape (member);
  g_assert_cmpuint (findings_count (world->findings), ==, 1);
  g_test_message ("%s", findings_text (world->findings, 0));
  g_assert_true (checker_cases_says (world->findings, "tape"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  checker_cases_add (cases, G_N_ELEMENTS (cases));
  g_test_add_func ("/sim/checkers/takes/tape-of-a-run", test_run_is_compared);
  g_test_add_func ("/sim/checkers/finds/tape/told-too-much", test_told_too_much);
  g_test_add_func ("/sim/checkers/finds/tape/state-is-wrong", test_state_is_wrong);
  return g_test_run ();
}
