/* SPDX-License-Identifier: MIT */
#include "sim/order_branch.h"

OrderBranch *
order_branch_new (GPtrArray *branches)
{
  OrderBranch *branch = g_new0 (OrderBranch, 1);

  branch->entries = g_array_new (FALSE, FALSE, sizeof (OrderEntry));
  branch->senders = g_array_new (FALSE, FALSE, sizeof (guint32));
  branch->next = g_array_new (FALSE, TRUE, sizeof (guint32));
  branch->shared = g_array_new (FALSE, TRUE, sizeof (guint));
  branch->index = branches->len;
  g_ptr_array_add (branches, branch);
  return branch;
}

void
order_branch_free (gpointer data)
{
  OrderBranch *branch = data;

  g_array_unref (branch->entries);
  g_array_unref (branch->senders);
  g_array_unref (branch->next);
  g_array_unref (branch->shared);
  g_free (branch);
}

guint32 *
order_branch_next (const OrderBranch *branch, guint sender)
{
  if (sender >= branch->next->len)
    g_array_set_size (branch->next, sender + 1);
  return &g_array_index (branch->next, guint32, sender);
}

static guint *
shared_of (const OrderBranch *branch, const OrderBranch *other)
{
  if (other->index >= branch->shared->len)
    g_array_set_size (branch->shared, other->index + 1);
  return &g_array_index (branch->shared, guint, other->index);
}

void
order_branch_put (OrderBranch *branch, OrderEntry entry)
{
  guint32 *next = order_branch_next (branch, entry.sender);

  entry.after = *next;
  if (entry.after == 0)
    g_array_append_val (branch->senders, entry.sender);
  g_array_append_val (branch->entries, entry);
  branch->place = MAX (entry.place, branch->place);
  if (entry.number != NO_NUMBER)
    *next = MAX (entry.number + 1, *next);
}

OrderBranch *
order_branch_part (GPtrArray *branches, const OrderBranch *from, guint length)
{
  OrderBranch *branch = order_branch_new (branches);

  for (guint i = 0; i < length; i++)
    order_branch_put (branch, *order_branch_at (from, i));
  for (guint i = 0; i < branch->index; i++)
    {
      const OrderBranch *other = branches->pdata[i];
      guint shared = other == from ? length : MIN (length, *shared_of (from, other));

      *shared_of (branch, other) = *shared_of (other, branch) = shared;
    }
  return branch;
}

gboolean
order_branch_find (const OrderBranch *branch, const OrderEntry *entry, guint length,
                   guint *ret_index)
{
  if (entry->number == NO_NUMBER || *order_branch_next (branch, entry->sender) <= entry->number)
    return FALSE;
  for (guint i = length; i > 0; i--)
    if (order_entry_is_same (order_branch_at (branch, i - 1), entry))
      {
        *ret_index = i - 1;
        return TRUE;
      }
  return FALSE;
}

gboolean
order_branch_goes_on_with (const OrderBranch *branch, const OrderBranch *from, guint length,
                           const OrderEntry *next)
{
  return branch != from && *shared_of (branch, from) >= length && branch->entries->len > length
         && order_entry_is_same (order_branch_at (branch, length), next);
}
