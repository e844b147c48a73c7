/* SPDX-License-Identifier: MIT */
#include "transport/corosync_quorum.h"
#include "core/base/limits.h"
#include "core/base/log.h"
#include "transport/corosync_error.h"

#include <corosync/quorum.h>
#include <errno.h>
#include <sys/epoll.h>

typedef enum QuorumState
{
  QUORUM_CLOSED, /* to be opened at retry_us */
  QUORUM_OPENING,
  QUORUM_OPEN,
  QUORUM_CLOSING
} QuorumState;

struct CorosyncQuorum
{
  CorosyncJob job; /* first: a job is what it works on */
  CorosyncWorker *worker;
  int poll_fd;
  QuorumState state;
  gboolean unwanted; /* free it once the worker gives it back */

  /* The worker's while opening or closing. */
  quorum_handle_t handle;
  gboolean connected;
  guint32 type;
  int fd;
  cs_error_t code;

  gboolean is_lost;
  gboolean none_told; /* that there is no provider */
  gint64 retry_us;
  gint64 pause_us;
};

static void push (CorosyncQuorum *quorum, QuorumState state);

static void
on_quorum (quorum_handle_t handle, uint32_t quorate, uint64_t ring_sequence, uint32_t n_nodes,
           uint32_t *nodes)
{
  const void *context = NULL;
  CorosyncQuorum *quorum;

  (void) ring_sequence;
  (void) n_nodes;
  (void) nodes;
  if (quorum_context_get (handle, &context) != CS_OK)
    return;
  quorum = (CorosyncQuorum *) context;
  if (quorum->is_lost == (quorate == 0))
    return;
  quorum->is_lost = quorate == 0;
  log_notice (NULL, quorate ? "corosync is quorate: new clients are welcome"
                            : "corosync is not quorate: new clients are refused");
}

/* --- in the worker's thread ------------------------------------------------------------------- */

static cs_error_t
connect_now (CorosyncQuorum *quorum)
{
  quorum_model_v0_data_t model = { .model = QUORUM_MODEL_V0, .quorum_notify_fn = on_quorum };
  cs_error_t code = quorum_model_initialize (&quorum->handle, QUORUM_MODEL_V0,
                                             (quorum_model_data_t *) &model, &quorum->type, quorum);

  if (code != CS_OK)
    return code;
  quorum->connected = TRUE;
  code = quorum_fd_get (quorum->handle, &quorum->fd);
  if (code != CS_OK || quorum->type == QUORUM_FREE)
    return code;
  return quorum_trackstart (quorum->handle, CS_TRACK_CURRENT | CS_TRACK_CHANGES);
}

static void
disconnect (CorosyncQuorum *quorum)
{
  if (quorum->connected)
    quorum_finalize (quorum->handle);
  quorum->connected = FALSE;
}

/* One attempt: a group that waits for the worker goes first. */
static void
run_in_worker (CorosyncJob *job, CorosyncWorker *worker)
{
  CorosyncQuorum *quorum = (CorosyncQuorum *) job;

  (void) worker;
  if (quorum->state == QUORUM_OPENING)
    quorum->code = connect_now (quorum);
  if (quorum->state == QUORUM_CLOSING || quorum->code != CS_OK)
    disconnect (quorum);
}

/* --- in the owner's thread -------------------------------------------------------------------- */

static void
wait_before_next (CorosyncQuorum *quorum)
{
  quorum->state = QUORUM_CLOSED;
  quorum->retry_us = g_get_monotonic_time () + quorum->pause_us;
  quorum->pause_us = MIN (2 * quorum->pause_us, LIMIT_COROSYNC_RETRY_US_MAX);
}

/* Tracked or not: it is watched for the daemon's end, as the next one may count votes. */
static void
opened (CorosyncQuorum *quorum)
{
  struct epoll_event event = { .events = EPOLLIN };

  quorum->state = QUORUM_OPEN;
  quorum->pause_us = LIMIT_COROSYNC_RETRY_US;
  if (epoll_ctl (quorum->poll_fd, EPOLL_CTL_ADD, quorum->fd, &event) != 0)
    g_error ("epoll_ctl: %s", g_strerror (errno));
  if (quorum->type == QUORUM_FREE && !quorum->none_told)
    log_notice (NULL, "corosync has no quorum provider: clients are accepted without asking it");
  quorum->none_told = quorum->type == QUORUM_FREE;
}

static void
done (CorosyncJob *job)
{
  CorosyncQuorum *quorum = (CorosyncQuorum *) job;

  if (quorum->unwanted && quorum->connected)
    push (quorum, QUORUM_CLOSING);
  else if (quorum->unwanted)
    g_free (quorum);
  else if (quorum->connected)
    opened (quorum);
  else
    wait_before_next (quorum);
}

static void
push (CorosyncQuorum *quorum, QuorumState state)
{
  quorum->state = state;
  corosync_worker_push (quorum->worker, &quorum->job);
}

static void
break_off (CorosyncQuorum *quorum)
{
  epoll_ctl (quorum->poll_fd, EPOLL_CTL_DEL, quorum->fd, NULL);
  quorum->is_lost = FALSE;
  push (quorum, QUORUM_CLOSING);
}

CorosyncQuorum *
corosync_quorum_new (CorosyncWorker *worker, int poll_fd)
{
  CorosyncQuorum *quorum = g_new0 (CorosyncQuorum, 1);

  quorum->job = (CorosyncJob){ .run = run_in_worker, .done = done };
  quorum->worker = worker;
  quorum->poll_fd = poll_fd;
  quorum->pause_us = LIMIT_COROSYNC_RETRY_US;
  return quorum;
}

void
corosync_quorum_free (CorosyncQuorum *quorum)
{
  quorum->unwanted = TRUE;
  switch (quorum->state)
    {
    case QUORUM_CLOSED:
      g_free (quorum);
      break;
    case QUORUM_OPEN:
      break_off (quorum);
      break;
    case QUORUM_OPENING:
    case QUORUM_CLOSING:
      break;
    }
}

void
corosync_quorum_dispatch (CorosyncQuorum *quorum)
{
  cs_error_t code = CS_OK;

  if (quorum->state == QUORUM_CLOSED && g_get_monotonic_time () >= quorum->retry_us)
    push (quorum, QUORUM_OPENING);
  if (quorum->state != QUORUM_OPEN)
    return;
  while (code == CS_OK)
    code = quorum_dispatch (quorum->handle, CS_DISPATCH_ONE_NONBLOCKING);
  if (code != CS_ERR_TRY_AGAIN)
    break_off (quorum);
}

gint64
corosync_quorum_next_us (const CorosyncQuorum *quorum)
{
  return quorum->state == QUORUM_CLOSED ? quorum->retry_us : G_MAXINT64;
}

gboolean
corosync_quorum_is_lost (const CorosyncQuorum *quorum)
{
  return quorum->is_lost;
}
