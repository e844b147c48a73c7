/* SPDX-License-Identifier: MIT */
/* What corosync says, one event at a time, becomes what the contract promises:
 *
 *     corosync_handle_dispatch --> take_view, take_message, take_ring --> events --> give_head
 *
 * A view is held until its ring is known: corosync tells the ring of a change after the views that
 * the change has made, and of the first view after it or before. Members then name one view by one
 * ring, on all nodes. */
#include "transport/corosync_membership.h"
#include "core/base/error.h"
#include "transport/corosync_handle.h"
#include "transport/corosync_private.h"
#include "transport/view.h"

typedef struct Event
{
  View *view; /* NULL: a message */
  gboolean held;
  MemberId sender;
  Buffer *bytes;
} Event;

struct CorosyncMembership
{
  Transport transport;
  CorosyncWorker *worker;
  int poll_fd;
  void (*forget) (gpointer owner, CorosyncMembership *membership);
  gpointer owner;

  char *group;
  CorosyncPrivate *box;   /* from join to free */
  CorosyncHandle *handle; /* NULL: not there yet, or no more */
  GError *failure;        /* to be told */

  GQueue events; /* of Event: taken, not given */
  gboolean ring_known;
  RingId ring;
  GArray *members; /* of MemberId, of the last view that was taken */
  GArray *present; /* of the last one that was given */
  gboolean wants_writable;
  gint64 writable_us;
};

static void
event_free (gpointer data)
{
  Event *event = data;

  g_clear_pointer (&event->view, view_unref);
  g_clear_pointer (&event->bytes, buffer_unref);
  g_free (event);
}

static gboolean
array_holds (const GArray *members, MemberId member)
{
  const MemberId *ids = (const MemberId *) (gpointer) members->data;
  guint place = view_place (ids, members->len, member);

  return place < members->len && member_id_equal (ids[place], member);
}

static void
break_off (CorosyncMembership *membership, const char *why)
{
  if (membership->failure == NULL)
    system_error (&membership->failure, SYSTEM_ERROR_TRANSPORT, "%s", why);
}

/* --- taking ----------------------------------------------------------------------------------- */

static void
end_holding (CorosyncMembership *membership)
{
  for (GList *link = membership->events.head; link != NULL; link = link->next)
    {
      Event *event = link->data;

      event->held = FALSE;
      if (event->view != NULL)
        event->view->ring = membership->ring;
    }
}

static void
append_view (CorosyncMembership *membership, const View *view, gboolean held)
{
  Event *event = g_new0 (Event, 1);

  event->view = view_copy (view);
  event->view->ring = membership->ring;
  event->held = held || !membership->ring_known;
  g_queue_push_tail (&membership->events, event);
  g_array_set_size (membership->members, 0);
  g_array_append_vals (membership->members, view->members, view->n_members);
}

/* Those of `changes` that are in exactly one of the views before and now, as `joins` says. */
static guint
filter_changes (const CorosyncMembership *membership, const View *view, ViewChange *changes,
                guint n_changes, gboolean joins)
{
  guint n = 0;

  for (guint i = 0; i < n_changes; i++)
    if (view_holds (view, changes[i].member) == joins
        && array_holds (membership->members, changes[i].member) != joins)
      changes[n++] = changes[i];
  return n;
}

/* The ring has changed, or is about to be told for the first time. */
static gboolean
comes_before_its_ring (const View *view)
{
  return (view->n_left > 0 && view->left[0].reason == VIEW_REASON_NODE_DOWN)
         || (view->n_joined > 0 && view->joined[0].reason == VIEW_REASON_NODE_UP);
}

static const char *
why_not_ours (const CorosyncMembership *membership, const View *view)
{
  MemberId self = membership->transport.self;

  if (view->n_members > LIMIT_GROUP_MEMBERS)
    return "the group has more members than corosync can count";
  if (membership->members->len > 0 && !view_holds (view, self))
    return "corosync has put this member out of the group";
  if (membership->members->len > 0
      && view->n_members + view->n_left != membership->members->len + view->n_joined)
    return "a view of corosync does not follow from the one before";
  if (view->n_left > 0 && view->n_joined > 0)
    return "a view of corosync is two changes at once";
  return NULL;
}

/* corosync may name again one that has left already (its process ended while it left). */
static void
take_view (gpointer user_data, const View *given)
{
  CorosyncMembership *membership = user_data;
  g_autofree ViewChange *left = g_memdup2 (given->left, given->n_left * sizeof (ViewChange));
  g_autofree ViewChange *joined = g_memdup2 (given->joined, given->n_joined * sizeof (ViewChange));
  View view = *given;
  gboolean is_first = membership->members->len == 0;
  gboolean held = comes_before_its_ring (given);
  const char *why_not;

  view.left = left;
  view.n_left = filter_changes (membership, given, left, given->n_left, FALSE);
  view.joined = joined;
  view.n_joined = filter_changes (membership, given, joined, given->n_joined, TRUE);
  if (is_first && !view_holds (given, membership->transport.self))
    return;
  why_not = why_not_ours (membership, &view);
  if (why_not != NULL)
    break_off (membership, why_not);
  else if (view.n_left > 0 || view.n_joined > 0)
    append_view (membership, &view, held);
}

