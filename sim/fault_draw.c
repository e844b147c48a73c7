/* SPDX-License-Identifier: MIT */
/* The dice: which kinds a seed has, whom they strike and for how long. */
#include "sim/client.h"
#include "sim/fault_parts.h"
#include "sim/member.h"

#include <string.h>

/* Longer than a cluster may take to serve again. */
#define LONG_US_MIN (6 * G_USEC_PER_SEC)
#define LONG_US_MAX (8 * G_USEC_PER_SEC)

/* --- how often ---------------------------------------------------------------------------- */

/* Kinds that strike together so often as an option says: each stroke is one of them. */
typedef struct Share
{
  FaultKind kind;
  guint share;
} Share;

static const Share endings[] = {
  { FAULT_STOP, 2 },
  { FAULT_CRASH, 3 },
  { FAULT_SUFFIX_LOSS, 3 },
};

static const Share partings[] = {
  { FAULT_PARTITION, 6 },      { FAULT_ISOLATE, 3 }, { FAULT_FLAPPING, 3 },
  { FAULT_CUT_OFF_PAUSED, 2 }, { FAULT_PAUSE, 1 },
};

/* All kinds that share draw the same numbers, so that together they are `total`. */
static guint
share_of (const SimOptions *options, const Share *shares, guint n_shares, FaultKind kind,
          guint total)
{
  SimStream random = sim_stream (options->seed, (guint64) shares[0].kind, SIM_PURPOSE_SHARES);
  guint sum = 0, count = 0;

  for (guint i = 0; i < n_shares; i++)
    sum += shares[i].share;
  for (guint i = 0; i < total; i++)
    {
      guint drawn = sim_stream_below (&random, sum);
      guint at = 0;

      while (drawn >= shares[at].share)
        drawn -= shares[at++].share;
      count += shares[at].kind == kind;
    }
  return count;
}

static guint
n_partitions (const SimOptions *options)
{
  SimStream random = sim_stream (options->seed, 1, SIM_PURPOSE_SHARES);

  if (options->partitions != SIM_PARTITIONS_DRAWN)
    return options->partitions;
  return sim_stream_chance (&random, 1, 2) ? 1 + sim_stream_below (&random, 4) : 0;
}

static gboolean
is_shared (FaultKind kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (endings[i].kind == kind)
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (partings); i++)
    if (partings[i].kind == kind)
      return TRUE;
  return FALSE;
}

/* Half of the kinds are on in one seed: some faults hide others. */
guint
fault_draw_count (const SimOptions *options, FaultKind kind, SimStream *random)
{
  guint count
      = share_of (options, endings, G_N_ELEMENTS (endings), kind, options->crashes)
        + share_of (options, partings, G_N_ELEMENTS (partings), kind, n_partitions (options));
  guint swarm = sim_stream_chance (random, 1, 2) ? 1 + sim_stream_below (random, 3) : 0;

  if (!fault_may_be_drawn (kind))
    return 0;
  if (options->faults[kind] == SIM_FAULT_DRAWN)
    return count + (is_shared (kind) ? 0 : swarm);
  if (options->faults[kind] == SIM_FAULT_SOME)
    return 1 + swarm;
  return count + options->faults[kind];
}

/* --- whom and how -------------------------------------------------------------------------------
 */

typedef struct Range
{
  gint64 low;
  gint64 high;
} Range;

/* What is drawn evenly; a duration that is not here is drawn as that of a partition. */
typedef struct Ranges
{
  Range duration_us;
  Range time_us;
  Range count;
} Ranges;

static const Ranges ranges[N_FAULT_KINDS] = {
  [FAULT_PAUSE] = { .duration_us = { 100, 50000 } },
  [FAULT_FLAPPING] = { .duration_us = { 500, 60000 }, .count = { 2, 8 } },
  [FAULT_CRASH_SEVERAL] = { .count = { 2, 4 } },
  [FAULT_NODE_DOWN_SEVERAL] = { .count = { 2, 4 } },
  [FAULT_SWIZZLE] = { .duration_us = { 1000, 200000 } },
  [FAULT_HANG] = { .duration_us = { 100, 500000 } },
  [FAULT_LAG] = { .duration_us = { 5000, 500000 }, .time_us = { 500, 100000 } },
  [FAULT_SLOW] = { .duration_us = { 1000, 300000 }, .time_us = { 1000, 1000 }, .count = { 1, 20 } },
  [FAULT_SITE] = { .duration_us = { 1000, 500000 } },
  [FAULT_SPIKE] = { .duration_us = { 500, 100000 }, .count = { 2, 50 } },
  [FAULT_STALL] = { .duration_us = { 100, 100000 } },
  [FAULT_FULL] = { .duration_us = { 100, 100000 } },
  [FAULT_HANDLE_LOST] = { .duration_us = { 100, 100000 } },
  [FAULT_DAEMON_STOP] = { .duration_us = { 100, 100000 } },
  [FAULT_ACK_NOTHING] = { .duration_us = { 1000, 300000 } },
  [FAULT_NACK_STORM] = { .duration_us = { 1000, 300000 } },
  [FAULT_SLOW_READER] = { .duration_us = { 1000, 300000 } },
  [FAULT_CLOCK_JUMP] = { .time_us = { 1000, 30 * G_USEC_PER_SEC } },
  [FAULT_CLOCK_DRIFT] = { .count = { 50, 200 } },
};

