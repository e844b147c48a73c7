/* SPDX-License-Identifier: MIT */
/* The recorded order is given to the simulated network message by message: each deed is done when
 * every member has been told what its tape has before what came of it, and not more. What is left
 * to the network, and so to its seed, is what it decides itself: what each side of a partition
 * has, what is lost with a daemon, what a merge misses. */
#include "tests/transport/recording.h"
#include "transport/sim_network.h"

#define DETECTION_US 1000
/* A process that only makes its node be there. */
#define BYSTANDER 1000

typedef struct Replay Replay;

typedef struct Seat
{
  Replay *replay;
  const Tape *tape;
  Transport *transport; /* NULL: it has not joined yet */
  guint n_told;
  guint n_scheduled; /* events of its tape that are, or need not be */
  GArray *rings;     /* of RingId: of its views */
} Seat;

struct Replay
{
  const Recording *recording;
  SimNetwork *network;
  GPtrArray *seats;      /* of Seat, one for each tape */
  GPtrArray *bystanders; /* of Transport */
  guint components[1 + RECORDING_NODES];
  gboolean differs;
};

static Seat *
seat_at (const Replay *replay, guint index)
{
  return replay->seats->pdata[index];
}

/* The one of that member that is joined; `joins`: the first that was not yet. */
static Seat *
seat_of (const Replay *replay, MemberId member, gboolean joins)
{
  Seat *found = NULL;

  for (guint i = 0; i < replay->seats->len; i++)
    {
      Seat *seat = seat_at (replay, i);

      if (!member_id_equal (seat->tape->member, member) || joins != (seat->transport == NULL))
        continue;
      if (joins)
        return seat;
      found = seat;
    }
  g_assert_nonnull (found);
  return found;
}

/* --- what is told ------------------------------------------------------------------------------
 */

static void
seat_told (Seat *seat, const ToldEvent *event)
{
  if (seat->n_told >= seat->tape->told->len
      || !told_equal (event, tape_told (seat->tape, seat->n_told)))
    seat->replay->differs = TRUE;
  seat->n_told++;
}

static void
seat_delivered (gpointer user_data, const TransportMessage *message)
{
  ToldEvent event = { .kind = TOLD_MESSAGE, .sender = message->sender };

  memcpy (&event.number, message->bytes->bytes, sizeof event.number);
  seat_told (user_data, &event);
}

static void
seat_view_changed (gpointer user_data, const View *view)
{
  Seat *seat = user_data;
  ToldEvent event = told_view (view);

  g_array_append_val (seat->rings, view->ring);
  seat_told (seat, &event);
  told_event_clear (&event);
}

static void
seat_writable (G_GNUC_UNUSED gpointer user_data)
{
}

static void
seat_failed (gpointer user_data, G_GNUC_UNUSED const GError *error)
{
  seat_told (user_data, &(const ToldEvent){ .kind = TOLD_FAILED });
}

static const TransportListener seat_listener = {
  .delivered = seat_delivered,
  .view_changed = seat_view_changed,
  .writable = seat_writable,
  .failed = seat_failed,
};

/* --- what comes when ---------------------------------------------------------------------------
 */

/* A deed's n-th step (from 0) is a ring that formed because of it, not before its n-th sequence. */
typedef struct Step
{
  guint deed;
  guint64 sequence; /* 0: the first */
} Step;

static gboolean
comes_of (const ToldEvent *event, Step step)
{
  return event->kind != TOLD_MESSAGE
         && (event->deed > step.deed
             || (event->deed == step.deed
                 && (step.sequence == 0 || event->ring.sequence >= step.sequence)));
}

/* Where its tape has the first thing that came of that, or a later one. */
static guint
told_before (const Tape *tape, Step step)
{
  guint i = 0;

  while (i < tape->told->len && !comes_of (tape_told (tape, i), step))
    i++;
  return i;
}

static gboolean was_early (const Replay *replay, const ToldEvent *message);

/* The same, but one that was not scheduled is told several things one after the other, and what
 * comes between had been sent before. */
