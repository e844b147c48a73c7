/* SPDX-License-Identifier: MIT */
/* What members are told in one view, as a tree: a branch for all that are told the same, and where
 * some are told something else, another one that begins with the same. */
#pragma once

#include <glib.h>

#define NO_NUMBER G_MAXUINT32

/* A message where it was first told in a view. */
typedef struct OrderEntry
{
  guint64 hash;
  guint64 place; /* in the order, or so it is said; 0: unknown */
  gint64 at_us;
  const char *to;
  guint32 sender;
  guint32 number; /* NO_NUMBER: nobody sent it */
  guint32
      after; /* the number that was to come, by what is before it in its branch; 0: nothing is */
} OrderEntry;

typedef struct OrderBranch
{
  guint index; /* in `branches` */
  GArray *entries;
  GArray *senders; /* of guint32: of those, as they come first */
  GArray *next;    /* of guint32, by sender: the number after the last one in it; 0: none is */
  GArray *shared;  /* of guint, by branch: how many both begin with, before they part */
  guint64 place;   /* the greatest in it */
} OrderBranch;

/* Added to `branches`, which owns it. */
OrderBranch *order_branch_new (GPtrArray *branches);
void order_branch_free (gpointer branch);
/* Another one, which has the first `length` of `from`, and will have something else behind them. */
OrderBranch *order_branch_part (GPtrArray *branches, const OrderBranch *from, guint length);
/* Sets what it comes after. */
void order_branch_put (OrderBranch *branch, OrderEntry entry);
guint32 *order_branch_next (const OrderBranch *branch, guint32 sender);
/* Among its first `length`. */
gboolean order_branch_find (const OrderBranch *branch, const OrderEntry *entry, guint length,
                            guint *ret_place);
/* It begins with the first `length` of `from` and `next`. */
gboolean order_branch_goes_on_with (const OrderBranch *branch, const OrderBranch *from,
                                    guint length, const OrderEntry *next);

static inline OrderEntry *
order_branch_at (const OrderBranch *branch, guint place)
{
  return &g_array_index (branch->entries, OrderEntry, place);
}

static inline gboolean
order_entry_is_same (const OrderEntry *a, const OrderEntry *b)
{
  return a->hash == b->hash && a->sender == b->sender;
}
