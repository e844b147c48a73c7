/* SPDX-License-Identifier: MIT */
/* All members of this process, over one network (group_network.h), and the turn of the loop that
 * moves them. Alone or together, members meet only through the group: clients cannot tell. */
#pragma once

#include "daemon/embedded_member.h"

typedef struct Embedded Embedded;

/* Called at the end of a turn; may not free the Embedded. */
typedef struct EmbeddedListener
{
  /* All members that are up have become active, for the first time. Once. */
  void (*serving) (gpointer user_data);
  /* After embedded_stop: everything was said, or LIMIT_STOP_SECONDS are over. Once. */
  void (*stopped) (gpointer user_data);
} EmbeddedListener;

/* `listener` and `user_data` are borrowed. */
Embedded *embedded_new (const Settings *settings, GMainContext *context,
                        const EmbeddedListener *listener, gpointer user_data);
void embedded_free (Embedded *embedded);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Embedded, embedded_free)

/* Starts all members; FALSE: one of them cannot listen. */
gboolean embedded_start (Embedded *embedded, GError **error);
/* Clients are served for LIMIT_STOP_GRACE_US more, then told; all members leave together. */
void embedded_stop (Embedded *embedded);

/* Clients of a member are told where else to go, and after so many seconds it leaves; until it is
 * told otherwise, or started again. Yours: what was done; NULL with SYSTEM_ERROR_REFUSED. */
char *embedded_drain (Embedded *embedded, const char *name, guint seconds, GError **error);
gboolean embedded_undrain (Embedded *embedded, const char *name, GError **error);
/* Both: SYSTEM_ERROR_REFUSED when there is no such member, or when it is down (up) already. One
 * that is drained is started again too. */
gboolean embedded_crash (Embedded *embedded, const char *name, GError **error);
gboolean embedded_restart (Embedded *embedded, const char *name, GError **error);

guint embedded_n_members (const Embedded *embedded);
EmbeddedMember *embedded_peek_member (const Embedded *embedded, guint index);
/* NULL, with the names that there are. */
EmbeddedMember *embedded_find_member (const Embedded *embedded, const char *name, GError **error);
/* For other sockets of the process. */
IoPoller *embedded_poller (const Embedded *embedded);
