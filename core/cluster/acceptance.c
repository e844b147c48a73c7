/* SPDX-License-Identifier: MIT */
/* What is accepted into the order, and what that does to the members (protocol: Accepting).
 *
 * Everything that is applied in an epoch was sent in it: one rule against late messages of a former
 * view, dead incarnations and merge holes. */
#include "core/base/digest.h"
#include "core/base/log.h"
#include "core/cluster/cluster_parts.h"
#include "core/cluster/seats.h"

gboolean
cluster_is_counted (EnvelopeKind kind)
{
  switch (kind)
    {
    case ENVELOPE_ORDERED:
    case ENVELOPE_ENTER:
    case ENVELOPE_JOIN_REQUEST:
    case ENVELOPE_DONE:
    case ENVELOPE_REPORT:
    case ENVELOPE_FORGET:
      return TRUE;
    case ENVELOPE_HELLO:
    case ENVELOPE_STATE:
    case ENVELOPE_FORM:
    case ENVELOPE_ACCEPT:
    case ENVELOPE_REFUSAL:
    case ENVELOPE_BEHIND:
    case N_ENVELOPE_KINDS:
      break;
    }
  return FALSE;
}

/* One more event; what its sender says of itself counts from here on. */
static void
advance (Cluster *cluster, Speaker *sender, gint64 claim)
{
  cluster->position++;
  if (sender != NULL)
    membership_spoke (&cluster->membership, sender, cluster->position, claim);
  quorum_changed (cluster);
}

static const char no_seat[] = "all seats are taken";
static const char unsettled[] = "the last change of the seats is not settled";

/* Why a newcomer may not be a full member; NULL: it may. A node too many would let two parts of the
 * cluster see a majority. */
static const char *
why_no_seat (const Cluster *cluster, MemberId newcomer, EnvelopeKind kind)
{
  const Membership *membership = &cluster->membership;

  if (seats_have (membership, newcomer.node_id) || !membership_is_voter (membership, newcomer)
      || !cluster_holds_to (cluster, RULE_SEATS))
    return NULL;
  if (membership->seats->len >= cluster->n_voters)
    return no_seat;
  /* One change at a time (protocol: Seats). It asks long before it is full. */
  return kind == ENVELOPE_DONE && !quorum_has_settled (cluster) ? unsettled : NULL;
}

/* Why an envelope is not accepted; NULL: it is. */
static const char *
why_refused (Cluster *cluster, MemberId sender, const Speaker *member, const Envelope *envelope)
{
  const EnvelopeHeader *header = &envelope->header;
  const JoiningMember *joining;

  if (!epoch_equal (header->epoch, cluster->epoch) && cluster_holds_to (cluster, RULE_STAMP))
    {
      cluster_reached (cluster, "refused-epoch");
      return "of another epoch";
    }
  if (header->kind == ENVELOPE_JOIN_REQUEST)
    return why_no_seat (cluster, sender, header->kind);
  if (header->kind == ENVELOPE_DONE)
    {
      joining = membership_find_joining (&cluster->membership, sender);
      return joining != NULL && joining->cut.incarnation == envelope->cut.incarnation
                     && joining->cut.number == envelope->cut.number
                 ? why_no_seat (cluster, sender, header->kind)
                 : "of another cut";
    }
  if (member == NULL)
    return "not a full member";
  return member->incarnation == header->incarnation ? NULL : "of another life";
}

/* The sequence is an assertion: whoever misses one has lost the order. */
static gboolean
check_sequence (Cluster *cluster, Speaker *sender, const EnvelopeHeader *header)
{
  if (header->sequence == sender->next_sequence)
    {
      sender->next_sequence++;
      return TRUE;
    }
  cluster_reached (cluster, "gap-rejoin");
  cluster_rejoin (cluster, "a message of another member is missing");
  return FALSE;
}

/* It cannot have come about but by a mistake of its sender's program. It has no effect, the same
 * for all; the sender, who alone could know more, comes back with a new life. */
