/* SPDX-License-Identifier: MIT */
#include "transport/corosync_handle.h"
#include "core/base/error.h"
#include "transport/corosync_error.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

struct CorosyncHandle
{
  CorosyncJob job; /* first: a job is its handle */
  CorosyncWorker *worker;
  int poll_fd;
  char *name;
  gboolean personal;
  struct cpg_name group;
  CorosyncPatience patience;
  const CorosyncHandleListener *listener;
  gpointer user_data;

  /* The worker's while opening or closing, then the owner's. */
  cpg_handle_t cpg;
  gboolean connected;
  gboolean joined;
  guint32 node_id;
  int fd;
  GError *error;

  gboolean open;
  gboolean leave;  /* when it closes */
  gint is_closing; /* atomic: nobody wants it any more */
};

/* --- what corosync says ----------------------------------------------------------------------- */

static CorosyncHandle *
handle_of (cpg_handle_t cpg)
{
  void *context = NULL;

  return cpg_context_get (cpg, &context) == CS_OK ? context : NULL;
}

static void
on_deliver (cpg_handle_t cpg, const struct cpg_name *group, uint32_t node_id, uint32_t pid,
            void *bytes, size_t size)
{
  CorosyncHandle *handle = handle_of (cpg);

  (void) group;
  handle->listener->message (handle->user_data, (MemberId){ node_id, pid }, bytes, size);
}

static ViewReason
reason_of (guint32 reason, ViewReason otherwise)
{
  switch (reason)
    {
    case CPG_REASON_JOIN:
      return VIEW_REASON_JOIN;
    case CPG_REASON_LEAVE:
      return VIEW_REASON_LEAVE;
    case CPG_REASON_NODEDOWN:
      return VIEW_REASON_NODE_DOWN;
    case CPG_REASON_NODEUP:
      return VIEW_REASON_NODE_UP;
    case CPG_REASON_PROCDOWN:
      return VIEW_REASON_PROCESS_DOWN;
    }
  return otherwise;
}

static ViewChange *
changes_of (const struct cpg_address *list, size_t n, ViewReason otherwise)
{
  ViewChange *changes = g_new (ViewChange, n + 1);

  for (size_t i = 0; i < n; i++)
    changes[i] = (ViewChange){ .member = { list[i].nodeid, list[i].pid },
                               .reason = reason_of (list[i].reason, otherwise) };
  return changes;
}

static void
on_confchg (cpg_handle_t cpg, const struct cpg_name *group, const struct cpg_address *members,
            size_t n_members, const struct cpg_address *left, size_t n_left,
            const struct cpg_address *joined, size_t n_joined)
{
  CorosyncHandle *handle = handle_of (cpg);
  g_autofree MemberId *ids = g_new (MemberId, n_members + 1);
  g_autofree ViewChange *left_changes = changes_of (left, n_left, VIEW_REASON_PROCESS_DOWN);
  g_autofree ViewChange *joined_changes = changes_of (joined, n_joined, VIEW_REASON_JOIN);
  View view = {
    .members = ids,
    .n_members = (guint) n_members,
    .left = left_changes,
    .n_left = (guint) n_left,
    .joined = joined_changes,
    .n_joined = (guint) n_joined,
  };

  (void) group;
  for (size_t i = 0; i < n_members; i++)
    ids[i] = (MemberId){ members[i].nodeid, members[i].pid };
  handle->listener->view (handle->user_data, &view);
}

static void
on_totem_confchg (cpg_handle_t cpg, struct cpg_ring_id ring, uint32_t n_nodes,
                  const uint32_t *nodes)
{
  CorosyncHandle *handle = handle_of (cpg);

  (void) n_nodes;
  (void) nodes;
  handle->listener->ring (handle->user_data, (RingId){ ring.nodeid, ring.seq });
}

/* --- in the worker's thread ------------------------------------------------------------------- */

static void
set_group (CorosyncHandle *handle, const char *text)
{
  handle->group.length = (guint32) strlen (text);
  g_assert (handle->group.length <= sizeof handle->group.value);
  memcpy (handle->group.value, text, handle->group.length);
}

/* Whose own group it is, is known when the daemon has told its node's id. */
static void
name_group (CorosyncHandle *handle)
{
  char text[CPG_MAX_NAME_LENGTH + 1];

  if (!handle->personal)
    {
      set_group (handle, handle->name);
      return;
    }
  corosync_handle_personal_group (
      handle->name, (MemberId){ handle->node_id, corosync_handle_process_id () }, text);
  set_group (handle, text);
}

