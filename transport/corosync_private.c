/* SPDX-License-Identifier: MIT */
#include "transport/corosync_private.h"
#include "core/base/log.h"
#include "transport/corosync_handle.h"

/* From us to one other member. */
typedef struct Line
{
  CorosyncPrivate *box;
  MemberId to;
  CorosyncHandle *handle;
  gboolean up;      /* we are seen in the group */
  gboolean reaches; /* so is the other */
  gboolean broken;  /* could not be opened */
  gsize unseen;     /* bytes that have not come back yet */
  gint64 last_used_us;
} Line;

typedef enum StagedKind
{
  STAGED_CAME,
  STAGED_WENT,
  STAGED_MESSAGE
} StagedKind;

typedef struct Staged
{
  StagedKind kind;
  MemberId member;
  Buffer *bytes;
} Staged;

struct CorosyncPrivate
{
  CorosyncWorker *worker;
  int poll_fd;
  char *group;
  const CorosyncPrivateListener *listener;
  gpointer user_data;
  MemberId self;

  CorosyncHandle *inbox; /* NULL: closed */
  gboolean inbox_seen;   /* our own joining of it */
  GArray *heard;         /* of MemberId: who came while we were there */
  GQueue staged;         /* of Staged: read, not given on */
  gint64 staged_us;      /* since when the head waits */
  GPtrArray *lines;      /* of Line */
};

static void
staged_free (gpointer data)
{
  Staged *staged = data;

  g_clear_pointer (&staged->bytes, buffer_unref);
  g_free (staged);
}

static gboolean
holds (const MemberId *members, guint n_members, MemberId member)
{
  for (guint i = 0; i < n_members; i++)
    if (member_id_equal (members[i], member))
      return TRUE;
  return FALSE;
}

/* --- the inbox -------------------------------------------------------------------------------- */

static void
stage (CorosyncPrivate *box, StagedKind kind, MemberId member, Buffer *take_bytes)
{
  Staged *staged = g_new (Staged, 1);

  *staged = (Staged){ .kind = kind, .member = member, .bytes = take_bytes };
  if (g_queue_is_empty (&box->staged))
    box->staged_us = g_get_monotonic_time ();
  g_queue_push_tail (&box->staged, staged);
}

static void
inbox_opened (gpointer user_data, guint32 node_id)
{
  CorosyncPrivate *box = user_data;

  box->self = (MemberId){ node_id, corosync_handle_process_id () };
  box->listener->ready (box->user_data, box->self);
}

static void
inbox_open_failed (gpointer user_data, const GError *error)
{
  CorosyncPrivate *box = user_data;

  box->listener->failed (box->user_data, error);
}

static void
inbox_message (gpointer user_data, MemberId sender, const void *bytes, gsize size)
{
  stage (user_data, STAGED_MESSAGE, sender, buffer_new_copy (bytes, size));
}

/* Who was there before us came for an earlier life of ours. */
static void
inbox_view (gpointer user_data, const View *view)
{
  CorosyncPrivate *box = user_data;

  for (guint i = 0; i < view->n_left; i++)
    stage (box, STAGED_WENT, view->left[i].member, NULL);
  for (guint i = 0; i < view->n_joined; i++)
    stage (box, STAGED_CAME, view->joined[i].member, NULL);
  box->inbox_seen = TRUE;
}

static void
ring_ignored (gpointer user_data, RingId ring)
{
  (void) user_data;
  (void) ring;
}

static const CorosyncHandleListener inbox_listener = {
  .opened = inbox_opened,
  .open_failed = inbox_open_failed,
  .message = inbox_message,
  .view = inbox_view,
  .ring = ring_ignored,
};

static void
forget_heard (CorosyncPrivate *box, MemberId member)
{
  for (guint i = box->heard->len; i-- > 0;)
    if (member_id_equal (g_array_index (box->heard, MemberId, i), member))
      g_array_remove_index_fast (box->heard, i);
}

