/* SPDX-License-Identifier: MIT */
/* The start of a cluster in which nobody is active: a vote (protocol: Formation).
 *
 * Every idle voter says hello in each view. One that is the best of those it has heard (it holds a
 * state, knows most, and of equals is the lowest) stands once enough have spoken: a majority that
 * holds state, or all voters (the first start). Whoever has promised no more accepts. A majority of
 * state holders, or all voters, makes the cluster begin; the others ask for its state. An empty
 * member never counts as a witness: the state it lost may have been the only confirmed copy. */
#include "core/base/limits.h"
#include "core/base/log.h"
#include "core/cluster/cluster_parts.h"

static void
add_node (GArray *nodes, guint32 node_id)
{
  for (guint i = 0; i < nodes->len; i++)
    if (g_array_index (nodes, guint32, i) == node_id)
      return;
  g_array_append_val (nodes, node_id);
}

static void
end_candidacy (Candidacy *candidacy)
{
  candidacy->stands = FALSE;
  g_array_set_size (candidacy->voters, 0);
  g_array_set_size (candidacy->blank_voters, 0);
}

void
formation_forget (Cluster *cluster)
{
  g_array_set_size (cluster->hellos, 0);
  end_candidacy (&cluster->candidacy);
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
  if (a->position != b->position)
    return a->position > b->position;
  return member_id_compare (a->id, b->id) < 0;
}

/* The best so far; NULL if it is not this member. Also what the new epoch must be above. */
static const Hello *
best_is_self (const Cluster *cluster, guint64 *ret_highest)
{
  const Hello *best = NULL;
  guint64 highest = cluster->promise.number;

  for (guint i = 0; i < cluster->hellos->len; i++)
    {
      const Hello *hello = &g_array_index (cluster->hellos, Hello, i);

      highest = MAX (highest, MAX (hello->promise_number, hello->key_number));
      if (best == NULL || is_better (hello, best))
        best = hello;
    }
  *ret_highest = highest;
  return best != NULL && member_id_equal (best->id, cluster->self) ? best : NULL;
}

static void
say_vote (Cluster *cluster, EnvelopeKind kind, Epoch epoch, gboolean all_present)
{
  EnvelopeHeader header;

  cluster_stamp (cluster, kind, &header);
  /* A full transport loses it: hellos are repeated, and the vote with them. */
  cluster_multicast (cluster, envelope_new_vote (&header, epoch, all_present));
}

static void
stand (Cluster *cluster)
{
  g_autoptr (GArray) holders = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint32));
  Candidacy *candidacy = &cluster->candidacy;
  guint64 highest;

  if (candidacy->stands || quorum_is_crowded (cluster) || best_is_self (cluster, &highest) == NULL)
    return;
  for (guint i = 0; i < cluster->hellos->len; i++)
    {
      const Hello *hello = &g_array_index (cluster->hellos, Hello, i);

      add_node (all, hello->id.node_id);
      if (!hello->blank || !cluster_holds_to (cluster, RULE_BLANK))
        add_node (holders, hello->id.node_id);
    }
  candidacy->all_present = all->len >= cluster->n_voters;
  if (holders->len < quorum_majority (cluster) && !candidacy->all_present)
    return;
  candidacy->stands = TRUE;
  candidacy->epoch = (Epoch){ highest + 1, env_random_u64 (cluster->env) };
  say_vote (cluster, ENVELOPE_FORM, candidacy->epoch, candidacy->all_present);
}

static void
begin (Cluster *cluster)
{
  cluster->position++;
  cluster->epoch = cluster->candidacy.epoch;
  cluster->key_number = cluster->epoch.number;
  cluster->key_position = cluster->position;
  cluster->key_epoch = cluster->epoch;
  cluster->blank = FALSE;
  membership_clear (&cluster->membership);
  membership_init (&cluster->membership, cluster->voters);
  membership_add_full (&cluster->membership, cluster->self, cluster->incarnation,
                       cluster->position);
  cluster->application->formed (cluster->user_data, cluster->position);
  cluster_reached (cluster, cluster->candidacy.all_present ? "formed-by-all" : "formed-by-votes");
  formation_forget (cluster);
  join_forget (cluster);
  cluster->wants_enter = TRUE;
  log_notice (cluster->name, "the cluster begins with this member");
  cluster_set_state (cluster, NODE_ACTIVE);
  quorum_changed (cluster);
}

