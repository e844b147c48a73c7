/* SPDX-License-Identifier: MIT */
/* That a newcomer can keep up, and that nobody has to wait for it (protocol: Joining).
 *
 * A newcomer whose backlog is half full says so, again and again. While it does, active members
 * say less, a little every few milliseconds: their clients are read more slowly, and served. They
 * do so for a bounded time, then not at all for a longer one, whoever asks. A newcomer that cannot
 * keep up even so gives up, and waits longer each time before it asks again. Where the full
 * members are less than a majority, as after a formation, no confirm can leave without newcomers:
 * they are waited for however long it takes.
 *
 * Nothing of it is state: it only holds back what was not said yet. */
#include "core/base/limits.h"
#include "core/cluster/cluster_parts.h"

void
flow_say_behind (Cluster *cluster)
{
  Flow *flow = &cluster->flow;
  gboolean wanted = (cluster->state == NODE_JOINING || cluster->state == NODE_LOADED)
                    && cluster->join.backlog_bytes > cluster->join_backlog / 2;
  gint64 now_us;

  if (!wanted)
    return;
  now_us = env_now_us (cluster->env);
  if (now_us < flow->word_due_us)
    return;
  flow->word_due_us = now_us + LIMIT_SLOW_WORD_US / 2;
  cluster_reached (cluster, "newcomer-behind");
  cluster_say (cluster, &wanted, ENVELOPE_BEHIND);
}

/* Unless they did so for too long. */
static void
slow_down (Cluster *cluster, gint64 now_us)
{
  Flow *flow = &cluster->flow;
  gboolean is_needed = cluster->membership.full->len < quorum_majority (cluster);

  if (now_us < flow->rest_until_us && !is_needed)
    return;
  if (is_needed || now_us - flow->slowed_until_us >= LIMIT_SLOW_REST_US)
    flow->spent_us = 0;
  flow->spent_us += now_us + LIMIT_SLOW_WORD_US - MAX (now_us, flow->slowed_until_us);
  flow->slowed_until_us = now_us + LIMIT_SLOW_WORD_US;
  if (flow->spent_us < LIMIT_SLOW_US)
    return;
  cluster_reached (cluster, "slowed-enough");
  flow->spent_us = 0;
  flow->rest_until_us = flow->slowed_until_us + LIMIT_SLOW_REST_US;
}

void
flow_behind_heard (Cluster *cluster, MemberId sender, const EnvelopeHeader *header)
{
  const JoiningMember *joining;

  if (cluster->state != NODE_ACTIVE)
    return;
  joining = membership_find_joining (&cluster->membership, sender);
  if (joining != NULL && joining->cut.incarnation == header->incarnation)
    slow_down (cluster, env_now_us (cluster->env));
}

static gboolean
is_slowed (const Cluster *cluster)
{
  return cluster->flow.slowed_until_us > 0
         && env_now_us (cluster->env) < cluster->flow.slowed_until_us;
}

void
flow_pace (Cluster *cluster)
{
  Flow *flow = &cluster->flow;
  gint64 now_us;

  if (!is_slowed (cluster))
    {
      multicast_outbox_pace (cluster->outbox, G_MAXSIZE);
      return;
    }
  now_us = env_now_us (cluster->env);
  if (now_us < flow->step_due_us)
    return;
  flow->step_due_us = now_us + LIMIT_SLOW_STEP_US;
  multicast_outbox_pace (cluster->outbox, LIMIT_SLOW_BYTES);
}

void
flow_paced (Cluster *cluster)
{
  if (is_slowed (cluster) && multicast_outbox_load (cluster->outbox).waiting > 0)
    cluster->retry_us = MIN (cluster->retry_us, cluster->flow.step_due_us);
}

/* Those who asked have to ask anew. */
void
flow_forget (Cluster *cluster)
{
  Flow *flow = &cluster->flow;

  flow->slowed_until_us = MIN (flow->slowed_until_us, env_now_us (cluster->env));
}