static gboolean
is_heard (CorosyncPrivate *box, MemberId member)
{
  return holds ((const MemberId *) (gpointer) box->heard->data, box->heard->len, member)
         && box->listener->is_member (box->user_data, member);
}

guint
corosync_private_give (CorosyncPrivate *box, gboolean drained)
{
  guint n_given = 0;
  guint n = g_queue_get_length (&box->staged);

  if (n == 0 || (!drained && g_get_monotonic_time () < box->staged_us + LIMIT_PRIVATE_STAGED_US))
    return 0;
  for (; n > 0 && box->inbox != NULL; n--)
    {
      Staged *staged = g_queue_pop_head (&box->staged);

      switch (staged->kind)
        {
        case STAGED_CAME:
          forget_heard (box, staged->member);
          g_array_append_val (box->heard, staged->member);
          break;
        case STAGED_WENT:
          forget_heard (box, staged->member);
          break;
        case STAGED_MESSAGE:
          if (!is_heard (box, staged->member))
            break;
          n_given++;
          box->listener->message (box->user_data, staged->member, staged->bytes);
          break;
        }
      staged_free (staged);
    }
  return n_given;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void
line_opened (gpointer user_data, guint32 node_id)
{
  (void) user_data;
  (void) node_id;
}

/* What would be sent is lost, as if the other were: until the line is idle, and then opened again
 * for the next message. */
static void
line_open_failed (gpointer user_data, const GError *error)
{
  Line *line = user_data;

  log_warning (NULL, "cannot send to %u.%u alone: %s", line->to.node_id, line->to.process_id,
               error->message);
  line->broken = TRUE;
}

static void
line_message (gpointer user_data, MemberId sender, const void *bytes, gsize size)
{
  Line *line = user_data;

  (void) bytes;
  if (member_id_equal (sender, line->box->self))
    line->unseen -= size;
}

static void
line_view (gpointer user_data, const View *view)
{
  Line *line = user_data;

  line->up = holds (view->members, view->n_members, line->box->self);
  line->reaches = holds (view->members, view->n_members, line->to);
}

static const CorosyncHandleListener line_listener = {
  .opened = line_opened,
  .open_failed = line_open_failed,
  .message = line_message,
  .view = line_view,
  .ring = ring_ignored,
};

static void
line_close (Line *line, gboolean leave)
{
  corosync_handle_close (line->handle, leave);
  g_free (line);
}

/* What was sent on it still arrives: the leave is behind it. */
static void
hang_up (CorosyncPrivate *box, guint index)
{
  line_close (g_ptr_array_remove_index_fast (box->lines, index), TRUE);
}

static void
make_room (CorosyncPrivate *box)
{
  guint oldest = 0;

  if (box->lines->len < LIMIT_PRIVATE_GROUPS)
    return;
  for (guint i = 1; i < box->lines->len; i++)
    if (((Line *) box->lines->pdata[i])->last_used_us
        < ((Line *) box->lines->pdata[oldest])->last_used_us)
      oldest = i;
  hang_up (box, oldest);
}

static Line *
line_to (CorosyncPrivate *box, MemberId to)
{
  char group[CPG_MAX_NAME_LENGTH + 1];
  Line *line;

  for (guint i = 0; i < box->lines->len; i++)
    {
      line = box->lines->pdata[i];
      if (member_id_equal (line->to, to))
        return line;
    }
  make_room (box);
  line = g_new0 (Line, 1);
  line->box = box;
  line->to = to;
  corosync_handle_personal_group (box->group, to, group);
  line->handle = corosync_handle_open (box->worker, box->poll_fd, group, FALSE, COROSYNC_WAITS_BUSY,
                                       &line_listener, line);
  g_ptr_array_add (box->lines, line);
  return line;
}

/* A daemon that died is noticed where the group is read. */
static TransportResult
send_on (Line *line, Buffer *message)
{
  TransportResult result;

  line->last_used_us = g_get_monotonic_time ();
  if (line->broken)
    return TRANSPORT_SENT;
  if (!line->up)
    return TRANSPORT_FULL;
  if (!line->reaches)
    return TRANSPORT_SENT;
  if (line->unseen > 0 && line->unseen + message->size > LIMIT_PRIVATE_WINDOW)
    return TRANSPORT_FULL;
  result = corosync_handle_multicast (line->handle, message);
  if (result == TRANSPORT_SENT)
    line->unseen += message->size;
  return result;
}

TransportResult
corosync_private_send (CorosyncPrivate *box, MemberId to, Buffer *message)
{
  if (box->inbox == NULL)
    return TRANSPORT_GONE;
  if (!member_id_equal (to, box->self))
    return send_on (line_to (box, to), message);
  return box->inbox_seen ? corosync_handle_multicast (box->inbox, message) : TRANSPORT_FULL;
}

void
corosync_private_member_left (CorosyncPrivate *box, MemberId member)
{
  forget_heard (box, member);
  for (guint i = box->lines->len; i-- > 0;)
    if (member_id_equal (((Line *) box->lines->pdata[i])->to, member))
      hang_up (box, i);
}

/* --- both ------------------------------------------------------------------------------------- */

CorosyncPrivate *
corosync_private_new (CorosyncWorker *worker, int poll_fd, const char *group,
                      const CorosyncPrivateListener *listener, gpointer user_data)
{
  CorosyncPrivate *box = g_new0 (CorosyncPrivate, 1);

  box->worker = worker;
  box->poll_fd = poll_fd;
  box->group = g_strdup (group);
  box->listener = listener;
  box->user_data = user_data;
  box->heard = g_array_new (FALSE, FALSE, sizeof (MemberId));
  box->lines = g_ptr_array_new ();
  box->inbox
      = corosync_handle_open (worker, poll_fd, group, TRUE, COROSYNC_WAITS, &inbox_listener, box);
  return box;
}

void
corosync_private_close (CorosyncPrivate *box, gboolean leave)
{
  for (guint i = 0; i < box->lines->len; i++)
    line_close (box->lines->pdata[i], leave);
  g_ptr_array_set_size (box->lines, 0);
  if (box->inbox != NULL)
    corosync_handle_close (g_steal_pointer (&box->inbox), leave);
}

void
corosync_private_free (CorosyncPrivate *box)
{
  corosync_private_close (box, FALSE);
  g_queue_clear_full (&box->staged, staged_free);
  g_array_unref (box->heard);
  g_ptr_array_unref (box->lines);
  g_free (box->group);
  g_free (box);
}

static gboolean
read_lines (CorosyncPrivate *box)
{
  gint64 idle_since_us = g_get_monotonic_time () - LIMIT_PRIVATE_IDLE_US;
  gboolean more = FALSE;

  for (guint i = box->lines->len; i-- > 0;)
    {
      Line *line = box->lines->pdata[i];
      guint n = 0;

      while (n < LIMIT_PRIVATE_STAGED && corosync_handle_dispatch (line->handle))
        n++;
      more = more || n == LIMIT_PRIVATE_STAGED;
      if (line->last_used_us < idle_since_us)
        hang_up (box, i);
    }
  return more;
}

gboolean
corosync_private_read (CorosyncPrivate *box)
{
  gboolean more = read_lines (box);

  if (box->inbox == NULL)
    return FALSE;
  while (g_queue_get_length (&box->staged) < LIMIT_PRIVATE_STAGED
         && corosync_handle_dispatch (box->inbox))
    ;
  return more || !g_queue_is_empty (&box->staged);
}

gint64
corosync_private_next_us (const CorosyncPrivate *box)
{
  gint64 next_us = G_MAXINT64;

  for (guint i = 0; i < box->lines->len; i++)
    next_us = MIN (next_us, ((Line *) box->lines->pdata[i])->last_used_us + LIMIT_PRIVATE_IDLE_US);
  return box->staged.length == 0 ? next_us : 0;
}
