/* SPDX-License-Identifier: MIT */
#include "transport/view.h"
#include "core/base/digest.h"

/* Where there is nothing to copy, `from` may be NULL. */
static gconstpointer
copy_list (guint8 **at, gconstpointer from, gsize size)
{
  gconstpointer copy = *at;

  if (size > 0)
    memcpy (*at, from, size);
  *at += size;
  return copy;
}

static guint64
digest_members (const View *view)
{
  guint64 digest = view->n_members;

  for (guint i = 0; i < view->n_members; i++)
    digest = digest_combine (digest, (guint64) view->members[i].node_id << 32
                                         | view->members[i].process_id);
  return digest;
}

View *
view_copy (const View *view)
{
  gsize members_size = view->n_members * sizeof (MemberId);
  gsize left_size = view->n_left * sizeof (ViewChange);
  gsize joined_size = view->n_joined * sizeof (ViewChange);
  guint8 *block = g_malloc (sizeof (View) + members_size + left_size + joined_size);
  View *copy = (View *) (gpointer) block;
  guint8 *at = block + sizeof (View);

  *copy = *view;
  copy->members = copy_list (&at, view->members, members_size);
  copy->left = copy_list (&at, view->left, left_size);
  copy->joined = copy_list (&at, view->joined, joined_size);
  copy->members_digest = digest_members (copy);
  copy->ref_count = 1;
  return copy;
}

gboolean
view_holds (const View *view, MemberId member)
{
  guint place = view_place (view->members, view->n_members, member);

  return place < view->n_members && member_id_equal (view->members[place], member);
}

const char *
view_reason_name (ViewReason reason)
{
  switch (reason)
    {
    case VIEW_REASON_JOIN:
      return "join";
    case VIEW_REASON_LEAVE:
      return "leave";
    case VIEW_REASON_PROCESS_DOWN:
      return "process-down";
    case VIEW_REASON_NODE_DOWN:
      return "node-down";
    case VIEW_REASON_NODE_UP:
      return "node-up";
    }
  g_assert_not_reached ();
}
