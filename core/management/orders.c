/* SPDX-License-Identifier: MIT */
/* What changes something, or judges it: health, forget, form. */
#include "core/management/orders.h"
#include "core/base/error.h"
#include "core/management/answer_table.h"
#include "core/node/node_parts.h"

#include <string.h>

static char *
refuse (GError **error, const Node *node, const char *why)
{
  system_error (error, SYSTEM_ERROR_REFUSED, "member %s: %s", node_name (node), why);
  return NULL;
}

static char *
report (const Node *node, ManagementFormat format, const char *text)
{
  static const char *const columns[] = { "member", "text", NULL };
  g_autoptr (AnswerTable) table = answer_table_new (columns);

  if (format == MANAGEMENT_TEXT)
    return g_strdup_printf ("member %s: %s\n", node_name (node), text);
  answer_table_text (table, node_name (node));
  answer_table_text (table, text);
  return answer_table_object (table, format);
}

char *
orders_health (Node *node, const char *argument, ManagementFormat format, GError **error)
{
  const Cluster *cluster = node->cluster;
  guint n_present = cluster_n_present (cluster);
  const char *why_not = node_why_not_serving (node);
  g_autofree char *missing = cluster_missing (cluster);
  g_autofree char *text = NULL;

  (void) argument;
  if (why_not != NULL)
    return refuse (error, node, why_not);
  text = g_strdup_printf ("serves: %u of %u voters are here, %u are needed%s%s%s", n_present,
                          cluster_n_seats (cluster), cluster_majority (cluster),
                          missing[0] != '\0' ? "; missing: nodes " : "", missing,
                          n_present > cluster_majority (cluster) || cluster_n_seats (cluster) == 1
                              ? ""
                              : "; the loss of one more would suspend it");
  return report (node, format, text);
}

char *
orders_forget (Node *node, const char *argument, ManagementFormat format, GError **error)
{
  g_autofree char *text = NULL;
  const char *why_not;
  guint64 node_id;

  if (!g_ascii_string_to_unsigned (argument, 10, 1, G_MAXUINT32, &node_id, NULL))
    return refuse (error, node, "forget needs a node's number");
  why_not = node_forget (node, (guint32) node_id);
  if (why_not != NULL)
    return refuse (error, node, why_not);
  text = g_strdup_printf ("node %u is being forgotten: its seat will be free", (guint32) node_id);
  return report (node, format, text);
}

#define WARNING_OF_FORCE                                                                           \
  "this begins the cluster with what this member holds, and with its voice alone. What the "       \
  "others "                                                                                        \
  "confirmed after that is lost. If one of them still serves, or comes back with its state, "      \
  "there "                                                                                         \
  "are two clusters, and what one of them confirmed is lost when they meet. Only where the "       \
  "others "                                                                                        \
  "are lost for good"

char *
orders_form (Node *node, const char *argument, ManagementFormat format, GError **error)
{
  const Cluster *cluster = node->cluster;
  gboolean yes = g_str_equal (argument, "--force --yes");
  g_autofree char *why_not = NULL;
  g_autofree char *holds = NULL;
  g_autofree char *text = NULL;

  if (!yes && !g_str_equal (argument, "--force"))
    return refuse (error, node, "form is by force only: form --force [--yes]");
  why_not = node_why_not_form (node);
  if (why_not != NULL)
    return refuse (error, node, why_not);
  holds = cluster_is_blank (cluster)
              ? g_strdup ("it holds nothing: the cluster would begin empty")
              : g_strdup_printf ("it holds position %" G_GUINT64_FORMAT ", key %" G_GUINT64_FORMAT
                                 " at %" G_GUINT64_FORMAT,
                                 cluster_position (cluster), cluster_key_number (cluster),
                                 cluster_key_position (cluster));
  if (!yes)
    {
      text = g_strdup_printf ("%s; %s: say form --force --yes", holds, WARNING_OF_FORCE);
      return refuse (error, node, text);
    }
  node_form_by_force (node);
  text = g_strdup_printf ("the cluster begins with it alone; before, %s", holds);
  return report (node, format, text);
}
