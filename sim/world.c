/* SPDX-License-Identifier: MIT */
#include "sim/world.h"
#include "core/base/digest.h"
#include "core/base/limits.h"
#include "sim/client_ears.h"
#include "sim/faults.h"
#include "sim/link.h"
#include "sim/look.h"
#include "sim/member.h"
#include "sim/pace.h"
#include "sim/partitions.h"
#include "sim/stall.h"
#include "sim/tape_test.h"
#include "sim/workload.h"

#define SETTLE_US 20000
/* How often late members are looked for. */
#define LOOK_US 1000

static gboolean
has_mutants (const Timeline *timeline)
{
  for (guint i = 0; i < timeline_length (timeline); i++)
    if (fault_kinds[timeline_peek (timeline, i)->fault.kind].group == FAULT_GROUP_MUTANT)
      return TRUE;
  return FALSE;
}

World *
world_new (const SimOptions *options)
{
  World *world = g_new0 (World, 1);

  world->options = options;
  world->shape = world_draw_shape (world);
  world->has_mutants = options->timeline != NULL && has_mutants (options->timeline);
  world->network = sim_network_new (&world->shape.network);
  world->clock = clock_new ();
  probes_init (&world->probes);
  world->trace = &world->probes.trace;
  world->pace = pace_new (world);
  world->findings = findings_new ();
  findings_set_probes (world->findings, &world->probes);
  world->checker_view = checker_view_new (world->findings);
  world->checker_order = checker_order_new (world->findings);
  world->checker_agreement = checker_agreement_new (world->findings);
  world->checker_delivery = checker_delivery_new (world->findings, workload_queues,
                                                  n_workload_queues, world_way_us (world, 0));
  world->checker_majority = checker_majority_new (
      world->findings, MIN (options->members, LIMIT_VOTERS), sim_options_n_voters (options));
  world->checker_sessions = checker_sessions_new (world->findings);
  world->checker_liveness = checker_liveness_new (world->findings, options->members);
  world->members = g_ptr_array_new_with_free_func ((GDestroyNotify) sim_member_free);
  world->clients = g_ptr_array_new_with_free_func ((GDestroyNotify) sim_client_free);
  world->faults = faults_new (world);
  world->partitions = partitions_new (world);
  if (tape_test_is_worth_it (options))
    world->tape_test = tape_test_new (world);
  world->names = g_ptr_array_new ();
  for (guint i = 0; i < options->members; i++)
    {
      SimMember *member = sim_member_new (world, i);

      g_ptr_array_add (world->members, member);
      g_ptr_array_add (world->names, (gpointer) sim_member_name (member));
    }
  return world;
}

gint64
world_way_us (const World *world, gint64 lag_us)
{
  return 2 * world->shape.link_us_max + MAX (world->shape.network.lag_us_max, lag_us);
}

static void
drop_event (const ClockEvent *event)
{
  if (event->kind == CLOCK_TO_MEMBER || event->kind == CLOCK_TO_CLIENT)
    link_packet_drop (event->value);
}

void
world_free (World *world)
{
  g_ptr_array_unref (world->clients);
  g_ptr_array_unref (world->members);
  g_ptr_array_unref (world->names);
  clock_free (world->clock, drop_event);
  pace_free (world->pace);
  faults_free (world->faults);
  partitions_free (world->partitions);
  sim_network_free (world->network);
  checker_view_free (world->checker_view);
  checker_order_free (world->checker_order);
  checker_agreement_free (world->checker_agreement);
  checker_delivery_free (world->checker_delivery);
  checker_majority_free (world->checker_majority);
  checker_sessions_free (world->checker_sessions);
  checker_liveness_free (world->checker_liveness);
  g_clear_pointer (&world->tape_test, tape_test_free);
  findings_free (world->findings);
  mutant_pool_clear (&world->mutants);
  g_free (world);
}

void
world_set_trace (World *world, Trace *trace)
{
  probes_set_text (&world->probes, trace);
}

gint64
world_now_us (const World *world)
{
  return sim_network_now_us (world->network);
}