static guint
sent_before (const Replay *replay, const Tape *tape, Step step)
{
  guint place = told_before (tape, step);

  if (step.deed > replay->recording->deeds->len
      || g_array_index (replay->recording->deeds, Deed, step.deed - 1).kind != DEED_THAW)
    return place;
  for (guint i = place; i < tape->told->len && tape_told (tape, i)->deed <= step.deed; i++)
    {
      const ToldEvent *event = tape_told (tape, i);

      if (event->kind == TOLD_VIEW)
        place = i;
      else if (!was_early (replay, event))
        break;
    }
  return place;
}

/* 0: there is none. */
static guint64
next_sequence (const Replay *replay, Step step)
{
  guint64 next = 0, first = step.sequence;

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < replay->seats->len; i++)
      {
        const Tape *tape = seat_at (replay, i)->tape;

        for (guint j = 0; j < tape->told->len; j++)
          {
            const ToldEvent *event = tape_told (tape, j);

            if (event->kind != TOLD_VIEW || event->deed != step.deed)
              continue;
            if (pass == 0 && step.sequence == 0)
              first = first == 0 ? event->ring.sequence : MIN (first, event->ring.sequence);
            if (pass == 1 && event->ring.sequence > first
                && (next == 0 || event->ring.sequence < next))
              next = event->ring.sequence;
          }
      }
  return next;
}

/* To what its tape has before that, not more. */
static void
tell (Replay *replay, Seat *seat, Step step)
{
  guint limit = told_before (seat->tape, step);
  guint before;

  do
    {
      before = seat->n_told;
      if (seat->transport != NULL && seat->n_told < limit)
        sim_network_dispatch_member (replay->network, seat->tape->member, 1);
    }
  while (seat->n_told > before && !replay->differs);
}

/* Where it is among what that tape still has before that; -1: it is not. */
static gint
place_in (const Replay *replay, const Seat *seat, Step step, const ToldEvent *message)
{
  guint end = sent_before (replay, seat->tape, step);

  for (guint i = seat->n_scheduled; i < end; i++)
    if (told_equal (tape_told (seat->tape, i), message))
      return (gint) i;
  return -1;
}

/* How many have it, if no tape has another one before it; else 0. */
static guint
readiness (const Replay *replay, Step step, const ToldEvent *message)
{
  guint n_tapes = 0;

  for (guint i = 0; i < replay->seats->len; i++)
    {
      const Seat *seat = seat_at (replay, i);
      gint place = place_in (replay, seat, step, message);

      if (place >= 0 && (guint) place > seat->n_scheduled)
        return 0;
      n_tapes += place >= 0;
    }
  return n_tapes;
}

static void
skip_views (Replay *replay, Step step)
{
  for (guint i = 0; i < replay->seats->len; i++)
    {
      Seat *seat = seat_at (replay, i);
      guint end = sent_before (replay, seat->tape, step);

      while (seat->n_scheduled < end
             && tape_told (seat->tape, seat->n_scheduled)->kind != TOLD_MESSAGE)
        seat->n_scheduled++;
    }
}

/* What most have comes first: what few have, others never got to. NULL: nothing is left, or what
 * is cannot be put in one order. */
static const ToldEvent *
next_message (const Replay *replay, Step step)
{
  const ToldEvent *best = NULL;
  guint best_tapes = 0;

  for (guint i = 0; i < replay->seats->len; i++)
    {
      const Seat *seat = seat_at (replay, i);
      const ToldEvent *message;
      guint n_tapes;

      if (seat->n_scheduled >= sent_before (replay, seat->tape, step))
        continue;
      message = tape_told (seat->tape, seat->n_scheduled);
      n_tapes = readiness (replay, step, message);
      if (n_tapes <= best_tapes)
        continue;
      best = message;
      best_tapes = n_tapes;
    }
  return best;
}

/* As its sender's own tape has it. */
static gboolean
was_early (const Replay *replay, const ToldEvent *message)
{
  for (guint i = 0; i < replay->seats->len; i++)
    {
      const Tape *tape = seat_at (replay, i)->tape;

      if (!member_id_equal (tape->member, message->sender))
        continue;
      for (guint j = 0; j < tape->told->len; j++)
        if (told_equal (tape_told (tape, j), message))
          return tape_told (tape, j)->early;
    }
  return FALSE;
}

