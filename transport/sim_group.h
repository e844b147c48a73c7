/* SPDX-License-Identifier: MIT */
/* One side of a group of the simulated transport (the whole group while nothing is partitioned):
 * its log, the sequence of everything that was ordered, and the members that are in it at the
 * log's end. Readers are cursors into it (sim_membership.h); nothing is copied for them. Positions
 * count from 0 and are never used again; a partition's sides count on by themselves, and where
 * they merge the new log begins past the ends of all of them. */
#pragma once

#include "transport/view.h"

#define SIM_ITEMS_PER_CHUNK 256
/* SimItem.missed */
#define SIM_MISSED_BY_NOBODY 0
#define SIM_MISSED_BY_ALL    G_MAXUINT32 /* a message that only its dead sender has seen */

/* Either a message (message.bytes) or a view. */
typedef struct SimItem
{
  TransportMessage message; /* its cache is the item's */
  MessageCache cache;
  View *view;
  gint64 ordered_us; /* never less than that of the item before */
  /* Else: it was sent before its sender saw the merge that this log began with, as its so many-th.
   * What other sides miss is a prefix of these (sim_group_misses). */
  guint32 missed;
} SimItem;

typedef struct SimGroup
{
  guint ref_count;
  char *name;
  guint index;         /* of the name, in the network: sides share it */
  guint component;     /* whose nodes it is for */
  GPtrArray *chunks;   /* of SimItem[SIM_ITEMS_PER_CHUNK]: items never move */
  SimItem *spare;      /* a chunk to be used again, all zeros; NULL: none */
  guint64 first_chunk; /* number of the first one still there */
  guint64 first;       /* position of the oldest item that is kept */
  guint64 end;         /* position that the next item gets */
  guint64 trim_from;   /* so many items are kept before it is looked which can go */
  guint64 start;       /* position of the first one ever, if it began with a merge */
  guint64 settled;     /* no later partition takes back what is before */
  GArray *sides;       /* of SimSide, by node: who came from where in that merge; NULL: none */
  guint64 merge;       /* which one of the network's that was; 0: none */
  guint64 merge_seed;
  gboolean owes_loss;     /* its members do not know yet whom they lost */
  RingId owed_ring;       /* and that they are in that ring */
  gboolean is_first_view; /* there was no view since that merge */
  gint64 last_us;
  GArray *members;  /* of MemberId, in order: who is in the group at the end of the log */
  GArray *ended;    /* of SimEnded: of the members that are no more */
  guint64 *n_views; /* ever, of all groups; the network's */
  RingId ring;      /* of the nodes that it is for */
  guint64 hash;     /* of all items ever */
} SimGroup;

/* A node goes on without its process, and what it had it has. */
typedef struct SimEnded
{
  guint32 node_id;
  guint64 consumed; /* what is before that position */
} SimEnded;

typedef struct SimSide
{
  guint32 node_id;
  guint side;
} SimSide;

SimGroup *sim_group_new (const char *name, guint index, guint component, guint64 *n_views);
SimGroup *sim_group_ref (SimGroup *group);
void sim_group_unref (SimGroup *group);

/* Takes its own reference to `bytes`. */
void sim_group_append_message (SimGroup *group, gint64 now_us, MemberId sender, Buffer *bytes,
                               guint32 missed);
void sim_group_append_joined (SimGroup *group, gint64 now_us, MemberId member);
void sim_group_append_left (SimGroup *group, gint64 now_us, MemberId member, ViewReason reason);
/* The item for what has just been done to `members`; `number` 0: the next one. */
void sim_group_append_view (SimGroup *group, gint64 now_us, guint64 number, const ViewChange *left,
                            guint n_left, const ViewChange *joined, guint n_joined);
/* An empty item at the end, which the hash does not know. */
SimItem *sim_group_append (SimGroup *group, gint64 now_us);
void sim_group_hash_member (SimGroup *group, guint64 kind, MemberId member);
gboolean sim_group_holds (const SimGroup *group, MemberId member);
/* The messages of `sender` from `position` on are lost: nobody who has not consumed them will. */
void sim_group_lose (SimGroup *group, guint64 position, MemberId sender);
/* A member has ended that had consumed what is before `position`. */
void sim_group_note_ended (SimGroup *group, MemberId member, guint64 position);
/* Forgets what comes before `position`. */
void sim_group_trim (SimGroup *group, guint64 position);

/* Is this message one that `reader` never gets? */
gboolean sim_group_misses (const SimGroup *group, const SimItem *item, MemberId reader);

/* --- partitions ------------------------------------------------------------------------------ */

typedef gboolean (*SimIsInside) (MemberId member, gconstpointer user_data);

/* A new log for those of the members that are inside, from position `from` on: all that is before
 * `cut`; what they sent themselves past it, up to the first join or end of one of them; one view
 * without the others; the rest of what they did themselves. `sleeps`: that view may come later,
 * behind what they will have sent themselves (sim_group_append_lost). */
SimGroup *sim_group_new_side (const SimGroup *whole, guint component, RingId ring, guint64 from,
                              guint64 cut, SimIsInside is_inside, gconstpointer user_data,
                              gboolean sleeps, gint64 now_us);
/* One view without those that are not inside, if there are any. */
void sim_group_append_lost (SimGroup *side, SimIsInside is_inside, gconstpointer user_data,
                            gint64 now_us);
/* A new log for all that these had: each of them ends with a view in which the members of the
 * others have joined. At least two, none without members; they had not met. */
SimGroup *sim_group_new_merged (GPtrArray *sides, RingId ring, guint64 merge_seed, gint64 now_us);
/* Where the latest join of that member is; it must be there. */
guint64 sim_group_find_joined (const SimGroup *group, MemberId member);

/* first <= position < end. Stays where it is until it is trimmed. */
static inline SimItem *
sim_group_item (const SimGroup *group, guint64 position)
{
  SimItem *chunk
      = g_ptr_array_index (group->chunks, position / SIM_ITEMS_PER_CHUNK - group->first_chunk);

  return &chunk[position % SIM_ITEMS_PER_CHUNK];
}
