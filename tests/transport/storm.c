/* SPDX-License-Identifier: MIT */
#include "tests/transport/storm.h"
#include "core/base/digest.h"

#define N_GUESTS 4 /* members of each group that come and go */
#define N_ROUNDS 120

static const char *const group_names[STORM_GROUPS] = { "red", "blue" };

static guint
storm_draw (Storm *storm, guint below)
{
  storm->random = digest_combine (storm->random, 1);
  return (guint) (storm->random % below);
}

/* A member of both groups at once, for the odd ones. */
static MemberId
member_of (guint group, guint number)
{
  return (MemberId){ .node_id = 10 + number, .process_id = number % 2 == 1 ? 1 : 1 + group };
}

static gboolean
storm_join (Storm *storm, guint group, guint number)
{
  StormSeat seat = { .member = member_of (group, number), .group = group };
  guint index;

  if (!storm->type->join (storm->cluster, seat.member, group_names[group], REACTION_NONE, &index,
                          NULL))
    return FALSE;
  g_assert_cmpuint (index, ==, storm->seats->len);
  g_array_append_val (storm->seats, seat);
  return TRUE;
}

static gsize
draw_size (Storm *storm)
{
  return MESSAGE_SIZE_MIN + storm_draw (storm, storm_draw (storm, 8) == 0 ? 3000 : 60);
}

static void
storm_multicast (Storm *storm, guint seat)
{
  Sent sent = { .number = storm->sent->len + 1, .seat = seat };

  sent.group = storm_seat (storm, seat)->group;
  if (storm->type->multicast (storm->cluster, seat, sent.number, draw_size (storm))
      == TRANSPORT_SENT)
    g_array_append_val (storm->sent, sent);
}

static void
storm_send_to (Storm *storm, guint seat, guint to)
{
  Sent sent = { .number = storm->sent->len + 1, .seat = seat, .directed = TRUE };
  const StormSeat *target = storm_seat (storm, to);

  if (target->group != storm_seat (storm, seat)->group)
    return;
  sent.group = target->group;
  sent.to = target->member;
  sent.to_seat
      = target->end == SEAT_STAYS && storm->type->knows (storm->cluster, seat, to) ? to : G_MAXUINT;
  if (storm->type->send_to (storm->cluster, seat, sent.to, sent.number, draw_size (storm))
      == TRANSPORT_SENT)
    g_array_append_val (storm->sent, sent);
}

static void
storm_end (Storm *storm, guint index, SeatEnd end)
{
  StormSeat *seat = &g_array_index (storm->seats, StormSeat, index);

  if (seat->end != SEAT_STAYS)
    return;
  seat->end = end;
  seat->n_records_at_end = storm_n_records (storm, index);
}

static void
storm_crash (Storm *storm, MemberId member)
{
  storm->type->crash (storm->cluster, member);
  for (guint i = 0; i < storm->seats->len; i++)
    if (member_id_equal (storm_seat (storm, i)->member, member))
      storm_end (storm, i, SEAT_CRASHED);
}

static void
storm_round (Storm *storm)
{
  guint index = storm_draw (storm, storm->seats->len);
  const StormSeat *seat = storm_seat (storm, index);
  gboolean is_guest = index >= STORM_GROUPS * STORM_STEADY;
  guint what = storm_draw (storm, 100);

  if (what < 45)
    for (guint burst = 1 + storm_draw (storm, 6); burst > 0; burst--)
      storm_multicast (storm, index);
  else if (what < 60)
    for (guint burst = 1 + storm_draw (storm, 3); burst > 0; burst--)
      storm_send_to (storm, index, storm_draw (storm, storm->seats->len));
  else if (what < 72)
    storm_join (storm, storm_draw (storm, STORM_GROUPS),
                STORM_STEADY + storm_draw (storm, N_GUESTS));
  else if (what < 78 && is_guest && seat->end == SEAT_STAYS)
    {
      storm_end (storm, index, SEAT_LEFT);
      storm->type->leave (storm->cluster, index);
    }
  else if (what < 84 && is_guest && seat->end == SEAT_STAYS)
    storm_crash (storm, seat->member);
  else
    storm->type->step (storm->cluster);
}

Storm *
storm_new (const ClusterType *type, guint64 seed)
{
  Storm *storm = g_new0 (Storm, 1);

  storm->type = type;
  storm->seed = seed;
  storm->cluster = type->new (seed);
  storm->seats = g_array_new (FALSE, FALSE, sizeof (StormSeat));
  storm->sent = g_array_new (FALSE, FALSE, sizeof (Sent));
  storm->random = digest_mix (seed + 1);
  for (guint i = 0; i < STORM_GROUPS * STORM_STEADY; i++)
    {
      g_assert_true (storm_join (storm, i % STORM_GROUPS, i / STORM_GROUPS));
      type->settle (storm->cluster);
    }
  for (guint i = 0; i < N_ROUNDS; i++)
    storm_round (storm);
  type->settle (storm->cluster);
  return storm;
}

void
storm_free (Storm *storm)
{
  storm->type->free (storm->cluster);
  g_array_unref (storm->seats);
  g_array_unref (storm->sent);
  g_free (storm);
}
