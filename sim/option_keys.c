/* SPDX-License-Identifier: MIT */
#include "sim/option_keys.h"
#include "core/base/error.h"
#include "core/cluster/cluster.h"
#include "sim/units.h"

#include <string.h>

const char *const option_sections[N_OPTION_SECTIONS] = {
  [OPTION_SCENARIO] = "scenario",
  [OPTION_NETWORK] = "network",
  [OPTION_WORKLOAD] = "workload",
  [OPTION_FAULTS] = "faults",
};

static const char *const drawn[] = { "drawn", NULL };

/* By value. */
static const char *const limits_words[] = { "corosync", "none", NULL };
static const char *const reply_when_words[] = {
  [REPLY_WHEN_MAJORITY] = "majority",
  [REPLY_WHEN_SELF] = "self",
  [REPLY_WHEN_ALL] = "all",
  NULL,
};

static const char *const timing_words[] = {
  [SIM_TIMES_UNIFORM] = "uniform",
  [SIM_TIMES_HEAVY_TAILED] = "heavy-tailed",
  [SIM_TIMES_RING_UDPU] = "ring-udpu",
  [SIM_TIMES_RING_KNET] = "ring-knet",
  NULL,
};

/* By bit of ClusterRule. */
static const char *const rule_words[] = { "stamp", "resend", "blank", "stepdown", "seats", NULL };

#define AT(field) G_STRUCT_OFFSET (SimOptions, field)
#define SECOND    G_GUINT64_CONSTANT (1000000)

/* In the order of the help and of a file that is written. */
const OptionKey option_keys[] = {
  { OPTION_SCENARIO, "members", "N", "members of the cluster", OPTION_COUNT, AT (members), 1,
    SIM_MEMBERS_MAX, NULL },
  { OPTION_SCENARIO, "strangers", "N",
    "the last of the members are not expected, and not there until they are restarted",
    OPTION_COUNT, AT (strangers), 0, SIM_MEMBERS_MAX, NULL },
  { OPTION_SCENARIO, "seed", "S", "what is drawn; of S..T those who run many take all",
    OPTION_SEEDS, AT (seed), 0, G_MAXUINT64, NULL },
  { OPTION_SCENARIO, "duration", "TIME", "virtual time after which nothing new is published",
    OPTION_DURATION, AT (duration_us), 1000, 1000 * SECOND, NULL },
  { OPTION_SCENARIO, "reply-when", "WHEN", "when confirms leave: majority, self or all",
    OPTION_CHOICE, AT (reply_when), 0, 0, reply_when_words },
  { OPTION_SCENARIO, "limits", "PROFILE",
    "corosync: at most 128 members and a bounded window; none: for more members than that",
    OPTION_CHOICE, AT (limits_none), 0, 0, limits_words },
  { OPTION_SCENARIO, "rules-off", "RULE...",
    "rules of the protocol that are not kept, to see what they are for: stamp, resend, blank, "
    "stepdown, seats or none",
    OPTION_SET, AT (rules_off), 0, 0, rule_words },
  { OPTION_NETWORK, "timing", "HOW",
    "how multicasts find their order: uniform or heavy-tailed between the bounds of `order`, or by "
    "a ring as corosync's, ring-udpu or ring-knet",
    OPTION_CHOICE, AT (timing), 0, 0, timing_words },
  { OPTION_NETWORK, "order", "LOW..HIGH", "from a multicast to its place in the order", OPTION_SPAN,
    AT (order), 1, 10 * SECOND, NULL },
  { OPTION_NETWORK, "lag", "LOW..HIGH", "from there until a member consumes it, or none",
    OPTION_SPAN, AT (lag), 0, 10 * SECOND, NULL },
  { OPTION_NETWORK, "window", "SIZE", "what a member may have sent that has no place yet, or none",
    OPTION_SIZE, AT (window), 0, 0, NULL },
  { OPTION_NETWORK, "client-link", "LOW..HIGH", "one way between a client and a member",
    OPTION_SPAN, AT (link), SIM_STRETCH_US_MAX + 1, 10 * SECOND, NULL },
  { OPTION_NETWORK, "detection", "TIME",
    "from the loss of a node, or from a partition, until the others know", OPTION_DURATION,
    AT (detection_us), 0, 10 * SECOND, NULL },
  { OPTION_NETWORK, "sync", "TIME", "from a new ring until it orders again", OPTION_DURATION,
    AT (sync_us), 0, 10 * SECOND, NULL },
  { OPTION_NETWORK, "state-chunk", "SIZE",
    "what a donor writes of a state at once, four times a millisecond; none: as members do",
    OPTION_SIZE, AT (state_chunk), 0, 0, NULL },
  { OPTION_NETWORK, "backlog", "SIZE",
    "what a newcomer may have to catch up on before it gives up; none: as members do", OPTION_SIZE,
    AT (backlog), 0, 0, NULL },
  { OPTION_WORKLOAD, "messages", "M", "messages to publish", OPTION_COUNT, AT (messages), 0,
    100000000, NULL },
  { OPTION_WORKLOAD, "clients", "C", "clients, at least 2", OPTION_COUNT, AT (clients), 2,
    SIM_CLIENTS_MAX, NULL },
  { OPTION_WORKLOAD, "publishers", "P", "of these, those that publish; drawn: two of five",
    OPTION_COUNT, AT (publishers), 1, SIM_CLIENTS_MAX, drawn },
  { OPTION_WORKLOAD, "small-messages", NULL, "messages have at most 200 bytes", OPTION_FLAG,
    AT (small_messages), 0, 0, NULL },
  { OPTION_WORKLOAD, "quiet-clients", NULL,
    "clients only publish and consume: no errors, no lost connections", OPTION_FLAG,
    AT (quiet_clients), 0, 0, NULL },
  { OPTION_FAULTS, "crashes", "K", "members that end while the clients work", OPTION_COUNT,
    AT (crashes), 0, 10000, NULL },
  { OPTION_FAULTS, "partitions", "K",
    "times that members are cut off or paused; drawn: a few, in half of the seeds", OPTION_COUNT,
    AT (partitions), 0, 10000, drawn },
  { OPTION_FAULTS, "faults", "KIND=N...",
    "other faults that are drawn: none, all (a few of each kind, half of the kinds in a seed), or "
    "kinds with or without a number, with commas between",
    OPTION_TIMES, AT (faults), 0, 10000, NULL },
  { OPTION_FAULTS, "allow-total-loss", NULL, "faults may end the last active member too",
    OPTION_FLAG, AT (allow_total_loss), 0, 0, NULL },
};
const guint n_option_keys = G_N_ELEMENTS (option_keys);

