/* SPDX-License-Identifier: MIT */
#include "config.h"

#ifdef HAVE_SYS_EPOLL_H
#include "daemon/io_poller.h"
#include "core/base/limits.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

typedef struct EpollBackend
{
  int fd;
} EpollBackend;

static gpointer
epoll_backend_open (GSource *source)
{
  EpollBackend *backend = g_new0 (EpollBackend, 1);

  backend->fd = epoll_create1 (EPOLL_CLOEXEC);
  if (backend->fd < 0)
    g_error ("epoll_create1: %s", g_strerror (errno));
  g_source_add_unix_fd (source, backend->fd, G_IO_IN);
  return backend;
}

static void
epoll_backend_close (gpointer user_data)
{
  EpollBackend *backend = user_data;

  close (backend->fd);
  g_free (backend);
}

/* The fds are ours and open, so only a mistake of ours, or a kernel without memory, gets here. */
static void
control (const EpollBackend *backend, int operation, IoWatch *watch)
{
  struct epoll_event event = { .data.ptr = watch };

  if (watch->wanted & IO_READ)
    event.events |= EPOLLIN;
  if (watch->wanted & IO_WRITE)
    event.events |= EPOLLOUT;
  if (epoll_ctl (backend->fd, operation, watch->fd, &event) != 0)
    g_error ("epoll_ctl: %s", g_strerror (errno));
}

static void
epoll_backend_add (gpointer backend, IoWatch *watch)
{
  control (backend, EPOLL_CTL_ADD, watch);
}

static void
epoll_backend_modify (gpointer backend, IoWatch *watch)
{
  control (backend, EPOLL_CTL_MOD, watch);
}

static void
epoll_backend_remove (gpointer backend, IoWatch *watch)
{
  control (backend, EPOLL_CTL_DEL, watch);
}

static guint
epoll_backend_ready (gpointer user_data, IoWatch **watches, IoEvents *events, guint max)
{
  const EpollBackend *backend = user_data;
  struct epoll_event found[LIMIT_POLL_EVENTS];
  int n = epoll_wait (backend->fd, found, (int) MIN (max, LIMIT_POLL_EVENTS), 0);

  for (int i = 0; i < n; i++)
    {
      watches[i] = found[i].data.ptr;
      events[i] = ((found[i].events & EPOLLIN) != 0 ? IO_READ : IO_NONE)
                  | ((found[i].events & EPOLLOUT) != 0 ? IO_WRITE : IO_NONE)
                  | ((found[i].events & (EPOLLERR | EPOLLHUP)) != 0 ? IO_GONE : IO_NONE);
    }
  return n > 0 ? (guint) n : 0;
}

const IoBackend io_backend_epoll = {
  .name = "epoll",
  .open = epoll_backend_open,
  .close = epoll_backend_close,
  .add = epoll_backend_add,
  .modify = epoll_backend_modify,
  .remove = epoll_backend_remove,
  .ready = epoll_backend_ready,
};
#endif
