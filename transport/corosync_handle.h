/* SPDX-License-Identifier: MIT */
/* One connection to corosync, for one membership of one closed process group: opened, used and
 * closed once. (After its own leave a handle goes on receiving and cannot join again, whatever
 * the manual page says: so a handle that has left is finalized, and nobody hears of it.)
 *
 *   OPENING ----> OPEN ----> closed, freed          connect, join, leave and disconnect happen
 *      |                       ^                    in the worker's thread; all else in the
 *      +----> FAILED ----------+                    owner's.
 *
 * Callbacks come from corosync_handle_dispatch, and from corosync_worker_finish for `opened`. */
#pragma once

#include <corosync/cpg.h>

#include "transport/corosync_worker.h"
#include "transport/transport.h"

typedef struct CorosyncHandle CorosyncHandle;

/* All are required. Pointers are valid during the call. None may close the handle, but that
 * of `opened` and `open_failed`. */
typedef struct CorosyncHandleListener
{
  void (*opened) (gpointer user_data, guint32 node_id);
  void (*open_failed) (gpointer user_data, const GError *error);
  void (*message) (gpointer user_data, MemberId sender, const void *bytes, gsize size);
  /* As corosync gives it; `view->ring` is not set. */
  void (*view) (gpointer user_data, const View *view);
  void (*ring) (gpointer user_data, RingId ring);
} CorosyncHandleListener;

typedef enum CorosyncPatience
{
  COROSYNC_WAITS,     /* for a daemon that is not there, for as long as it takes */
  COROSYNC_WAITS_BUSY /* only for one that is there */
} CorosyncPatience;

/* Opens it; `poll_fd` is the epoll set that its fd is added to. Both, and listener and user_data,
 * are borrowed. `personal`: the group is this member's own, corosync_handle_personal_group. */
CorosyncHandle *corosync_handle_open (CorosyncWorker *worker, int poll_fd, const char *group,
                                      gboolean personal, CorosyncPatience patience,
                                      const CorosyncHandleListener *listener, gpointer user_data);
/* "group/1.4711", into CPG_MAX_NAME_LENGTH bytes and a NUL; `group` has at most
 * COROSYNC_GROUP_LENGTH_MAX. */
#define COROSYNC_GROUP_LENGTH_MAX (CPG_MAX_NAME_LENGTH - 24)
/* Of this process, as corosync knows it. */
guint32 corosync_handle_process_id (void);
void corosync_handle_personal_group (const char *group, MemberId member,
                                     char text[CPG_MAX_NAME_LENGTH + 1]);
/* Gives it back in any state: no callback from now on, and what it has multicast goes out before
 * anyone sees it go. `leave` FALSE: the others see a process that ended. */
void corosync_handle_close (CorosyncHandle *handle, gboolean leave);

gboolean corosync_handle_is_opening (const CorosyncHandle *handle);
/* There is an error to take. */
gboolean corosync_handle_is_broken (const CorosyncHandle *handle);
/* Never blocks. GONE: not open; or broken, and corosync_handle_take_error says why. */
TransportResult corosync_handle_multicast (CorosyncHandle *handle, Buffer *message);
/* At most one event. FALSE: there was none, or it is broken. */
gboolean corosync_handle_dispatch (CorosyncHandle *handle);
/* NULL: all is well. Yours; once. */
GError *corosync_handle_take_error (CorosyncHandle *handle);
