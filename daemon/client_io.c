/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "daemon/client_io.h"
#include "core/base/limits.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct ClientIo
{
  IoWatch watch; /* first: the poller hands it back to us */
  ClientSet *set;
  Client *client; /* the node's; NULL: lingering */
  gboolean end_of_file;
  gboolean broken;
  gint64 deadline_us; /* ENV_NEVER while served */
  GList in_all;
  GList in_closing; /* while it has a deadline */
} ClientIo;

struct ClientSet
{
  Node *node;
  IoPoller *poller;
  GQueue all;
  GQueue closing; /* all deadlines are equally far away, so the first is the nearest */
  guint64 let_go; /* clients that ended */
  ClientStatistics statistics;
};

static void
set_wanted (ClientIo *io, IoEvents wanted)
{
  if (io->watch.wanted == wanted)
    return;
  io->watch.wanted = wanted;
  io_poller_modify (io->set->poller, &io->watch);
}

static void
clear_deadline (ClientIo *io)
{
  if (io->deadline_us != ENV_NEVER)
    g_queue_unlink (&io->set->closing, &io->in_closing);
  io->deadline_us = ENV_NEVER;
}

static void
set_deadline (ClientIo *io)
{
  clear_deadline (io);
  io->deadline_us = g_get_monotonic_time () + LIMIT_LINGER_SECONDS * G_USEC_PER_SEC;
  g_queue_push_tail_link (&io->set->closing, &io->in_closing);
}