static void
multicast (Replay *replay, Step step, const ToldEvent *message)
{
  Seat *sender = seat_of (replay, message->sender, FALSE);
  g_autoptr (Buffer) bytes = buffer_new_copy (&message->number, sizeof message->number);

  if (!was_early (replay, message))
    tell (replay, sender, step);
  if (transport_multicast (sender->transport, bytes) != TRANSPORT_SENT)
    replay->differs = TRUE;
  for (guint i = 0; i < replay->seats->len; i++)
    {
      Seat *seat = seat_at (replay, i);

      if (place_in (replay, seat, step, message) >= 0)
        seat->n_scheduled++;
    }
}

static gboolean
nothing_is_left (const Replay *replay, Step step)
{
  for (guint i = 0; i < replay->seats->len; i++)
    {
      const Seat *seat = seat_at (replay, i);

      if (seat->n_scheduled < sent_before (replay, seat->tape, step))
        return FALSE;
    }
  return TRUE;
}

/* All that is told before that; then nobody is told more until it is done. */
static void
run_up_to (Replay *replay, Step step)
{
  const ToldEvent *message;

  skip_views (replay, step);
  while (!replay->differs && (message = next_message (replay, step)) != NULL)
    {
      multicast (replay, step, message);
      skip_views (replay, step);
    }
  if (!nothing_is_left (replay, step))
    replay->differs = TRUE;
  for (guint i = 0; i < replay->seats->len; i++)
    tell (replay, seat_at (replay, i), step);
}

/* --- deeds -------------------------------------------------------------------------------------
 */

static void
be_there (Replay *replay, guint32 node_id)
{
  g_ptr_array_add (replay->bystanders,
                   sim_network_new_transport (replay->network, (MemberId){ node_id, BYSTANDER }));
}

static guint
component_of (guint32 node_id, gpointer user_data)
{
  const Replay *replay = user_data;

  return replay->components[node_id];
}

static void
partition (Replay *replay, const guint *components)
{
  for (guint i = 0; i < RECORDING_NODES; i++)
    replay->components[1 + i] = components[i];
  sim_network_partition (replay->network, component_of, replay);
}

static void
isolate (Replay *replay, guint32 node_id)
{
  guint components[RECORDING_NODES] = { 0 };

  components[node_id - 1] = 1;
  partition (replay, components);
}

static void
join (Replay *replay, MemberId member)
{
  Seat *seat = seat_of (replay, member, TRUE);

  seat->transport = sim_network_new_transport (replay->network, member);
  g_assert_true (transport_join (seat->transport, "g", &seat_listener, seat, NULL));
}

static void
perform (Replay *replay, const Deed *deed)
{
  SimNetwork *network = replay->network;

  switch (deed->kind)
    {
    case DEED_JOIN:
      join (replay, deed->member);
      break;
    case DEED_LEAVE:
      transport_leave (seat_of (replay, deed->member, FALSE)->transport);
      break;
    case DEED_KILL:
      sim_network_crash (network, deed->member);
      break;
    case DEED_STOP_DAEMON:
      sim_network_daemon_down (network, deed->member.node_id, SIM_DAEMON_STOPPED);
      break;
    case DEED_KILL_DAEMON:
      sim_network_daemon_down (network, deed->member.node_id, SIM_DAEMON_KILLED);
      break;
    case DEED_START_DAEMON:
      be_there (replay, deed->member.node_id);
      break;
    case DEED_PARTITION:
      partition (replay, deed->components);
      break;
    case DEED_HEAL:
      sim_network_heal (network);
      break;
    case DEED_FREEZE:
      sim_network_pause (network, (MemberId){ deed->member.node_id, BYSTANDER }, TRUE);
      break;
    case DEED_THAW:
      sim_network_pause (network, (MemberId){ deed->member.node_id, BYSTANDER }, FALSE);
      break;
    case DEED_BLINK:
      isolate (replay, deed->member.node_id);
      sim_network_heal (network);
      break;
    }
}

static gboolean
was_noticed (const Replay *replay, guint deed)
{
  for (guint i = 0; i < replay->seats->len; i++)
    {
      const Tape *tape = seat_at (replay, i)->tape;

      for (guint j = 0; j < tape->told->len; j++)
        if (tape_told (tape, j)->kind == TOLD_VIEW && tape_told (tape, j)->deed == deed)
          return TRUE;
    }
  return FALSE;
}

/* What was done takes its time until it is noticed; the next thing may be done before. Those that
 * meet may do so in steps. */