static void
judge_malformed (Cluster *cluster, MemberId sender, const Envelope *envelope)
{
  if (envelope->malformed == NULL)
    return;
  log_error (cluster->name, "an envelope of %u.%u has no effect: %s", sender.node_id,
             sender.process_id, envelope->malformed->message);
  if (member_id_equal (sender, cluster->self)
      && envelope->header.incarnation == cluster->incarnation)
    cluster_rejoin (cluster, "an own message was malformed");
}

static void
accept_ordered (Cluster *cluster, MemberId sender, Speaker *member, const Envelope *envelope)
{
  if (!check_sequence (cluster, member, &envelope->header))
    return;
  advance (cluster, member, envelope->header.claim);
  if (member_id_equal (sender, cluster->self)
      && envelope->header.incarnation == cluster->incarnation
      && !multicast_outbox_delivered (cluster->outbox, envelope->header.sequence))
    cluster_rejoin (cluster, "an own message was delivered that was not sent");
  judge_malformed (cluster, sender, envelope);
  cluster->application->apply (cluster->user_data, sender, envelope, cluster->position);
}

/* An epoch that the newcomer may enter, whatever it has promised (protocol: bump). */
static void
bump (Cluster *cluster, const Envelope *envelope)
{
  guint64 number = MAX (envelope->header.promise.number, cluster->epoch.number);
  guint64 id = digest_combine (cluster->epoch.id, envelope->cut.incarnation);

  cluster_reached (cluster, "bumped");
  view_change_begin_epoch (cluster, number + 1, digest_combine (id, envelope->cut.number));
}

static gboolean
has_promised_more (const Cluster *cluster, const EnvelopeHeader *header)
{
  return header->promise.number > cluster->epoch.number
         || (header->promise.number == cluster->epoch.number
             && header->promise.id != cluster->epoch.id);
}

static void
accept_join_request (Cluster *cluster, MemberId sender, Speaker *member, const Envelope *envelope)
{
  gboolean was_donor = member != NULL && cluster->membership.joining->len > 0
                       && member_id_equal (membership_donor (&cluster->membership), sender);

  if (was_donor)
    cluster_reached (cluster, "donor-asks-again");
  advance (cluster, member, envelope->header.claim);
  if (member != NULL)
    {
      quorum_reckon (cluster);
      membership_remove_full (&cluster->membership, sender);
      cluster->application->members_lost (cluster->user_data, &sender, 1, cluster->position);
    }
  membership_set_joining (&cluster->membership, sender, envelope->cut);
  /* The donor says that it is not active: those that wait for its state ask again. In a new epoch
   * the sender does, too. */
  if (was_donor || has_promised_more (cluster, &envelope->header))
    bump (cluster, envelope);
  else if (cluster->state == NODE_ACTIVE
           && member_id_equal (membership_donor (&cluster->membership), cluster->self))
    state_update_begin (cluster, sender, envelope->cut);
}

static void
accept_done (Cluster *cluster, MemberId sender, Envelope *envelope)
{
  membership_remove_joining (&cluster->membership, sender);
  if (membership_is_voter (&cluster->membership, sender) && cluster_holds_to (cluster, RULE_SEATS))
    seats_take (&cluster->membership, sender.node_id, cluster->position + 1);
  membership_add_full (&cluster->membership, sender, envelope->header.incarnation,
                       cluster->position + 1);
  advance (cluster, membership_find_sender (&cluster->membership, sender, &envelope->sender_place),
           -1);
  if (cluster->state != NODE_LOADED || !member_id_equal (sender, cluster->self))
    return;
  join_forget (cluster);
  cluster->join.backoff_us = 0;
  cluster->wants_enter = TRUE;
  cluster_set_state (cluster, NODE_ACTIVE);
}

/* All say it, one tells the newcomer. One that was let in, and another took the seat meanwhile,
 * sees it itself. */
