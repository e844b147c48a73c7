/* SPDX-License-Identifier: MIT */
/* Who is there has changed (protocol: View change). Each change is an event of its own, at the same
 * place for all that go on together, and begins a new epoch. */
#include "core/base/digest.h"
#include "core/base/log.h"
#include "core/cluster/cluster_parts.h"

static int
compare_member_ids (gconstpointer a, gconstpointer b, gpointer user_data)
{
  (void) user_data;
  return member_id_compare (*(const MemberId *) a, *(const MemberId *) b);
}

/* The id of the epoch that a view change begins: of the former one, who is there, and who left,
 * in one order whatever the view's lists have (protocol: H). */
static guint64
next_epoch_id (const Cluster *cluster, const View *view)
{
  g_autofree MemberId *left = g_new (MemberId, view->n_left + 1);
  guint64 digest = digest_combine (cluster->epoch.id, cluster->epoch.number);

  for (guint i = 0; i < view->n_left; i++)
    left[i] = view->left[i].member;
  if (view->n_left > 1)
    g_qsort_with_data (left, (gint) view->n_left, sizeof (MemberId), compare_member_ids, NULL);
  digest = digest_combine (digest, view->members_digest);
  digest = digest_combine (digest, view->n_left);
  for (guint i = 0; i < view->n_left; i++)
    digest = digest_combine (digest_combine (digest, left[i].node_id), left[i].process_id);
  return digest;
}

/* What this member had sent and not seen delivered goes out again, stamped anew, in order and
 * before anything new: the copies of the former epoch are refused by everyone. */
void
view_change_begin_epoch (Cluster *cluster, guint64 number, guint64 id)
{
  quorum_reckon (cluster);
  cluster->former[cluster->n_former++ % LIMIT_FORMER_EPOCHS] = cluster->epoch;
  cluster->epoch = (Epoch){ number, id };
  cluster->promise = cluster->epoch;
  membership_new_epoch (&cluster->membership);
  quorum_forget_reports (cluster);
  /* Claims begin anew, and somebody may wait for a position of before. */
  cluster_wants_report (cluster, cluster->position);
  /* Its DONE, if it is under way, is refused by everyone too: another newcomer's bump. */
  if (cluster->state == NODE_LOADED)
    cluster->wants_done = TRUE;
  if (cluster->state != NODE_ACTIVE)
    return;
  if (multicast_outbox_load (cluster->outbox).window > 0)
    cluster_reached (cluster, "window-resent");
  state_update_forget (cluster);
  flow_forget (cluster);
  if (cluster_holds_to (cluster, RULE_RESEND))
    multicast_outbox_resend (cluster->outbox);
  else
    multicast_outbox_clear (cluster->outbox);
  cluster->wants_enter = TRUE;
  cluster->wants_forget = cluster->forget_node != 0;
}

static void
change_when_active (Cluster *cluster, const View *view)
{
  g_autofree MemberId *lost = g_new (MemberId, view->n_left + 1);
  guint n_lost = 0;

  quorum_reckon (cluster);
  cluster->position++;
  for (guint i = 0; i < view->n_left; i++)
    {
      MemberId gone = view->left[i].member;

      membership_remove_joining (&cluster->membership, gone);
      if (membership_remove_full (&cluster->membership, gone))
        lost[n_lost++] = gone;
    }
  if (n_lost > 0)
    cluster->application->members_lost (cluster->user_data, lost, n_lost, cluster->position);
  view_change_begin_epoch (cluster, cluster->epoch.number + 1, next_epoch_id (cluster, view));
  quorum_changed (cluster);
}

guint64
view_change_digest (const Cluster *cluster)
{
  const View *view = cluster->view;

  if (view == NULL)
    return 0;
  return digest_combine (digest_combine (view->ring.representative, view->ring.sequence),
                         view->members_digest);
}

static void
log_view (const Cluster *cluster, const View *view)
{
  guint32 node_id = cluster->self.node_id;

  log_notice (cluster->name, "view: %u members, %u left, %u joined", view->n_members, view->n_left,
              view->n_joined);
  for (guint i = view_place (view->members, view->n_members, (MemberId){ node_id, 0 });
       i < view->n_members && view->members[i].node_id == node_id; i++)
    {
      MemberId other = view->members[i];

      if (!member_id_equal (other, cluster->self))
        log_warning (cluster->name,
                     "%u.%u is of this group and on this node too: both are one voice",
                     other.node_id, other.process_id);
    }
  if (quorum_is_crowded (cluster))
    log_warning (cluster->name,
                 "more nodes are present than expected: those that have no seat are refused");
}

void
view_change_apply (Cluster *cluster, const View *view)
{
  quorum_reckon (cluster);
  g_clear_pointer (&cluster->view, view_unref);
  cluster->view = view_ref (view);
  trace_point (cluster->trace, cluster->name,
               "view members=%u left=%u joined=%u position=%" G_GUINT64_FORMAT, view->n_members,
               view->n_left, view->n_joined, cluster->position);
  cluster->ignored_told = FALSE;
  log_view (cluster, view);
  formation_forget (cluster);
  /* It may be needed now. */
  cluster->join.ask_from_us = 0;
  if (cluster->state == NODE_JOINING || cluster->state == NODE_LOADED)
    cluster_reached (cluster, "join-interrupted");
  if (cluster->state != NODE_ACTIVE)
    cluster_become_idle (cluster, "the view changed");
  else if (quorum_is_present (cluster))
    change_when_active (cluster, view);
  else
    {
      g_autofree char *why = NULL;

      cluster_reached (cluster, "suspended");
      why = cluster_why_suspended (cluster);
      cluster_become_idle (cluster, why);
    }
}