SimMember *
world_member (const World *world, guint number)
{
  return g_ptr_array_index (world->members, number);
}

SimClient *
world_client (const World *world, guint number)
{
  return g_ptr_array_index (world->clients, number);
}

SimStream
world_stream (World *world, guint64 owner, SimPurpose purpose)
{
  SimStream stream = sim_stream (world->options->seed, owner, purpose);

  stream.fingerprint = &world->fingerprint;
  return stream;
}

void
world_add_fault (World *world, const char *what, guint64 where)
{
  fingerprint_add (&world->fingerprint, INGREDIENT_FAULTS, digest_text (0, what));
  fingerprint_add (&world->fingerprint, INGREDIENT_FAULTS, where);
}

/* --- phases ------------------------------------------------------------------------------- */

static void
enter_phase (World *world, WorldPhase phase)
{
  world_note (world, "phase %s", phase_names[phase]);
  world->phase = phase;
  world->phase_since_us = world_now_us (world);
}

/* Members' states as they are now; those at one position were compared already. */
static void
add_states (World *world)
{
  for (guint i = 0; i < world->members->len; i++)
    {
      SimMember *member = world_member (world, i);

      if (!sim_member_is_active (member))
        continue;
      fingerprint_add (&world->fingerprint, INGREDIENT_STATE, sim_member_position (member));
      fingerprint_add (&world->fingerprint, INGREDIENT_STATE, sim_member_digest (member));
    }
}

void
world_setup_done (World *world)
{
  enter_phase (world, PHASE_WORK);
  for (guint i = 0; i + 1 < world->clients->len; i++)
    {
      SimClient *client = world_client (world, i);

      sim_client_set_timer (client, 10 + 10 * (gint64) i);
    }
}

static void
start_draining (World *world)
{
  pace_catch_up_all (world->pace);
  add_states (world);
  enter_phase (world, PHASE_DRAIN);
  faults_end_work (world->faults);
  pace_look_again (world->pace);
}

static void
start_settling (World *world)
{
  pace_catch_up_all (world->pace);
  add_states (world);
  enter_phase (world, PHASE_SETTLE);
  checker_delivery_end (world->checker_delivery, world_now_us (world));
  for (guint i = 0; i < world->clients->len; i++)
    sim_client_close (world_client (world, i), TRUE);
}

static gboolean
all_are_gone (const World *world)
{
  for (guint i = 0; i < world->clients->len; i++)
    if (!sim_client_is_closed_for_good (world_client (world, i)))
      return FALSE;
  return TRUE;
}

static gboolean
all_are_up (const World *world)
{
  for (guint i = 0; i < world->members->len; i++)
    {
      const SimMember *member = world_member (world, i);

      if (sim_member_is_awaited (member) && !sim_member_is_active (member))
        return FALSE;
    }
  return TRUE;
}

/* NULL: all are away for ever. */
static SimMember *
first_awaited (const World *world)
{
  for (guint i = 0; i < world->members->len; i++)
    if (sim_member_is_awaited (world_member (world, i)))
      return world_member (world, i);
  return NULL;
}

static gboolean
all_are_equal (const World *world)
{
  const SimMember *first = first_awaited (world);

  for (guint i = 0; i < world->members->len; i++)
    {
      const SimMember *member = world_member (world, i);

      if ((sim_member_is_awaited (member) || sim_member_is_active (member))
          && sim_member_position (member) != sim_member_position (first))
        return FALSE;
    }
  return TRUE;
}

static void
be_over (World *world)
{
  add_states (world);
  look_at_end (world, first_awaited (world));
  enter_phase (world, PHASE_OVER);
}

static const char *
missing_in (const World *world, const char **ret_rule)
{
  *ret_rule = "drained-at-last";
  switch (world->phase)
    {
    case PHASE_SETUP:
      return "the queues could not be declared";
    case PHASE_WORK:
      *ret_rule = "confirmed-at-last";
      return "not everything was published and confirmed";
    case PHASE_DRAIN:
      if (world->publishers_left > 0)
        {
          *ret_rule = "confirmed-at-last";
          return "some publishes are neither confirmed nor lost with their channel";
        }
      return "publishing ended, but there are still messages in queues";
    case PHASE_SETTLE:
      if (all_are_gone (world))
        {
          *ret_rule = "converges-at-last";
          return "members did not come to rest at one position";
        }
      return "not all connections could be closed";
    case PHASE_OVER:
      break;
    }
  g_assert_not_reached ();
}

