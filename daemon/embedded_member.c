/* SPDX-License-Identifier: MIT */
#include "daemon/embedded_member.h"
#include "core/base/env.h"
#include "core/base/log.h"
#include "daemon/glib_env.h"
#include "daemon/listener.h"

struct EmbeddedMember
{
  NodeConfig *config;
  GArray *addresses; /* of ListenAddress: with the kernel's ports once it has listened */
  GroupNetwork *network;
  IoPoller *poller;
  MemberId id; /* of its present or last life */
  NodeHost host;

  Node *node;           /* NULL: down */
  ClientSet *clients;   /* while up */
  GPtrArray *listeners; /* of Listener; empty when stopping or down */
  gboolean news_taken;
  gboolean drains;         /* or is drained */
  gint64 drained_until_us; /* ENV_NEVER: it is not, or has stopped */
};

static Transport *
new_transport (gpointer user_data)
{
  EmbeddedMember *member = user_data;

  return group_network_new_transport (member->network, member->id);
}

static void
accepted (gpointer user_data, int fd, const char *peer)
{
  EmbeddedMember *member = user_data;

  client_set_add (member->clients, fd, peer);
}

EmbeddedMember *
embedded_member_new (const Settings *settings, guint index, GroupNetwork *network, IoPoller *poller)
{
  EmbeddedMember *member = g_new0 (EmbeddedMember, 1);

  member->config = node_config_copy (settings->node);
  g_free (member->config->name);
  member->config->name = settings_member_name (settings, index);
  member->addresses = settings_member_addresses (settings, index);
  member->network = network;
  member->poller = poller;
  member->id.node_id = index + 1;
  member->host = (NodeHost){
    .env = glib_env_get (),
    .new_transport = new_transport,
    .user_data = member,
  };
  member->listeners = g_ptr_array_new_with_free_func ((GDestroyNotify) listener_free);
  return member;
}

void
embedded_member_free (EmbeddedMember *member)
{
  if (member->node != NULL)
    embedded_member_crash (member);
  g_ptr_array_unref (member->listeners);
  g_array_unref (member->addresses);
  node_config_free (member->config);
  g_free (member);
}

static gboolean
listen_on_all (EmbeddedMember *member, GError **error)
{
  for (guint i = 0; i < member->addresses->len; i++)
    {
      ListenAddress *address = &g_array_index (member->addresses, ListenAddress, i);
      Listener *listener
          = listener_new (address, member->poller, member->config->name, accepted, member, error);

      if (listener == NULL)
        {
          g_ptr_array_set_size (member->listeners, 0);
          return FALSE;
        }
      *address = *listener_address (listener);
      g_ptr_array_add (member->listeners, listener);
    }
  return TRUE;
}

gboolean
embedded_member_start (EmbeddedMember *member, guint32 process_id, GError **error)
{
  g_assert (member->node == NULL);
  if (!listen_on_all (member, error))
    return FALSE;
  member->id.process_id = process_id;
  member->node = node_new (member->config, &member->host);
  member->clients = client_set_new (member->node, member->poller);
  member->news_taken = FALSE;
  member->drains = FALSE;
  member->drained_until_us = ENV_NEVER;
  node_start (member->node);
  return TRUE;
}

void
embedded_member_crash (EmbeddedMember *member)
{
  g_assert (member->node != NULL);
  g_ptr_array_set_size (member->listeners, 0);
  g_clear_pointer (&member->clients, client_set_free);
  group_network_crash (member->network, member->id);
  g_clear_pointer (&member->node, node_free);
}

void
embedded_member_stop (EmbeddedMember *member)
{
  g_ptr_array_set_size (member->listeners, 0);
  member->drained_until_us = ENV_NEVER;
  node_stop (member->node);
}

void
embedded_member_drain (EmbeddedMember *member, const char *why, gint64 until_us)
{
  member->drains = TRUE;
  member->drained_until_us = until_us;
  node_drain (member->node, why);
}

gboolean
embedded_member_undrain (EmbeddedMember *member)
{
  if (member->listeners->len == 0)
    return FALSE;
  member->drains = FALSE;
  member->drained_until_us = ENV_NEVER;
  node_drain (member->node, NULL);
  return TRUE;
}

gboolean
embedded_member_is_drained (const EmbeddedMember *member)
{
  return member->node != NULL && member->drains;
}

gboolean
embedded_member_is_stopped (const EmbeddedMember *member)
{
  return member->node == NULL
         || (node_is_stopped (member->node) && client_set_size (member->clients) == 0);
}

void
embedded_member_tick (EmbeddedMember *member, gint64 now_us)
{
  for (guint i = 0; i < member->listeners->len; i++)
    listener_tick (member->listeners->pdata[i], now_us);
  if (member->drained_until_us != ENV_NEVER
      && (now_us >= member->drained_until_us || client_set_size (member->clients) == 0))
    embedded_member_stop (member);
  client_set_tick (member->clients, now_us);
  if (node_next_deadline_us (member->node) <= now_us)
    node_tick (member->node);
}

gint64
embedded_member_next_deadline_us (const EmbeddedMember *member)
{
  gint64 next
      = MIN (node_next_deadline_us (member->node), client_set_next_deadline_us (member->clients));

  next = MIN (next, member->drained_until_us);
  for (guint i = 0; i < member->listeners->len; i++)
    next = MIN (next, listener_next_deadline_us (member->listeners->pdata[i]));
  return next;
}

gboolean
embedded_member_write_touched (EmbeddedMember *member)
{
  return client_set_write_touched (member->clients);
}

gboolean
embedded_member_take_news (EmbeddedMember *member)
{
  if (member->news_taken || node_state (member->node) != NODE_ACTIVE)
    return FALSE;
  member->news_taken = TRUE;
  return TRUE;
}

const char *
embedded_member_name (const EmbeddedMember *member)
{
  return member->config->name;
}

Node *
embedded_member_node (const EmbeddedMember *member)
{
  return member->node;
}

char *
embedded_member_addresses (const EmbeddedMember *member)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < member->addresses->len; i++)
    {
      g_autofree char *address
          = listen_address_to_text (&g_array_index (member->addresses, ListenAddress, i));

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", address);
    }
  return g_string_free (text, FALSE);
}

char *
embedded_member_url (const EmbeddedMember *member)
{
  const NodeUser *user
      = member->config->users->len > 0 ? &g_array_index (member->config->users, NodeUser, 0) : NULL;
  g_autofree char *address
      = listen_address_to_text (&g_array_index (member->addresses, ListenAddress, 0));

  /* The password of a user who is not the well-known guest is not for a terminal. */
  if (user != NULL && g_str_equal (user->name, "guest") && g_str_equal (user->password, "guest"))
    return g_strdup_printf ("amqp://guest:guest@%s", address);
  return g_strdup_printf ("amqp://USER:PASSWORD@%s", address);
}

guint
embedded_member_n_clients (const EmbeddedMember *member)
{
  return member->clients == NULL ? 0 : client_set_size (member->clients);
}

ClientStatistics
embedded_member_statistics (const EmbeddedMember *member)
{
  return member->clients == NULL ? (ClientStatistics){ 0 }
                                 : client_set_statistics (member->clients);
}
