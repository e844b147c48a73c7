/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "daemon/io_poller.h"
#include "core/base/env.h"
#include "core/base/limits.h"

#include <sys/socket.h>
#include <unistd.h>

#define N_MANY (LIMIT_POLL_EVENTS + 50)

typedef struct World
{
  GMainContext *context;
  IoPoller *poller;
  guint n_turns;
  gint64 next_deadline_us; /* which the turn asks for */
} World;

/* One end of a pair is watched, the other is ours. */
typedef struct Peer
{
  IoWatch watch; /* first */
  World *world;
  int our_fd;
  guint n_ready;
  IoEvents events;      /* of the last time */
  gboolean reads;       /* one byte each time */
  struct Peer *removes; /* the first time */
} Peer;

static void
turn (gpointer user_data)
{
  World *world = user_data;

  world->n_turns++;
  io_poller_set_deadline (world->poller, world->next_deadline_us);
}

static void
peer_ready (IoWatch *watch, IoEvents events)
{
  Peer *peer = (Peer *) watch;
  char byte;

  peer->n_ready++;
  peer->events = events;
  if (peer->reads && (events & IO_READ) != 0)
    g_assert_cmpint (read (watch->fd, &byte, 1), >=, 0);
  if (peer->removes != NULL)
    io_poller_remove (peer->world->poller, &g_steal_pointer (&peer->removes)->watch);
}

static void
world_open (World *world, gconstpointer backend)
{
  *world = (World){ .context = g_main_context_new (), .next_deadline_us = ENV_NEVER };
  world->poller = io_poller_new (world->context, backend, turn, world);
}

static void
world_close (World *world)
{
  io_poller_free (world->poller);
  g_main_context_unref (world->context);
}

/* Turns until nothing is ready without waiting. */
static void
run_until_quiet (World *world)
{
  while (g_main_context_iteration (world->context, FALSE))
    ;
}

static void
peer_open (Peer *peer, World *world, IoEvents wanted)
{
  int fds[2];

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), ==, 0);
  *peer = (Peer){
    .watch = { .io_ready = peer_ready, .fd = fds[0], .wanted = wanted },
    .world = world,
    .our_fd = fds[1],
  };
  io_poller_add (world->poller, &peer->watch);
}

static void
peer_close (Peer *peer, gboolean is_watched)
{
  if (is_watched)
    io_poller_remove (peer->world->poller, &peer->watch);
  close (peer->watch.fd);
  close (peer->our_fd);
}

static void
want (Peer *peer, IoEvents wanted)
{
  peer->watch.wanted = wanted;
  io_poller_modify (peer->world->poller, &peer->watch);
}

static void
say (const Peer *peer, const char *text)
{
  g_assert_cmpint (write (peer->our_fd, text, strlen (text)), ==, (gssize) strlen (text));
}

static void
test_ready_until_read (gconstpointer backend)
{
  World world;
  Peer peer;

  world_open (&world, backend);
  peer_open (&peer, &world, IO_READ);
  peer.reads = TRUE;
  run_until_quiet (&world);
  g_assert_cmpuint (peer.n_ready, ==, 0);
  say (&peer, "abc");
  run_until_quiet (&world);
  g_assert_cmpuint (peer.n_ready, ==, 3);
  g_assert_cmpuint (world.n_turns, ==, 3);
  peer_close (&peer, TRUE);
  world_close (&world);
}

static void
test_only_what_is_wanted (gconstpointer backend)
{
  World world;
  Peer peer;

  world_open (&world, backend);
  peer_open (&peer, &world, IO_NONE);
  say (&peer, "a");
  run_until_quiet (&world);
  g_assert_cmpuint (peer.n_ready, ==, 0);
  want (&peer, IO_READ | IO_WRITE);
  g_main_context_iteration (world.context, FALSE);
  g_assert_cmpuint (peer.events, ==, IO_READ | IO_WRITE);
  want (&peer, IO_WRITE);
  g_main_context_iteration (world.context, FALSE);
  g_assert_cmpuint (peer.events, ==, IO_WRITE);
  want (&peer, IO_NONE);
  peer.n_ready = 0;
  run_until_quiet (&world);
  g_assert_cmpuint (peer.n_ready, ==, 0);
  peer_close (&peer, TRUE);
  world_close (&world);
}

static void
test_gone_comes_unasked (gconstpointer backend)
{
  World world;
  Peer peer;

  world_open (&world, backend);
  peer_open (&peer, &world, IO_NONE);
  shutdown (peer.our_fd, SHUT_RDWR);
  g_main_context_iteration (world.context, FALSE);
  g_assert_cmpuint (peer.events, ==, IO_GONE);
  peer_close (&peer, TRUE);
  world_close (&world);
}

