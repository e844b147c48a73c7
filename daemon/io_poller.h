/* SPDX-License-Identifier: MIT */
/* All sockets of the process behind one GSource (a GSource for each client costs 127 us a message
 * at a thousand clients, this costs 3), and the loop's turn around them.
 *
 *   sockets ready, or the deadline passed
 *        |
 *        v
 *   io_ready of each ready watch        one bounded piece of work each
 *        |
 *        v
 *   turn (user_data)                    once; sets the next deadline
 *
 * Level-triggered: what was not read or written comes again in the next turn, behind the others.
 * epoll(7) where there is one, else poll(2). */
#pragma once

#include <glib.h>

typedef struct IoPoller IoPoller;
typedef struct IoWatch IoWatch;

typedef enum IoEvents
{
  IO_NONE = 0,
  IO_READ = 1,
  IO_WRITE = 2,
  IO_GONE = 4 /* error, or closed in both directions: comes without being asked for */
} IoEvents;

/* Embedded in the owner of the socket, which stays where it is while it is watched. */
struct IoWatch
{
  void (*io_ready) (IoWatch *watch, IoEvents events);
  int fd;
  IoEvents wanted;
  gpointer tag; /* the poller's */
};

/* How to wait for many sockets. */
typedef struct IoBackend
{
  const char *name;
  gpointer (*open) (GSource *source);
  void (*close) (gpointer backend);
  void (*add) (gpointer backend, IoWatch *watch);
  void (*modify) (gpointer backend, IoWatch *watch);
  void (*remove) (gpointer backend, IoWatch *watch);
  /* At most `max` ready watches, without waiting; returns how many. */
  guint (*ready) (gpointer backend, IoWatch **watches, IoEvents *events, guint max);
} IoBackend;

extern const IoBackend io_backend_poll;
extern const IoBackend io_backend_epoll; /* only where configure found sys/epoll.h */

/* Attached to `context`. `backend` NULL: the best there is. */
IoPoller *io_poller_new (GMainContext *context, const IoBackend *backend, void (*turn) (gpointer),
                         gpointer user_data);
/* All watches must have been removed. */
void io_poller_free (IoPoller *poller);

void io_poller_add (IoPoller *poller, IoWatch *watch);
/* After a change of watch->wanted. */
void io_poller_modify (IoPoller *poller, IoWatch *watch);
/* Before the fd is closed. The watch gets no event any more, in this turn either, and may be
 * freed. */
void io_poller_remove (IoPoller *poller, IoWatch *watch);

/* When the next turn is due although no socket is ready: microseconds of
 * g_get_monotonic_time, 0 for at once, ENV_NEVER for not at all. */
void io_poller_set_deadline (IoPoller *poller, gint64 deadline_us);
