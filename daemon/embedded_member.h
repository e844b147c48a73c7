/* SPDX-License-Identifier: MIT */
/* One member of this process: its node, its listeners and its clients' sockets. Its name and its
 * addresses last; its node comes and goes with crash and restart. */
#pragma once

#include "daemon/client_io.h"
#include "daemon/group_network.h"
#include "daemon/settings.h"

typedef struct EmbeddedMember EmbeddedMember;

/* Down. `network` and `poller` are borrowed; `index` counts from 0 in the settings' order. */
EmbeddedMember *embedded_member_new (const Settings *settings, guint index, GroupNetwork *network,
                                     IoPoller *poller);
/* As a crash, if it is up. */
void embedded_member_free (EmbeddedMember *member);

/* Listens, and joins the group with a process id that was not used before. Only while it is down;
 * FALSE: cannot listen, and it stays down. */
gboolean embedded_member_start (EmbeddedMember *member, guint32 process_id, GError **error);
/* As if its process had ended: sockets are reset, nothing is said to anyone. Only while up. */
void embedded_member_crash (EmbeddedMember *member);
/* Listens no more, says goodbye to its clients, leaves the group. Only while up, once. */
void embedded_member_stop (EmbeddedMember *member);
/* New clients are refused with `why`; those that it has are served until `until_us`, or until they
 * are gone, and then it stops: it is drained. Only while up. */
void embedded_member_drain (EmbeddedMember *member, const char *why, gint64 until_us);
/* Nothing has happened, if it has not stopped yet. FALSE: it has, and is to be crashed and started.
 */
gboolean embedded_member_undrain (EmbeddedMember *member);
/* It is being drained, or is. */
gboolean embedded_member_is_drained (const EmbeddedMember *member);
/* TRUE also of one that is down. */
gboolean embedded_member_is_stopped (const EmbeddedMember *member);

/* --- the parts of a turn, for one that is up -------------------------------------------------- */

void embedded_member_tick (EmbeddedMember *member, gint64 now_us);
gint64 embedded_member_next_deadline_us (const EmbeddedMember *member);
/* See client_set_write_touched. */
gboolean embedded_member_write_touched (EmbeddedMember *member);
/* TRUE once in each of its lives, when it has become active. */
gboolean embedded_member_take_news (EmbeddedMember *member);

/* --- looking ---------------------------------------------------------------------------------- */

const char *embedded_member_name (const EmbeddedMember *member);
/* NULL while it is down. */
Node *embedded_member_node (const EmbeddedMember *member);
/* Where it listens or, while down, will listen again: "127.0.0.1:5672, [::1]:5672". Yours. */
char *embedded_member_addresses (const EmbeddedMember *member);
/* "amqp://guest:guest@127.0.0.1:5672", of the first of them. Yours. */
char *embedded_member_url (const EmbeddedMember *member);
guint embedded_member_n_clients (const EmbeddedMember *member);
/* Of its present life; zero while down. */
ClientStatistics embedded_member_statistics (const EmbeddedMember *member);
