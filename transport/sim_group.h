/* SPDX-License-Identifier: MIT */
/* One group of the simulated transport: its log, the sequence of everything that was ordered,
 * and the members that are in it at the log's end. Readers are cursors into it (sim_membership.h);
 * nothing is copied for them. Positions count from 0 and are never used again. */
#pragma once

#include "transport/view.h"

#define SIM_ITEMS_PER_CHUNK 256

/* Either a message (message.bytes) or a view. */
typedef struct SimItem
{
  TransportMessage message; /* its cache is the item's */
  MessageCache cache;
  View *view;
  gint64 ordered_us; /* never less than that of the item before */
  gboolean is_lost;  /* a message that only its dead sender has seen: passed over by all others */
} SimItem;

typedef struct SimGroup
{
  char *name;
  guint index;         /* in the network */
  GPtrArray *chunks;   /* of SimItem[SIM_ITEMS_PER_CHUNK]: items never move */
  guint64 first_chunk; /* number of the first one still there */
  guint64 first;       /* position of the oldest item that is kept */
  guint64 end;         /* position that the next item gets */
  gint64 last_us;
  GArray *members; /* of MemberId, in order: who is in the group at the end of the log */
  guint64 n_views;
  guint64 hash; /* of all items ever */
} SimGroup;

SimGroup *sim_group_new (const char *name, guint index);
void sim_group_free (SimGroup *group);

/* Takes its own reference to `bytes`. */
void sim_group_append_message (SimGroup *group, gint64 now_us, MemberId sender, Buffer *bytes);
void sim_group_append_joined (SimGroup *group, gint64 now_us, MemberId member);
void sim_group_append_left (SimGroup *group, gint64 now_us, MemberId member, ViewReason reason);
gboolean sim_group_holds (const SimGroup *group, MemberId member);
/* The messages of `sender` from `position` on are lost: nobody who has not consumed them will. */
void sim_group_lose (SimGroup *group, guint64 position, MemberId sender);
/* Forgets what comes before `position`. */
void sim_group_trim (SimGroup *group, guint64 position);

/* first <= position < end. Stays where it is until it is trimmed. */
static inline SimItem *
sim_group_item (const SimGroup *group, guint64 position)
{
  SimItem *chunk
      = g_ptr_array_index (group->chunks, position / SIM_ITEMS_PER_CHUNK - group->first_chunk);

  return &chunk[position % SIM_ITEMS_PER_CHUNK];
}