static void
turn_away (Cluster *cluster, MemberId sender, const Envelope *envelope, const char *why)
{
  g_autofree char *seats = seats_text (&cluster->membership, NULL);
  g_autofree char *text = g_strdup_printf (
      why == no_seat
          ? "all %u seats of this cluster are taken, by nodes %s: expected-members would "
            "have to count this one, or, if it replaces one of them, that one be forgotten "
            "(consortctl forget NODE)"
          : "the last change of the %u seats of this cluster, of nodes %s, is not "
            "settled yet",
      cluster->membership.seats->len, seats);

  cluster_reached (cluster, why == no_seat ? "refused-seat" : "refused-unsettled");
  if (envelope->header.kind == ENVELOPE_JOIN_REQUEST)
    {
      log_warning (cluster->name, "%u.%u may not come in: %s", sender.node_id, sender.process_id,
                   text);
      if (cluster->state == NODE_ACTIVE
          && member_id_equal (membership_donor (&cluster->membership), cluster->self))
        join_refuse (cluster, sender, envelope->cut, text);
    }
  else if (cluster->state == NODE_LOADED && member_id_equal (sender, cluster->self))
    join_refused (cluster, text, why == no_seat);
}

/* A node that will not come back makes room for one that replaces it. Without effect while a member
 * of it is full, or while the last such change is not settled. */
static void
accept_forget (Cluster *cluster, MemberId sender, Speaker *member, const Envelope *envelope)
{
  guint32 node_id = envelope->forgotten;
  const char *why = cluster_why_not_forget (cluster, node_id);

  advance (cluster, member, envelope->header.claim);
  if (member_id_equal (sender, cluster->self) && node_id == cluster->forget_node)
    cluster->forget_node = 0;
  if (why != NULL)
    {
      log_warning (cluster->name, "node %u is not forgotten: %s", node_id, why);
      return;
    }
  seats_give_up (&cluster->membership, node_id, cluster->position);
  cluster_reached (cluster, "node-forgotten");
  log_notice (cluster->name, "node %u is forgotten: its seat is free", node_id);
  /* Those that were refused ask again in a new epoch, and what is claimed in it is claimed by those
   * who count. */
  view_change_begin_epoch (cluster, cluster->epoch.number + 1,
                           digest_combine (cluster->epoch.id, node_id));
}

void
cluster_accept (Cluster *cluster, MemberId sender, Envelope *envelope)
{
  Speaker *member = membership_find_sender (&cluster->membership, sender, &envelope->sender_place);
  const char *refused = why_refused (cluster, sender, member, envelope);

  trace_point (cluster->trace, cluster->name,
               "deliver %s of %u.%u epoch=%" G_GUINT64_FORMAT " sequence=%" G_GUINT64_FORMAT
               " position=%" G_GUINT64_FORMAT "%s%s",
               envelope_kind_name (envelope->header.kind), sender.node_id, sender.process_id,
               envelope->header.epoch.number, envelope->header.sequence,
               cluster->position + (refused == NULL),
               refused == NULL ? "" : " refused: ", refused == NULL ? "" : refused);
  if (refused == no_seat || refused == unsettled)
    turn_away (cluster, sender, envelope, refused);
  if (refused != NULL)
    return;
  switch (envelope->header.kind)
    {
    case ENVELOPE_ORDERED:
      accept_ordered (cluster, sender, member, envelope);
      break;
    case ENVELOPE_ENTER:
    case ENVELOPE_REPORT:
      advance (cluster, member, envelope->header.claim);
      break;
    case ENVELOPE_JOIN_REQUEST:
      accept_join_request (cluster, sender, member, envelope);
      quorum_changed (cluster);
      break;
    case ENVELOPE_DONE:
      accept_done (cluster, sender, envelope);
      /* It cannot know what others wait for, and its claim may be the one that they need. */
      cluster_wants_report (cluster, cluster->position);
      quorum_changed (cluster);
      break;
    case ENVELOPE_FORGET:
      accept_forget (cluster, sender, member, envelope);
      quorum_changed (cluster);
      break;
    case ENVELOPE_HELLO:
    case ENVELOPE_STATE:
    case ENVELOPE_FORM:
    case ENVELOPE_ACCEPT:
    case ENVELOPE_REFUSAL:
    case ENVELOPE_BEHIND:
    case N_ENVELOPE_KINDS:
      g_assert_not_reached ();
    }
}

