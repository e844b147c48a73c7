/* SPDX-License-Identifier: MIT */
/* The one GSource has all fds itself, and GLib's poll(2) has told it which are ready. */
#include "daemon/io_poller.h"

typedef struct PollBackend
{
  GSource *source;    /* borrowed */
  GPtrArray *watches; /* of IoWatch, borrowed */
  guint first;        /* where the next turn begins: each is first in turn */
} PollBackend;

static gpointer
poll_backend_open (GSource *source)
{
  PollBackend *backend = g_new0 (PollBackend, 1);

  backend->source = source;
  backend->watches = g_ptr_array_new ();
  return backend;
}

static void
poll_backend_close (gpointer user_data)
{
  PollBackend *backend = user_data;

  g_ptr_array_unref (backend->watches);
  g_free (backend);
}

static GIOCondition
condition (const IoWatch *watch)
{
  return ((watch->wanted & IO_READ) != 0 ? G_IO_IN : 0)
         | ((watch->wanted & IO_WRITE) != 0 ? G_IO_OUT : 0);
}

static void
poll_backend_add (gpointer user_data, IoWatch *watch)
{
  PollBackend *backend = user_data;

  watch->tag = g_source_add_unix_fd (backend->source, watch->fd, condition (watch));
  g_ptr_array_add (backend->watches, watch);
}

static void
poll_backend_modify (gpointer user_data, IoWatch *watch)
{
  PollBackend *backend = user_data;

  g_source_modify_unix_fd (backend->source, watch->tag, condition (watch));
}

static void
poll_backend_remove (gpointer user_data, IoWatch *watch)
{
  PollBackend *backend = user_data;

  g_source_remove_unix_fd (backend->source, watch->tag);
  g_ptr_array_remove_fast (backend->watches, watch);
}

static guint
poll_backend_ready (gpointer user_data, IoWatch **watches, IoEvents *events, guint max)
{
  PollBackend *backend = user_data;
  guint n_watches = backend->watches->len;
  guint n = 0;

  for (guint i = 0; i < n_watches && n < max; i++)
    {
      IoWatch *watch = backend->watches->pdata[(backend->first + i) % n_watches];
      GIOCondition found = g_source_query_unix_fd (backend->source, watch->tag);

      if ((found & (condition (watch) | G_IO_ERR | G_IO_HUP)) == 0)
        continue;
      watches[n] = watch;
      events[n++] = ((found & G_IO_IN) != 0 ? IO_READ : IO_NONE)
                    | ((found & G_IO_OUT) != 0 ? IO_WRITE : IO_NONE)
                    | ((found & (G_IO_ERR | G_IO_HUP)) != 0 ? IO_GONE : IO_NONE);
    }
  backend->first = n_watches == 0 ? 0 : (backend->first + 1) % n_watches;
  return n;
}

const IoBackend io_backend_poll = {
  .name = "poll",
  .open = poll_backend_open,
  .close = poll_backend_close,
  .add = poll_backend_add,
  .modify = poll_backend_modify,
  .remove = poll_backend_remove,
  .ready = poll_backend_ready,
};
