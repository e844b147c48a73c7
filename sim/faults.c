/* SPDX-License-Identifier: MIT */
#include "core/base/digest.h"
#include "sim/client_ears.h"
#include "sim/fault_parts.h"
#include "sim/member.h"
#include "sim/pace.h"
#include "sim/partitions.h"

/* How often one that may not strike now is put off before it is given up, and for how long. */
#define PUT_OFF_MAX 40
#define PUT_OFF_US  5000
/* A member that is asked to end may take this long; then its restart is put off. */
#define STOPPING_US 2000
/* Members that are away when the work ends come back so soon. */
#define BACK_US 1000

typedef enum Origin
{
  ORIGIN_SCRIPT,
  ORIGIN_OF_SCRIPT, /* what came of such a one, or puts it right */
  ORIGIN_TO_DRAW,   /* whom and how is drawn when it is due */
  ORIGIN_DRAWN,     /* or what came of such a one */
  ORIGIN_FOLLOWS,   /* puts such a one right */
  ORIGIN_LASTING    /* likewise to draw, for ever, when the work is over */
} Origin;

#define NO_ENTRY G_MAXUINT

/* Something that is to happen. */
typedef struct Item
{
  gint64 at_us;
  Origin origin;
  guint n_put_off;
  guint entry; /* of the timeline, or NO_ENTRY */
  Fault fault; /* ORIGIN_TO_DRAW: its kind only */
} Item;

/* How one kind is drawn. Each has random numbers of its own, so that a new kind moves no other. */
typedef struct Drawing
{
  SimStream random;
  guint n;
  guint n_planned;
  guint64 next_at; /* confirmed messages at which the next is planned */
} Drawing;

struct Faults
{
  World *world;
  GArray *items;     /* of Item, the next one last */
  GArray *waiting;   /* of guint: entries of the timeline whose trigger has not fired */
  gboolean *is_done; /* by entry: it has struck, or could not */
  gint64 begun_us;   /* no step has begun later */
  Origin origin;     /* of what is planned now */
  gint64 at_us;      /* when what strikes now does */
  Drawing drawings[N_FAULT_KINDS];
  guint64 next_share; /* confirmed messages before which none of them plans anything */
  SimStream recipe_random;
  SimStream lasting_random;
  Timeline *chronicle;
  Timeline *missed;
};

/* --- planning ----------------------------------------------------------------------------- */

static void
item_clear (gpointer data)
{
  fault_clear (&((Item *) data)->fault);
}

/* Those of one time strike in the order in which they were planned. */
static void
insert (Faults *faults, Item take_item)
{
  guint place = faults->items->len;

  while (place > 0 && g_array_index (faults->items, Item, place - 1).at_us <= take_item.at_us)
    place--;
  g_array_insert_val (faults->items, place, take_item);
}

static void
add_item (Faults *faults, gint64 at_us, Origin origin, Fault take_fault)
{
  insert (faults, (Item){ at_us, origin, 0, NO_ENTRY, take_fault });
}

/* Whatever is drawn or triggered becomes known during a run; what is behind every step that has
 * begun would have struck there as well if it had been known from the start. */
static gint64
not_before (const Faults *faults, gint64 at_us)
{
  return MAX (at_us, faults->begun_us + 1);
}

void
faults_plan (Faults *faults, gint64 at_us, Fault take_fault)
{
  Origin origin = ORIGIN_OF_SCRIPT;

  if (faults->origin == ORIGIN_DRAWN)
    origin
        = fault_kinds[take_fault.kind].draw == FAULT_DRAW_FOLLOWS ? ORIGIN_FOLLOWS : ORIGIN_DRAWN;
  add_item (faults, not_before (faults, at_us), origin, take_fault);
}

gint64
faults_at_us (const Faults *faults)
{
  return faults->at_us;
}

SimStream *
faults_recipe_random (Faults *faults)
{
  return &faults->recipe_random;
}

static void
plan_next (Faults *faults, FaultKind kind)
{
  Drawing *drawing = &faults->drawings[kind];
  guint64 share = faults->world->options->messages / MAX (drawing->n, 1);

  drawing->next_at = share * drawing->n_planned
                     + (guint64) sim_stream_between (&drawing->random, 0, (gint64) share);
}

static void
begin_drawing (Faults *faults, FaultKind kind)
{
  Drawing *drawing = &faults->drawings[kind];
  const SimOptions *options = faults->world->options;
  const char *name = fault_kinds[kind].name;

  drawing->random
      = sim_stream (options->seed, digest_bytes (0, name, strlen (name)), SIM_PURPOSE_FAULT);
  drawing->n = fault_draw_count (options, kind, &drawing->random);
  faults->world->counts.planned[kind] = drawing->n;
  plan_next (faults, kind);
}

