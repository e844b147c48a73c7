/* SPDX-License-Identifier: MIT */
#include "sim/checker_view.h"
#include "core/base/digest.h"
#include "core/base/id_map.h"

/* Views that are remembered: nobody is further behind. */
#define VIEWS_KEPT 4096
/* Multicasts that came back are taken off the list so many at a time. */
#define SENT_COMPACTED 1024

/* What one that went from one view through this to another was told in it. */
typedef struct Passage
{
  const char *name;
  guint64 former; /* only if this one is a merge: then who was together before counts */
  guint64 next;
  guint64 messages; /* hash */
} Passage;

typedef struct SeenView
{
  guint ref_count;
  View *view;
  GArray *followed; /* of guint64: views that it was looked at as following */
  GArray *passages; /* of Passage */
} SeenView;

struct CheckerView
{
  Findings *findings;
  SeenView *views[VIEWS_KEPT]; /* by order of being seen, modulo */
  guint64 n_views;
  IdMap *by_number;
  GPtrArray *tapes;
};

struct ViewTape
{
  CheckerView *checker;
  const char *name;
  MemberId member;
  gboolean over;
  SeenView *former;  /* NULL: none yet */
  SeenView *present; /* likewise */
  guint64 messages;  /* hash of what it was told in it */
  GArray *sent;      /* of guint64: hashes of its multicasts that did not come back yet */
  guint sent_first;
};

static void
seen_view_unref (SeenView *seen)
{
  if (--seen->ref_count > 0)
    return;
  view_unref (seen->view);
  g_array_unref (seen->followed);
  g_array_unref (seen->passages);
  g_free (seen);
}

static void
tape_free (gpointer data)
{
  ViewTape *tape = data;

  g_clear_pointer (&tape->former, seen_view_unref);
  g_clear_pointer (&tape->present, seen_view_unref);
  g_array_unref (tape->sent);
  g_free (tape);
}

CheckerView *
checker_view_new (Findings *findings)
{
  CheckerView *checker = g_new0 (CheckerView, 1);

  checker->findings = findings;
  checker->by_number = id_map_new ();
  checker->tapes = g_ptr_array_new_with_free_func (tape_free);
  return checker;
}

void
checker_view_free (CheckerView *checker)
{
  g_ptr_array_unref (checker->tapes);
  for (guint i = 0; i < VIEWS_KEPT; i++)
    g_clear_pointer (&checker->views[i], seen_view_unref);
  id_map_free (checker->by_number);
  g_free (checker);
}

ViewTape *
checker_view_joins (CheckerView *checker, const char *name, MemberId member)
{
  ViewTape *tape = g_new0 (ViewTape, 1);

  tape->checker = checker;
  tape->name = name;
  tape->member = member;
  tape->sent = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_ptr_array_add (checker->tapes, tape);
  return tape;
}

void
view_tape_over (ViewTape *tape)
{
  tape->over = TRUE;
  g_array_set_size (tape->sent, 0);
  tape->sent_first = 0;
}

void
view_tape_sent (ViewTape *tape, guint64 hash)
{
  g_array_append_val (tape->sent, hash);
}

/* --- views ------------------------------------------------------------------------------ */

static IdKey
view_key (const View *view)
{
  return (IdKey){ 0, view->number };
}

static SeenView *
remember (CheckerView *checker, const View *view)
{
  SeenView **slot = &checker->views[checker->n_views++ % VIEWS_KEPT];

  if (*slot != NULL)
    {
      id_map_remove (checker->by_number, view_key ((*slot)->view));
      seen_view_unref (*slot);
    }
  *slot = g_new0 (SeenView, 1);
  (*slot)->ref_count = 1;
  (*slot)->view = view_copy (view);
  (*slot)->followed = g_array_new (FALSE, FALSE, sizeof (guint64));
  (*slot)->passages = g_array_new (FALSE, FALSE, sizeof (Passage));
  id_map_insert (checker->by_number, view_key (view), *slot);
  return *slot;
}

/* They come in the order of members, as a rule: it is the one after the last that was found. */
static gboolean
is_listed (const ViewChange *changes, guint n_changes, guint *next, MemberId member)
{
  if (*next < n_changes && member_id_equal (changes[*next].member, member))
    {
      (*next)++;
      return TRUE;
    }
  for (guint i = 0; i < n_changes; i++)
    if (member_id_equal (changes[i].member, member))
      return TRUE;
  return FALSE;
}

/* members = former - left + joined, and only one of the two. */
static gboolean
view_follows (const View *former, const View *view)
{
  guint next_left = 0;

  if ((view->n_left > 0) == (view->n_joined > 0)
      || view->n_members + view->n_left != former->n_members + view->n_joined)
    return FALSE;
  for (guint i = 0; i < view->n_left; i++)
    if (!view_holds (former, view->left[i].member) || view_holds (view, view->left[i].member))
      return FALSE;
  for (guint i = 0; i < view->n_joined; i++)
    if (view_holds (former, view->joined[i].member) || !view_holds (view, view->joined[i].member))
      return FALSE;
  for (guint i = 0; i < former->n_members; i++)
    if (!view_holds (view, former->members[i])
        && !is_listed (view->left, view->n_left, &next_left, former->members[i]))
      return FALSE;
  return TRUE;
}

