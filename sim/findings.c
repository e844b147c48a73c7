/* SPDX-License-Identifier: MIT */
#include "sim/findings.h"

#include <string.h>

const CheckerRule checker_rules[] = {
  /* checker_agreement.c */
  { "equal-state", VERDICT_VIOLATION,
    "active members at the same position of the order hold the same state" },
  { "minority-rests", VERDICT_VIOLATION,
    "a member that does not see a majority of the voters is not active" },
  { "true-digest", VERDICT_VIOLATION, "the running digest of a member is that of its whole state" },
  { "converged", VERDICT_VIOLATION,
    "once all is whole again and at rest, all members hold the same state" },
  { "nothing-missing", VERDICT_VIOLATION,
    "no active member finds a gap in what was sent in its epoch (protocol: stamp, resend)" },
  /* checker_majority.c */
  { "agreed-is-held", VERDICT_VIOLATION,
    "what a member takes for agreed, and confirms, a majority of the voters has" },
  /* checker_bounds.c */
  { "bounded", VERDICT_VIOLATION,
    "what waits and what is said has a bound: window, outbox, backlog, multicasts" },
  /* checker_members.c */
  { "full-is-there", VERDICT_VIOLATION, "a full member is in the view" },
  /* checker_view.c */
  { "view-holds-self", VERDICT_VIOLATION, "a member is in each view that it is told" },
  { "view-follows", VERDICT_VIOLATION,
    "each view is the one before without those that left and with those that joined" },
  { "same-messages", VERDICT_VIOLATION,
    "members told the same two views were told the same messages between them, in one order" },
  { "sender-in-view", VERDICT_VIOLATION, "a message comes from a member of the view" },
  { "self-delivery", VERDICT_VIOLATION,
    "what a member multicasts comes back to it, once, in the order of its sending" },
  { "nothing-posthumous", VERDICT_VIOLATION, "a membership that is over is told nothing" },
  /* checker_order.c */
  { "total-order", VERDICT_VIOLATION,
    "two messages are told in one order to all that are told both" },
  { "sender-fifo", VERDICT_VIOLATION,
    "messages of one sender are told in the order of its sending, none left out in between" },
  { "told-once", VERDICT_VIOLATION,
    "no message is told twice, or behind a later one of its sender" },
  { "nothing-premature", VERDICT_VIOLATION,
    "a message is told only after its sender multicast it, and as it was sent" },
  /* checker_delivery.c */
  { "nothing-lost", VERDICT_VIOLATION,
    "a confirmed message was consumed from each queue that it was routed to" },
  { "routed-rightly", VERDICT_VIOLATION, "a message is in no queue that it was not routed to" },
  { "delivered-once", VERDICT_VIOLATION,
    "a message that was seen before comes again only with its redelivered flag set" },
  { "acked-is-gone", VERDICT_VIOLATION, "a message does not come back after its acknowledgement" },
  { "auto-acked-once", VERDICT_VIOLATION, "a message consumed without acknowledgement comes once" },
  { "queue-fifo", VERDICT_VIOLATION,
    "first deliveries keep the order in which one channel published them" },
  { "unaltered", VERDICT_VIOLATION, "a message arrives byte by byte as it was published" },
  { "tags-count-up", VERDICT_VIOLATION, "delivery tags of a channel are 1, 2, 3 and so on" },
  { "known-consumer", VERDICT_VIOLATION,
    "deliveries are for consumers of the channel that were not cancelled" },
  { "window-kept", VERDICT_VIOLATION,
    "a consumer, and a channel, is given no more than its prefetch window holds" },
  { "confirmed-once", VERDICT_VIOLATION, "each publish is confirmed once, and nothing else is" },
  { "returned-rightly", VERDICT_VIOLATION,
    "a mandatory message that no queue took is returned before it is confirmed; no other is" },
  { "no-unprovoked-close", VERDICT_VIOLATION,
    "a channel or connection is closed only for what its client did, or because the member goes" },
  { "broker-speaks-amqp", VERDICT_VIOLATION, "what the broker sends can be decoded" },
  /* checker_tape.c */
  { "tape", VERDICT_VIOLATION,
    "what a client saw, and what members hold, is what one broker does that is fed the same "
    "order" },
  /* checker_queues.c */
  { "conserved", VERDICT_VIOLATION,
    "what came to a queue is ready, unacked, or counted as gone; it came as often as clients "
    "sent" },
  { "one-holder", VERDICT_VIOLATION, "an unacked message is held by one session" },
  { "exclusive-consumer", VERDICT_VIOLATION, "an exclusive consumer is the only one of its queue" },
  { "exclusive-queue", VERDICT_VIOLATION,
    "an exclusive queue serves one connection only, and goes with it" },
  { "auto-deleted", VERDICT_VIOLATION,
    "a queue that is to delete itself is gone with its last consumer" },
  { "ready-is-served", VERDICT_VIOLATION,
    "a message that is ready waits only while no consumer of its queue can take it" },
  /* checker_sessions.c */
  { "one-primary", VERDICT_VIOLATION,
    "a session has one primary, a full member, and that one alone answers its client" },
  /* checker_liveness.c */
  { "becomes-active", VERDICT_LIVENESS, "a member that starts is active within a bounded time" },
  { "confirmed-at-last", VERDICT_LIVENESS, "a publish is confirmed, or its channel is lost" },
  { "drained-at-last", VERDICT_LIVENESS, "once publishing ends, queues are drained" },
  { "converges-at-last", VERDICT_LIVENESS,
    "once all is whole again, all members come to rest at one position" },
  { "stays-active", VERDICT_LIVENESS,
    "a suspended cluster serves again once its members are back" },
  { "majority-is-there", VERDICT_INCONCLUSIVE,
    "a majority of the voters hear each other: without it the cluster has to rest" },
  { "state-survives", VERDICT_INCONCLUSIVE,
    "some member holds the state: nothing survives the loss of all that do" },
};
const guint n_checker_rules = G_N_ELEMENTS (checker_rules);

