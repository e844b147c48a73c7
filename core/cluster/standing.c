/* SPDX-License-Identifier: MIT */
/* What an operator is told of this member's place in the cluster, and what he may order. */
#include "core/cluster/cluster_parts.h"
#include "core/cluster/seats.h"

#include <string.h>

char *
cluster_seats (const Cluster *cluster)
{
  return seats_text (&cluster->membership, NULL);
}

/* Before the first view nobody is here. */
char *
cluster_missing (const Cluster *cluster)
{
  View nobody = { .n_members = 0 };

  return seats_text (&cluster->membership, cluster->view != NULL ? cluster->view : &nobody);
}

guint
cluster_n_present (const Cluster *cluster)
{
  return quorum_n_present (cluster);
}

guint
cluster_n_seats (const Cluster *cluster)
{
  return quorum_n_seats (cluster);
}

guint
cluster_majority (const Cluster *cluster)
{
  return quorum_majority (cluster);
}

gboolean
cluster_is_blank (const Cluster *cluster)
{
  return cluster->blank;
}

guint64
cluster_key_number (const Cluster *cluster)
{
  return cluster->key_number;
}

guint64
cluster_key_position (const Cluster *cluster)
{
  return cluster->key_position;
}

/* --- why it does not serve -------------------------------------------------------------------- */

char *
cluster_why_suspended (const Cluster *cluster)
{
  g_autofree char *missing = cluster_missing (cluster);
  GString *text = g_string_new (NULL);

  g_string_printf (text, "suspended: %u of %u voters are heard, %u are needed",
                   quorum_n_present (cluster), quorum_n_seats (cluster), quorum_majority (cluster));
  if (missing[0] != '\0')
    g_string_append_printf (text, "; missing: %s %s",
                            strchr (missing, ' ') == NULL ? "node" : "nodes", missing);
  return g_string_free (text, FALSE);
}

/* Voters that said what they hold, and those of them that hold something. */
static void
count_hellos (const Cluster *cluster, guint *ret_heard, guint *ret_holders)
{
  *ret_heard = *ret_holders = 0;
  for (guint i = 0; i < cluster->hellos->len; i++)
    {
      const Hello *hello = &g_array_index (cluster->hellos, Hello, i);

      if (cluster->membership.seats->len > 0
          && !seats_have (&cluster->membership, hello->id.node_id))
        continue;
      ++*ret_heard;
      *ret_holders += !hello->blank;
    }
}

static char *
why_it_waits (const Cluster *cluster)
{
  guint heard, holders;

  count_hellos (cluster, &heard, &holders);
  if (cluster->blank && quorum_is_crowded (cluster))
    return g_strdup_printf (
        "waits for the others to begin: more nodes are present than the %u that "
        "are expected, and nobody knows whose voices count",
        cluster->n_voters);
  return g_strdup_printf ("waits for the others to begin: %u of %u voters are heard, %u of them "
                          "hold a state; it takes %u that do, or all",
                          heard, quorum_n_seats (cluster), holders, quorum_majority (cluster));
}

static char *
why_idle (const Cluster *cluster)
{
  g_autofree char *why = NULL;

  if (cluster->join.refusal != NULL)
    return g_strdup_printf ("refused: %s", cluster->join.refusal);
  if (cluster->join.asked)
    return g_strdup ("joining: an active member is asked for its state");
  why = quorum_is_present (cluster) ? why_it_waits (cluster) : cluster_why_suspended (cluster);
  if (!cluster->ignored_told)
    return g_steal_pointer (&why);
  return g_strconcat (why, "; a member with other settings is ignored (see the log)", NULL);
}

char *
cluster_why_not_active (const Cluster *cluster)
{
  switch (cluster->state)
    {
    case NODE_ACTIVE:
      return NULL;
    case NODE_OUTSIDE:
      return g_strdup ("outside: this member is not in its group");
    case NODE_IDLE:
      return why_idle (cluster);
    case NODE_JOINING:
    case NODE_LOADED:
      return g_strdup ("joining: the state is on its way");
    case NODE_STOPPED:
      return g_strdup ("stopped: this member has left its group");
    }
  return NULL;
}

/* --- forgetting a node --------------------------------------------------------------------------
 */

const char *
cluster_why_not_forget (const Cluster *cluster, guint32 node_id)
{
  const Membership *membership = &cluster->membership;

  if (!seats_have (membership, node_id))
    return "it has no seat in this cluster";
  for (guint i = 0; i < membership->full->len; i++)
    if (g_array_index (membership->full, FullMember, i).id.node_id == node_id)
      return "a member of it is here and has the state: stop it first";
  return quorum_has_settled (cluster)
             ? NULL
             : "a majority has not yet been heard since the seats, or the view, last changed: try "
               "again in a moment";
}

const char *
cluster_forget (Cluster *cluster, guint32 node_id)
{
  const char *why = cluster->state != NODE_ACTIVE ? "this member is not active: ask one that is"
                    : cluster->forget_node != 0   ? "another node is being forgotten just now"
                                                  : cluster_why_not_forget (cluster, node_id);

  if (why != NULL)
    return why;
  cluster->forget_node = node_id;
  cluster->wants_forget = TRUE;
  return NULL;
}

/* --- forming by force ---------------------------------------------------------------------------
 */

static gboolean
has_said_hello (const Cluster *cluster, MemberId id)
{
  for (guint i = 0; i < cluster->hellos->len; i++)
    if (member_id_equal (g_array_index (cluster->hellos, Hello, i).id, id))
      return TRUE;
  return FALSE;
}

/* An active one says no hello, nor does one that hangs: both may know more than anybody here. */
static char *
why_not_known (const Cluster *cluster)
{
  for (guint i = 0; i < cluster->view->n_members; i++)
    {
      MemberId id = cluster->view->members[i];

      if (membership_is_voter (&cluster->membership, id) && !has_said_hello (cluster, id))
        return g_strdup_printf ("member %u.%u is present and has not said what it holds: try again "
                                "in a few seconds, or end it",
                                id.node_id, id.process_id);
    }
  return NULL;
}

char *
cluster_why_not_form (const Cluster *cluster)
{
  MemberId best;
  guint heard, holders;
  char *why;

  if (cluster->state == NODE_ACTIVE)
    return g_strdup ("this member is active: there is nothing to form");
  if (cluster->state != NODE_IDLE || cluster->view == NULL || cluster->join.asked)
    return g_strdup ("an active cluster is here, or this member is not in its group");
  if (cluster->join.refusal != NULL)
    return g_strdup ("an active cluster has refused this member");
  if (!cluster->votes)
    return g_strdup ("this member is no voter: form on one that is");
  why = why_not_known (cluster);
  if (why != NULL)
    return why;
  count_hellos (cluster, &heard, &holders);
  if (holders >= quorum_majority (cluster) || heard >= quorum_n_seats (cluster))
    return g_strdup_printf ("a majority is here (%u of %u voters, %u of them with a state) and "
                            "begins by itself",
                            heard, quorum_n_seats (cluster), holders);
  best = formation_best (cluster);
  if (!member_id_equal (best, cluster->self))
    return g_strdup_printf ("member %u.%u, which is here, holds more: form there", best.node_id,
                            best.process_id);
  return NULL;
}