const OptionKey *
option_key_find (const char *name)
{
  for (guint i = 0; i < n_option_keys; i++)
    if (strcmp (option_keys[i].name, name) == 0)
      return &option_keys[i];
  return NULL;
}

/* --- reading ---------------------------------------------------------------------------------- */

static gboolean
needs (GError **error, const char *what, const char *text)
{
  return system_error (error, SYSTEM_ERROR_SETTING, "needs %s, not '%s'", what, text);
}

/* "'a', 'b' or 'c'". Yours. */
static char *
list_words (const char *const *words)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; words[i] != NULL; i++)
    {
      if (i > 0)
        g_string_append (text, words[i + 1] == NULL ? " or " : ", ");
      g_string_append_printf (text, "'%s'", words[i]);
    }
  return g_string_free (text, FALSE);
}

/* G_MAXUINT: it is none of them. */
static guint
find_word (const char *const *words, const char *text)
{
  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    if (strcmp (words[i], text) == 0)
      return i;
  return G_MAXUINT;
}

static gboolean
parse_number (const OptionKey *key, const char *text, guint64 *ret_number, GError **error)
{
  g_autofree char *range = NULL;

  if (g_ascii_string_to_unsigned (text, 10, key->low, key->high, ret_number, NULL))
    return TRUE;
  range = g_strdup_printf ("a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT "%s%s",
                           key->low, key->high, key->words == NULL ? "" : ", or ",
                           key->words == NULL ? "" : key->words[0]);
  return needs (error, range, text);
}

static gboolean
parse_count (const OptionKey *key, const char *text, guint *ret_count, GError **error)
{
  guint64 number;

  if (find_word (key->words, text) == 0)
    {
      *ret_count = G_MAXUINT;
      return TRUE;
    }
  if (!parse_number (key, text, &number, error))
    return FALSE;
  *ret_count = (guint) number;
  return TRUE;
}

/* "LOW..HIGH" in two halves, the second NULL if there is only one. */
static GStrv
split_range (const char *text)
{
  return g_strsplit (text, "..", 2);
}

