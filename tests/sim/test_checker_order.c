/* SPDX-License-Identifier: MIT */
/* The checker of the order is given histories that break its promise; and whole runs over a
 * transport that breaks its contract are found out. */
#include "sim/checker_order.h"
#include "sim/world.h"
#include "tests/sim/checker_cases.h"

static const MemberId ann = { 1, 1 };
static const MemberId bob = { 2, 1 };
static const MemberId cat = { 3, 1 };

typedef struct Three
{
  OrderTape *a;
  OrderTape *b;
  OrderTape *c;
} Three;

static void
tell_view (OrderTape *tape, guint64 sequence, const MemberId *members, guint n_members)
{
  const View view = { .members = members, .n_members = n_members, .number = sequence };

  order_tape_view (tape, &view);
}

static void
tell_all (Three three, guint64 sequence, guint n_members)
{
  const MemberId members[] = { ann, bob, cat };

  tell_view (three.a, sequence, members, n_members);
  tell_view (three.b, sequence, members, n_members);
  if (n_members == 3)
    tell_view (three.c, sequence, members, n_members);
}

static Three
three_members (CheckerOrder *checker)
{
  Three three = { checker_order_joins (checker, "A", ann), checker_order_joins (checker, "B", bob),
                  checker_order_joins (checker, "C", cat) };

  tell_all (three, 1, 3);
  return three;
}

static void
tell (OrderTape *tape, gint64 now_us, MemberId sender, guint64 hash)
{
  order_tape_message (tape, now_us, (Told){ sender, hash, 0 });
}

static void
history_other_order (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerOrder) checker = checker_order_new (findings);
  Three three = three_members (checker);

  order_tape_sent (three.a, 100, 0xa0);
  order_tape_sent (three.b, 110, 0xb0);
  tell (three.a, 200, ann, 0xa0);
  tell (three.a, 210, bob, 0xb0);
  tell (three.b, 220, broken ? bob : ann, broken ? 0xb0 : 0xa0);
  tell (three.b, 230, broken ? ann : bob, broken ? 0xa0 : 0xb0);
}

/* Past the gap of a partition each side has its own; what both have is in one order. */
static void
history_sides (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerOrder) checker = checker_order_new (findings);
  Three three = three_members (checker);

  for (guint i = 0; i < 3; i++)
    order_tape_sent (three.a, 100 + i, 0xa0 + i);
  order_tape_sent (three.b, 110, 0xb0);
  order_tape_sent (three.c, 120, 0xc0);
  tell (three.a, 200, ann, 0xa0);
  tell (three.a, 210, bob, 0xb0);
  tell (three.a, 220, ann, 0xa1);
  tell (three.c, 230, ann, 0xa0);
  tell (three.c, 240, cat, 0xc0);
  if (broken)
    {
      tell (three.c, 250, ann, 0xa1);
      tell (three.c, 260, bob, 0xb0);
    }
}

/* What the transport says of places is not believed. */
static void
history_places_that_lie (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerOrder) checker = checker_order_new (findings);
  Three three = three_members (checker);

  order_tape_sent (three.a, 100, 0xa0);
  order_tape_sent (three.b, 110, 0xb0);
  order_tape_message (three.a, 200, (Told){ ann, 0xa0, 1 });
  order_tape_message (three.a, 210, (Told){ bob, 0xb0, 2 });
  if (broken)
    order_tape_message (three.b, 220, (Told){ bob, 0xb0, 1 });
  order_tape_message (three.b, 230, (Told){ ann, 0xa0, broken ? 2 : 1 });
}

static void
history_not_the_same_at_the_end (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerOrder) checker = checker_order_new (findings);
  Three three = three_members (checker);

  order_tape_sent (three.a, 100, 0xa0);
  order_tape_sent (three.b, 110, 0xb0);
  tell (three.a, 200, ann, 0xa0);
  tell (three.b, 210, broken ? bob : ann, broken ? 0xb0 : 0xa0);
  checker_order_end (checker, 300);
}

static void
history_left_out (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerOrder) checker = checker_order_new (findings);
  Three three = three_members (checker);

  for (guint i = 0; i < 3; i++)
    order_tape_sent (three.a, 100 + i, 0xa0 + i);
  tell (three.b, 200, ann, 0xa0);
  if (!broken)
    tell (three.b, 210, ann, 0xa1);
  tell (three.b, 220, ann, 0xa2);
}

/* Who was away may be missed a while, and no longer. */
static void
history_left_out_behind_merge (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerOrder) checker = checker_order_new (findings);
  Three three = three_members (checker);

  for (guint i = 0; i < 5; i++)
    order_tape_sent (three.c, 100 + i, 0xc0 + i);
  tell (three.b, 200, cat, 0xc0);
  tell_all (three, 2, 2);
  tell_all (three, 3, 3);
  tell (three.b, 220, cat, 0xc2);
  tell (three.b, 230, cat, broken ? 0xc4 : 0xc3);
}