static void
read_script (Faults *faults, const Timeline *script)
{
  for (guint i = 0; i < timeline_length (script); i++)
    {
      const TimelineEntry *entry = timeline_peek (script, i);

      if (entry->trigger.kind == TRIGGER_AT)
        insert (faults,
                (Item){ entry->trigger.at_us, ORIGIN_SCRIPT, 0, i, fault_copy (&entry->fault) });
      else
        g_array_append_val (faults->waiting, i);
    }
}

Faults *
faults_new (World *world)
{
  Faults *faults = g_new0 (Faults, 1);

  faults->world = world;
  faults->items = g_array_new (FALSE, FALSE, sizeof (Item));
  g_array_set_clear_func (faults->items, item_clear);
  faults->waiting = g_array_new (FALSE, FALSE, sizeof (guint));
  faults->begun_us = -1;
  faults->recipe_random = sim_stream (world->options->seed, 0, SIM_PURPOSE_FAULT);
  faults->lasting_random = sim_stream (world->options->seed, 2, SIM_PURPOSE_FAULT);
  faults->origin = ORIGIN_SCRIPT;
  faults->chronicle = timeline_new ();
  faults->missed = timeline_new ();
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    begin_drawing (faults, (FaultKind) i);
  faults->is_done = g_new0 (
      gboolean, world->options->timeline == NULL ? 0 : timeline_length (world->options->timeline));
  if (world->options->timeline != NULL)
    read_script (faults, world->options->timeline);
  return faults;
}

void
faults_free (Faults *faults)
{
  g_array_unref (faults->items);
  g_array_unref (faults->waiting);
  g_free (faults->is_done);
  timeline_free (faults->chronicle);
  timeline_free (faults->missed);
  g_free (faults);
}

/* --- looking for reasons -------------------------------------------------------------------- */

static void
look_for_shares (Faults *faults)
{
  if (faults->world->counts.confirmed < faults->next_share)
    return;
  faults->next_share = G_MAXUINT64;
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    {
      Drawing *drawing = &faults->drawings[i];

      while (drawing->n_planned < drawing->n && faults->world->counts.confirmed >= drawing->next_at)
        {
          gint64 delay_us = sim_stream_between (&drawing->random, 0, 3000);

          drawing->n_planned++;
          add_item (faults, not_before (faults, world_now_us (faults->world) + delay_us),
                    ORIGIN_TO_DRAW, fault_of ((FaultKind) i));
          plan_next (faults, (FaultKind) i);
        }
      if (drawing->n_planned < drawing->n)
        faults->next_share = MIN (faults->next_share, drawing->next_at);
    }
}

static gboolean
has_fired (Faults *faults, guint index, const Trigger *trigger, gint *ret_it)
{
  *ret_it = PHRASE_NOBODY;
  if (trigger->then && index > 0 && !faults->is_done[index - 1])
    return FALSE;
  switch (trigger->kind)
    {
    case TRIGGER_AT:
      break;
    case TRIGGER_AFTER:
      return faults->world->counts.confirmed >= trigger->confirmed;
    case TRIGGER_WHEN:
      return fault_condition_holds (faults->world, &trigger->condition, ret_it);
    }
  g_assert_not_reached ();
}

static void
fire (Faults *faults, guint index, const TimelineEntry *entry, gint it)
{
  Item item = { .origin = ORIGIN_SCRIPT, .entry = index, .fault = fault_copy (&entry->fault) };

  if (item.fault.values.member == PHRASE_IT)
    item.fault.values.member = it;
  if (item.fault.values.other == PHRASE_IT)
    item.fault.values.other = it;
  item.at_us = not_before (faults, world_now_us (faults->world) + 1 + entry->trigger.plus_us);
  insert (faults, item);
}

static void
look_at_triggers (Faults *faults)
{
  for (guint i = 0; i < faults->waiting->len;)
    {
      guint index = g_array_index (faults->waiting, guint, i);
      const TimelineEntry *entry = timeline_peek (faults->world->options->timeline, index);
      gint it;

      if (!has_fired (faults, index, &entry->trigger, &it))
        {
          i++;
          continue;
        }
      fire (faults, index, entry, it);
      g_array_remove_index (faults->waiting, i);
    }
}

void
faults_look (Faults *faults, gint64 step_us)
{
  faults->begun_us = MAX (faults->begun_us, step_us);
  if (faults->world->phase == PHASE_WORK)
    look_for_shares (faults);
  if (faults->waiting->len > 0)
    look_at_triggers (faults);
}

/* --- striking --------------------------------------------------------------------------------- */