static gboolean
parse_seeds (const OptionKey *key, const char *text, SimOptions *options, GError **error)
{
  g_auto (GStrv) ends = split_range (text);
  guint64 first, last;

  if (!parse_number (key, ends[0] == NULL ? "" : ends[0], &first, error))
    return FALSE;
  last = first;
  if (ends[1] != NULL && !parse_number (key, ends[1], &last, error))
    return FALSE;
  if (last < first)
    return needs (error, "the lower seed first", text);
  options->seed = first;
  options->last_seed = last;
  return TRUE;
}

static gboolean
parse_duration (const OptionKey *key, const char *text, gint64 *ret_us, GError **error)
{
  g_autoptr (GString) range = NULL;
  gint64 us;

  if (units_parse_duration (text, &us) && us >= (gint64) key->low && us <= (gint64) key->high)
    {
      *ret_us = us;
      return TRUE;
    }
  range = g_string_new ("a time from ");
  units_print_duration ((gint64) key->low, range);
  g_string_append (range, " to ");
  units_print_duration ((gint64) key->high, range);
  return needs (error, range->str, text);
}

static gboolean
parse_span (const OptionKey *key, const char *text, SimSpan *ret_span, GError **error)
{
  g_auto (GStrv) ends = split_range (text);
  SimSpan span = { 0, 0 };

  if (strcmp (text, "drawn") == 0)
    span = SIM_SPAN_DRAWN;
  else if (key->low > 0 || strcmp (text, "none") != 0)
    {
      if (!parse_duration (key, ends[0] == NULL ? "" : ends[0], &span.low_us, error))
        return FALSE;
      span.high_us = span.low_us;
      if (ends[0] != NULL && ends[1] != NULL
          && !parse_duration (key, ends[1], &span.high_us, error))
        return FALSE;
    }
  if (span.high_us < span.low_us)
    return needs (error, "the lower end first", text);
  *ret_span = span;
  return TRUE;
}

static gboolean
parse_size (const char *text, guint64 *ret_size, GError **error)
{
  guint64 size;

  if (strcmp (text, "drawn") == 0)
    *ret_size = SIM_DRAWN;
  else if (strcmp (text, "none") == 0)
    *ret_size = 0;
  else if (units_parse_size (text, &size) && size > 0)
    *ret_size = size;
  else
    return needs (error, "a size such as 64KiB, drawn or none", text);
  return TRUE;
}

static gboolean
parse_choice (const OptionKey *key, const char *text, guint *ret_choice, GError **error)
{
  g_autofree char *words = NULL;
  guint choice = find_word (key->words, text);

  if (choice == G_MAXUINT)
    {
      words = list_words (key->words);
      return needs (error, words, text);
    }
  *ret_choice = choice;
  return TRUE;
}

static gboolean
parse_set (const OptionKey *key, const char *text, guint *ret_set, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  guint set = 0;

  for (guint i = 0; words[i] != NULL && strcmp (text, "none") != 0; i++)
    {
      guint bit = 0;

      if (words[i][0] == '\0' && words[i + 1] != NULL)
        continue;
      if (!parse_choice (key, words[i], &bit, error))
        return FALSE;
      set |= 1u << bit;
    }
  *ret_set = set;
  return TRUE;
}

/* KIND or KIND=N. */
static gboolean
parse_kind (const OptionKey *key, const char *text, guint *times, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "=", 2);
  guint64 count = SIM_FAULT_SOME;
  FaultKind kind;

  if (parts[0] == NULL || !fault_kind_find (parts[0], &kind) || !fault_may_be_drawn (kind))
    {
      g_autofree char *meant = fault_suggest (parts[0] == NULL ? "" : parts[0]);

      return system_error (error, SYSTEM_ERROR_SETTING,
                           "needs all, none or kinds of faults that are drawn, not '%s'%s "
                           "(consort-sim list faults)",
                           text, meant);
    }
  if (parts[1] != NULL && !parse_number (key, parts[1], &count, error))
    return FALSE;
  times[kind] = (guint) count;
  return TRUE;
}

static gboolean
parse_times (const OptionKey *key, const char *text, guint *ret_times, GError **error)
{
  g_auto (GStrv) kinds = g_strsplit (text, ",", -1);
  guint times[N_FAULT_KINDS] = { 0 };

  if (strcmp (text, "all") == 0)
    for (guint i = 0; i < N_FAULT_KINDS; i++)
      times[i] = SIM_FAULT_DRAWN;
  else if (strcmp (text, "none") != 0)
    for (guint i = 0; kinds[i] != NULL; i++)
      if (!parse_kind (key, kinds[i], times, error))
        return FALSE;
  memcpy (ret_times, times, sizeof times);
  return TRUE;
}