static void
history_twice (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerOrder) checker = checker_order_new (findings);
  Three three = three_members (checker);

  order_tape_sent (three.a, 100, 0xa0);
  order_tape_sent (three.a, 110, 0xa1);
  tell (three.b, 200, ann, 0xa0);
  tell_all (three, 2, 2);
  tell (three.b, 210, ann, broken ? 0xa0 : 0xa1);
}

static void
history_premature (Findings *findings, gboolean broken)
{
  g_autoptr (CheckerOrder) checker = checker_order_new (findings);
  Three three = three_members (checker);

  if (!broken)
    order_tape_sent (three.a, 100, 0xa0);
  tell (three.b, 200, ann, 0xa0);
  if (broken)
    order_tape_sent (three.a, 300, 0xa0);
}

static const CheckerCase cases[] = {
  { "two-messages-in-another-order",
    history_other_order,
    "total-order",
    VERDICT_VIOLATION,
    { "230us B", "message 0 of sender 1 behind message 0 of sender 2", "the other way round" } },
  { "sides-that-disagree",
    history_sides,
    "total-order",
    VERDICT_VIOLATION,
    { "260us C", "behind message 1 of sender 1", "A was told it at 210us and that one at 220us" } },
  { "places-that-lie",
    history_places_that_lie,
    "total-order",
    VERDICT_VIOLATION,
    { "230us B", "message 0 of sender 1 behind message 0 of sender 2", "A was told it at 200us" } },
  { "other-messages-at-the-end",
    history_not_the_same_at_the_end,
    "total-order",
    VERDICT_VIOLATION,
    { "A and B", "300us", "not told the same" } },
  { "a-message-left-out",
    history_left_out,
    "sender-fifo",
    VERDICT_VIOLATION,
    { "220us B", "message 2 of 1.1 (sent at 102us)", "after message 0" } },
  { "a-message-left-out-behind-a-merge",
    history_left_out_behind_merge,
    "sender-fifo",
    VERDICT_VIOLATION,
    { "230us B", "message 4 of 3.1", "after message 2" } },
  { "a-message-twice",
    history_twice,
    "told-once",
    VERDICT_VIOLATION,
    { "210us B", "message 0 of 1.1 (sent at 100us)", "twice" } },
  { "a-message-before-it-was-sent",
    history_premature,
    "nothing-premature",
    VERDICT_VIOLATION,
    { "200us B", "1.1", "too early" } },
};

/* --- whole runs ------------------------------------------------------------------------------- */

typedef struct MutantCase
{
  const char *name;
  FaultKind kind;
  const char *rule;
} MutantCase;

static const MutantCase mutants[] = {
  { "reordered", FAULT_MUTANT_REORDER, "total-order" },
  { "overtaken", FAULT_MUTANT_OVERTAKE, "sender-fifo" },
  { "duplicated", FAULT_MUTANT_DUPLICATE, "told-once" },
  { "dropped", FAULT_MUTANT_DROP, "sender-fifo" },
  { "of-a-wrong-view", FAULT_MUTANT_WRONG_VIEW, "view-follows" },
  { "posthumous", FAULT_MUTANT_POSTHUMOUS, "sender-in-view" },
  { "premature", FAULT_MUTANT_PREMATURE, "nothing-premature" },
  { "altered", FAULT_MUTANT_ALTERED, "nothing-premature" },
};

#define SEEDS_TRIED 20
#define MUTANT_US   60000

/* Some other rule may be broken by it first: then another run is tried. */
static gboolean
is_found_out (const MutantCase *mutant, guint64 seed)
{
  SimOptions options = sim_options_default ();
  g_autoptr (Timeline) timeline = timeline_new ();
  g_autoptr (World) world = NULL;

  options.seed = seed;
  options.partitions = 0;
  options.timeline = timeline;
  timeline_add (timeline, trigger_at (MUTANT_US), fault_of_member (mutant->kind, 0));
  world = world_new (&options);
  world_run (world);
  if (!world->mutants.is_done)
    return FALSE;
  g_assert_cmpint (findings_verdict (world->findings), ==, VERDICT_VIOLATION);
  g_test_message ("seed %" G_GUINT64_FORMAT ": %s", seed, findings_text (world->findings, 0));
  return checker_cases_says (world->findings, mutant->rule);
}

static void
test_mutant (gconstpointer data)
{
  guint64 seed = 1;

  while (!is_found_out (data, seed))
    g_assert_cmpuint (++seed, <=, SEEDS_TRIED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  checker_cases_add (cases, G_N_ELEMENTS (cases));
  for (guint i = 0; i < G_N_ELEMENTS (mutants); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/checkers/finds/mutant/", mutants[i].name, NULL);

      g_test_add_data_func (path, &mutants[i], test_mutant);
    }
  return g_test_run ();
}
