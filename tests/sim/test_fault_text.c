/* SPDX-License-Identifier: MIT */
/* Faults, triggers and timelines as text. */
#include "sim/timeline.h"

static const KeyfilePosition somewhere = { 7, 11 };

/* The shortest and the longest text of each kind. */
static const char *const fault_texts[] = {
  "crash A",
  "crash Z for ever",
  "crash B for 20ms",
  "suffix-loss M26",
  "stop eldest for ever",
  "restart lowest",
  "pause C",
  "pause C 2s",
  "pause highest 1500us",
  "resume donor",
  "node-down youngest for 5ms",
  "ghost B",
  "hang highest 1500us",
  "lag B 20ms",
  "lag B 20ms for 1s",
  "slow B 5 per 1ms",
  "slow B 1 per 100ms for 1s",
  "catch-up B",
  "one-way A B",
  "one-way A B for 50ms",
  "non-transitive A eldest for ever",
  "majority-ring",
  "majority-ring for 50ms",
  "handle-lost A for 30ms",
  "daemon-stop A",
  "daemon-up A",
  "spike 5 times for 100ms",
  "stall 700ms",
  "full A for 3ms",
  "partition A B | C D | E",
  "partition C | A B for 300ms",
  "isolate it for 1us",
  "heal",
  "flapping 7 times in 40ms",
  "swizzle in 100ms",
  "cut-off-paused A 30ms",
  "tear publisher-2",
  "close consumer-13",
  "newer-version A",
  "stranger A",
  "crash-several 2",
  "node-down-several 3",
  "ack-nothing consumer-3 5ms",
  "nack-storm consumer-3",
  "behave consumer-3",
  "slow-reader consumer-3",
  "slow-reader consumer-3 20ms",
  "silence steward-8 70s",
  "listen publisher-0",
  "clock-jump A 10s",
  "clock-drift A 150 percent",
  "site A chunk-late",
  "site B read-little for 20ms",
  "site-off A chunk-late",
  "form-by-force A",
  "forget A C",
  "mutant-reorder A",
  "mutant-duplicate A",
  "mutant-drop A",
  "mutant-overtake A",
  "mutant-wrong-view A",
  "mutant-altered A",
  "mutant-posthumous A",
  "mutant-premature A",
};

static void
test_fault_texts (void)
{
  gboolean seen[N_FAULT_KINDS] = { FALSE };

  for (guint i = 0; i < G_N_ELEMENTS (fault_texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;
      Fault fault, again, copy;

      fault_parse (slice_of_text (fault_texts[i]), somewhere, &fault, &error);
      g_assert_no_error (error);
      text = fault_text (&fault);
      g_assert_cmpstr (text, ==, fault_texts[i]);
      fault_parse (slice_of_text (text), somewhere, &again, &error);
      g_assert_no_error (error);
      g_assert_true (fault_equal (&fault, &again));
      copy = fault_copy (&fault);
      g_assert_true (fault_equal (&fault, &copy));
      seen[fault.kind] = TRUE;
      fault_clear (&fault);
      fault_clear (&again);
      fault_clear (&copy);
    }
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    if (!seen[i])
      g_error ("no text for %s", fault_kinds[i].name);
}

static const char *const trigger_texts[] = {
  "at 212ms",
  "at 0us",
  "after 100 confirmed",
  "after 1 confirmed + 5ms",
  "when A is active",
  "when eldest is joining + 250us",
  "when any is donating",
  "when donor is suspended",
  "when M31 is gone",
  "when A is alone",
  "when any is sending",
  "when A has ordered",
  "when all are active",
  "when none is active",
  "when A sees 3 members",
  "when A holds 10 unreleased",
  "when publisher-0 is connected",
  "when phase drain",
  "then A is joining + 5ms",
};

static void
test_trigger_texts (void)
{
  gboolean seen[N_CONDITION_KINDS] = { FALSE };

  for (guint i = 0; i < G_N_ELEMENTS (trigger_texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;
      Trigger trigger, copy;

      trigger_parse (slice_of_text (trigger_texts[i]), somewhere, &trigger, &error);
      g_assert_no_error (error);
      text = trigger_text (&trigger);
      g_assert_cmpstr (text, ==, trigger_texts[i]);
      copy = trigger_copy (&trigger);
      g_assert_true (trigger_equal (&trigger, &copy));
      if (trigger.kind == TRIGGER_WHEN)
        seen[trigger.condition.kind] = TRUE;
      trigger_clear (&trigger);
      trigger_clear (&copy);
    }
  for (guint i = 0; i < N_CONDITION_KINDS; i++)
    if (!seen[i])
      g_error ("no text for '%s'", condition_kinds[i].pattern);
}

typedef struct Wrong
{
  const char *text;
  const char *complaint; /* part of it */
} Wrong;

static const Wrong wrong_faults[] = {
  { "", "7:11: expected a fault at the end" },
  { "crsh A", "7:11: there is no fault 'crsh', did you mean 'crash'?" },
  { "crash", "7:16: expected a member" },
  { "crash q", "7:17: expected a member" },
  { "crash any", "7:17: expected a member" },
  { "crash M5", "7:17: expected a member" },
  { "crash A B", "7:19: expected 'for', not 'B'" },
  { "pause A soon", "7:19: expected a time such as 250us, 5ms or 2s, not 'soon'" },
  { "pause A 5", "7:19: expected a time" },
  { "pause A 5ms or so", "7:23: 'or' is too much here" },
  { "partition A B", "7:24: expected a member's name or | at the end" },
  { "partition A | B A", "7:27: A is in two parts" },
  { "partition A || B", "7:24: expected a member's name, not '|'" },
  { "partition A | b", "7:25: expected a member's name, not 'b'" },
  { "crash A 100ms", "7:19: expected 'for', not '100ms'" },
  { "crash A for 99999999999999s", "7:23: expected a time" },
  { "tear publisher", "7:16: expected a client" },
  { "heal now", "7:16: 'now' is too much here" },
};

static const Wrong wrong_triggers[] = {
  { "", "7:11: expected 'at TIME'" },
  { "wen A is active", "not 'wen', did you mean 'when'?" },
  { "at 5", "7:14: expected a time" },
  { "at 5ms + 5ms", "7:18: '+' is too much here" },
  { "after some confirmed", "7:17: expected a number, not 'some'" },
  { "after 5", "7:18: expected 'confirmed' at the end" },
  { "when A is", "at the end" },
  { "when it is active", "7:16: expected a member" },
  { "when A sees 3", "7:24: expected 'members' at the end" },
  { "when phase drian", "not 'drian', did you mean 'drain'?" },
  { "when A is active + soon", "7:30: expected a time" },
};

static void
test_wrong_texts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong_faults); i++)
    {
      g_autoptr (GError) error = NULL;
      Fault fault;

      g_assert_false (
          fault_parse (slice_of_text (wrong_faults[i].text), somewhere, &fault, &error));
      if (strstr (error->message, wrong_faults[i].complaint) == NULL)
        g_error ("'%s': '%s' is not about '%s'", wrong_faults[i].text, error->message,
                 wrong_faults[i].complaint);
    }
  for (guint i = 0; i < G_N_ELEMENTS (wrong_triggers); i++)
    {
      g_autoptr (GError) error = NULL;
      Trigger trigger;

      g_assert_false (
          trigger_parse (slice_of_text (wrong_triggers[i].text), somewhere, &trigger, &error));
      if (strstr (error->message, wrong_triggers[i].complaint) == NULL)
        g_error ("'%s': '%s' is not about '%s'", wrong_triggers[i].text, error->message,
                 wrong_triggers[i].complaint);
    }
}

