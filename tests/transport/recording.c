/* SPDX-License-Identifier: MIT */
#include "tests/transport/recording.h"
#include "core/base/error.h"

#include <stdlib.h>

static const char *const deed_names[] = {
  [DEED_JOIN] = "join",
  [DEED_LEAVE] = "leave",
  [DEED_KILL] = "kill",
  [DEED_STOP_DAEMON] = "stop-daemon",
  [DEED_KILL_DAEMON] = "kill-daemon",
  [DEED_START_DAEMON] = "start-daemon",
  [DEED_PARTITION] = "partition",
  [DEED_HEAL] = "heal",
  [DEED_FREEZE] = "freeze",
  [DEED_THAW] = "thaw",
  [DEED_BLINK] = "blink",
};

static const char *const reason_names[] = {
  [VIEW_REASON_JOIN] = "JOIN",
  [VIEW_REASON_LEAVE] = "LEAVE",
  [VIEW_REASON_PROCESS_DOWN] = "PROCESS_DOWN",
  [VIEW_REASON_NODE_DOWN] = "NODE_DOWN",
  [VIEW_REASON_NODE_UP] = "NODE_UP",
};

void
told_event_clear (gpointer data)
{
  ToldEvent *event = data;

  g_clear_pointer (&event->members, g_array_unref);
  g_clear_pointer (&event->left, g_array_unref);
  g_clear_pointer (&event->joined, g_array_unref);
}

static Tape *
tape_new (MemberId member)
{
  Tape *tape = g_new0 (Tape, 1);

  tape->member = member;
  tape->told = g_array_new (FALSE, FALSE, sizeof (ToldEvent));
  g_array_set_clear_func (tape->told, told_event_clear);
  return tape;
}

static void
tape_free (gpointer data)
{
  Tape *tape = data;

  g_array_unref (tape->told);
  g_free (tape);
}

void
recording_free (Recording *recording)
{
  g_array_unref (recording->deeds);
  g_ptr_array_unref (recording->tapes);
  g_free (recording);
}

Tape *
recording_tape (const Recording *recording, guint index)
{
  return recording->tapes->pdata[index];
}

const ToldEvent *
tape_told (const Tape *tape, guint index)
{
  return &g_array_index (tape->told, ToldEvent, index);
}

/* --- events ------------------------------------------------------------------------------------
 */

static gint
compare_changes (gconstpointer a, gconstpointer b)
{
  return member_id_compare (((const ViewChange *) a)->member, ((const ViewChange *) b)->member);
}

static GArray *
sorted_changes (const ViewChange *changes, guint n_changes)
{
  GArray *sorted = g_array_new (FALSE, FALSE, sizeof (ViewChange));

  if (n_changes > 0)
    g_array_append_vals (sorted, changes, n_changes);
  g_array_sort (sorted, compare_changes);
  return sorted;
}

ToldEvent
told_view (const View *view)
{
  ToldEvent event = { .kind = TOLD_VIEW, .ring = view->ring };

  event.members = g_array_new (FALSE, FALSE, sizeof (MemberId));
  if (view->n_members > 0)
    g_array_append_vals (event.members, view->members, view->n_members);
  event.left = sorted_changes (view->left, view->n_left);
  event.joined = sorted_changes (view->joined, view->n_joined);
  return event;
}

static gboolean
changes_equal (const GArray *a, const GArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const ViewChange *of_a = &g_array_index (a, ViewChange, i);
      const ViewChange *of_b = &g_array_index (b, ViewChange, i);

      if (!member_id_equal (of_a->member, of_b->member) || of_a->reason != of_b->reason)
        return FALSE;
    }
  return TRUE;
}

/* But for the rings' ids: of them more than one view tells. */
gboolean
told_equal (const ToldEvent *a, const ToldEvent *b)
{
  if (a->kind != b->kind)
    return FALSE;
  switch (a->kind)
    {
    case TOLD_MESSAGE:
      return a->number == b->number && member_id_equal (a->sender, b->sender);
    case TOLD_FAILED:
      return TRUE;
    case TOLD_VIEW:
      if (a->members->len != b->members->len)
        return FALSE;
      for (guint i = 0; i < a->members->len; i++)
        if (!member_id_equal (g_array_index (a->members, MemberId, i),
                              g_array_index (b->members, MemberId, i)))
          return FALSE;
      return changes_equal (a->left, b->left) && changes_equal (a->joined, b->joined);
    }
  g_assert_not_reached ();
}

/* --- reading -----------------------------------------------------------------------------------
 */

static gboolean
parse_pair (const char *text, char separator, guint64 *ret_first, guint64 *ret_second)
{
  char *end;

  *ret_first = g_ascii_strtoull (text, &end, 10);
  if (end == text || *end != separator)
    return FALSE;
  text = end + 1;
  *ret_second = g_ascii_strtoull (text, &end, 10);
  return end != text && *end == '\0';
}

static gboolean
parse_member (const char *text, MemberId *ret_member)
{
  guint64 node, process;

  if (text == NULL || !parse_pair (text, '.', &node, &process))
    return FALSE;
  *ret_member = (MemberId){ (guint32) node, (guint32) process };
  return node > 0 && node <= RECORDING_NODES;
}

static gboolean
parse_changes (char **words, GArray *changes)
{
  guint i;

  for (i = 0; words[2 * i] != NULL && words[2 * i + 1] != NULL; i++)
    {
      ViewChange change;
      guint reason = 0;

      if (!parse_member (words[2 * i], &change.member))
        break;
      while (reason < G_N_ELEMENTS (reason_names)
             && !g_str_equal (words[2 * i + 1], reason_names[reason]))
        reason++;
      if (reason == G_N_ELEMENTS (reason_names))
        return FALSE;
      change.reason = (ViewReason) reason;
      g_array_append_val (changes, change);
    }
  g_array_sort (changes, compare_changes);
  return i > 0;
}