static void
client_io_close (ClientIo *io, gboolean reset)
{
  struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

  clear_deadline (io);
  g_queue_unlink (&io->set->all, &io->in_all);
  io_poller_remove (io->set->poller, &io->watch);
  if (reset)
    setsockopt (io->watch.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close (io->watch.fd);
  g_free (io);
}

static void
let_client_go (ClientIo *io)
{
  io->set->let_go++;
  node_client_gone (io->set->node, g_steal_pointer (&io->client));
}

static gboolean
may_read (const ClientIo *io)
{
  return !io->end_of_file && !client_is_finished (io->client) && client_wants_bytes (io->client);
}

/* What follows from all that happened to the socket and to its client. May free `io`. */
static void
settle (ClientIo *io)
{
  if (io->broken)
    {
      let_client_go (io);
      client_io_close (io, FALSE);
    }
  else if (!client_is_finished (io->client))
    set_wanted (io, (may_read (io) ? IO_READ : IO_NONE)
                        | (client_has_output (io->client) ? io->watch.wanted & IO_WRITE : IO_NONE));
  else if (client_has_output (io->client))
    {
      set_wanted (io, io->watch.wanted & IO_WRITE);
      if (io->deadline_us == ENV_NEVER)
        set_deadline (io);
    }
  else
    {
      let_client_go (io);
      if (io->end_of_file || shutdown (io->watch.fd, SHUT_WR) != 0)
        {
          client_io_close (io, FALSE);
          return;
        }
      set_wanted (io, IO_READ);
      set_deadline (io);
    }
}

static gboolean
is_transient (int failure)
{
  return failure == EAGAIN || failure == EINTR;
}

static void
read_once (ClientIo *io)
{
  gsize size;
  guint8 *space = client_read_space (io->client, &size);
  ssize_t n = recv (io->watch.fd, space, size, 0);

  if (n > 0)
    {
      io->set->statistics.bytes_read += (guint64) n;
      client_bytes_read (io->client, (gsize) n);
    }
  else if (n == 0)
    {
      io->end_of_file = TRUE;
      client_end_of_file (io->client);
    }
  else if (!is_transient (errno))
    io->broken = TRUE;
}

/* One sendmsg, which is a writev without SIGPIPE. What is left waits for the socket, or only for
 * its turn. */
static void
write_once (ClientIo *io)
{
  Slice slices[LIMIT_WRITE_SLICES];
  struct iovec vector[LIMIT_WRITE_SLICES];
  guint n_slices = client_peek_output (io->client, slices, LIMIT_WRITE_SLICES);
  struct msghdr message = { .msg_iov = vector, .msg_iovlen = n_slices };
  ssize_t n;

  if (n_slices == 0)
    return;
  for (guint i = 0; i < n_slices; i++)
    vector[i]
        = (struct iovec){ .iov_base = (gpointer) slices[i].bytes, .iov_len = slices[i].length };
  n = sendmsg (io->watch.fd, &message, MSG_NOSIGNAL);
  if (n > 0)
    {
      io->set->statistics.bytes_written += (guint64) n;
      client_output_written (io->client, (gsize) n);
    }
  else if (n < 0 && !is_transient (errno))
    io->broken = TRUE;
  if (!io->broken && client_has_output (io->client))
    set_wanted (io, io->watch.wanted | IO_WRITE);
}

static void
linger (ClientIo *io)
{
  static guint8 rubbish[LIMIT_READ_BUFFER];
  ssize_t n = recv (io->watch.fd, rubbish, sizeof rubbish, 0);

  if (n == 0 || (n < 0 && !is_transient (errno)))
    client_io_close (io, FALSE);
}

static void
client_io_ready (IoWatch *watch, IoEvents events)
{
  ClientIo *io = (ClientIo *) watch;

  if (io->client == NULL)
    {
      linger (io);
      return;
    }
  /* The last bytes before an error are still worth reading, if there is anyone to read them. */
  if ((events & IO_READ) != 0 && may_read (io))
    read_once (io);
  else if ((events & IO_GONE) != 0)
    io->broken = TRUE;
  if ((events & IO_WRITE) != 0 && !io->broken)
    write_once (io);
  settle (io);
}

ClientSet *
client_set_new (Node *node, IoPoller *poller)
{
  ClientSet *set = g_new0 (ClientSet, 1);

  set->node = node;
  set->poller = poller;
  return set;
}

void
client_set_free (ClientSet *set)
{
  while (set->all.head != NULL)
    client_io_close (set->all.head->data, TRUE);
  g_free (set);
}

void
client_set_add (ClientSet *set, int fd, const char *peer)
{
  ClientIo *io = g_new0 (ClientIo, 1);

  io->watch = (IoWatch){ .io_ready = client_io_ready, .fd = fd, .wanted = IO_READ };
  io->set = set;
  io->deadline_us = ENV_NEVER;
  io->in_all.data = io;
  io->in_closing.data = io;
  io->client = node_client_connected (set->node, peer);
  client_set_user_data (io->client, io);
  g_queue_push_tail_link (&set->all, &io->in_all);
  io_poller_add (set->poller, &io->watch);
  set->statistics.accepted++;
}

guint
client_set_size (const ClientSet *set)
{
  return set->all.length;
}

ClientStatistics
client_set_statistics (const ClientSet *set)
{
  return set->statistics;
}

gboolean
client_set_write_touched (ClientSet *set)
{
  guint64 written_before = set->statistics.bytes_written;
  guint64 let_go_before = set->let_go;
  Client *client;

  while ((client = node_take_touched (set->node)) != NULL)
    {
      ClientIo *io = client_get_user_data (client);

      /* A socket that is full says itself when it is not. */
      if ((io->watch.wanted & IO_WRITE) == 0)
        write_once (io);
      settle (io);
    }
  return set->statistics.bytes_written != written_before || set->let_go != let_go_before;
}

gint64
client_set_next_deadline_us (const ClientSet *set)
{
  const ClientIo *first = set->closing.head == NULL ? NULL : set->closing.head->data;

  return first == NULL ? ENV_NEVER : first->deadline_us;
}

void
client_set_tick (ClientSet *set, gint64 now_us)
{
  while (client_set_next_deadline_us (set) <= now_us)
    {
      ClientIo *io = set->closing.head->data;

      if (io->client != NULL)
        let_client_go (io);
      client_io_close (io, TRUE);
    }
}
