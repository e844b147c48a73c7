/* SPDX-License-Identifier: MIT */
/* send_to over CPG: groups that only the two who talk are members of.
 *
 * Every member has an *inbox*, a group of its own ("group/1.4711"), which it joins before it joins
 * the group itself. Who wants to send to it joins that group too (a *line*), when the first message
 * is sent, and leaves it when nothing was sent for a while. So
 *
 *   - the bytes go to the processes of these two (and of another sender, if two send to one member
 *     at a time), and the other brokers never see them;
 *   - whoever sees a member in the group's view may send to it: its inbox is there already, nothing
 *     has to be agreed upon first (a group for each pair would need an invitation, in the group's
 *     own order, to be answered before the first byte);
 *   - a line belongs to one life of each end. When the view says that either is gone, the line is
 *     closed; its receiver hears only those whose coming to its inbox it has seen.
 *
 * Messages wait for the group: one is given on when all that the group had delivered before it was
 * read is given on, because its sender may have joined just then. First in, first out on a line;
 * bounded (LIMIT_PRIVATE_*): until the line is there, and when its window is full, send is FULL. */
#pragma once

#include "transport/corosync_worker.h"
#include "transport/transport.h"

typedef struct CorosyncPrivate CorosyncPrivate;

/* All are required. */
typedef struct CorosyncPrivateListener
{
  /* The inbox is there: the group may be joined. */
  void (*ready) (gpointer user_data, MemberId self);
  void (*failed) (gpointer user_data, const GError *error);
  /* TRUE: is in the group's view. */
  gboolean (*is_member) (gpointer user_data, MemberId member);
  void (*message) (gpointer user_data, MemberId sender, Buffer *bytes);
} CorosyncPrivateListener;

/* Opens the inbox. All is borrowed. */
CorosyncPrivate *corosync_private_new (CorosyncWorker *worker, int poll_fd, const char *group,
                                       const CorosyncPrivateListener *listener, gpointer user_data);
/* Leaves all (`leave` FALSE: as if the process had ended); nothing comes any more, and the box is
 * only good for being freed. Allowed from inside a callback. */
void corosync_private_close (CorosyncPrivate *box, gboolean leave);
void corosync_private_free (CorosyncPrivate *box);

TransportResult corosync_private_send (CorosyncPrivate *box, MemberId to, Buffer *message);
/* The group's view says so. */
void corosync_private_member_left (CorosyncPrivate *box, MemberId member);

/* Gives on what was read before and may be given now: `drained` when the group has nothing more
 * to give. Returns how many messages. */
guint corosync_private_give (CorosyncPrivate *box, gboolean drained);
/* Reads the inbox and the lines, and closes those that are idle. TRUE: there is more to read or to
 * give. */
gboolean corosync_private_read (CorosyncPrivate *box);
gint64 corosync_private_next_us (const CorosyncPrivate *box);
