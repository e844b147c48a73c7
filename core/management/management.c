/* SPDX-License-Identifier: MIT */
#include "core/management/management.h"
#include "core/base/error.h"
#include "core/broker/vhost.h"
#include "core/management/answer_table.h"
#include "core/management/orders.h"
#include "core/node/node_parts.h"

#include <string.h>

static void
put_member (AnswerTable *table, MemberId id)
{
  char text[ID_TEXT_SIZE];

  answer_table_text (table, member_id_to_text (id, text));
}

static void
put_hexadecimal (AnswerTable *table, guint64 value)
{
  g_autofree char *text = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", value);

  answer_table_text (table, text);
}

typedef MemberId (*MemberAt) (const Cluster *cluster, guint index);

static void
put_members (AnswerTable *table, const Cluster *cluster, guint n_members, MemberAt member_at)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char id[ID_TEXT_SIZE];

  for (guint i = 0; i < n_members; i++)
    g_string_append_printf (text, "%s%s", i == 0 ? "" : " ",
                            member_id_to_text (member_at (cluster, i), id));
  answer_table_text (table, text->str);
}

static guint
count_queues (Node *node)
{
  NameMapIter iter = name_map_iter (broker_vhosts (node->broker));
  guint count = 0;
  gpointer value;

  while (name_map_next (&iter, NULL, &value))
    count += name_map_size (((Vhost *) value)->queues);
  return count;
}

static char *
status (Node *node, ManagementFormat format)
{
  static const char *const columns[] = {
    "member",   "state",  "serving",     "why-not",  "self",         "incarnation", "members",
    "expected", "voters", "missing",     "quorate",  "full-members", "epoch",       "position",
    "digest",   "queues", "connections", "sessions", "clients",      NULL,
  };
  g_autoptr (AnswerTable) table = answer_table_new (columns);
  const Cluster *cluster = node->cluster;
  const char *why_not = node_why_not_serving (node);
  g_autofree char *voters = cluster_seats (cluster);
  g_autofree char *missing = cluster_missing (cluster);

  answer_table_text (table, node_name (node));
  answer_table_text (table, node_state_name (node_state (node)));
  answer_table_boolean (table, why_not == NULL);
  answer_table_text (table, why_not != NULL ? why_not : "");
  put_member (table, cluster_self (cluster));
  put_hexadecimal (table, node_incarnation (node));
  put_members (table, cluster, cluster_n_members (cluster), cluster_member);
  answer_table_number (table, node->config->expected_members);
  answer_table_text (table, voters);
  answer_table_text (table, missing);
  answer_table_boolean (table, cluster_is_quorate (cluster));
  put_members (table, cluster, cluster_n_full (cluster), cluster_full);
  answer_table_number (table, cluster_epoch (cluster).number);
  answer_table_number (table, node_position (node));
  put_hexadecimal (table, node_digest (node));
  answer_table_number (table, count_queues (node));
  answer_table_number (table, id_map_size (node->sessions->connections));
  answer_table_number (table, id_map_size (node->sessions->sessions));
  answer_table_number (table, node->clients->len);
  return answer_table_object (table, format);
}

typedef void (*VhostFunction) (Vhost *vhost, AnswerTable *table);

static char *
list_of_vhosts (Node *node, ManagementFormat format, const char *const *columns,
                VhostFunction function)
{
  g_autoptr (AnswerTable) table = answer_table_new (columns);
  NameMapIter iter = name_map_iter (broker_vhosts (node->broker));
  gpointer value;

  while (name_map_next (&iter, NULL, &value))
    function (value, table);
  return answer_table_list (table, format);
}

static void
queues_of_vhost (Vhost *vhost, AnswerTable *table)
{
  NameMapIter iter = name_map_iter (vhost->queues);
  gpointer value;

  while (name_map_next (&iter, NULL, &value))
    {
      const Queue *queue = value;

      answer_table_text (table, vhost->name);
      answer_table_text (table, queue->name);
      answer_table_number (table, queue->n_ready);
      answer_table_number (table, queue->n_unacked);
      answer_table_number (table, queue->consumers->len);
      answer_table_boolean (table, queue->durable);
      answer_table_boolean (table, queue->exclusive);
      answer_table_boolean (table, queue->auto_delete);
    }
}

static char *
list_queues (Node *node, ManagementFormat format)
{
  static const char *const columns[]
      = { "vhost",   "queue",     "ready",       "unacked", "consumers",
          "durable", "exclusive", "auto-delete", NULL };

  return list_of_vhosts (node, format, columns, queues_of_vhost);
}

