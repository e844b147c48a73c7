/* SPDX-License-Identifier: MIT */
/* One turn of the loop:
 *
 *     sockets ready (io_poller)                       a deadline passed
 *       accept . read <= 64 KiB of each client          |
 *       . write to sockets that were full               |
 *       . one request of each control connection        |
 *                    |                                  v
 *                    +---------------------------> tick members
 *                                                       |
 *                 +------------------------------------>|
 *                 |                                     v
 *                 |                     flush: envelopes to the group
 *                 | something was                       |
 *                 | delivered, and rounds               v
 *                 | are left            dispatch: the group's events to the members
 *                 +-------------------------------------|
 *                                                       v
 *                                    one write to each touched client
 *                                                       |
 *                                                       v
 *                              flush and dispatch what that has set free
 *                                    (credit for what was drained)
 *                                                       |
 *                                                       v
 *                        next turn: at once if anything is left, else at the
 *                          next deadline or when a socket is ready
 *
 * So a client's bytes, their way through the group and the answers take one turn, and all that
 * became ready in it shares envelopes and writes. */
#include "daemon/embedded.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "core/base/log.h"
#include "daemon/group_network.h"

struct Embedded
{
  GroupNetwork *network;
  IoPoller *poller;
  GPtrArray *members; /* of EmbeddedMember */
  guint32 last_process_id;
  const EmbeddedListener *listener;
  gpointer user_data;
  gboolean serving_told;
  gboolean stopped_told;
  gint64 stop_deadline_us; /* ENV_NEVER until embedded_stop */
  gint64 stop_grace_us;    /* then until all members stop; ENV_NEVER: they have */
};

/* Walks the members that are up. */
static EmbeddedMember *
next_up (Embedded *embedded, guint *i)
{
  while (*i < embedded->members->len)
    {
      EmbeddedMember *member = embedded->members->pdata[(*i)++];

      if (embedded_member_node (member) != NULL)
        return member;
    }
  return NULL;
}