static cs_error_t
connect_now (CorosyncHandle *handle)
{
  cpg_model_v1_data_t model = {
    .model = CPG_MODEL_V1,
    .cpg_deliver_fn = on_deliver,
    .cpg_confchg_fn = on_confchg,
    .cpg_totem_confchg_fn = on_totem_confchg,
    .flags = CPG_MODEL_V1_DELIVER_INITIAL_TOTEM_CONF,
  };
  cs_error_t code
      = cpg_model_initialize (&handle->cpg, CPG_MODEL_V1, (cpg_model_data_t *) &model, handle);

  if (code != CS_OK)
    return code;
  handle->connected = TRUE;
  code = cpg_local_get (handle->cpg, &handle->node_id);
  if (code != CS_OK)
    return code;
  name_group (handle);
  return cpg_fd_get (handle->cpg, &handle->fd);
}

static void
disconnect (CorosyncHandle *handle)
{
  if (handle->connected)
    cpg_finalize (handle->cpg);
  handle->connected = handle->joined = FALSE;
}

/* Members of the group as this daemon has it now. */
static guint
count_members (CorosyncHandle *handle)
{
  cpg_iteration_handle_t iteration;
  struct cpg_iteration_description_t description;
  guint count = 0;

  if (cpg_iteration_initialize (handle->cpg, CPG_ITERATION_ONE_GROUP, &handle->group, &iteration)
      != CS_OK)
    return 0;
  while (cpg_iteration_next (iteration, &description) == CS_OK)
    count++;
  cpg_iteration_finalize (iteration);
  return count;
}

/* libcpg and the daemon have room for so many and do not look: one more would write into what is
 * beside their lists, on every node. Two that join at one instant may still pass here; the view
 * that brings both then ends them (corosync_membership.c). */
static cs_error_t
join_now (CorosyncHandle *handle)
{
  cs_error_t code;

  if (count_members (handle) >= LIMIT_GROUP_MEMBERS)
    return CS_ERR_NO_SPACE;
  code = cpg_join (handle->cpg, &handle->group);
  handle->joined = code == CS_OK;
  return code;
}

static gboolean
open_is_worth_repeating (const CorosyncHandle *handle, cs_error_t code)
{
  if (code == CS_ERR_LIBRARY)
    return handle->patience == COROSYNC_WAITS;
  return corosync_error_is_passing (code);
}

static void
open_in_worker (CorosyncJob *job, CorosyncWorker *worker)
{
  CorosyncHandle *handle = (CorosyncHandle *) job;
  gint64 pause_us = LIMIT_COROSYNC_RETRY_US;
  cs_error_t said = CS_OK;

  for (;;)
    {
      cs_error_t code = handle->connected ? CS_OK : connect_now (handle);

      if (code == CS_OK && (code = join_now (handle)) == CS_OK)
        return;
      if (code != CS_ERR_TRY_AGAIN)
        disconnect (handle);
      if (!open_is_worth_repeating (handle, code)
          || !corosync_worker_pause (worker, pause_us, &handle->is_closing))
        {
          disconnect (handle);
          if (code == CS_ERR_NO_SPACE)
            system_error (&handle->error, SYSTEM_ERROR_TRANSPORT,
                          "the group has %u members, and no room for more", LIMIT_GROUP_MEMBERS);
          else
            corosync_error (&handle->error, code, "cannot join the group");
          return;
        }
      pause_us = MIN (2 * pause_us, LIMIT_COROSYNC_RETRY_US_MAX);
      if (pause_us == LIMIT_COROSYNC_RETRY_US_MAX && code != said)
        corosync_worker_say (worker, "%s; trying again every second", corosync_error_text (code));
      if (pause_us == LIMIT_COROSYNC_RETRY_US_MAX)
        said = code;
    }
}

/* What was multicast before is in the same queue, in front of these two. A daemon that will not
 * hear of it is told by the end of the connection. */
static void
close_in_worker (CorosyncJob *job, CorosyncWorker *worker)
{
  CorosyncHandle *handle = (CorosyncHandle *) job;
  gint64 deadline_us = g_get_monotonic_time () + LIMIT_COROSYNC_LEAVE_US;

  while (handle->joined && handle->leave
         && cpg_leave (handle->cpg, &handle->group) == CS_ERR_TRY_AGAIN
         && g_get_monotonic_time () < deadline_us
         && corosync_worker_pause (worker, LIMIT_RETRY_US, NULL))
    ;
  disconnect (handle);
}

/* --- in the owner's thread -------------------------------------------------------------------- */