static void
exchanges_of_vhost (Vhost *vhost, AnswerTable *table)
{
  NameMapIter iter = name_map_iter (vhost->exchanges);
  gpointer value;

  while (name_map_next (&iter, NULL, &value))
    {
      const Exchange *exchange = value;

      answer_table_text (table, vhost->name);
      answer_table_text (table, exchange->name);
      answer_table_text (table, exchange->type->name);
      answer_table_boolean (table, exchange->durable);
      answer_table_boolean (table, exchange->auto_delete);
      answer_table_number (table, name_map_size (exchange->bindings));
    }
}

static char *
list_exchanges (Node *node, ManagementFormat format)
{
  static const char *const columns[]
      = { "vhost", "exchange", "type", "durable", "auto-delete", "bindings", NULL };

  return list_of_vhosts (node, format, columns, exchanges_of_vhost);
}

static void
bindings_of_vhost (Vhost *vhost, AnswerTable *table)
{
  NameMapIter exchanges = name_map_iter (vhost->exchanges);
  gpointer value;

  while (name_map_next (&exchanges, NULL, &value))
    {
      const Exchange *exchange = value;
      NameMapIter bindings = name_map_iter (exchange->bindings);

      while (name_map_next (&bindings, NULL, &value))
        {
          const Binding *binding = value;

          answer_table_text (table, vhost->name);
          answer_table_text (table, exchange->name);
          answer_table_text (table, binding->queue->name);
          answer_table_text (table, binding->routing_key);
        }
    }
}

static char *
list_bindings (Node *node, ManagementFormat format)
{
  static const char *const columns[] = { "vhost", "exchange", "queue", "routing-key", NULL };

  return list_of_vhosts (node, format, columns, bindings_of_vhost);
}

static char *
list_connections (Node *node, ManagementFormat format)
{
  static const char *const columns[]
      = { "connection", "primary", "user", "vhost", "client", "sessions", "credit", NULL };
  g_autoptr (AnswerTable) table = answer_table_new (columns);
  IdMapIter iter = id_map_iter (node->sessions->connections);
  gpointer value;

  while (id_map_next (&iter, NULL, &value))
    {
      const Connection *connection = value;
      char id[ID_TEXT_SIZE];

      answer_table_text (table, connection_id_to_text (connection->id, id));
      put_member (table, connection->primary);
      answer_table_text (table, connection->user);
      answer_table_text (table, connection->vhost->name);
      answer_table_text (table, connection->peer);
      answer_table_number (table, connection->n_sessions);
      answer_table_number (table, (guint64) MAX (connection->credit, 0));
    }
  return answer_table_list (table, format);
}

static char *
list_sessions (Node *node, ManagementFormat format)
{
  static const char *const columns[] = { "session", "connection", "primary", "channel", "consumers",
                                         "unacked", "published",  "sent",    NULL };
  g_autoptr (AnswerTable) table = answer_table_new (columns);
  IdMapIter iter = id_map_iter (node->sessions->sessions);
  gpointer value;

  while (id_map_next (&iter, NULL, &value))
    {
      const Session *session = value;
      char id[ID_TEXT_SIZE];

      answer_table_text (table, session_id_to_text (session->id, id));
      answer_table_text (table, connection_id_to_text (session->connection->id, id));
      put_member (table, session->connection->primary);
      answer_table_number (table, session->channel);
      answer_table_number (table, name_map_size (session->subscriptions));
      answer_table_number (table, session->unacked.count);
      answer_table_number (table, session->n_published);
      answer_table_number (table, session->record.frames_sent);
    }
  return answer_table_list (table, format);
}

static const struct
{
  const char *command;
  char *(*run) (Node *node, ManagementFormat format);
} commands[] = {
  { "status", status },
  { "list queues", list_queues },
  { "list connections", list_connections },
  { "list sessions", list_sessions },
  { "list exchanges", list_exchanges },
  { "list bindings", list_bindings },
};

static const struct
{
  const char *command; /* an argument may follow */
  char *(*run) (Node *node, const char *argument, ManagementFormat format, GError **error);
} orders[] = {
  { "health", orders_health },
  { "forget", orders_forget },
  { "form", orders_form },
};

char *
management_run (Node *node, const char *command, ManagementFormat format, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (commands[i].command, command))
      return commands[i].run (node, format);
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      gsize length = strlen (orders[i].command);
      const char *rest = command + length;

      if (g_str_has_prefix (command, orders[i].command) && (*rest == '\0' || *rest == ' '))
        return orders[i].run (node, *rest == ' ' ? rest + 1 : rest, format, error);
    }
  system_error (error, SYSTEM_ERROR_REFUSED,
                "unknown command '%s': expected status, health, forget, form, or list with one of "
                "queues, connections, sessions, exchanges, bindings",
                command);
  return NULL;
}