/* Without a majority it has to rest, and nothing can be asked of it. */
static void
stalled (World *world, const char *rule, const char *missing)
{
  g_autofree char *why = stall_text (world);

  checker_liveness_stalled (world->checker_liveness, world_now_us (world),
                            stall_has_majority (world) ? rule : "majority-is-there", missing, why);
}

static void
look_at_phase (World *world)
{
  gint64 in_phase_us = world_now_us (world) - world->phase_since_us;
  gint64 patience_us
      = LIVENESS_PHASE_US + (world->phase == PHASE_WORK ? world->options->duration_us : 0);

  if (in_phase_us > patience_us)
    {
      const char *rule;
      const char *missing = missing_in (world, &rule);

      stalled (world, rule, missing);
    }
  else if (world->phase == PHASE_WORK
           && ((world->publishers_left == 0 && faults_let_work_end (world->faults))
               || in_phase_us > world->options->duration_us))
    start_draining (world);
  else if (world->phase == PHASE_DRAIN && world->drained && all_are_up (world))
    start_settling (world);
  else if (world->phase == PHASE_SETTLE && in_phase_us > SETTLE_US && all_are_gone (world)
           && all_are_up (world) && all_are_equal (world))
    {
      pace_catch_up_all (world->pace);
      if (all_are_equal (world))
        be_over (world);
    }
}

/* --- steps ------------------------------------------------------------------------------------ */

static void
take_event (World *world)
{
  ClockEvent event = clock_take (world->clock);

  world->event = (WorldEvent){
    .number = world->event.number + 1,
    .time_us = event.time_us,
    .kind = event.kind,
    .owner = event.owner,
  };
  fingerprint_add (&world->fingerprint, INGREDIENT_TIME, (guint64) event.time_us);
  fingerprint_add (&world->fingerprint, INGREDIENT_TIME, event.kind);
  fingerprint_add (&world->fingerprint, INGREDIENT_TIME, event.owner);
  pace_move_on (world->pace, event.time_us);
  switch (event.kind)
    {
    case CLOCK_START:
      /* Somebody may have restarted it before it ever began. */
      if (sim_member_is_gone (world_member (world, event.owner)))
        sim_member_start (world_member (world, event.owner));
      break;
    case CLOCK_TO_MEMBER:
      pace_catch_up (world->pace, world_member (world, event.owner));
      sim_member_packet (world_member (world, event.owner), event.value);
      break;
    case CLOCK_TICK:
      pace_catch_up (world->pace, world_member (world, event.owner));
      sim_member_tick (world_member (world, event.owner), event.time_us);
      break;
    case CLOCK_TO_CLIENT:
      if (sim_client_may_receive (world_client (world, event.owner), event.value))
        link_packet_to_client (event.value);
      break;
    case CLOCK_CLIENT:
      sim_client_timer (world_client (world, event.owner), event.time_us);
      break;
    }
}

static void
run_stretch (World *world, gint64 horizon_us)
{
  world->event = (WorldEvent){ .number = world->event.number + 1, .is_order = TRUE };
  world->event.time_us = pace_run (world->pace, horizon_us);
  fingerprint_add (&world->fingerprint, INGREDIENT_TIME, (guint64) world->event.time_us);
  fingerprint_add (&world->fingerprint, INGREDIENT_ORDER, sim_network_order_hash (world->network));
}

/* Without an active member the cluster is suspended until a majority of its voters is back. Nothing
 * survives the loss of all that hold the state: from there on no promise can be asked for. */