/* --- what is heard -------------------------------------------------------------------------- */

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

static void
hello_heard (Cluster *cluster, MemberId sender, const EnvelopeHeader *header)
{
  const Hello hello = {
    .id = sender,
    .blank = header->blank,
    .key_number = header->key_number,
    .key_position = header->key_position,
    .position = header->position,
    .promise_number = header->promise.number,
  };

  if (cluster->state != NODE_IDLE || !membership_is_voter (&cluster->membership, sender)
      || header->view != view_change_digest (cluster))
    return;
  remember (cluster, &hello);
  stand (cluster);
}

static gboolean
knows_no_less (const EnvelopeHeader *candidate, const Cluster *cluster)
{
  if (candidate->key_number != cluster->key_number)
    return candidate->key_number > cluster->key_number;
  return candidate->key_position >= cluster->key_position;
}

/* A promise binds: nothing below it is voted for or entered any more. */
static void
form_heard (Cluster *cluster, const Envelope *envelope)
{
  const EnvelopeHeader *header = &envelope->header;
  gboolean may_vote = cluster->blank
                          ? envelope->vote.all_present || !cluster_holds_to (cluster, RULE_BLANK)
                          : !header->blank && knows_no_less (header, cluster);

  if (cluster->state != NODE_IDLE && cluster->state != NODE_JOINING)
    return;
  if (!may_vote || envelope->vote.epoch.number <= cluster->promise.number)
    {
      cluster_reached (cluster, "vote-refused");
      return;
    }
  if (cluster->state == NODE_JOINING)
    cluster_become_idle (cluster, "a new cluster is being formed");
  join_forget (cluster);
  cluster->promise = envelope->vote.epoch;
  if (membership_is_voter (&cluster->membership, cluster->self))
    say_vote (cluster, ENVELOPE_ACCEPT, envelope->vote.epoch, FALSE);
}

static void
accept_heard (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  Candidacy *candidacy = &cluster->candidacy;

  if (cluster->state != NODE_IDLE || !candidacy->stands
      || !epoch_equal (envelope->vote.epoch, candidacy->epoch)
      || !membership_is_voter (&cluster->membership, sender))
    return;
  add_node (envelope->header.blank && cluster_holds_to (cluster, RULE_BLANK)
                ? candidacy->blank_voters
                : candidacy->voters,
            sender.node_id);
  if (candidacy->voters->len >= quorum_majority (cluster)
      || candidacy->voters->len + candidacy->blank_voters->len >= cluster->n_voters)
    begin (cluster);
}

void
formation_arrived (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  if (cluster->state == NODE_ACTIVE)
    {
      cluster->wants_enter = TRUE;
      return;
    }
  if (envelope->header.kind == ENVELOPE_HELLO)
    hello_heard (cluster, sender, &envelope->header);
  else if (envelope->header.kind == ENVELOPE_FORM)
    form_heard (cluster, envelope);
  else
    accept_heard (cluster, sender, envelope);
}

void
formation_tick (Cluster *cluster, gint64 now_us)
{
  gboolean hello = cluster->state == NODE_IDLE && !cluster->join.asked;

  cluster->hello_due_us = cluster->state == NODE_IDLE ? now_us + LIMIT_HELLO_REPEAT_US : ENV_NEVER;
  if (!hello)
    return;
  /* Votes that did not come are asked for again, under a new id. */
  if (cluster->candidacy.stands)
    cluster_reached (cluster, "vote-lost");
  end_candidacy (&cluster->candidacy);
  cluster_say (cluster, &hello, ENVELOPE_HELLO);
}
