/* SPDX-License-Identifier: MIT */
/* Ordered group multicast: the only way members meet.
 *
 * One Transport is one membership of one group: it joins once, leaves once, and is then only
 * good for being freed. To come back, make a new one.
 *
 * What every backend promises (doc/transport-contract.md; tests/transport holds each to it):
 *   - one order: members that see the same views see the same events between them, in the same
 * order, but for the first messages after a merge, which another side may miss;
 *   - self-delivery: a multicast comes back to its sender, in its place of that order;
 *   - first in, first out, for the multicasts of one sender;
 *   - the first event of a membership is a view that holds the member itself, as joined;
 *   - views are one change each: `members` = former members - left + joined; left before joined,
 *     never both in one event;
 *   - nothing of a member that is not in the view, nothing twice, nothing altered;
 *   - no event from inside a call: events come from the backend's own dispatch only;
 *   - multicast never blocks: FULL is an answer, and `writable` follows once it may fit.
 *
 * What no backend promises: that a message which was delivered to its sender reaches anyone
 * else; that messages sent in one view are delivered in it; that the other side of a partition
 * stops. The cluster floor is built for that.
 *
 * Calls in order: a constructor of the backend, transport_join, any number of
 * transport_multicast, transport_send_to and transport_leave, transport_free. Single-threaded. */
#pragma once

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/slice.h"

typedef struct Transport Transport;

typedef enum ViewReason
{
  VIEW_REASON_JOIN,         /* asked to join */
  VIEW_REASON_LEAVE,        /* asked to leave */
  VIEW_REASON_PROCESS_DOWN, /* the process ended */
  VIEW_REASON_NODE_DOWN,    /* its node is gone, or cut off */
  VIEW_REASON_NODE_UP       /* its node is back, or a partition healed */
} ViewReason;

typedef struct ViewChange
{
  MemberId member;
  ViewReason reason;
} ViewChange;

/* Two sides of a partition may have the same sequence: compare both. It says which ring a view is
 * of, not which view it is: nodes that stay together see many processes come and go. */
typedef struct RingId
{
  guint32 representative;
  guint64 sequence;
} RingId;

/* Valid during the call that brings it; to keep it, take a reference. Does not change any more, so
 * that members which share one process share it. */
typedef struct View
{
  const MemberId *members; /* in member_id_compare order */
  guint n_members;
  const ViewChange *left; /* in no order that means anything */
  guint n_left;
  const ViewChange *joined; /* likewise */
  guint n_joined;
  RingId ring;
  guint64 members_digest; /* of the list of members */
  guint64 number;         /* which view it is, for those who watch: the simulated backend's only */
  guint ref_count;        /* 0: on somebody's stack, and never given to a listener */
} View;

static inline View *
view_ref (const View *view)
{
  View *kept = (View *) view;

  g_assert (view->ref_count > 0);
  kept->ref_count++;
  return kept;
}

static inline void
view_unref (View *view)
{
  if (--view->ref_count == 0)
    g_free (view);
}

/* Where it is, or should be inserted, in `members`, which are in order. */
static inline guint
view_place (const MemberId *members, guint n_members, MemberId member)
{
  guint low = 0;
  guint high = n_members;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (member_id_compare (members[middle], member) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* What a receiver made of a message, kept with it, so that members which share one process (the
 * simulator, the embedded cluster) decode it once. Each backend gives one per multicast. */
typedef struct MessageCache
{
  gpointer value; /* NULL: nobody decoded it yet */
  GDestroyNotify destroy;
  /* For who watches the receivers: */
  guint64 hash;  /* 0: not reckoned yet */
  guint64 place; /* in the order, greater than that of what is before it; 0: unknown */
} MessageCache;

/* Borrowed: valid during the call that brings it; to keep the bytes, take a reference. */
typedef struct TransportMessage
{
  MemberId sender;
  gboolean directed; /* by send_to, for this member only */
  Buffer *bytes;
  MessageCache *cache;
} TransportMessage;

/* All are required. None may call transport_free; all other calls are allowed. */
typedef struct TransportListener
{
  void (*delivered) (gpointer user_data, const TransportMessage *message);
  void (*view_changed) (gpointer user_data, const View *view);
  /* After a FULL: worth trying again. May come when it still does not fit. */
  void (*writable) (gpointer user_data);
  /* The group is gone (its daemon died, the handle broke): this membership is over, nothing
   * follows. Others see this member leave. */
  void (*failed) (gpointer user_data, const GError *error);
} TransportListener;

typedef enum TransportResult
{
  TRANSPORT_SENT, /* accepted; delivery is not yet certain */
  TRANSPORT_FULL, /* nothing was taken; try again after `writable` or an own delivery */
  TRANSPORT_GONE  /* not joined, left or failed: nothing was taken */
} TransportResult;

typedef struct TransportType
{
  const char *name;
  gboolean (*join) (Transport *transport, const char *group, GError **error);
  TransportResult (*multicast) (Transport *transport, Buffer *message);
  TransportResult (*send_to) (Transport *transport, MemberId to, Buffer *message);
  void (*leave) (Transport *transport);
  void (*free) (Transport *transport);
} TransportType;

/* A backend's instance begins with this. */
struct Transport
{
  const TransportType *type;
  MemberId self; /* set by the backend, at the latest before the first event */
  const TransportListener *listener;
  gpointer user_data;
  gboolean joined; /* transport_join was called */
  gboolean over;   /* left or failed */
};

/* `listener` and `user_data` are borrowed for the life of the transport. FALSE: refused at once
 * (SYSTEM_ERROR_TRANSPORT); TRUE: the first view will come, or `failed`. At most once. */
static inline gboolean
transport_join (Transport *transport, const char *group, const TransportListener *listener,
                gpointer user_data, GError **error)
{
  g_assert (!transport->joined);
  transport->joined = TRUE;
  transport->listener = listener;
  transport->user_data = user_data;
  return transport->type->join (transport, group, error);
}

/* To every member of the group, this one included. Takes its own reference if it is SENT; the
 * bytes must not change any more. 0 < size <= LIMIT_TRANSPORT_MESSAGE. */
static inline TransportResult
transport_multicast (Transport *transport, Buffer *message)
{
  g_assert (message->size > 0 && message->size <= LIMIT_TRANSPORT_MESSAGE);
  if (!transport->joined || transport->over)
    return TRANSPORT_GONE;
  return transport->type->multicast (transport, message);
}

/* To one other member, unseen by all others. First in, first out between two members; no order
 * is promised between these and multicasts. Lost when either end is lost; sent to one that is
 * not a member: SENT, and nothing happens. */
static inline TransportResult
transport_send_to (Transport *transport, MemberId to, Buffer *message)
{
  g_assert (message->size > 0 && message->size <= LIMIT_TRANSPORT_MESSAGE);
  if (!transport->joined || transport->over)
    return TRANSPORT_GONE;
  return transport->type->send_to (transport, to, message);
}

/* Everything multicast before is still delivered to the others before they see this member
 * leave. This member gets no event any more. */
static inline void
transport_leave (Transport *transport)
{
  if (!transport->joined || transport->over)
    return;
  transport->over = TRUE;
  transport->type->leave (transport);
}

/* Without a leave before it: as if the process had ended. */
static inline void
transport_free (Transport *transport)
{
  transport->type->free (transport);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Transport, transport_free)