static void
take_ring (gpointer user_data, RingId ring)
{
  CorosyncMembership *membership = user_data;

  membership->ring = ring;
  membership->ring_known = TRUE;
  end_holding (membership);
}

/* corosync gives no message between a view and its ring. */
static void
take_message (gpointer user_data, MemberId sender, const void *bytes, gsize size)
{
  CorosyncMembership *membership = user_data;
  Event *event;

  if (size == 0 || !array_holds (membership->members, sender))
    return;
  end_holding (membership);
  event = g_new0 (Event, 1);
  event->sender = sender;
  event->bytes = buffer_new_copy (bytes, size);
  g_queue_push_tail (&membership->events, event);
}

static void
handle_opened (gpointer user_data, guint32 node_id)
{
  (void) user_data;
  (void) node_id;
}

static void
open_failed (gpointer user_data, const GError *error)
{
  break_off (user_data, error->message);
}

static const CorosyncHandleListener handle_listener = {
  .opened = handle_opened,
  .open_failed = open_failed,
  .message = take_message,
  .view = take_view,
  .ring = take_ring,
};

/* --- giving ----------------------------------------------------------------------------------- */

static void
give_message (CorosyncMembership *membership, MemberId sender, gboolean directed, Buffer *bytes)
{
  MessageCache cache = { 0 };
  TransportMessage message = {
    .sender = sender,
    .directed = directed,
    .bytes = bytes,
    .cache = &cache,
  };

  if (member_id_equal (sender, membership->transport.self))
    membership->writable_us = 0;
  membership->transport.listener->delivered (membership->transport.user_data, &message);
  if (cache.value != NULL && cache.destroy != NULL)
    cache.destroy (cache.value);
}

static void
give_view (CorosyncMembership *membership, const View *view)
{
  g_array_set_size (membership->present, 0);
  g_array_append_vals (membership->present, view->members, view->n_members);
  for (guint i = 0; i < view->n_left; i++)
    corosync_private_member_left (membership->box, view->left[i].member);
  membership->transport.listener->view_changed (membership->transport.user_data, view);
}

/* FALSE: there is nothing to give yet. */
static gboolean
give_head (CorosyncMembership *membership, guint64 *deliveries)
{
  Event *event = g_queue_peek_head (&membership->events);

  if (event == NULL || event->held)
    return FALSE;
  g_queue_pop_head (&membership->events);
  (*deliveries)++;
  if (event->view != NULL)
    give_view (membership, event->view);
  else
    give_message (membership, event->sender, FALSE, event->bytes);
  event_free (event);
  return TRUE;
}

static void
close_all (CorosyncMembership *membership, gboolean leave)
{
  if (membership->box != NULL)
    corosync_private_close (membership->box, leave);
  if (membership->handle != NULL)
    corosync_handle_close (g_steal_pointer (&membership->handle), leave);
}

static gboolean
give_failure (CorosyncMembership *membership, guint64 *deliveries)
{
  g_autoptr (GError) failure = g_steal_pointer (&membership->failure);

  if (failure == NULL && membership->handle != NULL)
    failure = corosync_handle_take_error (membership->handle);
  if (failure == NULL)
    return FALSE;
  membership->transport.over = TRUE;
  (*deliveries)++;
  close_all (membership, FALSE);
  membership->transport.listener->failed (membership->transport.user_data, failure);
  return TRUE;
}

static void
give_writable (CorosyncMembership *membership)
{
  if (!membership->wants_writable || membership->present->len == 0
      || g_get_monotonic_time () < membership->writable_us)
    return;
  membership->wants_writable = FALSE;
  membership->transport.listener->writable (membership->transport.user_data);
}

/* TRUE: corosync has no more of the group's events now. */
static gboolean
drain (CorosyncMembership *membership, guint budget, guint64 *deliveries)
{
  for (; budget > 0 && !membership->transport.over; budget--)
    if (!give_head (membership, deliveries)
        && (membership->failure != NULL || membership->handle == NULL
            || !corosync_handle_dispatch (membership->handle)))
      return TRUE;
  return FALSE;
}

gboolean
corosync_membership_dispatch (CorosyncMembership *membership, guint budget, guint64 *deliveries)
{
  gboolean drained, more;

  if (membership->box == NULL || membership->transport.over)
    return FALSE;
  drained = drain (membership, budget, deliveries);
  if (membership->transport.over || give_failure (membership, deliveries))
    return FALSE;
  if (membership->present->len > 0)
    *deliveries += corosync_private_give (membership->box, drained);
  if (membership->transport.over)
    return FALSE;
  more = corosync_private_read (membership->box);
  give_writable (membership);
  if (membership->transport.over)
    return FALSE;
  /* Before its first view nothing else is given, so there is nothing to hurry for. */
  return !drained || (more && membership->present->len > 0);
}

