/* SPDX-License-Identifier: MIT */
/* What a member's node tells of its state goes on its tape. */
#include "sim/checker_tape.h"
#include "sim/member_parts.h"
#include "sim/tape_test.h"

static void
on_applied (gpointer user_data, MemberId sender, Buffer *envelope, guint64 position)
{
  tape_applied (((SimMember *) user_data)->tape, sender, envelope, position);
}

static void
on_members_lost (gpointer user_data, const MemberId *members, guint n_members, guint64 position)
{
  tape_members_lost (((SimMember *) user_data)->tape, members, n_members, position);
}

static void
on_formed (gpointer user_data, guint64 position)
{
  tape_formed (((SimMember *) user_data)->tape, position);
}

/* As far as a majority goes: not with `reply-when self`. */
static void
on_released (gpointer user_data, guint64 limit)
{
  SimMember *member = user_data;

  if (member->world->options->reply_when != REPLY_WHEN_SELF)
    member->agreed = MAX (member->agreed, limit);
}

static void
on_saved (gpointer user_data, guint64 position, guint64 digest)
{
  tape_saved (((SimMember *) user_data)->tape, position, digest);
}

static void
on_loaded (gpointer user_data, guint64 position, guint64 digest)
{
  SimMember *member = user_data;
  World *world = member->world;
  TapeShelf *shelf = tape_test_shelf (world->tape_test);

  member->tape = tape_new_from (shelf, position, digest);
  if (member->tape != NULL)
    return;
  checker_tape_unknown (world->findings, world_now_us (world), member->name, position);
  member->tape = tape_new (shelf);
}

const NodeWatch member_tape_watch = {
  .applied = on_applied,
  .members_lost = on_members_lost,
  .formed = on_formed,
  .released = on_released,
  .saved = on_saved,
  .loaded = on_loaded,
};

void
sim_member_play_tape (SimMember *member)
{
  if (member->world->tape_test != NULL)
    tape_test_end (member->world->tape_test, member, member->tape);
}

void
member_told_too_much (SimMember *member)
{
  if (member->world->tape_test != NULL)
    tape_test_member_lost (member->world->tape_test, member->number, member->agreed);
  member->agreed = 0;
}
