/* SPDX-License-Identifier: MIT */
/* A signal becomes a byte in a pipe, and the pipe is one more thing to be read. (GLib's own
 * g_unix_signal_add starts a thread for that.) */
#include "config.h"

#include "daemon/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const int stop_signals[] = { SIGTERM, SIGINT };

static struct
{
  IoWatch watch; /* first */
  IoPoller *poller;
  int write_fd;
  gboolean stopping;
  const SignalListener *listener;
  gpointer user_data;
} signals;

static void
on_signal (int number)
{
  int saved_errno = errno;

  (void) number;
  /* Full after thousands of signals: the first of them are still to be read. */
  if (write (signals.write_fd, "!", 1) < 0)
    errno = saved_errno;
}

static void
signals_ready (IoWatch *watch, IoEvents events)
{
  char byte;

  (void) events;
  if (read (watch->fd, &byte, 1) != 1)
    return;
  if (signals.stopping)
    signals.listener->stop_now (signals.user_data);
  else
    {
      signals.stopping = TRUE;
      signals.listener->stop (signals.user_data);
    }
}

static void
handle_with (void (*handler) (int))
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

  for (guint i = 0; i < G_N_ELEMENTS (stop_signals); i++)
    sigaction (stop_signals[i], &action, NULL);
}

void
signals_watch (IoPoller *poller, const SignalListener *listener, gpointer user_data)
{
  int fds[2];

  if (pipe2 (fds, O_CLOEXEC | O_NONBLOCK) != 0)
    g_error ("pipe: %s", g_strerror (errno));
  signals.watch = (IoWatch){ .io_ready = signals_ready, .fd = fds[0], .wanted = IO_READ };
  signals.poller = poller;
  signals.write_fd = fds[1];
  signals.stopping = FALSE;
  signals.listener = listener;
  signals.user_data = user_data;
  io_poller_add (poller, &signals.watch);
  handle_with (on_signal);
  signal (SIGPIPE, SIG_IGN);
}

void
signals_unwatch (void)
{
  handle_with (SIG_DFL);
  io_poller_remove (signals.poller, &signals.watch);
  close (signals.watch.fd);
  close (signals.write_fd);
}
