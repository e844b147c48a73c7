/* SPDX-License-Identifier: MIT */
/* The start of a cluster in which nobody is active (protocol: Formation).
 *
 * Every idle member says hello in each view. Once all that are present have said it in the same
 * view, and they are as many as are expected, the best of them begins: of those that hold a state
 * the one that knows most, and of equals the lowest. Hellos are delivered in one order, so all of
 * them come to the same conclusion at the same place. The others ask it for its state. */
#include "core/base/log.h"
#include "core/cluster/cluster_parts.h"
#include "core/base/digest.h"

void
formation_view_changed (Cluster *cluster)
{
  g_array_set_size (cluster->hellos, 0);
}

/* TRUE: `a` should rather begin than `b`. */
static gboolean
is_better (const Hello *a, const Hello *b)
{
  if (a->blank != b->blank)
    return !a->blank;
  if (a->key_number != b->key_number)
    return a->key_number > b->key_number;
  if (a->key_position != b->key_position)
    return a->key_position > b->key_position;
  return member_id_compare (a->id, b->id) < 0;
}

static void
form (Cluster *cluster)
{
  cluster->position++;
  cluster->epoch.number = MAX (cluster->promise.number, cluster->key_number) + 1;
  cluster->epoch.id = env_random_u64 (cluster->env);
  cluster->promise = cluster->epoch;
  cluster->key_number = cluster->epoch.number;
  cluster->key_position = cluster->position;
  cluster->blank = FALSE;
  g_array_set_size (cluster->membership.full, 0);
  g_array_set_size (cluster->membership.joining, 0);
  membership_add_full (&cluster->membership, cluster->self, cluster->incarnation);
  cluster->application->formed (cluster->user_data, cluster->position);
  join_forget (&cluster->join);
  cluster->wants_enter = TRUE;
  log_notice (cluster->name, "the cluster begins with this member");
  cluster_set_state (cluster, NODE_ACTIVE);
}

static void
remember (Cluster *cluster, const Hello *hello)
{
  for (guint i = 0; i < cluster->hellos->len; i++)
    if (member_id_equal (g_array_index (cluster->hellos, Hello, i).id, hello->id))
      {
        g_array_index (cluster->hellos, Hello, i) = *hello;
        return;
      }
  g_array_append_val (cluster->hellos, *hello);
}

void
formation_hello (Cluster *cluster, MemberId sender, const EnvelopeHeader *header)
{
  const Hello hello = { sender, header->blank, header->key_number, header->key_position };
  const Hello *best;

  if (cluster->state == NODE_ACTIVE)
    {
      cluster->wants_enter = TRUE;
      return;
    }
  if (header->view != cluster->view_digest)
    return;
  remember (cluster, &hello);
  if (cluster->hellos->len < MAX (cluster->expected, cluster->view->len))
    return;
  best = &g_array_index (cluster->hellos, Hello, 0);
  for (guint i = 1; i < cluster->hellos->len; i++)
    if (is_better (&g_array_index (cluster->hellos, Hello, i), best))
      best = &g_array_index (cluster->hellos, Hello, i);
  if (member_id_equal (best->id, cluster->self) && cluster->state == NODE_IDLE)
    form (cluster);
}