static void
handle_free (CorosyncHandle *handle)
{
  g_clear_error (&handle->error);
  g_free (handle->name);
  g_free (handle);
}

static void
closed (CorosyncJob *job)
{
  handle_free ((CorosyncHandle *) job);
}

static void
close_now (CorosyncHandle *handle)
{
  handle->job = (CorosyncJob){ .run = close_in_worker, .done = closed };
  corosync_worker_push (handle->worker, &handle->job);
}

static void
open_done (CorosyncJob *job)
{
  CorosyncHandle *handle = (CorosyncHandle *) job;
  struct epoll_event event = { .events = EPOLLIN };

  job->run = NULL;
  if (g_atomic_int_get (&handle->is_closing))
    close_now (handle);
  else if (handle->error != NULL)
    handle->listener->open_failed (handle->user_data, handle->error);
  else
    {
      handle->open = TRUE;
      if (epoll_ctl (handle->poll_fd, EPOLL_CTL_ADD, handle->fd, &event) != 0)
        g_error ("epoll_ctl: %s", g_strerror (errno));
      handle->listener->opened (handle->user_data, handle->node_id);
    }
}

guint32
corosync_handle_process_id (void)
{
  return (guint32) getpid ();
}

void
corosync_handle_personal_group (const char *group, MemberId member,
                                char text[CPG_MAX_NAME_LENGTH + 1])
{
  g_snprintf (text, CPG_MAX_NAME_LENGTH + 1, "%s/%u.%u", group, member.node_id, member.process_id);
}

CorosyncHandle *
corosync_handle_open (CorosyncWorker *worker, int poll_fd, const char *group, gboolean personal,
                      CorosyncPatience patience, const CorosyncHandleListener *listener,
                      gpointer user_data)
{
  CorosyncHandle *handle = g_new0 (CorosyncHandle, 1);

  handle->worker = worker;
  handle->poll_fd = poll_fd;
  handle->name = g_strdup (group);
  handle->personal = personal;
  handle->patience = patience;
  handle->listener = listener;
  handle->user_data = user_data;
  handle->job = (CorosyncJob){ .run = open_in_worker, .done = open_done };
  corosync_worker_push (worker, &handle->job);
  return handle;
}

void
corosync_handle_close (CorosyncHandle *handle, gboolean leave)
{
  handle->leave = leave;
  if (handle->open)
    epoll_ctl (handle->poll_fd, EPOLL_CTL_DEL, handle->fd, NULL);
  handle->open = FALSE;
  g_atomic_int_set (&handle->is_closing, 1);
  /* While the worker opens it, open_done goes on from here. */
  if (corosync_handle_is_opening (handle))
    corosync_worker_wake (handle->worker);
  else
    close_now (handle);
}

gboolean
corosync_handle_is_opening (const CorosyncHandle *handle)
{
  return handle->job.run == open_in_worker;
}

/* While the worker has it, the error is the worker's. */
gboolean
corosync_handle_is_broken (const CorosyncHandle *handle)
{
  return !corosync_handle_is_opening (handle) && handle->error != NULL;
}

static void
break_off (CorosyncHandle *handle, cs_error_t code)
{
  handle->open = FALSE;
  epoll_ctl (handle->poll_fd, EPOLL_CTL_DEL, handle->fd, NULL);
  corosync_error (&handle->error, code, "the group is gone");
}

TransportResult
corosync_handle_multicast (CorosyncHandle *handle, Buffer *message)
{
  struct iovec iovec = { .iov_base = message->bytes, .iov_len = message->size };
  cs_error_t code;

  if (!handle->open)
    return TRANSPORT_GONE;
  code = cpg_mcast_joined (handle->cpg, CPG_TYPE_AGREED, &iovec, 1);
  if (code == CS_OK)
    return TRANSPORT_SENT;
  if (code != CS_ERR_LIBRARY && corosync_error_is_passing (code))
    return TRANSPORT_FULL;
  break_off (handle, code);
  return TRANSPORT_GONE;
}

gboolean
corosync_handle_dispatch (CorosyncHandle *handle)
{
  cs_error_t code;

  if (!handle->open)
    return FALSE;
  code = cpg_dispatch (handle->cpg, CS_DISPATCH_ONE_NONBLOCKING);
  if (code == CS_OK)
    return TRUE;
  if (code != CS_ERR_TRY_AGAIN)
    break_off (handle, code);
  return FALSE;
}

GError *
corosync_handle_take_error (CorosyncHandle *handle)
{
  if (corosync_handle_is_opening (handle))
    return NULL;
  return g_steal_pointer (&handle->error);
}