static void
test_timeline (void)
{
  const char *const lines[][2] = { { "at 5ms", "crash A" },
                                   { "when A is gone + 1ms", "restart A" },
                                   { "at 5ms", "isolate E" } };
  g_autoptr (Timeline) timeline = timeline_new ();
  g_autoptr (Timeline) copy = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autofree char *text_of_copy = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      timeline_parse_entry (timeline, slice_of_text (lines[i][0]), somewhere,
                            slice_of_text (lines[i][1]), somewhere, &error);
      g_assert_no_error (error);
    }
  g_assert_false (timeline_parse_entry (timeline, slice_of_text ("at 5ms"), somewhere,
                                        slice_of_text ("crash"), somewhere, NULL));
  text = timeline_text (timeline);
  g_assert_cmpstr (text, ==,
                   "at 5ms = crash A\nwhen A is gone + 1ms = restart A\nat 5ms = isolate E\n");
  g_assert_cmpint (timeline_highest_member (timeline), ==, 4);
  copy = timeline_copy (timeline);
  timeline_remove (timeline, 2);
  g_assert_cmpint (timeline_highest_member (timeline), ==, 0);
  text_of_copy = timeline_text (copy);
  g_assert_cmpstr (text_of_copy, ==, text);
}

static void
test_parts (void)
{
  Fault fault;

  g_assert_true (fault_parse (slice_of_text ("partition C | A E"), somewhere, &fault, NULL));
  g_assert_cmpuint (phrase_part_of (&fault.values, 0), ==, 1);
  g_assert_cmpuint (phrase_part_of (&fault.values, 1), ==, 0);
  g_assert_cmpuint (phrase_part_of (&fault.values, 2), ==, 0);
  g_assert_cmpuint (phrase_part_of (&fault.values, 4), ==, 1);
  g_assert_cmpuint (phrase_part_of (&fault.values, 900), ==, 0);
  fault_clear (&fault);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/fault/each-kind-is-read-as-it-is-printed", test_fault_texts);
  g_test_add_func ("/sim/trigger/each-kind-is-read-as-it-is-printed", test_trigger_texts);
  g_test_add_func ("/sim/fault/what-is-wrong-is-told-with-its-place", test_wrong_texts);
  g_test_add_func ("/sim/fault/who-is-not-named-is-in-the-first-part", test_parts);
  g_test_add_func ("/sim/timeline/is-read-copied-and-printed", test_timeline);
  return g_test_run ();
}