/* Each of two is ready and would remove the other: just one of them may be called. */
static void
test_removed_in_its_turn_is_not_called (gconstpointer backend)
{
  World world;
  Peer a, b;

  world_open (&world, backend);
  peer_open (&a, &world, IO_READ);
  peer_open (&b, &world, IO_READ);
  a.reads = b.reads = TRUE;
  a.removes = &b;
  b.removes = &a;
  say (&a, "a");
  say (&b, "b");
  run_until_quiet (&world);
  g_assert_cmpuint (a.n_ready + b.n_ready, ==, 1);
  peer_close (&a, a.n_ready == 1);
  peer_close (&b, b.n_ready == 1);
  world_close (&world);
}

/* More are ready, and stay so, than one turn takes: nobody waits for ever. */
static void
test_each_gets_its_turn (gconstpointer backend)
{
  g_autofree Peer *peers = g_new0 (Peer, N_MANY);
  World world;

  world_open (&world, backend);
  for (guint i = 0; i < N_MANY; i++)
    {
      peer_open (&peers[i], &world, IO_READ);
      say (&peers[i], "a");
    }
  for (guint i = 0; i < N_MANY; i++)
    g_main_context_iteration (world.context, FALSE);
  for (guint i = 0; i < N_MANY; i++)
    {
      g_assert_cmpuint (peers[i].n_ready, >, 0);
      peer_close (&peers[i], TRUE);
    }
  world_close (&world);
}

static void
test_deadlines (gconstpointer backend)
{
  World world;
  gint64 start = g_get_monotonic_time ();

  world_open (&world, backend);
  run_until_quiet (&world);
  g_assert_cmpuint (world.n_turns, ==, 0);
  io_poller_set_deadline (world.poller, 0);
  run_until_quiet (&world);
  g_assert_cmpuint (world.n_turns, ==, 1);
  io_poller_set_deadline (world.poller, start + 20000);
  while (world.n_turns == 1)
    g_main_context_iteration (world.context, TRUE);
  g_assert_cmpint (g_get_monotonic_time (), >=, start + 20000);
  world_close (&world);
}

/* Of what the loop would wait for next, its own wakeup among them: what could be read at once. */
static int
count_readable (World *world)
{
  GPollFD fds[8];
  int priority, timeout, n;

  g_assert_true (g_main_context_acquire (world->context));
  g_main_context_prepare (world->context, &priority);
  n = g_main_context_query (world->context, priority, &timeout, fds, G_N_ELEMENTS (fds));
  g_assert_cmpint (n, <=, G_N_ELEMENTS (fds));
  g_main_context_release (world->context);
  return g_poll (fds, (guint) n, 0);
}

static void
test_turn_lets_the_loop_sleep (gconstpointer backend)
{
  World world;
  Peer peer;

  world_open (&world, backend);
  world.next_deadline_us = g_get_monotonic_time () + (gint64) G_USEC_PER_SEC * 3600;
  peer_open (&peer, &world, IO_READ);
  peer.reads = TRUE;
  for (guint i = 1; i <= 2; i++)
    {
      say (&peer, "a");
      while (world.n_turns < i)
        g_main_context_iteration (world.context, TRUE);
    }
  /* The second turn has not changed the deadline. */
  g_assert_cmpint (count_readable (&world), ==, 0);
  peer_close (&peer, TRUE);
  world_close (&world);
}

static void
add (const char *name, const IoBackend *backend, GTestDataFunc test)
{
  g_autofree char *path = g_strdup_printf ("/daemon/io-poller/%s/%s", backend->name, name);

  g_test_add_data_func (path, backend, test);
}

static void
add_all (const IoBackend *backend)
{
  add ("ready-until-read", backend, test_ready_until_read);
  add ("only-what-is-wanted", backend, test_only_what_is_wanted);
  add ("gone-comes-unasked", backend, test_gone_comes_unasked);
  add ("removed-in-its-turn-is-not-called", backend, test_removed_in_its_turn_is_not_called);
  add ("each-gets-its-turn", backend, test_each_gets_its_turn);
  add ("deadlines", backend, test_deadlines);
  add ("a-turn-lets-the-loop-sleep", backend, test_turn_lets_the_loop_sleep);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_all (&io_backend_poll);
#ifdef HAVE_SYS_EPOLL_H
  add_all (&io_backend_epoll);
#endif
  return g_test_run ();
}
