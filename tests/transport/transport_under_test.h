/* SPDX-License-Identifier: MIT */
/* A backend, as the contract test sees it: a cluster of members which it can command, and whose
 * events it can read afterwards. A backend's members may live in this process or in others: the
 * test only speaks of seats (one membership each) and of what they were told. */
#pragma once

#include "transport/transport.h"

typedef struct Cluster Cluster;

typedef enum RecordKind
{
  RECORD_MESSAGE,
  RECORD_VIEW,
  RECORD_WRITABLE,
  RECORD_FAILED
} RecordKind;

/* One event of a seat. */
typedef struct Record
{
  RecordKind kind;
  MemberId sender; /* a message's */
  gboolean directed;
  guint32 number; /* what the sender called it */
  gsize size;
  gboolean intact;      /* every byte as it was sent */
  GArray *members;      /* of MemberId; a view's */
  GArray *left;         /* of MemberId */
  GArray *joined;       /* of MemberId */
  gboolean inside_call; /* it came while a call of this seat had not returned */
} Record;

/* What a seat does by itself, from inside its events. */
typedef enum Reaction
{
  REACTION_NONE,
  REACTION_MULTICAST_AT_FIRST_VIEW, /* one of REACTION_SIZE bytes, called REACTION_NUMBER */
  REACTION_ANSWER,          /* send_to the sender of each multicast of another, same number */
  REACTION_LEAVE_AT_MESSAGE /* at the first message */
} Reaction;

#define REACTION_NUMBER 1000000
#define REACTION_SIZE   100

typedef struct ClusterType
{
  const char *name;
  guint n_storms;         /* how many seeds are worth their time */
  gboolean bounds_window; /* multicast says FULL some time */
  gboolean orders_later;  /* what was sent may be lost with its sender */
  Cluster *(*new) (guint64 seed);
  void (*free) (Cluster *cluster);
  /* A new seat, yours to use until the cluster is freed. FALSE: the join was refused. */
  gboolean (*join) (Cluster *cluster, MemberId member, const char *group, Reaction reaction,
                    guint *ret_seat, GError **error);
  TransportResult (*multicast) (Cluster *cluster, guint seat, guint32 number, gsize size);
  TransportResult (*send_to) (Cluster *cluster, guint seat, MemberId to, guint32 number,
                              gsize size);
  /* TRUE: what is sent from `seat` to `other`, both staying, has to arrive. */
  gboolean (*knows) (Cluster *cluster, guint seat, guint other);
  void (*leave) (Cluster *cluster, guint seat);
  /* All seats of that member. */
  void (*crash) (Cluster *cluster, MemberId member);
  /* Lets a little happen. */
  void (*step) (Cluster *cluster);
  /* Until everything that was sent is delivered. */
  void (*settle) (Cluster *cluster);
  /* Of Record, in order; grows with step and settle only. */
  const GArray *(*records) (Cluster *cluster, guint seat);
} ClusterType;

/* Messages are at least this long: the sender's number, then bytes that follow from it. */
#define MESSAGE_SIZE_MIN 8

/* Yours. */
Buffer *message_new (guint32 number, gsize size);
gboolean message_read (const Buffer *bytes, guint32 *ret_number);
void record_clear (gpointer record);

extern const ClusterType sim_immediate_cluster;
extern const ClusterType sim_delayed_cluster;
extern const ClusterType corosync_cluster; /* where it is built */