static void
look_at_quorum (World *world)
{
  gint64 now_us = world_now_us (world);
  gboolean state_is_held = FALSE;

  if (!world->formed)
    return;
  for (guint i = 0; i < world->members->len; i++)
    {
      if (sim_member_is_active (world_member (world, i)))
        {
          world->suspended_us = 0;
          return;
        }
      state_is_held = state_is_held || sim_member_was_active (world_member (world, i));
    }
  if (world->suspended_us == 0)
    {
      world_note (world, "suspended");
      world->counts.suspensions++;
      probes_reach (&world->probes, PROBE_ALL_SUSPENDED);
      world->suspended_us = now_us;
    }
  /* Patience begins when a majority is together. */
  if (!partitions_any_may_serve (world->partitions))
    world->suspended_us = now_us;
  if (!state_is_held)
    checker_liveness_stalled (world->checker_liveness, now_us, "state-survives",
                              "the last member that held the state was lost",
                              "from here on no promise can be asked for");
  else if (now_us - world->suspended_us > LIVENESS_ACTIVE_US)
    stalled (world, "stays-active", "no member is active for 5 seconds, but some hold the state");
}

/* Members that are late; not at every step. */
static void
look_for_late_members (World *world)
{
  if (world_now_us (world) < world->next_look_us)
    return;
  /* Patience is of seconds. */
  world->next_look_us = world_now_us (world) + LOOK_US * (1 + world->options->members / 64);
  look_at_gaps (world);
  for (guint i = 0; i < world->members->len; i++)
    if (checker_liveness_waits_for (world->checker_liveness, i)
        && (!partitions_may_serve (world->partitions, i)
            || sim_member_is_foreign (world_member (world, i))))
      checker_liveness_put_off (world->checker_liveness, i, world_now_us (world));
  if (checker_liveness_is_late (world->checker_liveness, world_now_us (world)))
    {
      g_autofree char *why = stall_text (world);

      checker_liveness_look (world->checker_liveness, world_now_us (world),
                             (const char *const *) world->names->pdata, why);
    }
}

void
world_set_watch (World *world, WorldWatch *watch)
{
  world->watch = watch;
  watch->look (watch, world);
}

static void
begin (World *world)
{
  SimStream random = world_stream (world, 0, SIM_PURPOSE_START);

  for (guint i = 0; i < world->members->len - world->options->strangers; i++)
    clock_at (world->clock, sim_stream_between (&random, 0, 2000), CLOCK_START, i, NULL);
  workload_populate (world);
}

/* One that cannot strike is no step, and leaves no trace. */
static gboolean
strike (World *world)
{
  if (!faults_strike (world->faults))
    return FALSE;
  world->event = (WorldEvent){
    .number = world->event.number + 1,
    .time_us = world_now_us (world),
    .is_fault = TRUE,
  };
  fingerprint_add (&world->fingerprint, INGREDIENT_TIME, (guint64) world->event.time_us);
  return TRUE;
}

/* A fault that is due, the next stretch of the order or the next event of the clock. Returns when
 * it began. */
static gint64
go_on (World *world)
{
  for (;;)
    {
      gint64 order_us = pace_next_us (world->pace);
      gint64 clock_us = clock_next_us (world->clock);

      if (faults_are_due (world->faults, order_us, clock_us))
        {
          if (strike (world))
            return 0;
          continue;
        }
      if (order_us <= clock_us)
        run_stretch (world, clock_us);
      else
        take_event (world);
      return MIN (order_us, clock_us);
    }
}

gboolean
world_step (World *world)
{
  if (world->clients->len == 0)
    begin (world);
  if (world->phase == PHASE_OVER || findings_count (world->findings) > 0)
    return FALSE;
  faults_look (world->faults, go_on (world));
  partitions_look (world->partitions);
  look_at_quorum (world);
  look_for_late_members (world);
  look_at_phase (world);
  if (world->watch != NULL)
    world->watch->look (world->watch, world);
  return TRUE;
}

void
world_run_to (World *world, WorldPhase phase)
{
  while (world->phase < phase && world_step (world))
    ;
}

Verdict
world_run (World *world)
{
  world_run_to (world, PHASE_OVER);
  return findings_verdict (world->findings);
}
