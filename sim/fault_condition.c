/* SPDX-License-Identifier: MIT */
/* What triggers wait for, and who is meant by words such as `eldest`. */
#include "sim/client.h"
#include "sim/fault_parts.h"
#include "sim/member.h"

/* It sends its state to some member that is joining now. */
static gboolean
is_donating (World *world, guint number)
{
  for (guint i = 0; i < world->members->len; i++)
    if (sim_member_is_joining (world_member (world, i))
        && sim_member_donor (world_member (world, i)) == (gint) number)
      return TRUE;
  return FALSE;
}

static gint
find_by_age (World *world, gboolean eldest)
{
  gint found = PHRASE_NOBODY;
  gint64 found_us = 0;

  for (guint i = 0; i < world->members->len; i++)
    {
      const SimMember *member = world_member (world, i);
      gint64 since_us = sim_member_active_since_us (member);

      if (!sim_member_is_active (member) || since_us == G_MAXINT64)
        continue;
      if (found != PHRASE_NOBODY && (eldest ? since_us >= found_us : since_us < found_us))
        continue;
      found = (gint) i;
      found_us = since_us;
    }
  return found;
}

static gint
find_by_id (World *world, gboolean highest)
{
  gint found = PHRASE_NOBODY;

  for (guint i = 0; i < world->members->len; i++)
    if (sim_member_is_up (world_member (world, i)) && (highest || found == PHRASE_NOBODY))
      found = (gint) i;
  return found;
}

gint
fault_find_member (World *world, gint named)
{
  if (named >= 0)
    return named < (gint) world->members->len ? named : PHRASE_NOBODY;
  switch ((PhraseMember) named)
    {
    case PHRASE_ELDEST:
      return find_by_age (world, TRUE);
    case PHRASE_YOUNGEST:
      return find_by_age (world, FALSE);
    case PHRASE_LOWEST:
      return find_by_id (world, FALSE);
    case PHRASE_HIGHEST:
      return find_by_id (world, TRUE);
    case PHRASE_DONOR:
      for (guint i = 0; i < world->members->len; i++)
        if (is_donating (world, i))
          return (gint) i;
      return PHRASE_NOBODY;
    case PHRASE_NOBODY:
    case PHRASE_ANY:
    case PHRASE_IT:
      break;
    }
  return PHRASE_NOBODY;
}

static gboolean
is_true_of (World *world, const Condition *condition, guint number)
{
  const SimMember *member = world_member (world, number);
  guint64 count = condition->values.count;

  switch (condition->kind)
    {
    case CONDITION_ACTIVE:
      return sim_member_is_active (member);
    case CONDITION_JOINING:
      return sim_member_is_joining (member);
    case CONDITION_DONATING:
      return is_donating (world, number);
    case CONDITION_SUSPENDED:
      return sim_member_was_active (member) && !sim_member_is_active (member);
    case CONDITION_GONE:
      return sim_member_is_gone (member);
    case CONDITION_ALONE:
      return sim_member_n_in_view (member) == 1;
    case CONDITION_SENDING:
      return sim_member_n_under_way (member) > 0;
    case CONDITION_HAS_ORDERED:
      return sim_member_n_ordered (member) > 0;
    case CONDITION_SEES:
      return sim_member_n_in_view (member) == count;
    case CONDITION_HOLDS:
      return sim_member_position (member) >= sim_member_agreed_position (member) + count;
    case CONDITION_ALL_ACTIVE:
    case CONDITION_NONE_ACTIVE:
    case CONDITION_CONNECTED:
    case CONDITION_PHASE:
    case N_CONDITION_KINDS:
      break;
    }
  g_assert_not_reached ();
}

static gboolean
client_is_connected (World *world, const char *name)
{
  for (guint i = 0; i < world->clients->len; i++)
    if (g_str_equal (world_client (world, i)->name, name))
      return sim_client_is_open (world_client (world, i));
  return FALSE;
}

static guint
n_active (World *world)
{
  guint count = 0;

  for (guint i = 0; i < world->members->len; i++)
    count += sim_member_is_active (world_member (world, i));
  return count;
}

static gboolean
is_true_of_some (World *world, const Condition *condition, gint *ret_it)
{
  gboolean any = condition->values.member == PHRASE_ANY;
  gint named = any ? PHRASE_NOBODY : fault_find_member (world, condition->values.member);

  for (guint i = 0; i < world->members->len; i++)
    if ((any || (gint) i == named) && is_true_of (world, condition, i))
      {
        *ret_it = (gint) i;
        return TRUE;
      }
  return FALSE;
}

gboolean
fault_condition_holds (World *world, const Condition *condition, gint *ret_it)
{
  *ret_it = PHRASE_NOBODY;
  switch (condition->kind)
    {
    case CONDITION_ACTIVE:
    case CONDITION_JOINING:
    case CONDITION_DONATING:
    case CONDITION_SUSPENDED:
    case CONDITION_GONE:
    case CONDITION_ALONE:
    case CONDITION_SENDING:
    case CONDITION_HAS_ORDERED:
    case CONDITION_SEES:
    case CONDITION_HOLDS:
      return is_true_of_some (world, condition, ret_it);
    case CONDITION_ALL_ACTIVE:
      return n_active (world) == world->members->len;
    case CONDITION_NONE_ACTIVE:
      return world->formed && n_active (world) == 0;
    case CONDITION_CONNECTED:
      return client_is_connected (world, condition->values.client);
    case CONDITION_PHASE:
      return world->phase >= condition->values.phase;
    case N_CONDITION_KINDS:
      break;
    }
  g_assert_not_reached ();
}
