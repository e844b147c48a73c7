/* SPDX-License-Identifier: MIT */
#include "sim/checker_tape.h"

static const char *
name_of (ReplyLane lane)
{
  switch (lane)
    {
    case REPLY_LANE_MAIN:
      return "replies and deliveries";
    case REPLY_LANE_CONFIRMS:
      return "returns and confirms";
    case N_REPLY_LANES:
      break;
    }
  g_assert_not_reached ();
}

/* Of what was sent, the part that every lineage has. */
static guint
count_safe (const Said *sent, guint n_sent, guint64 safe)
{
  guint count = n_sent;

  while (count > 0 && sent[count - 1].position > safe)
    count--;
  return count;
}

static void
differ (Findings *findings, const HeardBy *heard, guint channel, ReplyLane lane, guint index,
        const Said *told, const Said *sent)
{
  findings_add (findings, "tape",
                "%s, on its connection %" G_GUINT64_FORMAT
                " (to %s), channel %u, was told %s at %" G_GINT64_FORMAT
                "us, the %uth of its %s; one unclustered broker, fed the same order, sends %s "
                "there, at position %" G_GUINT64_FORMAT,
                heard->client, heard->number, heard->member, channel, method_name (told->method),
                told->at_us, index + 1, name_of (lane),
                told->method == sent->method ? "another one" : method_name (sent->method),
                sent->position);
}

static void
check_length (Findings *findings, const HeardBy *heard, guint channel, ReplyLane lane, guint n_told,
              guint n_sent)
{
  if (n_told == n_sent || (n_told < n_sent && !heard->is_complete))
    return;
  findings_add (findings, "tape",
                "%s, on its connection %" G_GUINT64_FORMAT
                " (to %s), channel %u, was told %u %s%s; one unclustered broker, fed the same "
                "order, sends %u",
                heard->client, heard->number, heard->member, channel, n_told, name_of (lane),
                heard->is_complete ? " until it closed in an orderly way" : "", n_sent);
}

/* A confirm is not told before a majority has what it confirms: there is none past that. */
static void
check_confirms (Findings *findings, const HeardBy *heard, guint channel, const Said *told,
                guint n_safe, guint n_told)
{
  for (guint i = n_safe; i < n_told; i++)
    if (told[i].method == METHOD_BASIC_ACK)
      {
        findings_add (findings, "tape",
                      "%s, on its connection %" G_GUINT64_FORMAT
                      " (to %s), channel %u, was told a confirm at %" G_GINT64_FORMAT
                      "us, the %uth of its returns and confirms, but a majority had only what "
                      "caused the first %u",
                      heard->client, heard->number, heard->member, channel, told[i].at_us, i + 1,
                      n_safe);
        return;
      }
}

static guint
compare_lane (Findings *findings, const HeardBy *heard, const Conversation *sent_there,
              guint channel, ReplyLane lane)
{
  guint n_told, n_sent = 0, n_safe, n;
  const Said *told = conversation_lane (heard->conversation, channel, lane, &n_told);
  const Said *sent
      = sent_there == NULL ? NULL : conversation_lane (sent_there, channel, lane, &n_sent);

  n_safe = count_safe (sent, n_sent, heard->safe);
  n = MIN (n_told, n_safe);
  for (guint i = 0; i < n; i++)
    if (told[i].digest != sent[i].digest)
      {
        differ (findings, heard, channel, lane, i, &told[i], &sent[i]);
        return i;
      }
  if (heard->safe == G_MAXUINT64)
    check_length (findings, heard, channel, lane, n_told, n_sent);
  else if (lane == REPLY_LANE_CONFIRMS && heard->confirms_are_safe)
    check_confirms (findings, heard, channel, told, n_safe, n_told);
  return n;
}

guint64
checker_tape_compare (Findings *findings, const HeardBy *heard, const Conversation *sent)
{
  guint64 n_compared = 0;
  guint n_channels = conversation_channels (heard->conversation);

  if (sent != NULL)
    n_channels = MAX (n_channels, conversation_channels (sent));
  for (guint channel = 1; channel < n_channels; channel++)
    for (guint lane = 0; lane < N_REPLY_LANES; lane++)
      n_compared += compare_lane (findings, heard, sent, channel, (ReplyLane) lane);
  return n_compared;
}

void
checker_tape_state (Findings *findings, gint64 now_us, const char *member, guint64 position,
                    guint64 digest, guint64 digest_of_broker)
{
  if (digest != digest_of_broker)
    findings_add (findings, "tape",
                  "%s holds a state of digest %016" G_GINT64_MODIFIER
                  "x at position %" G_GUINT64_FORMAT " (at %" G_GINT64_FORMAT
                  "us), but one unclustered broker, fed the same order from its beginning, comes "
                  "to %016" G_GINT64_MODIFIER "x",
                  member, digest, position, now_us, digest_of_broker);
}

void
checker_tape_unknown (Findings *findings, gint64 now_us, const char *member, guint64 position)
{
  findings_add (findings, "tape",
                "%s took a state at position %" G_GUINT64_FORMAT " (at %" G_GINT64_FORMAT
                "us) that no member had when it gave one",
                member, position, now_us);
}
