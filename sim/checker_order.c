/* SPDX-License-Identifier: MIT */
#include "sim/checker_order.h"
#include "core/base/id_map.h"
#include "sim/order_branch.h"
#include "transport/view.h"

/* Views that are remembered: nobody is further behind. */
#define VIEWS_KEPT 4096

typedef struct Multicast
{
  guint64 hash;
  guint64 place; /* in the order, as it was told first; 0: unknown */
  gint64 at_us;
  guint view; /* of its sender, counted in that life */
} Multicast;

/* All lives of one member: it counts on. */
typedef struct Sender
{
  guint index;
  MemberId member;
  GArray *multicasts; /* of Multicast, by number */
  guint32 n_told;     /* the number after the last that anybody was told */
} Sender;

typedef struct OrderView
{
  guint ref_count;
  View *view;
  GPtrArray *branches; /* one, as long as all are told the same */
  gboolean is_odd;     /* places do not prove that its branches agree */
} OrderView;

/* What one was told last of a sender, up to the view before the present one. */
typedef struct Heard
{
  guint32 next; /* number */
  guint32 view; /* place in `views` + 1; 0: nothing was told */
} Heard;

struct OrderTape
{
  CheckerOrder *checker;
  const char *name;
  gboolean over;
  GPtrArray *views;    /* of OrderView, told */
  OrderBranch *branch; /* in the last of them */
  guint index;         /* so much of it was told */
  Sender *sender;      /* itself */
  GArray *heard;       /* of Heard, by sender */
};

struct CheckerOrder
{
  Findings *findings;
  OrderView *views[VIEWS_KEPT]; /* modulo, in the order of being seen */
  guint64 n_views;
  IdMap *by_number;
  GPtrArray *senders;
  IdMap *senders_by_member;
  GPtrArray *tapes;
};

/* --- life --------------------------------------------------------------------------------- */

static void
order_view_unref (gpointer data)
{
  OrderView *view = data;

  if (--view->ref_count > 0)
    return;
  view_unref (view->view);
  g_ptr_array_unref (view->branches);
  g_free (view);
}

static void
sender_free (gpointer data)
{
  Sender *sender = data;

  g_array_unref (sender->multicasts);
  g_free (sender);
}

static void
tape_free (gpointer data)
{
  OrderTape *tape = data;

  g_ptr_array_unref (tape->views);
  g_array_unref (tape->heard);
  g_free (tape);
}

CheckerOrder *
checker_order_new (Findings *findings)
{
  CheckerOrder *checker = g_new0 (CheckerOrder, 1);

  checker->findings = findings;
  checker->by_number = id_map_new ();
  checker->senders = g_ptr_array_new_with_free_func (sender_free);
  checker->senders_by_member = id_map_new ();
  checker->tapes = g_ptr_array_new_with_free_func (tape_free);
  return checker;
}

void
checker_order_free (CheckerOrder *checker)
{
  g_ptr_array_unref (checker->tapes);
  for (guint i = 0; i < VIEWS_KEPT; i++)
    g_clear_pointer (&checker->views[i], order_view_unref);
  id_map_free (checker->by_number);
  g_ptr_array_unref (checker->senders);
  id_map_free (checker->senders_by_member);
  g_free (checker);
}

static Sender *
sender_of (CheckerOrder *checker, MemberId member)
{
  Sender *sender = id_map_lookup (checker->senders_by_member, id_key_of_member (member));

  if (sender != NULL)
    return sender;
  sender = g_new0 (Sender, 1);
  sender->index = checker->senders->len;
  sender->member = member;
  sender->multicasts = g_array_new (FALSE, FALSE, sizeof (Multicast));
  g_ptr_array_add (checker->senders, sender);
  id_map_insert (checker->senders_by_member, id_key_of_member (member), sender);
  return sender;
}

static void
look_if_all_was_told (const CheckerOrder *checker, const Sender *sender)
{
  if (sender->n_told < sender->multicasts->len)
    findings_reached (checker->findings, PROBE_NEVER_TOLD);
}

