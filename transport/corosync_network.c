/* SPDX-License-Identifier: MIT */
#include "transport/corosync_network.h"
#include "core/base/log.h"
#include "transport/corosync_membership.h"
#include "transport/corosync_quorum.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

struct CorosyncNetwork
{
  CorosyncWorker *worker;
  int poll_fd;
  GPtrArray *memberships; /* of CorosyncMembership, borrowed */
  CorosyncQuorum *quorum; /* NULL: not followed */
  guint64 deliveries;
};

CorosyncNetwork *
corosync_network_new (void)
{
  CorosyncNetwork *network = g_new0 (CorosyncNetwork, 1);
  struct epoll_event event = { .events = EPOLLIN };

  network->worker = corosync_worker_new ();
  network->memberships = g_ptr_array_new ();
  network->poll_fd = epoll_create1 (EPOLL_CLOEXEC);
  if (network->poll_fd < 0
      || epoll_ctl (network->poll_fd, EPOLL_CTL_ADD, corosync_worker_fd (network->worker), &event)
             != 0)
    g_error ("epoll: %s", g_strerror (errno));
  return network;
}

void
corosync_network_free (CorosyncNetwork *network)
{
  g_assert (network->memberships->len == 0);
  g_clear_pointer (&network->quorum, corosync_quorum_free);
  if (!corosync_worker_free (network->worker, LIMIT_COROSYNC_LEAVE_US))
    log_warning (NULL, "corosync does not answer: it will see us end, not leave");
  close (network->poll_fd);
  g_ptr_array_unref (network->memberships);
  g_free (network);
}

static void
forget (gpointer owner, CorosyncMembership *membership)
{
  CorosyncNetwork *network = owner;

  g_ptr_array_remove (network->memberships, membership);
}

Transport *
corosync_network_new_transport (CorosyncNetwork *network)
{
  CorosyncMembership *membership
      = corosync_membership_new (network->worker, network->poll_fd, forget, network);

  g_ptr_array_add (network->memberships, membership);
  return corosync_membership_transport (membership);
}

void
corosync_network_follow_quorum (CorosyncNetwork *network)
{
  g_assert (network->quorum == NULL);
  network->quorum = corosync_quorum_new (network->worker, network->poll_fd);
}

gboolean
corosync_network_is_inquorate (const CorosyncNetwork *network)
{
  return network->quorum != NULL && corosync_quorum_is_lost (network->quorum);
}

int
corosync_network_fd (const CorosyncNetwork *network)
{
  return network->poll_fd;
}

gboolean
corosync_network_dispatch (CorosyncNetwork *network, guint budget)
{
  gboolean more = FALSE;

  corosync_worker_finish (network->worker);
  for (guint i = 0; i < network->memberships->len; i++)
    if (corosync_membership_dispatch (network->memberships->pdata[i], budget, &network->deliveries))
      more = TRUE;
  if (network->quorum != NULL)
    corosync_quorum_dispatch (network->quorum);
  return more;
}

gint64
corosync_network_next_us (const CorosyncNetwork *network)
{
  gint64 next_us = network->quorum != NULL ? corosync_quorum_next_us (network->quorum) : G_MAXINT64;

  for (guint i = 0; i < network->memberships->len; i++)
    next_us = MIN (next_us, corosync_membership_next_us (network->memberships->pdata[i]));
  return next_us;
}

guint64
corosync_network_deliveries (const CorosyncNetwork *network)
{
  return network->deliveries;
}