static void
let_rings_form (Replay *replay, guint deed)
{
  DeedKind kind = g_array_index (replay->recording->deeds, Deed, deed - 1).kind;
  gint64 forms_us = sim_network_forms_us (replay->network);
  Step step = { deed, 0 };

  if (forms_us != G_MAXINT64 && was_noticed (replay, deed))
    {
      step.sequence = next_sequence (replay, step);
      if (kind == DEED_HEAL || kind == DEED_THAW)
        {
          replay->differs = replay->differs || step.sequence == 0;
          run_up_to (replay, step);
        }
      sim_network_order (replay->network, forms_us);
    }
  sim_network_order (replay->network, sim_network_now_us (replay->network));
}

/* --- all of it ---------------------------------------------------------------------------------
 */

static RingId
recorded_ring (const Seat *seat, guint view)
{
  for (guint i = 0; i < seat->tape->told->len; i++)
    if (tape_told (seat->tape, i)->kind == TOLD_VIEW && view-- == 0)
      return tape_told (seat->tape, i)->ring;
  g_assert_not_reached ();
}

static gboolean
rings_equal (RingId a, RingId b)
{
  return a.representative == b.representative && a.sequence == b.sequence;
}

/* Two views are of one ring where they were recorded so. */
static gboolean
rings_fit (const Seat *a, const Seat *b)
{
  for (guint i = 0; i < a->rings->len; i++)
    for (guint j = 0; j < b->rings->len; j++)
      if (rings_equal (g_array_index (a->rings, RingId, i), g_array_index (b->rings, RingId, j))
          != rings_equal (recorded_ring (a, i), recorded_ring (b, j)))
        return FALSE;
  return TRUE;
}

static gboolean
is_as_recorded (const Replay *replay)
{
  if (replay->differs)
    return FALSE;
  for (guint i = 0; i < replay->seats->len; i++)
    if (seat_at (replay, i)->n_told != seat_at (replay, i)->tape->told->len)
      return FALSE;
  for (guint i = 0; i < replay->seats->len; i++)
    for (guint j = 0; j <= i; j++)
      if (!rings_fit (seat_at (replay, i), seat_at (replay, j)))
        return FALSE;
  return TRUE;
}

static void
seat_free (gpointer data)
{
  Seat *seat = data;

  g_clear_pointer (&seat->transport, transport_free);
  g_array_unref (seat->rings);
  g_free (seat);
}

static void
transport_free_it (gpointer transport)
{
  transport_free (transport);
}

static void
replay_begin (Replay *replay, const Recording *recording, guint64 seed)
{
  SimNetworkOptions options = sim_network_options_immediate ();

  options.seed = seed;
  options.detection_us = DETECTION_US;
  replay->recording = recording;
  replay->network = sim_network_new (&options);
  replay->seats = g_ptr_array_new_with_free_func (seat_free);
  replay->bystanders = g_ptr_array_new_with_free_func (transport_free_it);
  for (guint32 node = 1; node <= RECORDING_NODES; node++)
    be_there (replay, node);
  for (guint i = 0; i < recording->tapes->len; i++)
    {
      Seat *seat = g_new0 (Seat, 1);

      seat->replay = replay;
      seat->tape = recording_tape (recording, i);
      seat->rings = g_array_new (FALSE, FALSE, sizeof (RingId));
      g_ptr_array_add (replay->seats, seat);
    }
}

gboolean
recording_replay (const Recording *recording, guint64 seed)
{
  Replay replay = { 0 };
  guint n_deeds = recording->deeds->len;
  gboolean same;

  replay_begin (&replay, recording, seed);
  for (guint deed = 1; deed <= n_deeds && !replay.differs; deed++)
    {
      run_up_to (&replay, (Step){ deed, 0 });
      perform (&replay, &g_array_index (recording->deeds, Deed, deed - 1));
      let_rings_form (&replay, deed);
    }
  if (!replay.differs)
    run_up_to (&replay, (Step){ n_deeds + 1, 0 });
  /* And nothing else. */
  while (!replay.differs && sim_network_dispatch (replay.network, 1))
    ;
  same = is_as_recorded (&replay);
  g_ptr_array_unref (replay.seats);
  g_ptr_array_unref (replay.bystanders);
  sim_network_free (replay.network);
  return same;
}
