/* SPDX-License-Identifier: MIT */
/* Nodes, the rings that they are in, and the ends and pauses of whole nodes. */
#include "core/base/digest.h"
#include "transport/sim_network_parts.h"

#define PURPOSE_RESUME 9
#define PURPOSE_STOP   11
/* As Totem's sequences grow. */
#define RING_STEP 4

/* --- members, nodes, rings -------------------------------------------------------------------- */

/* The index of the first host that is not before `member`. */
static guint
host_place (const SimNetwork *network, MemberId member)
{
  guint low = 0;
  guint high = network->hosts->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const Host *host = g_ptr_array_index (network->hosts, middle);

      if (member_id_compare (host->member, member) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

Host *
sim_host_find (const SimNetwork *network, MemberId member)
{
  guint place = member.node_id - 1;
  Host *host;

  /* Where it is if the nodes are numbered from 1 and have a process each. */
  if (place < network->hosts->len)
    {
      host = g_ptr_array_index (network->hosts, place);
      if (member_id_equal (host->member, member))
        return host;
    }
  place = host_place (network, member);
  if (place == network->hosts->len)
    return NULL;
  host = g_ptr_array_index (network->hosts, place);
  return member_id_equal (host->member, member) ? host : NULL;
}

Host *
sim_host_next (const SimNetwork *network, const Host *host)
{
  guint place;

  if (host == NULL)
    return network->hosts->len == 0 ? NULL : g_ptr_array_index (network->hosts, 0);
  place = host_place (network, host->member) + 1;
  return place < network->hosts->len ? g_ptr_array_index (network->hosts, place) : NULL;
}

SimMembership *
sim_next_membership (SimNetwork *network, guint *host, guint *index)
{
  for (; *host < network->hosts->len; (*host)++, *index = 0)
    {
      const Host *at = g_ptr_array_index (network->hosts, *host);

      while (*index < at->memberships->len)
        {
          SimMembership *membership = g_ptr_array_index (at->memberships, (*index)++);

          if (membership->group != NULL && !membership->gone)
            return membership;
        }
    }
  return NULL;
}

static guint
node_place (const SimNetwork *network, guint32 node_id)
{
  guint low = 0;
  guint high = network->nodes->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (((const SimNode *) network->nodes->pdata[middle])->node_id < node_id)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

SimNode *
sim_node_find (const SimNetwork *network, guint32 node_id)
{
  guint place = node_place (network, node_id);
  SimNode *node = place < network->nodes->len ? network->nodes->pdata[place] : NULL;

  return node != NULL && node->node_id == node_id ? node : NULL;
}

SimRing *
sim_network_ring (SimNetwork *network, guint component)
{
  SimRing *ring;

  for (guint i = 0; i < network->rings->len; i++)
    {
      ring = network->rings->pdata[i];
      if (ring->component == component)
        return ring;
    }
  ring = sim_ring_new (component);
  ring->slowness = network->slowness;
  ring->slow_until_us = network->slow_until_us;
  g_ptr_array_add (network->rings, ring);
  return ring;
}

static void
synchronise (const SimNetwork *network, SimRing *ring)
{
  gint64 until_us = network->time.now_us + network->options.sync_us;

  if (network->options.sync_us == 0)
    return;
  ring->syncing_until_us = until_us;
  sim_ring_stall (ring, until_us);
}

/* Nobody's id is used again, but rings that form at one time have the same sequence. */
static void
name_ring (const SimNetwork *network, SimRing *ring)
{
  ring->id.sequence = network->ring_sequence;
  ring->id.representative = ((const SimNode *) ring->nodes->pdata[0])->node_id;
  if (network->reborn != NULL && network->reborn_component == ring->component)
    ring->id.representative = MIN (ring->id.representative, network->reborn->node_id);
}

/* Where nobody was lost the logs stay. */
static void
tell_logs (const SimNetwork *network, const SimRing *ring)
{
  for (guint i = 0; i < network->groups->len; i++)
    {
      SimGroup *group = g_ptr_array_index (network->groups, i);

      if (group->component == ring->component)
        group->ring = ring->id;
    }
}

void
sim_network_place_nodes (SimNetwork *network)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new ();

  for (guint i = 0; i < network->nodes->len; i++)
    {
      SimNode *node = network->nodes->pdata[i];

      if (node->ring != NULL && !node->down && node->wanted == node->component)
        continue;
      if (node->ring != NULL)
        {
          g_ptr_array_add (changed, node->ring);
          sim_ring_remove (node->ring, node);
        }
      node->component = node->wanted;
      if (node->down)
        continue;
      sim_ring_add (sim_network_ring (network, node->component), node);
      g_ptr_array_add (changed, node->ring);
    }
  network->ring_sequence += RING_STEP;
  for (guint i = 0; i < changed->len; i++)
    {
      SimRing *ring = changed->pdata[i];

      if (ring->nodes->len > 0)
        name_ring (network, ring);
      /* What waited elsewhere does not any more. */
      if (ring->stalled_until_us == G_MAXINT64)
        ring->stalled_until_us = network->time.now_us;
      sim_ring_stall (ring, network->time.now_us);
      synchronise (network, ring);
    }
  for (guint i = network->rings->len; i-- > 0;)
    if (((const SimRing *) network->rings->pdata[i])->nodes->len == 0)
      g_ptr_array_remove_index (network->rings, i);
}

/* Where hearing is not transitive one more may change where the others go. TRUE: it does. */
static gboolean
find_wanted_again (SimNetwork *network, SimNode *added)
{
  g_autofree guint *before = g_new (guint, network->nodes->len);
  gboolean changes = FALSE;

  for (guint i = 0; i < network->nodes->len; i++)
    before[i] = ((const SimNode *) network->nodes->pdata[i])->wanted;
  sim_network_find_wanted (network);
  for (guint i = 0; i < network->nodes->len; i++)
    {
      const SimNode *node = network->nodes->pdata[i];

      changes = changes || (node != added && node->wanted != before[i]);
    }
  return changes;
}

/* There, and up. A daemon that comes back is heard by those that did not notice its loss yet. */
static SimNode *
node_get (SimNetwork *network, guint32 node_id)
{
  SimNode *node = sim_node_find (network, node_id);
  SimRing *ring;
  gboolean changes;

  if (node != NULL && !node->down)
    return node;
  g_assert (network->depth == 0);
  if (node == NULL)
    {
      node = g_new0 (SimNode, 1);
      node->node_id = node_id;
      g_ptr_array_insert (network->nodes, (gint) node_place (network, node_id), node);
    }
  else if (node->ring != NULL)
    {
      network->reborn = node;
      network->reborn_component = node->component;
      sim_network_form (network);
    }
  node->down = FALSE;
  changes = find_wanted_again (network, node);
  /* What is being noticed it will be told with the others. */
  node->component = node->wanted;
  ring = sim_network_ring (network, node->component);
  sim_ring_add (ring, node);
  /* One that is back is in the ring that formed without what it was. */
  if (network->reborn == NULL || network->reborn_component != node->component)
    network->ring_sequence += RING_STEP;
  network->reborn = NULL;
  name_ring (network, ring);
  tell_logs (network, ring);
  synchronise (network, ring);
  if (changes)
    sim_network_hearing_changed (network, FALSE);
  return node;
}

Host *
sim_host_get (SimNetwork *network, MemberId member)
{
  SimNode *node = node_get (network, member.node_id);
  Host *host = sim_host_find (network, member);

  if (host != NULL)
    return host;
  host = g_new0 (Host, 1);
  host->member = member;
  host->node = node;
  host->memberships = g_ptr_array_new ();
  host->unseen = g_ptr_array_new ();
  g_ptr_array_insert (network->hosts, (gint) host_place (network, member), host);
  return host;
}

void
sim_network_free_nodes (SimNetwork *network)
{
  for (guint i = 0; i < network->hosts->len; i++)
    {
      Host *host = g_ptr_array_index (network->hosts, i);

      g_assert (host->memberships->len == 0);
      g_ptr_array_unref (host->memberships);
      g_ptr_array_unref (host->unseen);
      g_free (host);
    }
  for (guint i = 0; i < network->nodes->len; i++)
    g_free (network->nodes->pdata[i]);
  g_ptr_array_unref (network->hosts);
  g_ptr_array_unref (network->nodes);
  g_ptr_array_unref (network->rings);
}

guint
sim_network_ring_of (const SimNetwork *network, guint32 node_id)
{
  const SimNode *node = sim_node_find (network, node_id);

  g_assert (node != NULL);
  return node->component;
}

/* --- what happens to a node ---------------------------------------------------------------------
 */

typedef void (*ToMembership) (SimMembership *membership);

static void
to_all_of (SimNetwork *network, const SimNode *node, ToMembership function)
{
  guint i = 0;

  /* One that is over may be forgotten by this. */
  for (guint first = host_place (network, (MemberId){ node->node_id, 0 });
       first < network->hosts->len; first++)
    {
      const Host *host = g_ptr_array_index (network->hosts, first);

      if (host->node != node)
        return;
      for (i = host->memberships->len; i-- > 0;)
        function (g_ptr_array_index (host->memberships, i));
    }
}

static void
end_with_node (SimMembership *membership)
{
  sim_membership_end (membership, SIM_END_OF_NODE);
}

static void
stop_and_fail (SimMembership *membership)
{
  if (membership->transport.joined && !membership->gone)
    sim_network_say_goodbye (membership);
  sim_membership_lose_daemon (membership);
}

static void
pause_membership (SimMembership *membership)
{
  membership->paused = TRUE;
}

static void
resume_membership (SimMembership *membership)
{
  membership->paused = FALSE;
  membership->last_us = MAX (membership->last_us, membership->time->now_us);
}

static void
node_goes_down (SimNetwork *network, SimNode *node, gboolean noticed)
{
  node->down = TRUE;
  node->paused = FALSE;
  to_all_of (network, node, resume_membership);
  sim_network_hearing_changed (network, noticed);
}

void
sim_network_node_down (SimNetwork *network, guint32 node_id)
{
  SimNode *node = sim_node_find (network, node_id);

  g_assert (network->depth == 0);
  if (node == NULL)
    return;
  to_all_of (network, node, end_with_node);
  if (!node->down)
    node_goes_down (network, node, FALSE);
}

void
sim_network_daemon_down (SimNetwork *network, guint32 node_id, SimDaemonEnd how)
{
  SimNode *node = sim_node_find (network, node_id);
  guint64 number = digest_combine (network->options.seed, PURPOSE_STOP);
  gboolean stops, says_so;

  g_assert (network->depth == 0);
  if (node == NULL || node->down)
    return;
  /* Without a ring to say it to, it is killed. */
  stops = how == SIM_DAEMON_STOPPED && !node->paused
          && !sim_ring_is_stalled (node->ring, network->time.now_us);
  /* It does not always get to say whose processes it had; that it leaves is always heard. */
  number = digest_combine (digest_combine (number, network->n_partitions), node_id);
  says_so = stops && number % 4 != 0;
  to_all_of (network, node, says_so ? stop_and_fail : sim_membership_lose_daemon);
  node_goes_down (network, node, stops);
}

/* It was cut off meanwhile. What it had accepted its daemon may order before it finds that it is
 * alone, or then, or when it has found the others again, which is at once or later. TRUE: later. */
static gboolean
wake_up (SimNetwork *network, SimNode *node)
{
  guint64 number = digest_combine (network->options.seed, PURPOSE_RESUME);

  number = digest_combine (digest_combine (number, network->n_partitions), node->node_id);
  if (number % 2 == 0)
    sim_network_flush (network, node);
  /* One ring, and both views of it: it never was alone. */
  if (number / 16 % 2 == 0)
    return FALSE;
  sim_network_tell_loss (network, node, node->ring->id);
  if (number / 2 % 2 == 0)
    sim_network_flush (network, node);
  if (number / 4 % 2 == 0 || network->form_us != G_MAXINT64)
    return FALSE;
  network->meets_later = TRUE;
  network->form_us = network->time.now_us + 1
                     + (gint64) (number / 32 % (guint64) MAX (network->options.detection_us, 1));
  return TRUE;
}

void
sim_network_pause (SimNetwork *network, MemberId member, gboolean paused)
{
  SimNode *node = sim_node_find (network, member.node_id);

  g_assert (network->depth == 0);
  if (node == NULL || node->down || node->paused == paused)
    return;
  node->paused = paused;
  to_all_of (network, node, paused ? pause_membership : resume_membership);
  if (!paused && node->component >= SIM_ALONE && wake_up (network, node))
    {
      sim_network_release (network, node);
      return;
    }
  if (network->options.detection_us > 0)
    sim_network_hearing_changed (network, FALSE);
  if (!paused)
    sim_network_release (network, node);
}