/* A message that is late by some view changes: what its sender knew of our own past, we have lived
 * through. */
static gboolean
is_of_our_past (const Cluster *cluster, Epoch epoch)
{
  for (guint i = 0; i < MIN (cluster->n_former, LIMIT_FORMER_EPOCHS); i++)
    if (epoch_equal (cluster->former[i], epoch))
      return TRUE;
  return FALSE;
}

/* Established knowledge wins, never the larger epoch number alone (protocol: Step-down). TRUE: this
 * member is not active any more. */
static gboolean
step_down (Cluster *cluster, MemberId sender, const EnvelopeHeader *header)
{
  /* A JOIN_REQUEST names the epoch that it asks to enter. */
  if ((header->kind != ENVELOPE_JOIN_REQUEST
       && (epoch_equal (header->epoch, cluster->epoch) || is_of_our_past (cluster, header->epoch)))
      || header->blank || !cluster_holds_to (cluster, RULE_STEPDOWN)
      || (member_id_equal (sender, cluster->self) && header->incarnation == cluster->incarnation))
    return FALSE;
  quorum_reckon (cluster);
  if (header->key_number > cluster->key_number)
    {
      cluster_reached (cluster, "stepped-down");
      cluster_become_idle (cluster, "another member knows of a later epoch");
      return TRUE;
    }
  if (header->key_number < cluster->key_number
      && membership_full_rank (&cluster->membership, sender) < 0)
    {
      cluster_reached (cluster, "met-lesser-lineage");
      cluster->wants_enter = TRUE;
    }
  return FALSE;
}

/* A member that is not active only listens for who is, and for what it asked for. */
static void
hear (Cluster *cluster, const TransportMessage *message, Envelope *envelope)
{
  gboolean is_own = member_id_equal (message->sender, cluster->self)
                    && envelope->header.incarnation == cluster->incarnation;

  if (envelope->header.kind == ENVELOPE_ENTER)
    join_enter_heard (cluster, &envelope->header);
  if (cluster->state == NODE_JOINING)
    join_buffer (cluster, message->sender, envelope);
  else if (envelope->header.kind == ENVELOPE_JOIN_REQUEST && is_own)
    join_request_delivered (cluster, envelope);
}

static void
counted_arrived (Cluster *cluster, const TransportMessage *message, Envelope *envelope)
{
  if (cluster->state == NODE_ACTIVE && step_down (cluster, message->sender, &envelope->header))
    return;
  if (join_is_behind (cluster))
    join_buffer (cluster, message->sender, envelope);
  else if (cluster->state == NODE_ACTIVE || cluster->state == NODE_LOADED)
    cluster_accept (cluster, message->sender, envelope);
  else
    hear (cluster, message, envelope);
}

void
acceptance_envelope_arrived (Cluster *cluster, const TransportMessage *message, Envelope *envelope)
{
  EnvelopeKind kind = envelope->header.kind;

  if (message->directed != (kind == ENVELOPE_STATE || kind == ENVELOPE_REFUSAL))
    return;
  if (cluster_is_counted (kind))
    counted_arrived (cluster, message, envelope);
  else if (kind == ENVELOPE_STATE)
    join_chunk_arrived (cluster, envelope);
  else if (kind == ENVELOPE_REFUSAL)
    join_refusal_arrived (cluster, envelope);
  else if (kind == ENVELOPE_BEHIND)
    flow_behind_heard (cluster, message->sender, &envelope->header);
  else if (cluster->state != NODE_ACTIVE
           || !step_down (cluster, message->sender, &envelope->header))
    formation_arrived (cluster, message->sender, envelope);
}
