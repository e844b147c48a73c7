/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "daemon/listener.h"
#include "core/base/env.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "core/base/log.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

struct Listener
{
  IoWatch watch; /* first: the poller hands it back to us */
  IoPoller *poller;
  const char *member;
  ListenAddress address;
  ListenerAccepted accepted;
  gpointer user_data;
  gint64 paused_until_us;  /* ENV_NEVER: accepting */
  gboolean exhausted_told; /* once, until an accept succeeds again */
};

/* A level-triggered listener that cannot accept would be ready for ever and burn the loop. */
static void
pause_accepting (Listener *listener, int failure)
{
  if (!listener->exhausted_told)
    {
      g_autofree char *text = listen_address_to_text (&listener->address);

      log_warning (listener->member, "not accepting on %s for now: %s", text, g_strerror (failure));
    }
  listener->exhausted_told = TRUE;
  listener->paused_until_us = g_get_monotonic_time () + LIMIT_ACCEPT_PAUSE_US;
  listener->watch.wanted = IO_NONE;
  io_poller_modify (listener->poller, &listener->watch);
}

static void
accept_one (Listener *listener, int fd, const ListenAddress *peer)
{
  g_autofree char *text = listen_address_to_text (peer);
  int on = 1;

  listener->exhausted_told = FALSE;
  setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  listener->accepted (listener->user_data, fd, text);
}

static void
listener_ready (IoWatch *watch, IoEvents events)
{
  Listener *listener = (Listener *) watch;

  (void) events;
  for (guint i = 0; i < LIMIT_ACCEPTS_PER_TURN; i++)
    {
      ListenAddress peer = { .length = sizeof peer.socket_address };
      int fd = accept4 (watch->fd, (struct sockaddr *) &peer.socket_address, &peer.length,
                        SOCK_NONBLOCK | SOCK_CLOEXEC);

      if (fd >= 0)
        accept_one (listener, fd, &peer);
      else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        {
          pause_accepting (listener, errno);
          return;
        }
      else if (errno == EAGAIN)
        return;
      /* Else the connection was gone before we took it (accept(2), ECONNABORTED): the next one. */
    }
}

/* FALSE with errno. */
static gboolean
bind_and_listen (int fd, const ListenAddress *address)
{
  int on = 1;

  /* A member that comes back finds its port in TIME_WAIT. */
  if (setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
    return FALSE;
  /* So that [::] and 0.0.0.0 can be listed side by side everywhere. */
  if (address->socket_address.ss_family == AF_INET6
      && setsockopt (fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0)
    return FALSE;
  return bind (fd, (const struct sockaddr *) &address->socket_address, address->length) == 0
         && listen (fd, LIMIT_LISTEN_BACKLOG) == 0;
}

Listener *
listener_new (const ListenAddress *address, IoPoller *poller, const char *member,
              ListenerAccepted accepted, gpointer user_data, GError **error)
{
  Listener *listener;
  int fd
      = socket (address->socket_address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  if (fd < 0 || !bind_and_listen (fd, address))
    {
      int failure = errno;
      g_autofree char *text = listen_address_to_text (address);

      if (fd >= 0)
        close (fd);
      system_error (error, SYSTEM_ERROR_REFUSED, "cannot listen on %s: %s", text,
                    g_strerror (failure));
      return NULL;
    }
  listener = g_new0 (Listener, 1);
  listener->watch = (IoWatch){ .io_ready = listener_ready, .fd = fd, .wanted = IO_READ };
  listener->poller = poller;
  listener->member = member;
  listener->address = *address;
  getsockname (fd, (struct sockaddr *) &listener->address.socket_address,
               &listener->address.length);
  listener->accepted = accepted;
  listener->user_data = user_data;
  listener->paused_until_us = ENV_NEVER;
  io_poller_add (poller, &listener->watch);
  return listener;
}

void
listener_free (Listener *listener)
{
  io_poller_remove (listener->poller, &listener->watch);
  close (listener->watch.fd);
  g_free (listener);
}

const ListenAddress *
listener_address (const Listener *listener)
{
  return &listener->address;
}

gint64
listener_next_deadline_us (const Listener *listener)
{
  return listener->paused_until_us;
}

void
listener_tick (Listener *listener, gint64 now_us)
{
  if (now_us < listener->paused_until_us)
    return;
  listener->paused_until_us = ENV_NEVER;
  listener->watch.wanted = IO_READ;
  io_poller_modify (listener->poller, &listener->watch);
}