static const Item *
peek_next (const Faults *faults)
{
  return faults->items->len == 0 ? NULL
                                 : &g_array_index (faults->items, Item, faults->items->len - 1);
}

gboolean
faults_are_due (const Faults *faults, gint64 order_us, gint64 clock_us)
{
  const Item *item = peek_next (faults);

  return item != NULL && item->at_us < order_us && item->at_us <= clock_us;
}

/* Who is meant, if it is somebody that has to be found. */
static void
find_members (World *world, Fault *fault)
{
  if (fault->values.member != PHRASE_NOBODY)
    fault->values.member = fault_find_member (world, fault->values.member);
  if (fault->values.other != PHRASE_NOBODY)
    fault->values.other = fault_find_member (world, fault->values.other);
}

/* Without what follows it: that is a line of its own. */
static void
record (Faults *faults, gint64 at_us, const Fault *fault)
{
  Fault alone = fault_copy (fault);

  if (phrase_may_omit_duration (fault_kinds[fault->kind].pattern)
      && alone.values.duration_us != PHRASE_EVER)
    alone.values.duration_us = 0;
  timeline_add (faults->chronicle, trigger_at (at_us), alone);
}

/* Only now those who run behind catch up: what does not strike must not change when they run. */
static gboolean
strike_now (Faults *faults, const Item *item)
{
  World *world = faults->world;
  gboolean struck;

  pace_move_on (world->pace, faults->at_us);
  pace_catch_up_all (world->pace);
  struck = fault_apply (world, &item->fault);
  pace_look_again (world->pace);
  return struck;
}

/* A recipe only plans. */
static gboolean
let_happen (Faults *faults, const Item *item)
{
  World *world = faults->world;
  g_autofree char *text = fault_text (&item->fault);
  FaultKind kind = item->fault.kind;
  gboolean may = fault_may_strike (world, &item->fault);

  faults->origin = item->origin;
  faults->at_us = MAX (item->at_us, world_now_us (world));
  if (may && fault_kinds[kind].draw == FAULT_DRAW_RECIPE)
    {
      world_note (world, "recipe %s", text);
      world->counts.faults[kind]++;
      fault_apply (world, &item->fault);
      return FALSE;
    }
  if (may)
    {
      /* Also one that finds that it cannot: far members have caught up for it. */
      record (faults, item->at_us, &item->fault);
      if (strike_now (faults, item))
        {
          world_note (world, "fault %s", text);
          world_add_fault (world, fault_kinds[kind].name, (guint64) item->at_us);
          world->counts.faults[kind]++;
          return TRUE;
        }
    }
  if (may || item->origin == ORIGIN_SCRIPT)
    {
      world_note (world, "no chance for %s", text);
      timeline_add (faults->missed, trigger_at (item->at_us), fault_copy (&item->fault));
    }
  return FALSE;
}

/* FALSE: it did not strike. */
static gboolean
put_off (Faults *faults, Item item, gint64 delay_us)
{
  item.at_us += delay_us;
  if (item.n_put_off++ < PUT_OFF_MAX)
    insert (faults, item);
  else
    fault_clear (&item.fault);
  return FALSE;
}

static gboolean
strike_drawn (Faults *faults, Item item)
{
  World *world = faults->world;
  FaultKind kind = item.fault.kind;
  Drawing *drawing = &faults->drawings[kind];
  Fault fault;
  gint64 away_us;
  gboolean struck;

  if (!fault_draw (world, kind, &drawing->random, &fault))
    return put_off (faults, item, PUT_OFF_US);
  if (!fault_is_fair (world, &fault, MAX (item.at_us, world_now_us (world))))
    {
      fault_clear (&fault);
      return put_off (faults, item, PUT_OFF_US);
    }
  away_us = fault_draw_away_us (kind, &drawing->random);
  item.origin = ORIGIN_DRAWN;
  item.fault = fault;
  if (away_us > 0)
    item.fault.values.duration_us = away_us;
  struck = let_happen (faults, &item);
  fault_clear (&item.fault);
  return struck;
}

/* A member that is asked to end is not there at once. */
static gboolean
has_to_wait (World *world, const Fault *fault)
{
  const SimMember *member = fault->kind == FAULT_RESTART ? fault_member (world, fault) : NULL;

  return member != NULL && !sim_member_is_gone (member) && !sim_member_is_up (member);
}

