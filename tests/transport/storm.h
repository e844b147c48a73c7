/* SPDX-License-Identifier: MIT */
/* A storm: members of two groups that join, multicast, leave, crash and come back at random times,
 * all drawn from a seed. The contract's claims are checked over what the seats were told. */
#pragma once

#include "tests/transport/transport_under_test.h"

#define STORM_GROUPS 2
#define STORM_STEADY 2 /* members of each group that stay from the first view to the end */

typedef enum SeatEnd
{
  SEAT_STAYS,
  SEAT_LEFT,
  SEAT_CRASHED
} SeatEnd;

typedef struct Sent
{
  guint32 number; /* larger than that of anything sent before */
  guint seat;
  guint group;
  gboolean directed;
  MemberId to;   /* if directed */
  guint to_seat; /* the seat that had to get it, or G_MAXUINT: none had to */
} Sent;

typedef struct StormSeat
{
  MemberId member;
  guint group;
  SeatEnd end;
  guint n_records_at_end; /* what it had been told when it ended */
} StormSeat;

typedef struct Storm
{
  const ClusterType *type;
  guint64 seed;
  Cluster *cluster;
  GArray *seats; /* of StormSeat, by seat; the steady ones of each group first */
  GArray *sent;  /* of Sent, by number - 1 */
  guint64 random;
} Storm;

/* Over, and everything is delivered. */
Storm *storm_new (const ClusterType *type, guint64 seed);
void storm_free (Storm *storm);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Storm, storm_free)

/* The seat of the n-th steady member of a group. */
static inline guint
storm_steady (guint group, guint n)
{
  return n * STORM_GROUPS + group;
}

static inline const StormSeat *
storm_seat (const Storm *storm, guint seat)
{
  return &g_array_index (storm->seats, StormSeat, seat);
}

static inline guint
storm_n_records (const Storm *storm, guint seat)
{
  return storm->type->records (storm->cluster, seat)->len;
}

static inline const Record *
storm_record (const Storm *storm, guint seat, guint index)
{
  return &g_array_index (storm->type->records (storm->cluster, seat), Record, index);
}

static inline const Sent *
storm_sent (const Storm *storm, guint32 number)
{
  g_assert_cmpuint (number, >, 0);
  g_assert_cmpuint (number, <=, storm->sent->len);
  return &g_array_index (storm->sent, Sent, number - 1);
}

static inline gboolean
holds_member (const GArray *members, MemberId member)
{
  for (guint i = 0; i < members->len; i++)
    if (member_id_equal (g_array_index (members, MemberId, i), member))
      return TRUE;
  return FALSE;
}