static gint64
draw_from (Range range, SimStream *random)
{
  return sim_stream_between (random, range.low, range.high);
}

/* Most are over before anybody has finished what it does about them; some last. */
static gint64
draw_duration (FaultKind kind, SimStream *random)
{
  if (ranges[kind].duration_us.high > 0)
    return draw_from (ranges[kind].duration_us, random);
  switch (sim_stream_below (random, 8))
    {
    case 0:
      return sim_stream_between (random, LONG_US_MIN, LONG_US_MAX);
    case 1:
    case 2:
    case 3:
      return sim_stream_between (random, 100, 5000);
    }
  return sim_stream_between (random, 5000, 300000);
}

/* One that is up. */
static gint
draw_member (World *world, SimStream *random)
{
  guint n_up = 0;
  gint drawn = PHRASE_NOBODY;

  for (guint i = 0; i < world->members->len; i++)
    if (sim_member_is_up (world_member (world, i)) && sim_stream_below (random, ++n_up) == 0)
      drawn = (gint) i;
  return drawn;
}

/* One that is up, and not that one. */
static gint
draw_other (World *world, gint member, SimStream *random)
{
  guint n_up = 0;
  gint drawn = PHRASE_NOBODY;

  for (guint i = 0; i < world->members->len; i++)
    if ((gint) i != member && sim_member_is_up (world_member (world, i))
        && sim_stream_below (random, ++n_up) == 0)
      drawn = (gint) i;
  return drawn;
}

/* One whose connection is open; not the steward, who only looks. */
static char *
draw_client (World *world, SimStream *random)
{
  guint n_open = 0;
  const char *drawn = NULL;

  for (guint i = 0; i + 1 < world->clients->len; i++)
    {
      const SimClient *client = world_client (world, i);

      if (sim_client_is_open (client) && sim_stream_below (random, ++n_open) == 0)
        drawn = client->name;
    }
  return g_strdup (drawn);
}

void
fault_number_parts (GArray *parts)
{
  g_autofree guint *numbers = g_new0 (guint, parts->len + 1);
  guint n_parts = 0;

  for (guint i = 0; i < parts->len; i++)
    {
      guint *part = &g_array_index (parts, guint, i);

      if (numbers[*part] == 0)
        numbers[*part] = ++n_parts;
      *part = numbers[*part] - 1;
    }
}

GArray *
fault_draw_parts (World *world, SimStream *random)
{
  guint n_members = world->members->len;
  g_autoptr (GArray) parts = g_array_new (FALSE, TRUE, sizeof (guint));
  guint shape = sim_stream_below (random, 5);
  gboolean several = FALSE;

  g_array_set_size (parts, n_members);
  for (guint i = 0; i < n_members; i++)
    g_array_index (parts, guint, i) = shape == 0   ? i
                                      : shape == 1 ? sim_stream_below (random, 3)
                                                   : sim_stream_below (random, 2);
  if (n_members > 1)
    fault_number_parts (parts);
  for (guint i = 0; i < n_members; i++)
    several = several || g_array_index (parts, guint, i) > 0;
  return several ? g_steal_pointer (&parts) : NULL;
}

gboolean
fault_draw (World *world, FaultKind kind, SimStream *random, Fault *ret_fault)
{
  const char *pattern = fault_kinds[kind].pattern;
  Fault fault = fault_of (kind);
  PhraseValues *values = &fault.values;
  gboolean found = TRUE;

  if (strstr (pattern, "MEMBER") != NULL)
    values->member = draw_member (world, random);
  if (strstr (pattern, "OTHER") != NULL)
    values->other = draw_other (world, values->member, random);
  if (strstr (pattern, "CLIENT") != NULL)
    values->client = draw_client (world, random);
  if (strstr (pattern, "PARTS") != NULL)
    values->parts = fault_draw_parts (world, random);
  if (strstr (pattern, "DURATION") != NULL && !fault_ends_a_member (kind))
    values->duration_us = draw_duration (kind, random);
  if (strstr (pattern, "TIME") != NULL)
    values->time_us = draw_from (ranges[kind].time_us, random);
  if (strstr (pattern, "SITE") != NULL)
    values->site = (FaultSite) sim_stream_below (random, N_FAULT_SITES);
  if (strstr (pattern, "COUNT") != NULL)
    values->count = (guint64) draw_from (ranges[kind].count, random);
  /* The eldest has told the others most. */
  if (kind == FAULT_ISOLATE && sim_stream_chance (random, 1, 2))
    values->member = fault_find_member (world, PHRASE_ELDEST);
  found = (strstr (pattern, "MEMBER") == NULL || values->member != PHRASE_NOBODY)
          && (strstr (pattern, "OTHER") == NULL || values->other != PHRASE_NOBODY)
          && (kind != FAULT_MAJORITY_RING || world->members->len >= 4)
          && (strstr (pattern, "CLIENT") == NULL || values->client != NULL)
          && (strstr (pattern, "PARTS") == NULL || values->parts != NULL);
  if (found)
    *ret_fault = fault;
  else
    fault_clear (&fault);
  return found;
}

gint64
fault_draw_away_us (FaultKind kind, SimStream *random)
{
  if (!fault_ends_a_member (kind))
    return 0;
  return sim_stream_chance (random, 1, 5) ? 100 : sim_stream_between (random, 1000, 60000);
}