#define for_each_up(embedded, member)                                                              \
  for (guint member##_i = 0; (member = next_up ((embedded), &member##_i)) != NULL;)

/* TRUE: something was delivered, so there may be more. */
static gboolean
flush_and_dispatch (Embedded *embedded)
{
  EmbeddedMember *member;

  for_each_up (embedded, member) node_flush (embedded_member_node (member));
  return group_network_dispatch (embedded->network);
}

static gboolean
write_touched (Embedded *embedded)
{
  EmbeddedMember *member;
  gboolean any = FALSE;

  for_each_up (embedded, member) if (embedded_member_write_touched (member)) any = TRUE;
  return any;
}

static void
tell_refusal (Embedded *embedded)
{
  const char *refusal = group_network_refusal (embedded->network);
  EmbeddedMember *member;

  for_each_up (embedded, member) node_set_refusal (embedded_member_node (member), refusal);
}

static void
tell_serving (Embedded *embedded)
{
  EmbeddedMember *member;
  gboolean all = TRUE;

  for_each_up (embedded, member)
  {
    if (embedded_member_take_news (member))
      {
        g_autofree char *addresses = embedded_member_addresses (member);

        log_notice (embedded_member_name (member), "serves AMQP 0-9-1 on %s", addresses);
      }
    all = all && node_state (embedded_member_node (member)) == NODE_ACTIVE;
  }
  if (!all || embedded->serving_told)
    return;
  embedded->serving_told = TRUE;
  embedded->listener->serving (embedded->user_data);
}

static void
tell_stopped (Embedded *embedded, gint64 now_us)
{
  EmbeddedMember *member;
  gboolean all = TRUE;

  for_each_up (embedded, member) all = all && embedded_member_is_stopped (member);
  if (embedded->stopped_told || (!all && now_us < embedded->stop_deadline_us))
    return;
  if (!all)
    log_warning (NULL, "some clients did not take their leave within %u s", LIMIT_STOP_SECONDS);
  embedded->stopped_told = TRUE;
  embedded->listener->stopped (embedded->user_data);
}

/* Together: one that left before the others could suspend them. */
static void
stop_after_grace (Embedded *embedded, gint64 now_us)
{
  EmbeddedMember *member;
  guint n_clients = 0;

  for_each_up (embedded, member) n_clients += embedded_member_n_clients (member);
  if (n_clients > 0 && now_us < embedded->stop_grace_us)
    return;
  for_each_up (embedded, member) embedded_member_stop (member);
  embedded->stop_grace_us = ENV_NEVER;
}

static gint64
next_deadline_us (Embedded *embedded)
{
  EmbeddedMember *member;
  gint64 next = MIN (group_network_next_us (embedded->network),
                     embedded->stopped_told ? ENV_NEVER : embedded->stop_deadline_us);
  next = MIN (next, embedded->stop_grace_us);

  for_each_up (embedded, member) next = MIN (next, embedded_member_next_deadline_us (member));
  return next;
}

static void
embedded_turn (gpointer user_data)
{
  Embedded *embedded = user_data;
  gint64 now_us = g_get_monotonic_time ();
  EmbeddedMember *member;
  gboolean more = TRUE;

  if (embedded->stop_grace_us != ENV_NEVER)
    stop_after_grace (embedded, now_us);
  for_each_up (embedded, member) embedded_member_tick (member, now_us);
  for (guint i = 0; more && i < LIMIT_ROUNDS_PER_TURN; i++)
    more = flush_and_dispatch (embedded);
  if (write_touched (embedded) && flush_and_dispatch (embedded))
    more = TRUE;
  tell_refusal (embedded);
  tell_serving (embedded);
  if (embedded->stop_deadline_us != ENV_NEVER && embedded->stop_grace_us == ENV_NEVER)
    tell_stopped (embedded, now_us);
  io_poller_set_deadline (embedded->poller, more ? 0 : next_deadline_us (embedded));
}

Embedded *
embedded_new (const Settings *settings, GMainContext *context, const EmbeddedListener *listener,
              gpointer user_data)
{
  Embedded *embedded = g_new0 (Embedded, 1);

  embedded->poller = io_poller_new (context, NULL, embedded_turn, embedded);
  embedded->network = group_network_new (settings, embedded->poller);
  embedded->members = g_ptr_array_new_with_free_func ((GDestroyNotify) embedded_member_free);
  for (guint i = 0; i < settings->members; i++)
    g_ptr_array_add (embedded->members,
                     embedded_member_new (settings, i, embedded->network, embedded->poller));
  embedded->listener = listener;
  embedded->user_data = user_data;
  embedded->stop_deadline_us = embedded->stop_grace_us = ENV_NEVER;
  return embedded;
}

void
embedded_free (Embedded *embedded)
{
  g_ptr_array_unref (embedded->members);
  group_network_free (embedded->network);
  io_poller_free (embedded->poller);
  g_free (embedded);
}

gboolean
embedded_start (Embedded *embedded, GError **error)
{
  for (guint i = 0; i < embedded->members->len; i++)
    if (!embedded_member_start (embedded->members->pdata[i], ++embedded->last_process_id, error))
      return FALSE;
  io_poller_set_deadline (embedded->poller, 0);
  return TRUE;
}

void
embedded_stop (Embedded *embedded)
{
  EmbeddedMember *member;

  g_assert (embedded->stop_deadline_us == ENV_NEVER);
  for_each_up (embedded, member)
  {
    if (!embedded_member_is_drained (member))
      node_drain (embedded_member_node (member), "this member is stopping: try another one");
  }
  embedded->stop_grace_us = g_get_monotonic_time () + LIMIT_STOP_GRACE_US;
  embedded->stop_deadline_us = embedded->stop_grace_us + LIMIT_STOP_SECONDS * G_USEC_PER_SEC;
  io_poller_set_deadline (embedded->poller, 0);
}

gboolean
embedded_crash (Embedded *embedded, const char *name, GError **error)
{
  EmbeddedMember *member = embedded_find_member (embedded, name, error);

  if (member == NULL)
    return FALSE;
  if (embedded_member_node (member) == NULL)
    return system_error (error, SYSTEM_ERROR_REFUSED, "member %s is down already", name);
  embedded_member_crash (member);
  log_notice (name, "crashed, as it was told to");
  return TRUE;
}

gboolean
embedded_restart (Embedded *embedded, const char *name, GError **error)
{
  EmbeddedMember *member = embedded_find_member (embedded, name, error);

  if (member == NULL)
    return FALSE;
  if (embedded_member_node (member) != NULL && !embedded_member_is_drained (member))
    return system_error (error, SYSTEM_ERROR_REFUSED, "member %s is up; crash it first", name);
  if (embedded->stop_deadline_us != ENV_NEVER)
    return system_error (error, SYSTEM_ERROR_REFUSED, "this process is stopping");
  if (embedded_member_node (member) != NULL)
    embedded_member_crash (member);
  return embedded_member_start (member, ++embedded->last_process_id, error);
}

/* --- draining ------------------------------------------------------------------------------------
 */

/* Addresses of this process' other members, where a client could come to; "" if none is known. */
static char *
addresses_of_others (Embedded *embedded, const EmbeddedMember *drained)
{
  GString *text = g_string_new (NULL);
  EmbeddedMember *other;

  for_each_up (embedded, other)
  {
    g_autofree char *addresses = embedded_member_addresses (other);

    if (other == drained || embedded_member_is_drained (other)
        || node_why_not_serving (embedded_member_node (other)) != NULL
        || g_str_has_prefix (addresses, "0.0.0.0:") || g_str_has_prefix (addresses, "[::]:"))
      continue;
    g_string_append_printf (text, "%s%s", text->len > 0 ? " or " : "", addresses);
  }
  return g_string_free (text, FALSE);
}

char *
embedded_drain (Embedded *embedded, const char *name, guint seconds, GError **error)
{
  EmbeddedMember *member = embedded_find_member (embedded, name, error);
  g_autofree char *others = NULL;
  g_autofree char *why = NULL;

  if (member == NULL)
    return NULL;
  if (embedded_member_node (member) == NULL || embedded_member_is_drained (member)
      || embedded->stop_deadline_us != ENV_NEVER)
    {
      system_error (error, SYSTEM_ERROR_REFUSED, "member %s is %s", name,
                    embedded_member_node (member) == NULL ? "down"
                    : embedded_member_is_drained (member) ? "drained already"
                                                          : "stopping");
      return NULL;
    }
  others = addresses_of_others (embedded, member);
  why = g_strdup_printf ("drained: this member is taken out of service; connect to %s",
                         others[0] != '\0' ? others : "another member");
  embedded_member_drain (member, why, g_get_monotonic_time () + (gint64) seconds * G_USEC_PER_SEC);
  log_notice (name, "is drained, as it was told to: %u clients have %u s",
              embedded_member_n_clients (member), seconds);
  io_poller_set_deadline (embedded->poller, 0);
  return g_strdup_printf ("%u clients have %u s, then it leaves its group",
                          embedded_member_n_clients (member), seconds);
}

gboolean
embedded_undrain (Embedded *embedded, const char *name, GError **error)
{
  EmbeddedMember *member = embedded_find_member (embedded, name, error);

  if (member == NULL)
    return FALSE;
  if (!embedded_member_is_drained (member))
    return system_error (error, SYSTEM_ERROR_REFUSED, "member %s is not drained", name);
  log_notice (name, "is drained no more");
  return embedded_member_undrain (member) || embedded_restart (embedded, name, error);
}

guint
embedded_n_members (const Embedded *embedded)
{
  return embedded->members->len;
}

EmbeddedMember *
embedded_peek_member (const Embedded *embedded, guint index)
{
  return embedded->members->pdata[index];
}

EmbeddedMember *
embedded_find_member (const Embedded *embedded, const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < embedded->members->len; i++)
    {
      EmbeddedMember *member = embedded->members->pdata[i];

      if (g_str_equal (embedded_member_name (member), name))
        return member;
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", embedded_member_name (member));
    }
  system_error (error, SYSTEM_ERROR_REFUSED, "no member '%s' in this process, only %s", name,
                names->str);
  return NULL;
}

IoPoller *
embedded_poller (const Embedded *embedded)
{
  return embedded->poller;
}