OrderTape *
checker_order_joins (CheckerOrder *checker, const char *name, MemberId member)
{
  OrderTape *tape = g_new0 (OrderTape, 1);

  tape->checker = checker;
  tape->name = name;
  tape->sender = sender_of (checker, member);
  look_if_all_was_told (checker, tape->sender);
  tape->views = g_ptr_array_new_with_free_func (order_view_unref);
  tape->heard = g_array_new (FALSE, TRUE, sizeof (Heard));
  g_ptr_array_add (checker->tapes, tape);
  return tape;
}

void
order_tape_over (OrderTape *tape)
{
  tape->over = TRUE;
  g_ptr_array_set_size (tape->views, 0);
  g_array_set_size (tape->heard, 0);
  tape->branch = NULL;
}

void
order_tape_sent (OrderTape *tape, gint64 now_us, guint64 hash)
{
  const Multicast multicast = { hash, 0, now_us, tape->views->len };

  g_array_append_val (tape->sender->multicasts, multicast);
}

/* --- views ------------------------------------------------------------------------------------ */

static IdKey
view_key (const View *view)
{
  return (IdKey){ 0, view->number };
}

static OrderView *
remember (CheckerOrder *checker, const View *view)
{
  OrderView **slot = &checker->views[checker->n_views++ % VIEWS_KEPT];

  if (*slot != NULL)
    {
      id_map_remove (checker->by_number, view_key ((*slot)->view));
      order_view_unref (*slot);
    }
  *slot = g_new0 (OrderView, 1);
  (*slot)->ref_count = 1;
  (*slot)->view = view_copy (view);
  (*slot)->branches = g_ptr_array_new_with_free_func (order_branch_free);
  order_branch_new ((*slot)->branches);
  id_map_insert (checker->by_number, view_key (view), *slot);
  return *slot;
}

static Heard *
heard_of (OrderTape *tape, guint sender)
{
  if (sender >= tape->heard->len)
    g_array_set_size (tape->heard, sender + 1);
  return &g_array_index (tape->heard, Heard, sender);
}

/* Behind the end of a view. */
static void
remember_heard (OrderTape *tape)
{
  const OrderBranch *branch = tape->branch;
  gboolean all = tape->index == branch->entries->len;

  for (guint i = 0; all && i < branch->senders->len; i++)
    {
      guint32 sender = g_array_index (branch->senders, guint32, i);
      guint32 next = *order_branch_next (branch, sender);

      if (next > 0)
        *heard_of (tape, sender) = (Heard){ next, tape->views->len };
    }
  for (guint i = 0; !all && i < tape->index; i++)
    {
      const OrderEntry *entry = order_branch_at (branch, i);

      if (entry->number != NO_NUMBER)
        *heard_of (tape, entry->sender) = (Heard){ entry->number + 1, tape->views->len };
    }
}

void
order_tape_view (OrderTape *tape, const View *view)
{
  OrderView *seen;

  if (tape->over)
    return;
  if (tape->branch != NULL)
    remember_heard (tape);
  seen = id_map_lookup (tape->checker->by_number, view_key (view));
  if (seen == NULL)
    seen = remember (tape->checker, view);
  seen->ref_count++;
  g_ptr_array_add (tape->views, seen);
  tape->branch = seen->branches->pdata[0];
  tape->index = 0;
}

static OrderView *
present_view (const OrderTape *tape)
{
  return tape->views->pdata[tape->views->len - 1];
}

/* --- branches --------------------------------------------------------------------------------- */

/* What is behind the new message of `branch` in the other one must not be before it here. */
static void
compare_with (CheckerOrder *checker, const OrderBranch *branch, const OrderBranch *other,
              const OrderEntry *entry)
{
  const OrderEntry *overtaken = NULL;
  guint found, place;

  if (!order_branch_find (other, entry, other->entries->len, &found))
    return;
  for (guint i = other->entries->len; i > found + 1 && overtaken == NULL; i--)
    if (order_branch_find (branch, order_branch_at (other, i - 1), branch->entries->len - 1,
                           &place))
      overtaken = order_branch_at (other, i - 1);
  if (overtaken == NULL)
    return;
  findings_add (checker->findings, "total-order",
                "at %" G_GINT64_FORMAT "us %s is told message %u of sender %u behind message %u of "
                "sender %u, but %s was told it at %" G_GINT64_FORMAT
                "us and that one at %" G_GINT64_FORMAT "us: the other way round",
                entry->at_us, entry->to, entry->number, entry->sender + 1, overtaken->number,
                overtaken->sender + 1, overtaken->to, order_branch_at (other, found)->at_us,
                overtaken->at_us);
}

