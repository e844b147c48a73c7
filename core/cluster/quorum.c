/* SPDX-License-Identifier: MIT */
/* Majorities: whether there is one, what it is certain of, and what may be told because of it
 * (protocol: certain, claim, limit, Reports and release).
 *
 * A position is certain once a majority has spoken at or after it: after a cut a member can deliver
 * its own side's messages past a gap, so having a position is not enough. What is certain may be
 * claimed; what a majority has claimed, in the same epoch, no loss of a minority can take back: up
 * to there answers may leave ("limit"). */
#include "core/base/limits.h"
#include "core/cluster/cluster_parts.h"

/* Voting nodes and one number of each, the largest first. */
typedef struct Votes
{
  guint count;
  guint32 node_ids[LIMIT_VOTES];
  gint64 values[LIMIT_VOTES];
} Votes;

/* Several members of one node are one voice: the greatest. */
static inline void
vote (Votes *votes, guint32 node_id, gint64 value)
{
  guint i = 0;

  while (i < votes->count && votes->node_ids[i] != node_id)
    i++;
  if (i == LIMIT_VOTES || (i < votes->count && votes->values[i] >= value))
    return;
  votes->count += i == votes->count;
  for (; i > 0 && votes->values[i - 1] < value; i--)
    {
      votes->node_ids[i] = votes->node_ids[i - 1];
      votes->values[i] = votes->values[i - 1];
    }
  votes->node_ids[i] = node_id;
  votes->values[i] = value;
}

/* The rank-th largest, from 1; -1: there are not so many. */
static gint64
nth_largest (const Votes *votes, guint rank)
{
  return rank >= 1 && rank <= votes->count ? votes->values[rank - 1] : -1;
}

guint
quorum_majority (const Cluster *cluster)
{
  return cluster->ignore_quorum ? 1 : cluster->n_voters / 2 + 1;
}

/* Nodes in the view; its members are in the order of their nodes. */
static guint
nodes_in_view (const View *view)
{
  guint count = view->n_members > 0;

  for (guint i = 1; i < view->n_members; i++)
    count += view->members[i].node_id != view->members[i - 1].node_id;
  return count;
}

static guint
voters_in_view (const Cluster *cluster)
{
  const View *view = cluster->view;
  guint count = 0;

  if (view == NULL || cluster->voters->len == 0)
    return view == NULL ? 0 : nodes_in_view (view);
  for (guint i = 0; i < cluster->voters->len; i++)
    {
      guint32 node_id = g_array_index (cluster->voters, guint32, i);
      guint place = view_place (view->members, view->n_members, (MemberId){ node_id, 0 });

      count += place < view->n_members && view->members[place].node_id == node_id;
    }
  return count;
}

gboolean
quorum_is_present (const Cluster *cluster)
{
  return cluster->ignore_quorum || voters_in_view (cluster) >= quorum_majority (cluster);
}

gboolean
quorum_is_crowded (const Cluster *cluster)
{
  return voters_in_view (cluster) > cluster->n_voters;
}

/* `own` stands for this member, `of` gives another's number; -1: it has none. */
static inline void
collect (const Cluster *cluster, Votes *votes, gint64 own, gint64 (*of) (const Speaker *speaker))
{
  votes->count = 0;
  if (cluster->votes)
    vote (votes, cluster->self.node_id, own);
  for (guint i = 0; i < cluster->membership.votes->len; i++)
    {
      const Speaker *speaker = membership_voter (&cluster->membership, i);
      gint64 value = speaker == NULL ? -1 : of (speaker);

      if (value >= 0 && speaker->id.node_id != cluster->self.node_id)
        vote (votes, speaker->id.node_id, value);
    }
}

static gint64
last_position_of (const Speaker *speaker)
{
  return speaker->last_position == 0 ? -1 : (gint64) speaker->last_position;
}

static gint64
claim_of (const Speaker *speaker)
{
  return speaker->claim;
}

/* -1: a majority has not spoken in this epoch. */
static gint64
certain_position (const Cluster *cluster)
{
  Votes votes;

  collect (cluster, &votes, (gint64) cluster->position, last_position_of);
  return nth_largest (&votes, quorum_majority (cluster));
}