struct Findings
{
  GPtrArray *texts;
  guint count;
  gboolean found[VERDICT_NON_DETERMINISM + 1];
  Probes *probes; /* NULL: none */
};

Findings *
findings_new (void)
{
  Findings *findings = g_new0 (Findings, 1);

  findings->texts = g_ptr_array_new_with_free_func (g_free);
  return findings;
}

void
findings_free (Findings *findings)
{
  g_ptr_array_unref (findings->texts);
  g_free (findings);
}

static const CheckerRule *
find_rule (const char *name)
{
  for (guint i = 0; i < n_checker_rules; i++)
    if (g_str_equal (checker_rules[i].name, name))
      return &checker_rules[i];
  g_assert_not_reached ();
}

Verdict
findings_rule_verdict (const char *rule)
{
  return find_rule (rule)->verdict;
}

void
findings_add (Findings *findings, const char *rule, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  findings->found[find_rule (rule)->verdict] = TRUE;
  if (findings->count++ >= FINDINGS_KEPT)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_ptr_array_add (findings->texts, g_strdup_printf ("%s: %s", rule, text));
}

void
findings_set_probes (Findings *findings, Probes *probes)
{
  findings->probes = probes;
}

void
findings_reached (Findings *findings, Probe probe)
{
  if (findings->probes != NULL)
    probes_reach (findings->probes, probe);
}

guint
findings_count (const Findings *findings)
{
  return findings->count;
}

const char *
findings_text (const Findings *findings, guint index)
{
  return g_ptr_array_index (findings->texts, index);
}

Verdict
findings_verdict (const Findings *findings)
{
  static const Verdict by_weight[] = { VERDICT_VIOLATION, VERDICT_LIVENESS, VERDICT_INCONCLUSIVE };

  for (guint i = 0; i < G_N_ELEMENTS (by_weight); i++)
    if (findings->found[by_weight[i]])
      return by_weight[i];
  return VERDICT_PASS;
}

const char *
verdict_name (Verdict verdict)
{
  switch (verdict)
    {
    case VERDICT_PASS:
      return "pass";
    case VERDICT_VIOLATION:
      return "violation";
    case VERDICT_LIVENESS:
      return "liveness";
    case VERDICT_INCONCLUSIVE:
      return "inconclusive";
    case VERDICT_NON_DETERMINISM:
      return "non-determinism";
    }
  g_assert_not_reached ();
}