/* If each message has one place, and places grow in all branches, then what any two of them have in
 * common is in one order. The places are the transport's word, but this does not depend on it: what
 * they do not prove is compared. */
static gboolean
is_in_place (const CheckerOrder *checker, const OrderBranch *branch, const OrderEntry *entry)
{
  const Sender *sender = checker->senders->pdata[entry->sender];
  Multicast *multicast;

  if (entry->number == NO_NUMBER)
    return FALSE;
  multicast = &g_array_index (sender->multicasts, Multicast, entry->number);
  if (multicast->place == 0)
    multicast->place = entry->place;
  return entry->place == multicast->place && entry->place > branch->place;
}

static void
append (CheckerOrder *checker, OrderView *view, OrderBranch *branch, const OrderEntry *entry)
{
  view->is_odd = !is_in_place (checker, branch, entry) || view->is_odd;
  order_branch_put (branch, *entry);
  for (guint i = 0; view->is_odd && i < view->branches->len; i++)
    if (i != branch->index)
      compare_with (checker, branch, view->branches->pdata[i], entry);
}

static gboolean
is_merge (const View *view)
{
  return view->n_joined > 0 && view->joined[0].reason == VIEW_REASON_NODE_UP;
}

/* It is told something else than those whose branch it followed. */
static void
part_from_branch (OrderTape *tape, const OrderEntry *next)
{
  OrderView *view = present_view (tape);
  OrderBranch *branch;

  for (guint i = 0; i < view->branches->len; i++)
    if (order_branch_goes_on_with (view->branches->pdata[i], tape->branch, tape->index, next))
      {
        tape->branch = view->branches->pdata[i];
        return;
      }
  findings_reached (tape->checker->findings,
                    is_merge (view->view) ? PROBE_MERGE_HOLE : PROBE_PARTED);
  branch = order_branch_part (view->branches, tape->branch, tape->index);
  append (tape->checker, view, branch, next);
  tape->branch = branch;
}

/* --- messages ------------------------------------------------------------------------------- */

/* Which of its sender's it is: the next one, as a rule. */
static guint32
find_number (const Sender *sender, guint32 next, guint64 hash)
{
  const Multicast *multicasts = (const Multicast *) (gconstpointer) sender->multicasts->data;

  for (guint32 i = next; i < sender->multicasts->len; i++)
    if (multicasts[i].hash == hash)
      return i;
  for (guint32 i = MIN (next, sender->multicasts->len); i > 0; i--)
    if (multicasts[i - 1].hash == hash)
      return i - 1;
  return NO_NUMBER;
}

/* The sender was not there all the time since: what came first then may be missed (the merge hole,
 * and what a newcomer sent before it was told itself). */
static gboolean
has_come_since (OrderTape *tape, guint32 index, MemberId sender)
{
  const Heard *heard = heard_of (tape, index);

  if (heard->view == 0)
    return TRUE;
  for (guint i = heard->view; i < tape->views->len; i++)
    {
      const OrderView *former = tape->views->pdata[i - 1];

      if (!view_holds (former->view, sender))
        return TRUE;
    }
  return FALSE;
}