static gboolean
parse_view (char **words, Tape *tape, guint deed)
{
  ToldEvent view = told_view (&(const View){ 0 });
  gboolean is_good;
  guint64 representative, sequence;
  MemberId member;
  guint i = 2;

  view.deed = deed;
  is_good = words[1] != NULL && parse_pair (words[1], '.', &representative, &sequence);
  if (is_good)
    view.ring = (RingId){ (guint32) representative, sequence };
  for (; is_good && words[i] != NULL && parse_member (words[i], &member); i++)
    g_array_append_val (view.members, member);
  for (; is_good && words[i] != NULL; i++)
    if (g_str_equal (words[i], "left"))
      is_good = parse_changes (words + i + 1, view.left);
    else if (g_str_equal (words[i], "joined"))
      is_good = parse_changes (words + i + 1, view.joined);
  g_array_append_val (tape->told, view);
  return is_good;
}

/* `early` are the numbers that it sent before it was told the view; SENDER:NUMBER or >NUMBER. */
static gboolean
parse_messages (char **words, Tape *tape, GArray *sent, guint n_views)
{
  for (guint i = 0; words[i] != NULL; i++)
    {
      ToldEvent message = { .kind = TOLD_MESSAGE };
      g_auto (GStrv) parts = NULL;

      if (words[i][0] == '>')
        {
          g_array_append_val (sent, n_views);
          continue;
        }
      parts = g_strsplit (words[i], ":", 2);
      if (!parse_member (parts[0], &message.sender) || parts[1] == NULL)
        return FALSE;
      message.number = (guint32) g_ascii_strtoull (parts[1], NULL, 10);
      /* It sent them in order; whether that was before its last view is known by its own. */
      if (member_id_equal (message.sender, tape->member) && sent->len > 0)
        {
          message.early = g_array_index (sent, guint, 0) < n_views;
          g_array_remove_index (sent, 0);
        }
      g_array_append_val (tape->told, message);
    }
  return TRUE;
}

static gboolean
parse_deed (char **words, GArray *deeds)
{
  Deed deed = { 0 };
  guint kind = 0;
  const char *whom;

  while (kind < G_N_ELEMENTS (deed_names) && g_strcmp0 (words[0], deed_names[kind]) != 0)
    kind++;
  if (kind == G_N_ELEMENTS (deed_names))
    return FALSE;
  deed.kind = (DeedKind) kind;
  whom = deed.kind == DEED_HEAL ? NULL : words[1];
  if (whom != NULL && deed.kind == DEED_PARTITION)
    for (guint i = 0; i < RECORDING_NODES && whom[i] != '\0'; i++)
      deed.components[i] = (guint) (whom[i] - '0');
  else if (whom != NULL && !parse_member (whom, &deed.member))
    deed.member.node_id = (guint32) g_ascii_strtoull (whom, NULL, 10);
  g_array_append_val (deeds, deed);
  return whom != NULL || deed.kind == DEED_HEAL;
}

typedef struct Reading
{
  Recording *recording;
  Tape *tape;   /* NULL: none yet */
  GArray *sent; /* of guint: how many views its member had been told when it sent what */
  guint n_views;
  guint deed;
} Reading;

static gboolean
parse_line (Reading *reading, char **words)
{
  ToldEvent failure = { .kind = TOLD_FAILED };
  MemberId member;

  if (words[0] == NULL || words[0][0] == '#' || g_str_equal (words[0], "quorum"))
    return TRUE;
  if (g_str_equal (words[0], "do"))
    return parse_deed (words + 1, reading->recording->deeds);
  if (g_str_equal (words[0], "tape"))
    {
      if (!parse_member (words[1], &member))
        return FALSE;
      reading->tape = tape_new (member);
      reading->n_views = 0;
      g_array_set_size (reading->sent, 0);
      g_ptr_array_add (reading->recording->tapes, reading->tape);
      return TRUE;
    }
  if (reading->tape == NULL)
    return FALSE;
  if (g_str_equal (words[0], "--"))
    {
      reading->deed = words[1] == NULL ? 0 : (guint) atoi (words[1]);
      return reading->deed > 0 && reading->deed <= reading->recording->deeds->len;
    }
  if (g_str_equal (words[0], "view"))
    {
      reading->n_views++;
      return parse_view (words, reading->tape, reading->deed);
    }
  if (!g_str_equal (words[0], "failed"))
    return parse_messages (words, reading->tape, reading->sent, reading->n_views);
  failure.deed = reading->deed;
  g_array_append_val (reading->tape->told, failure);
  return TRUE;
}

Recording *
recording_parse (const char *text, GError **error)
{
  g_autoptr (Recording) recording = g_new0 (Recording, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GArray) sent = g_array_new (FALSE, FALSE, sizeof (guint));
  Reading reading = { .recording = recording, .sent = sent };

  recording->deeds = g_array_new (FALSE, FALSE, sizeof (Deed));
  recording->tapes = g_ptr_array_new_with_free_func (tape_free);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (lines[i], " ", -1);

      if (lines[i][0] == '\0' || parse_line (&reading, words))
        continue;
      system_error (error, SYSTEM_ERROR_TRANSPORT, "line %u: %s", i + 1, lines[i]);
      return NULL;
    }
  return g_steal_pointer (&recording);
}