gint64
quorum_claim (const Cluster *cluster)
{
  if (cluster->state != NODE_ACTIVE || !epoch_equal (cluster->key_epoch, cluster->epoch))
    return -1;
  return (gint64) cluster->key_position;
}

/* What a majority has claimed. */
static gint64
agreed_position (const Cluster *cluster, Votes *ret_votes)
{
  collect (cluster, ret_votes, quorum_claim (cluster), claim_of);
  return nth_largest (ret_votes, quorum_majority (cluster));
}

/* What every voter among the full members has claimed. */
static gint64
position_of_all (const Cluster *cluster, const Votes *votes)
{
  for (guint i = 0; i < cluster->membership.votes->len; i++)
    {
      const Speaker *speaker = membership_voter (&cluster->membership, i);

      if (member_id_equal (membership_voter_id (&cluster->membership, i), cluster->self))
        continue;
      if (speaker == NULL || speaker->claim < 0)
        return -1;
    }
  return nth_largest (votes, votes->count);
}

static gint64
released_position (const Cluster *cluster, gint64 agreed, const Votes *votes)
{
  switch (cluster->reply_when)
    {
    case REPLY_WHEN_SELF:
      return (gint64) cluster->position;
    case REPLY_WHEN_MAJORITY:
      return agreed;
    case REPLY_WHEN_ALL:
      return agreed < 0 ? -1 : position_of_all (cluster, votes);
    }
  return -1;
}

/* Nobody may ask for a long time: among many members most neither vote nor have answers to hold. */
void
quorum_changed (Cluster *cluster)
{
  cluster->reckoning_due = TRUE;
  if (cluster->release_awaited)
    quorum_reckon (cluster);
}

void
quorum_reckon (Cluster *cluster)
{
  gint64 certain, agreed, limit;
  Votes votes;

  if (!cluster->reckoning_due || cluster->state != NODE_ACTIVE)
    return;
  cluster->reckoning_due = FALSE;
  certain = certain_position (cluster);
  if (certain >= 0)
    {
      cluster->key_number = cluster->epoch.number;
      cluster->key_position = (guint64) certain;
      cluster->key_epoch = cluster->epoch;
    }
  agreed = agreed_position (cluster, &votes);
  cluster->agreed = (guint64) MAX (agreed, (gint64) cluster->agreed);
  limit = released_position (cluster, agreed, &votes);
  if (limit <= (gint64) cluster->limit)
    return;
  cluster->limit = (guint64) limit;
  cluster->release_awaited = cluster->application->released (cluster->user_data, cluster->limit);
}

/* --- reports ---------------------------------------------------------------------------------- */

void
quorum_forget_reports (Cluster *cluster)
{
  cluster->last_claim = -1;
  cluster->spoke_at = 0;
}

void
quorum_spoke (Cluster *cluster, gint64 claim)
{
  cluster->last_claim = MAX (cluster->last_claim, claim);
  cluster->spoke_at = cluster->position;
}

/* Somebody waits for a position that we have and have not claimed yet. While our last word is under
 * way no further one is sent, so that under load one report speaks for many positions. */
static gboolean
wants_report (Cluster *cluster)
{
  const Speaker *own;

  if (cluster->reply_when == REPLY_WHEN_SELF
      || cluster->last_claim >= (gint64) cluster->report_position)
    return FALSE;
  own = membership_find_sender (&cluster->membership, cluster->self, &cluster->own_place);
  if (own == NULL)
    return FALSE;
  if (own->last_position <= cluster->spoke_at && cluster->spoke_at > 0)
    return FALSE;
  return quorum_claim (cluster) > cluster->last_claim
         || own->last_position < cluster->report_position;
}

void
quorum_flush (Cluster *cluster)
{
  gboolean wanted;

  if (!cluster->votes)
    return;
  quorum_reckon (cluster);
  wanted = wants_report (cluster);
  cluster_say (cluster, &wanted, ENVELOPE_REPORT);
}