/* For those that come from one view it is looked at once: they are told the same. */
static void
check_follows (ViewTape *tape, gint64 now_us, SeenView *seen, const View *view)
{
  const View *former;

  if (tape->present == NULL)
    return;
  former = tape->present->view;
  for (guint i = 0; i < seen->followed->len; i++)
    if (g_array_index (seen->followed, guint64, i) == former->number)
      return;
  g_array_append_val (seen->followed, former->number);
  if (view->number <= former->number || !view_follows (former, view))
    findings_add (tape->checker->findings, "view-follows",
                  "%s is told view %" G_GUINT64_FORMAT " of %u members at %" G_GINT64_FORMAT
                  "us, %u left and %u joined since view %" G_GUINT64_FORMAT
                  " of %u members: that does not add up",
                  tape->name, view->number, view->n_members, now_us, view->n_left, view->n_joined,
                  former->number, former->n_members);
}

static SeenView *
check_view (ViewTape *tape, gint64 now_us, const View *view)
{
  CheckerView *checker = tape->checker;
  SeenView *seen = id_map_lookup (checker->by_number, view_key (view));

  if (seen == NULL)
    seen = remember (checker, view);
  else if (seen->view->n_members != view->n_members)
    findings_add (checker->findings, "view-follows",
                  "%s is told view %" G_GUINT64_FORMAT " with %u members at %" G_GINT64_FORMAT
                  "us, another was told the same view with %u: they are not in one group",
                  tape->name, view->number, view->n_members, now_us, seen->view->n_members);
  check_follows (tape, now_us, seen, view);
  return seen;
}

static gboolean
is_merge (const View *view)
{
  return view->n_joined > 0 && view->joined[0].reason == VIEW_REASON_NODE_UP;
}

/* What it was told in the view that ends now, which is still its present one. */
static void
close_view (ViewTape *tape, gint64 now_us, const SeenView *next)
{
  SeenView *seen = tape->present;
  Passage passage = {
    .name = tape->name,
    .next = next->view->number,
    .messages = tape->messages,
  };

  if (is_merge (seen->view) && tape->former != NULL)
    passage.former = tape->former->view->number;
  for (guint i = 0; i < seen->passages->len; i++)
    {
      const Passage *other = &g_array_index (seen->passages, Passage, i);

      if (other->former != passage.former || other->next != passage.next)
        continue;
      if (other->messages != passage.messages)
        findings_add (tape->checker->findings, "same-messages",
                      "%s and %s were both told view %" G_GUINT64_FORMAT
                      " and the one after it (%s at %" G_GINT64_FORMAT
                      "us), but not the same messages between them, or not in one order",
                      other->name, tape->name, seen->view->number, tape->name, now_us);
      return;
    }
  g_array_append_val (seen->passages, passage);
}

static gboolean
is_over (ViewTape *tape, gint64 now_us, const char *what)
{
  if (tape->over)
    findings_add (tape->checker->findings, "nothing-posthumous",
                  "%s is told of a %s at %" G_GINT64_FORMAT "us, but its membership is over",
                  tape->name, what, now_us);
  return tape->over;
}

void
view_tape_view (ViewTape *tape, gint64 now_us, const View *view)
{
  SeenView *seen;

  if (is_over (tape, now_us, "view"))
    return;
  if (!view_holds (view, tape->member))
    findings_add (tape->checker->findings, "view-holds-self",
                  "%s is told view %" G_GUINT64_FORMAT " at %" G_GINT64_FORMAT
                  "us, and is not a member of it",
                  tape->name, view->number, now_us);
  if (view->n_left > 1 || view->n_joined > 1)
    findings_reached (tape->checker->findings, PROBE_MANY_CHANGED);
  if (tape->present != NULL && tape->messages == 0 && tape->present->view->n_left > 0
      && tape->present->view->n_members == 1 && view->n_joined > 0)
    findings_reached (tape->checker->findings, PROBE_TWO_VIEWS_AT_ONCE);
  seen = check_view (tape, now_us, view);
  if (tape->present != NULL)
    close_view (tape, now_us, seen);
  g_clear_pointer (&tape->former, seen_view_unref);
  tape->former = tape->present;
  tape->present = seen;
  seen->ref_count++;
  tape->messages = 0;
}

/* --- messages ------------------------------------------------------------------------------- */

static void
check_own (ViewTape *tape, gint64 now_us, guint64 hash)
{
  gboolean is_next = tape->sent_first < tape->sent->len
                     && g_array_index (tape->sent, guint64, tape->sent_first) == hash;

  if (!is_next)
    {
      findings_add (tape->checker->findings, "self-delivery",
                    "at %" G_GINT64_FORMAT "us %s is told a message of its own that is not the "
                    "oldest of its %u still to come back: one was lost, changed or overtaken",
                    now_us, tape->name, tape->sent->len - tape->sent_first);
      return;
    }
  if (++tape->sent_first == tape->sent->len || tape->sent_first == SENT_COMPACTED)
    {
      g_array_remove_range (tape->sent, 0, tape->sent_first);
      tape->sent_first = 0;
    }
}

void
view_tape_directed (ViewTape *tape, gint64 now_us, MemberId sender)
{
  const View *view = tape->present == NULL ? NULL : tape->present->view;

  if (is_over (tape, now_us, "message"))
    return;
  if (view == NULL || !view_holds (view, sender))
    findings_add (tape->checker->findings, "sender-in-view",
                  "at %" G_GINT64_FORMAT "us %s is told a message of %u.%u, which is not in its "
                  "view %" G_GUINT64_FORMAT,
                  now_us, tape->name, sender.node_id, sender.process_id,
                  view == NULL ? 0 : view->number);
}

void
view_tape_message (ViewTape *tape, gint64 now_us, Told told)
{
  view_tape_directed (tape, now_us, told.sender);
  if (tape->over)
    return;
  tape->messages = digest_combine (tape->messages, told.hash);
  tape->messages = digest_combine (tape->messages, told.sender.node_id);
  if (member_id_equal (told.sender, tape->member))
    check_own (tape, now_us, told.hash);
}