gboolean
faults_strike (Faults *faults)
{
  Item item = *peek_next (faults);
  gboolean struck;

  /* The array would clear what the item holds. */
  g_array_index (faults->items, Item, faults->items->len - 1).fault = fault_of (item.fault.kind);
  g_array_set_size (faults->items, faults->items->len - 1);
  if (item.origin == ORIGIN_TO_DRAW)
    return strike_drawn (faults, item);
  find_members (faults->world, &item.fault);
  if (has_to_wait (faults->world, &item.fault))
    return put_off (faults, item, STOPPING_US);
  if (item.entry != NO_ENTRY)
    faults->is_done[item.entry] = TRUE;
  /* What came of a recipe: the others of it may have struck. */
  struck = (item.origin != ORIGIN_DRAWN
            || fault_is_fair (faults->world, &item.fault, world_now_us (faults->world)))
           && let_happen (faults, &item);
  fault_clear (&item.fault);
  return struck;
}

/* --- the end of the work ------------------------------------------------------------------------
 */

gboolean
faults_restart_is_planned (const Faults *faults, guint member)
{
  for (guint i = 0; i < faults->items->len; i++)
    {
      const Item *item = &g_array_index (faults->items, Item, i);

      if (item->fault.kind == FAULT_RESTART && item->fault.values.member == (gint) member)
        return TRUE;
    }
  return FALSE;
}

/* Restarts come after it as well, and so does what is for ever. */
static gboolean
holds_the_work_up (const Item *item)
{
  return (item->origin == ORIGIN_SCRIPT || item->origin == ORIGIN_OF_SCRIPT)
         && item->fault.kind != FAULT_RESTART && item->fault.values.duration_us != PHRASE_EVER;
}

static gboolean
all_have_struck (const Faults *faults)
{
  for (guint i = 0; i < faults->items->len; i++)
    if (holds_the_work_up (&g_array_index (faults->items, Item, i)))
      return FALSE;
  return TRUE;
}

/* They strike at once: what is recorded is then the same run again. */
static void
plan_what_lasts (Faults *faults)
{
  g_autoptr (GArray) lasting = fault_draw_lasting (faults->world, &faults->lasting_random);
  gint64 at_us = world_now_us (faults->world);

  for (guint i = 0; i < lasting->len; i++)
    {
      const Fault *fault = &g_array_index (lasting, Fault, i);

      probes_reach (&faults->world->probes,
                    fault->kind == FAULT_PARTITION ? PROBE_CUT_OFF_FOR_EVER : PROBE_ENDED_FOR_EVER);
      add_item (faults, not_before (faults, at_us + i), ORIGIN_LASTING, fault_copy (fault));
    }
}

gboolean
faults_let_work_end (Faults *faults)
{
  if (!all_have_struck (faults))
    return FALSE;
  plan_what_lasts (faults);
  return TRUE;
}

/* Those that are away come back when they were to; all else is put right at once. */
static void
drop_what_was_drawn (Faults *faults)
{
  for (guint i = faults->items->len; i-- > 0;)
    {
      const Item *item = &g_array_index (faults->items, Item, i);

      if (item->origin == ORIGIN_TO_DRAW || item->origin == ORIGIN_DRAWN
          || (item->origin == ORIGIN_FOLLOWS && item->fault.kind != FAULT_RESTART))
        g_array_remove_index (faults->items, i);
    }
}

void
faults_end_work (Faults *faults)
{
  World *world = faults->world;

  drop_what_was_drawn (faults);
  faults->origin = ORIGIN_DRAWN;
  partitions_end (world->partitions);
  for (guint i = 0; i < world->members->len; i++)
    {
      sim_member_get_daemon (world_member (world, i));
      sim_member_set_late (world_member (world, i), 0);
      sim_member_set_slow (world_member (world, i), 0);
      for (guint site = 0; site < N_FAULT_SITES; site++)
        sim_member_set_site (world_member (world, i), (FaultSite) site, FALSE);
    }
  for (guint i = 0; i < world->clients->len; i++)
    {
      sim_client_set_hearing (world_client (world, i), CLIENT_HEARS);
      world_client (world, i)->habit = HABIT_USUAL;
    }
  for (guint i = 0; i < world->members->len; i++)
    {
      SimMember *member = world_member (world, i);

      if (sim_member_is_foreign (member) && !sim_member_is_gone (member))
        sim_member_end (member, MEMBER_CRASHES);
      sim_member_set_foreign (member, MEMBER_IS_OURS);
      if (!sim_member_is_up (member) && sim_member_is_awaited (member)
          && !faults_restart_is_planned (faults, i))
        faults_plan (faults, world_now_us (world) + BACK_US, fault_of_member (FAULT_RESTART, i));
    }
}

const Timeline *
faults_peek_chronicle (const Faults *faults)
{
  return faults->chronicle;
}

const Timeline *
faults_peek_missed (const Faults *faults)
{
  return faults->missed;
}