static gboolean
parse_flag (const char *text, gboolean *ret_flag, GError **error)
{
  if (strcmp (text, "yes") != 0 && strcmp (text, "no") != 0)
    return needs (error, "yes or no", text);
  *ret_flag = strcmp (text, "yes") == 0;
  return TRUE;
}

gboolean
option_key_parse (const OptionKey *key, const char *text, SimOptions *options, GError **error)
{
  gpointer field = (char *) options + key->offset;

  switch (key->type)
    {
    case OPTION_COUNT:
      return parse_count (key, text, field, error);
    case OPTION_SEEDS:
      return parse_seeds (key, text, options, error);
    case OPTION_DURATION:
      return parse_duration (key, text, field, error);
    case OPTION_SPAN:
      return parse_span (key, text, field, error);
    case OPTION_SIZE:
      return parse_size (text, field, error);
    case OPTION_CHOICE:
      return parse_choice (key, text, field, error);
    case OPTION_SET:
      return parse_set (key, text, field, error);
    case OPTION_TIMES:
      return parse_times (key, text, field, error);
    case OPTION_FLAG:
      return parse_flag (text, field, error);
    }
  g_assert_not_reached ();
}

/* --- printing ------------------------------------------------------------------------------- */

static void
print_span (const OptionKey *key, const SimSpan *span, GString *text)
{
  if (span->low_us < 0)
    g_string_append (text, "drawn");
  else if (span->high_us == 0 && key->low == 0)
    g_string_append (text, "none");
  else
    {
      units_print_duration (span->low_us, text);
      if (span->high_us == span->low_us)
        return;
      g_string_append (text, "..");
      units_print_duration (span->high_us, text);
    }
}

static void
print_size (guint64 size, GString *text)
{
  if (size == SIM_DRAWN || size == 0)
    g_string_append (text, size == 0 ? "none" : "drawn");
  else
    units_print_size (size, text);
}

static void
print_set (const OptionKey *key, guint set, GString *text)
{
  if (set == 0)
    g_string_append (text, "none");
  for (guint i = 0; key->words[i] != NULL; i++)
    if ((set >> i & 1) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", key->words[i]);
}

static void
print_times (const guint *times, GString *text)
{
  gboolean all = TRUE;

  for (guint i = 0; i < N_FAULT_KINDS; i++)
    {
      const char *separator = text->len == 0 ? "" : ",";

      all = all && times[i] == SIM_FAULT_DRAWN;
      if (times[i] == SIM_FAULT_SOME || times[i] == SIM_FAULT_DRAWN)
        g_string_append_printf (text, "%s%s", separator, fault_kinds[i].name);
      else if (times[i] > 0)
        g_string_append_printf (text, "%s%s=%u", separator, fault_kinds[i].name, times[i]);
    }
  if (all || text->len == 0)
    g_string_assign (text, all ? "all" : "none");
}

char *
option_key_text (const OptionKey *key, const SimOptions *options)
{
  gconstpointer field = (const char *) options + key->offset;
  GString *text = g_string_new (NULL);

  switch (key->type)
    {
    case OPTION_COUNT:
      if (*(const guint *) field == G_MAXUINT)
        g_string_append (text, key->words[0]);
      else
        g_string_append_printf (text, "%u", *(const guint *) field);
      break;
    case OPTION_SEEDS:
      g_string_append_printf (text, "%" G_GUINT64_FORMAT, options->seed);
      if (options->last_seed != options->seed)
        g_string_append_printf (text, "..%" G_GUINT64_FORMAT, options->last_seed);
      break;
    case OPTION_DURATION:
      units_print_duration (*(const gint64 *) field, text);
      break;
    case OPTION_SPAN:
      print_span (key, field, text);
      break;
    case OPTION_SIZE:
      print_size (*(const guint64 *) field, text);
      break;
    case OPTION_CHOICE:
      g_string_append (text, key->words[*(const guint *) field]);
      break;
    case OPTION_SET:
      print_set (key, *(const guint *) field, text);
      break;
    case OPTION_TIMES:
      print_times (field, text);
      break;
    case OPTION_FLAG:
      g_string_append (text, *(const gboolean *) field ? "yes" : "no");
      break;
    }
  return g_string_free (text, FALSE);
}

gboolean
option_key_equal (const OptionKey *key, const SimOptions *a, const SimOptions *b)
{
  g_autofree char *a_text = option_key_text (key, a);
  g_autofree char *b_text = option_key_text (key, b);

  return strcmp (a_text, b_text) == 0;
}
