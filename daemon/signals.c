/* SPDX-License-Identifier: MIT */
#include "daemon/signals.h"

#include <glib-unix.h>
#include <signal.h>

static const SignalListener *current;
static gpointer current_user_data;
static guint sources[2];
static gboolean stopping;

static gboolean
signalled (gpointer user_data)
{
  (void) user_data;
  if (stopping)
    current->stop_now (current_user_data);
  else
    {
      stopping = TRUE;
      current->stop (current_user_data);
    }
  return G_SOURCE_CONTINUE;
}

void
signals_watch (const SignalListener *listener, gpointer user_data)
{
  current = listener;
  current_user_data = user_data;
  sources[0] = g_unix_signal_add (SIGTERM, signalled, NULL);
  sources[1] = g_unix_signal_add (SIGINT, signalled, NULL);
  signal (SIGPIPE, SIG_IGN);
}

void
signals_unwatch (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
}
