/* SPDX-License-Identifier: MIT */
#include "sim/checker_view.h"
#include "core/base/digest.h"

/* Views that are remembered: nobody is further behind. */
#define VIEWS_KEPT 4096
/* Bytes of a message that tell it from others: it begins with its number. */
#define TOLD_BYTES 24
/* Multicasts that came back are taken off the list so many at a time. */
#define SENT_COMPACTED 1024

typedef struct SeenView
{
  View *view;
  const char *closed_by; /* the first that was told the next view; NULL: nobody yet */
  guint64 messages;      /* hash of what it was told in this one */
} SeenView;

struct CheckerView
{
  Findings *findings;
  SeenView views[VIEWS_KEPT]; /* by sequence, modulo */
  GPtrArray *tapes;
};

struct ViewTape
{
  CheckerView *checker;
  const char *name;
  MemberId member;
  gboolean over;
  guint64 sequence; /* of its view; 0: none yet */
  guint64 messages; /* hash of what it was told in it */
  GArray *sent;     /* of guint64: hashes of its multicasts that did not come back yet */
  guint sent_first;
};

static void
tape_free (gpointer data)
{
  ViewTape *tape = data;

  g_array_unref (tape->sent);
  g_free (tape);
}

CheckerView *
checker_view_new (Findings *findings)
{
  CheckerView *checker = g_new0 (CheckerView, 1);

  checker->findings = findings;
  checker->tapes = g_ptr_array_new_with_free_func (tape_free);
  return checker;
}

void
checker_view_free (CheckerView *checker)
{
  for (guint i = 0; i < VIEWS_KEPT; i++)
    g_clear_pointer (&checker->views[i].view, view_free);
  g_ptr_array_unref (checker->tapes);
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

static guint64
hash_of (const Buffer *bytes)
{
  return digest_bytes (bytes->size, bytes->bytes, MIN (bytes->size, TOLD_BYTES));
}

void
view_tape_sent (ViewTape *tape, const Buffer *bytes)
{
  guint64 hash = hash_of (bytes);

  g_array_append_val (tape->sent, hash);
}

/* --- views ------------------------------------------------------------------------------ */

static const View *
seen_view (const CheckerView *checker, guint64 sequence)
{
  const View *view = checker->views[sequence % VIEWS_KEPT].view;

  return view != NULL && view->ring.sequence == sequence ? view : NULL;
}

/* members = former - left + joined, and only one of the two. */
static gboolean
view_follows (const View *former, const View *view)
{
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
    if (!view_holds (view, former->members[i]))
      {
        gboolean left = FALSE;

        for (guint j = 0; j < view->n_left; j++)
          left = left || member_id_equal (view->left[j].member, former->members[i]);
        if (!left)
          return FALSE;
      }
  return TRUE;
}

/* The first that is told a view answers for its contents; the others were told the same. */
static void
check_view (ViewTape *tape, gint64 now_us, const View *view)
{
  CheckerView *checker = tape->checker;
  guint64 sequence = view->ring.sequence;
  const View *known = seen_view (checker, sequence);
  const View *former = seen_view (checker, sequence - 1);
  SeenView *slot = &checker->views[sequence % VIEWS_KEPT];

  if (known == NULL)
    {
      if (former != NULL && !view_follows (former, view))
        findings_add (checker->findings, "view-follows",
                      "%s is told view %" G_GUINT64_FORMAT " of %u members at %" G_GINT64_FORMAT
                      "us, %u left and %u joined since view %" G_GUINT64_FORMAT
                      " of %u members: that does not add up",
                      tape->name, sequence, view->n_members, now_us, view->n_left, view->n_joined,
                      sequence - 1, former->n_members);
      g_clear_pointer (&slot->view, view_free);
      *slot = (SeenView){ .view = view_copy (view) };
    }
  else if (known->n_members != view->n_members || known->n_left != view->n_left
           || known->n_joined != view->n_joined)
    findings_add (checker->findings, "view-follows",
                  "%s is told view %" G_GUINT64_FORMAT " with %u members at %" G_GINT64_FORMAT
                  "us, another was told the same view with %u: they are not in one group",
                  tape->name, sequence, view->n_members, now_us, known->n_members);
}

/* What it was told in the view that ends now. */
static void
close_view (ViewTape *tape, gint64 now_us)
{
  SeenView *slot = &tape->checker->views[tape->sequence % VIEWS_KEPT];

  if (seen_view (tape->checker, tape->sequence) == NULL)
    return;
  if (slot->closed_by == NULL)
    {
      slot->closed_by = tape->name;
      slot->messages = tape->messages;
    }
  else if (slot->messages != tape->messages)
    findings_add (tape->checker->findings, "same-messages",
                  "%s and %s were both told view %" G_GUINT64_FORMAT
                  " and the one after it (%s at %" G_GINT64_FORMAT
                  "us), but not the same messages between them, or not in one order",
                  slot->closed_by, tape->name, tape->sequence, tape->name, now_us);
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
  if (is_over (tape, now_us, "view"))
    return;
  if (!view_holds (view, tape->member))
    findings_add (tape->checker->findings, "view-holds-self",
                  "%s is told view %" G_GUINT64_FORMAT " at %" G_GINT64_FORMAT
                  "us, and is not a member of it",
                  tape->name, view->ring.sequence, now_us);
  if (tape->sequence != 0 && view->ring.sequence != tape->sequence + 1)
    findings_add (tape->checker->findings, "view-follows",
                  "%s is told view %" G_GUINT64_FORMAT " after view %" G_GUINT64_FORMAT
                  " at %" G_GINT64_FORMAT "us: a view is missing, or came twice",
                  tape->name, view->ring.sequence, tape->sequence, now_us);
  check_view (tape, now_us, view);
  if (tape->sequence != 0)
    close_view (tape, now_us);
  tape->sequence = view->ring.sequence;
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
view_tape_message (ViewTape *tape, gint64 now_us, const TransportMessage *message)
{
  const View *view;
  guint64 hash;

  if (is_over (tape, now_us, "message"))
    return;
  view = seen_view (tape->checker, tape->sequence);
  if (tape->sequence == 0 || (view != NULL && !view_holds (view, message->sender)))
    findings_add (tape->checker->findings, "sender-in-view",
                  "at %" G_GINT64_FORMAT "us %s is told a message of %u.%u, which is not in its "
                  "view %" G_GUINT64_FORMAT,
                  now_us, tape->name, message->sender.node_id, message->sender.process_id,
                  tape->sequence);
  if (message->directed)
    return;
  hash = hash_of (message->bytes);
  tape->messages = digest_combine (tape->messages, hash);
  tape->messages = digest_combine (tape->messages, message->sender.node_id);
  if (member_id_equal (message->sender, tape->member))
    check_own (tape, now_us, hash);
}
