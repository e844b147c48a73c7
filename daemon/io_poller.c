/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "daemon/io_poller.h"
#include "core/base/env.h"
#include "core/base/limits.h"

typedef struct PollerSource
{
  GSource source;
  IoPoller *poller;
} PollerSource;

struct IoPoller
{
  GSource *source;
  const IoBackend *type;
  gpointer backend;
  void (*turn) (gpointer user_data);
  gpointer user_data;
  guint n_watches;
  gint64 ready_time; /* as GLib has it: -1 for never */
  gboolean in_turn;

  /* The turn's ready watches; one that is removed meanwhile becomes NULL here. */
  IoWatch *ready[LIMIT_POLL_EVENTS];
  IoEvents events[LIMIT_POLL_EVENTS];
  guint n_ready;
};

static gboolean
poller_dispatch (GSource *source, GSourceFunc callback, gpointer user_data)
{
  IoPoller *poller = ((PollerSource *) source)->poller;

  (void) callback;
  (void) user_data;
  poller->in_turn = TRUE;
  poller->ready_time = -1;
  poller->n_ready
      = poller->type->ready (poller->backend, poller->ready, poller->events, LIMIT_POLL_EVENTS);
  for (guint i = 0; i < poller->n_ready; i++)
    if (poller->ready[i] != NULL)
      poller->ready[i]->io_ready (poller->ready[i], poller->events[i]);
  poller->n_ready = 0;
  poller->turn (poller->user_data);
  poller->in_turn = FALSE;
  /* Once, at the end: each time it changes, GLib wakes the loop, which is awake. */
  g_source_set_ready_time (source, poller->ready_time);
  return G_SOURCE_CONTINUE;
}

IoPoller *
io_poller_new (GMainContext *context, const IoBackend *backend, void (*turn) (gpointer),
               gpointer user_data)
{
  static GSourceFuncs functions = { .dispatch = poller_dispatch };
  IoPoller *poller = g_new0 (IoPoller, 1);

#ifdef HAVE_SYS_EPOLL_H
  poller->type = backend != NULL ? backend : &io_backend_epoll;
#else
  poller->type = backend != NULL ? backend : &io_backend_poll;
#endif
  poller->turn = turn;
  poller->user_data = user_data;
  poller->source = g_source_new (&functions, sizeof (PollerSource));
  ((PollerSource *) poller->source)->poller = poller;
  g_source_set_static_name (poller->source, "consort sockets");
  poller->ready_time = -1;
  /* It does not recurse; but around a source that may not, GLib takes its fd out of the poll and
   * puts it back, and wakes the loop each time: two writes, a read and a poll for each turn. */
  g_source_set_can_recurse (poller->source, TRUE);
  poller->backend = poller->type->open (poller->source);
  g_source_attach (poller->source, context);
  return poller;
}

void
io_poller_free (IoPoller *poller)
{
  g_assert (poller->n_watches == 0);
  g_source_destroy (poller->source);
  g_source_unref (poller->source);
  poller->type->close (poller->backend);
  g_free (poller);
}

void
io_poller_add (IoPoller *poller, IoWatch *watch)
{
  poller->n_watches++;
  poller->type->add (poller->backend, watch);
}

void
io_poller_modify (IoPoller *poller, IoWatch *watch)
{
  poller->type->modify (poller->backend, watch);
}

void
io_poller_remove (IoPoller *poller, IoWatch *watch)
{
  g_assert (poller->n_watches > 0);
  poller->n_watches--;
  poller->type->remove (poller->backend, watch);
  for (guint i = 0; i < poller->n_ready; i++)
    if (poller->ready[i] == watch)
      poller->ready[i] = NULL;
}

void
io_poller_set_deadline (IoPoller *poller, gint64 deadline_us)
{
  poller->ready_time = deadline_us == ENV_NEVER ? -1 : deadline_us;
  if (!poller->in_turn)
    g_source_set_ready_time (poller->source, poller->ready_time);
}
