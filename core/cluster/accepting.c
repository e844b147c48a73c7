/* SPDX-License-Identifier: MIT */
/* What is accepted into the order, and what that does to the list of full members (protocol:
 * Accepting). Called in the order of deliveries, on every member alike. */
#include "core/cluster/cluster_parts.h"

gboolean
cluster_is_counted (EnvelopeKind kind)
{
  return kind != ENVELOPE_HELLO && kind != ENVELOPE_STATE;
}

/* What is known of the present epoch is what was applied in it. */
static void
advance (Cluster *cluster)
{
  cluster->position++;
  cluster->key_number = cluster->epoch.number;
  cluster->key_position = cluster->position;
}

/* Why an envelope is not accepted; NULL: it is (protocol: Accepting). */
static const char *
why_refused (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  const EnvelopeHeader *header = &envelope->header;
  const FullMember *member = membership_find_full (&cluster->membership, sender);
  const JoiningMember *joining = membership_find_joining (&cluster->membership, sender);

  if (!epoch_equal (header->epoch, cluster->epoch))
    return "of another epoch";
  if (header->kind == ENVELOPE_JOIN_REQUEST)
    return NULL;
  if (header->kind == ENVELOPE_DONE)
    return joining != NULL && joining->cut.incarnation == envelope->cut.incarnation
                   && joining->cut.number == envelope->cut.number
               ? NULL
               : "of another cut";
  if (member == NULL)
    return "not a full member";
  return member->incarnation == header->incarnation ? NULL : "of another life";
}

/* The sequence is an assertion: whoever misses one has lost the order. */
static gboolean
check_sequence (Cluster *cluster, MemberId sender, const EnvelopeHeader *header)
{
  FullMember *member = membership_find_full (&cluster->membership, sender);

  if (header->sequence == member->next_sequence)
    {
      member->next_sequence++;
      return TRUE;
    }
  cluster_rejoin (cluster, "a message of another member is missing");
  return FALSE;
}

static void
accept_ordered (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  if (!check_sequence (cluster, sender, &envelope->header))
    return;
  advance (cluster);
  if (member_id_equal (sender, cluster->self)
      && envelope->header.incarnation == cluster->incarnation
      && !multicast_outbox_delivered (cluster->outbox, envelope->header.sequence))
    cluster_rejoin (cluster, "an own message was delivered that was not sent");
  cluster->application->apply (cluster->user_data, sender, envelope, cluster->position);
}

static void
accept_join_request (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  advance (cluster);
  if (membership_remove_full (&cluster->membership, sender))
    cluster->application->member_lost (cluster->user_data, sender, cluster->position);
  membership_set_joining (&cluster->membership, sender, envelope->cut);
  if (cluster->state == NODE_ACTIVE
      && membership_full_rank (&cluster->membership, cluster->self) == 0)
    state_update_begin (cluster, sender, envelope->cut);
}

static void
accept_done (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  advance (cluster);
  membership_remove_joining (&cluster->membership, sender);
  membership_add_full (&cluster->membership, sender, envelope->header.incarnation);
  if (cluster->state != NODE_LOADED || !member_id_equal (sender, cluster->self))
    return;
  join_forget (&cluster->join);
  cluster_set_state (cluster, NODE_ACTIVE);
}

void
cluster_accept (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  const char *refused = why_refused (cluster, sender, envelope);

  trace_point (cluster->trace, cluster->name,
               "deliver %s of %u.%u epoch=%" G_GUINT64_FORMAT " sequence=%" G_GUINT64_FORMAT
               " position=%" G_GUINT64_FORMAT "%s%s",
               envelope_kind_name (envelope->header.kind), sender.node_id, sender.process_id,
               envelope->header.epoch.number, envelope->header.sequence,
               cluster->position + (refused == NULL),
               refused == NULL ? "" : " refused: ", refused == NULL ? "" : refused);
  if (refused != NULL)
    return;
  switch (envelope->header.kind)
    {
    case ENVELOPE_ORDERED:
      accept_ordered (cluster, sender, envelope);
      break;
    case ENVELOPE_ENTER:
      advance (cluster);
      break;
    case ENVELOPE_JOIN_REQUEST:
      accept_join_request (cluster, sender, envelope);
      break;
    case ENVELOPE_DONE:
      accept_done (cluster, sender, envelope);
      break;
    case ENVELOPE_HELLO:
    case ENVELOPE_STATE:
    case N_ENVELOPE_KINDS:
      g_assert_not_reached ();
    }
}