/* What comes behind another of its sender in a view is the same for all that are told both. */
static void
check_sender (OrderTape *tape, gint64 now_us, const OrderEntry *entry)
{
  CheckerOrder *checker = tape->checker;
  Sender *sender = checker->senders->pdata[entry->sender];
  const Multicast *multicast;
  gboolean is_first = entry->after == 0;
  guint32 expected = is_first ? heard_of (tape, entry->sender)->next : entry->after;

  if (entry->number == NO_NUMBER)
    {
      findings_add (checker->findings, "nothing-premature",
                    "at %" G_GINT64_FORMAT "us %s is told a message of %u.%u which that one has "
                    "not multicast: it is too early, or altered",
                    now_us, tape->name, sender->member.node_id, sender->member.process_id);
      return;
    }
  multicast = &g_array_index (sender->multicasts, Multicast, entry->number);
  if (entry->number < expected)
    findings_add (checker->findings, "told-once",
                  "at %" G_GINT64_FORMAT
                  "us %s is told message %u of %u.%u (sent at %" G_GINT64_FORMAT
                  "us), but it was told message %u of it before: it comes twice, or late",
                  now_us, tape->name, entry->number, sender->member.node_id,
                  sender->member.process_id, multicast->at_us, expected - 1);
  else if (entry->number > expected
           && !(is_first && has_come_since (tape, entry->sender, sender->member)))
    findings_add (checker->findings, "sender-fifo",
                  "at %" G_GINT64_FORMAT
                  "us %s is told message %u of %u.%u (sent at %" G_GINT64_FORMAT
                  "us), but after message %u: what was sent between is lost, or overtaken",
                  now_us, tape->name, entry->number, sender->member.node_id,
                  sender->member.process_id, multicast->at_us, expected - 1);
  if (sender == tape->sender && multicast->view != tape->views->len)
    findings_reached (checker->findings, PROBE_NEXT_VIEW);
  sender->n_told = MAX (sender->n_told, entry->number + 1);
}

void
order_tape_message (OrderTape *tape, gint64 now_us, Told told)
{
  const Sender *sender;
  guint32 expected;
  OrderEntry entry;

  if (tape->over || tape->branch == NULL)
    return;
  if (tape->index < tape->branch->entries->len)
    {
      const OrderEntry *next = order_branch_at (tape->branch, tape->index);

      sender = tape->checker->senders->pdata[next->sender];
      if (next->hash == told.hash && member_id_equal (sender->member, told.sender))
        {
          tape->index++;
          if (next->after == 0 || next->after != next->number || sender == tape->sender)
            check_sender (tape, now_us, next);
          return;
        }
    }
  sender = sender_of (tape->checker, told.sender);
  entry = (OrderEntry){ told.hash, told.place, now_us, tape->name, sender->index, 0, 0 };
  expected = *order_branch_next (tape->branch, sender->index);
  if (expected == 0)
    expected = heard_of (tape, sender->index)->next;
  entry.number = find_number (sender, expected, told.hash);
  if (tape->index == tape->branch->entries->len)
    append (tape->checker, present_view (tape), tape->branch, &entry);
  else
    part_from_branch (tape, &entry);
  check_sender (tape, now_us, order_branch_at (tape->branch, tape->index));
  tape->index++;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Who came to a view from different ones may have been told different first messages in it. */
static gboolean
have_one_past (const OrderTape *a, const OrderTape *b)
{
  if (a->views->len < 2 || b->views->len < 2)
    return a->views->len == b->views->len;
  return a->views->pdata[a->views->len - 2] == b->views->pdata[b->views->len - 2];
}

static gboolean
are_told_the_same (const OrderTape *a, const OrderTape *b)
{
  for (guint i = 0; a->branch != b->branch && i < MIN (a->index, b->index); i++)
    if (!order_entry_is_same (order_branch_at (a->branch, i), order_branch_at (b->branch, i)))
      return FALSE;
  return TRUE;
}

void
checker_order_end (CheckerOrder *checker, gint64 now_us)
{
  for (guint i = 0; i < checker->tapes->len; i++)
    {
      const OrderTape *tape = checker->tapes->pdata[i];
      const OrderTape *first = NULL;

      if (tape->over || tape->branch == NULL || present_view (tape)->branches->len == 1)
        continue;
      for (guint j = 0; j < i && first == NULL; j++)
        {
          const OrderTape *other = checker->tapes->pdata[j];

          if (!other->over && other->branch != NULL && present_view (other) == present_view (tape)
              && have_one_past (other, tape))
            first = other;
        }
      if (first != NULL && !are_told_the_same (first, tape))
        findings_add (checker->findings, "total-order",
                      "%s and %s are in one view (%" G_GUINT64_FORMAT
                      ") at the end, at %" G_GINT64_FORMAT
                      "us, but were not told the same messages in it",
                      first->name, tape->name, present_view (tape)->view->number, now_us);
    }
}