gint64
corosync_membership_next_us (const CorosyncMembership *membership)
{
  gint64 next_us = G_MAXINT64;

  if (membership->box == NULL || membership->transport.over)
    return G_MAXINT64;
  if (membership->failure != NULL
      || (membership->handle != NULL && corosync_handle_is_broken (membership->handle)))
    return 0;
  if (membership->present->len == 0)
    return G_MAXINT64;
  if (membership->wants_writable)
    next_us = membership->writable_us;
  return MIN (next_us, corosync_private_next_us (membership->box));
}

/* --- send_to ---------------------------------------------------------------------------------- */

static void
box_ready (gpointer user_data, MemberId self)
{
  CorosyncMembership *membership = user_data;

  membership->transport.self = self;
  membership->handle
      = corosync_handle_open (membership->worker, membership->poll_fd, membership->group, FALSE,
                              COROSYNC_WAITS, &handle_listener, membership);
}

static gboolean
box_is_member (gpointer user_data, MemberId member)
{
  const CorosyncMembership *membership = user_data;

  return array_holds (membership->present, member);
}

static void
box_message (gpointer user_data, MemberId sender, Buffer *bytes)
{
  give_message (user_data, sender, TRUE, bytes);
}

static const CorosyncPrivateListener box_listener = {
  .ready = box_ready,
  .failed = open_failed,
  .is_member = box_is_member,
  .message = box_message,
};

/* --- as a transport --------------------------------------------------------------------------- */

static gboolean
membership_join (Transport *transport, const char *group, GError **error)
{
  CorosyncMembership *membership = (CorosyncMembership *) transport;

  if (strlen (group) > COROSYNC_GROUP_LENGTH_MAX)
    {
      transport->over = TRUE;
      return system_error (error, SYSTEM_ERROR_TRANSPORT, "group '%s': longer than %d bytes", group,
                           COROSYNC_GROUP_LENGTH_MAX);
    }
  membership->group = g_strdup (group);
  membership->box = corosync_private_new (membership->worker, membership->poll_fd, group,
                                          &box_listener, membership);
  return TRUE;
}

static TransportResult
note_full (CorosyncMembership *membership, TransportResult result)
{
  if (result != TRANSPORT_FULL)
    return result;
  membership->wants_writable = TRUE;
  membership->writable_us = g_get_monotonic_time () + LIMIT_RETRY_US;
  return TRANSPORT_FULL;
}

static TransportResult
membership_multicast (Transport *transport, Buffer *message)
{
  CorosyncMembership *membership = (CorosyncMembership *) transport;

  if (membership->failure != NULL)
    return TRANSPORT_GONE;
  if (membership->handle == NULL || corosync_handle_is_opening (membership->handle))
    return note_full (membership, TRANSPORT_FULL);
  return note_full (membership, corosync_handle_multicast (membership->handle, message));
}

static TransportResult
membership_send_to (Transport *transport, MemberId to, Buffer *message)
{
  CorosyncMembership *membership = (CorosyncMembership *) transport;

  if (membership->failure != NULL)
    return TRANSPORT_GONE;
  if (membership->present->len == 0)
    return note_full (membership, TRANSPORT_FULL);
  if (!array_holds (membership->present, to))
    return TRANSPORT_SENT;
  return note_full (membership, corosync_private_send (membership->box, to, message));
}

static void
membership_leave (Transport *transport)
{
  close_all ((CorosyncMembership *) transport, TRUE);
}

static void
membership_free (Transport *transport)
{
  CorosyncMembership *membership = (CorosyncMembership *) transport;

  close_all (membership, FALSE);
  membership->forget (membership->owner, membership);
  g_clear_pointer (&membership->box, corosync_private_free);
  g_queue_clear_full (&membership->events, event_free);
  g_array_unref (membership->members);
  g_array_unref (membership->present);
  g_clear_error (&membership->failure);
  g_free (membership->group);
  g_free (membership);
}

CorosyncMembership *
corosync_membership_new (CorosyncWorker *worker, int poll_fd,
                         void (*forget) (gpointer owner, CorosyncMembership *membership),
                         gpointer owner)
{
  static const TransportType corosync_type = {
    .name = "cpg",
    .join = membership_join,
    .multicast = membership_multicast,
    .send_to = membership_send_to,
    .leave = membership_leave,
    .free = membership_free,
  };
  CorosyncMembership *membership = g_new0 (CorosyncMembership, 1);

  membership->transport.type = &corosync_type;
  membership->worker = worker;
  membership->poll_fd = poll_fd;
  membership->forget = forget;
  membership->owner = owner;
  membership->members = g_array_new (FALSE, FALSE, sizeof (MemberId));
  membership->present = g_array_new (FALSE, FALSE, sizeof (MemberId));
  return membership;
}

Transport *
corosync_membership_transport (CorosyncMembership *membership)
{
  return &membership->transport;
}
