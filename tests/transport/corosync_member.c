/* SPDX-License-Identifier: MIT */
/* A process that is a member: it does what the test on its standard input says (corosync_wire.h),
 * with the corosync that it finds, and dispatches only when it is told to. */
#include "tests/transport/corosync_wire.h"
#include "transport/corosync_network.h"

#include <stdlib.h>
#include <unistd.h>

#define STEP_EVENTS    2
#define PUMP_EVENTS    100
#define PUMP_WAIT_MS   2
#define OPEN_SECONDS   20
#define LINE_MS        200
#define REACTION_QUEUE 1000

/* A message that a reaction sends, as soon as it fits. */
typedef struct Answer
{
  gboolean directed;
  MemberId to;
  guint32 number;
  gsize size;
} Answer;

typedef struct Seat
{
  guint number;
  Transport *transport;
  Reaction reaction;
  GArray *answers; /* of Answer */
  gboolean inside_call;
  gboolean has_view;
  gboolean failed;
  gboolean left;
  gboolean told_full; /* the test is to see the `writable` that follows */
} Seat;

static CorosyncNetwork *network;
static GPtrArray *seats; /* of Seat */

/* --- what the test reads ---------------------------------------------------------------------- */

static void
put (gconstpointer bytes, gsize size)
{
  const guint8 *at = bytes;

  while (size > 0)
    {
      ssize_t n = write (STDOUT_FILENO, at, size);

      if (n <= 0)
        exit (1);
      at += n;
      size -= (gsize) n;
    }
}

static void
report (const Seat *seat, Report told)
{
  told.seat = seat->number;
  told.inside_call = (guint32) seat->inside_call;
  put (&told, sizeof told);
}

static void
put_changes (const ViewChange *changes, guint n_changes)
{
  for (guint i = 0; i < n_changes; i++)
    put (&changes[i].member, sizeof (MemberId));
}

/* --- reactions -------------------------------------------------------------------------------- */

static void
later (Seat *seat, Answer answer)
{
  g_assert_cmpuint (seat->answers->len, <, REACTION_QUEUE);
  g_array_append_val (seat->answers, answer);
}

static TransportResult
send_now (Seat *seat, gboolean directed, MemberId to, guint32 number, gsize size)
{
  g_autoptr (Buffer) bytes = message_new (number, size);
  TransportResult result;

  seat->inside_call = TRUE;
  result = directed ? transport_send_to (seat->transport, to, bytes)
                    : transport_multicast (seat->transport, bytes);
  seat->inside_call = FALSE;
  return result;
}

/* In their order, as far as they fit. */
static void
send_answers (Seat *seat)
{
  while (seat->answers->len > 0)
    {
      const Answer *answer = &g_array_index (seat->answers, Answer, 0);

      if (send_now (seat, answer->directed, answer->to, answer->number, answer->size)
          == TRANSPORT_FULL)
        return;
      g_array_remove_index (seat->answers, 0);
    }
}

static void
leave (Seat *seat)
{
  seat->left = TRUE;
  seat->inside_call = TRUE;
  transport_leave (seat->transport);
  seat->inside_call = FALSE;
}

static void
delivered (gpointer user_data, const TransportMessage *message)
{
  Seat *seat = user_data;
  guint32 number = 0;
  gboolean intact = message_read (message->bytes, &number);
  gboolean is_mark = number >= NUMBER_MARK;

  report (seat, (Report){ .kind = is_mark ? REPORT_MARK : REPORT_RECORD,
                          .record_kind = RECORD_MESSAGE,
                          .id = message->sender,
                          .directed = (guint32) message->directed,
                          .number = number,
                          .size = (guint32) message->bytes->size,
                          .intact = (guint32) intact });
  if (is_mark)
    return;
  if (seat->reaction == REACTION_LEAVE_AT_MESSAGE)
    {
      leave (seat);
      report (seat, (Report){ .kind = REPORT_LEFT });
    }
  if (seat->reaction == REACTION_ANSWER && !message->directed
      && !member_id_equal (message->sender, seat->transport->self))
    later (seat, (Answer){ TRUE, message->sender, number, message->bytes->size });
  send_answers (seat);
}

static void
view_changed (gpointer user_data, const View *view)
{
  Seat *seat = user_data;

  report (seat, (Report){ .kind = REPORT_RECORD,
                          .record_kind = RECORD_VIEW,
                          .n_members = view->n_members,
                          .n_left = view->n_left,
                          .n_joined = view->n_joined });
  put (view->members, view->n_members * sizeof (MemberId));
  put_changes (view->left, view->n_left);
  put_changes (view->joined, view->n_joined);
  if (seat->reaction == REACTION_MULTICAST_AT_FIRST_VIEW && !seat->has_view)
    later (seat, (Answer){ .number = REACTION_NUMBER, .size = REACTION_SIZE });
  seat->has_view = TRUE;
  send_answers (seat);
}

static void
writable (gpointer user_data)
{
  Seat *seat = user_data;

  if (seat->told_full)
    report (seat, (Report){ .kind = REPORT_RECORD, .record_kind = RECORD_WRITABLE });
  seat->told_full = FALSE;
  send_answers (seat);
}

static void
failed (gpointer user_data, G_GNUC_UNUSED const GError *error)
{
  Seat *seat = user_data;

  seat->failed = TRUE;
  if (seat->has_view)
    report (seat, (Report){ .kind = REPORT_RECORD, .record_kind = RECORD_FAILED });
}

static const TransportListener seat_listener = {
  .delivered = delivered,
  .view_changed = view_changed,
  .writable = writable,
  .failed = failed,
};

/* --- commands --------------------------------------------------------------------------------- */

static gboolean
wait_readable (gint ms)
{
  GPollFD ready = { .fd = corosync_network_fd (network), .events = G_IO_IN };
  gint64 due_us = corosync_network_next_us (network) - g_get_monotonic_time ();

  if (due_us < ms * 1000)
    ms = (gint) MAX (due_us, 0) / 1000 + (due_us > 0);
  return g_poll (&ready, 1, ms) > 0;
}

static void
wait_and_look (void)
{
  wait_readable (1);
  corosync_network_dispatch (network, 0);
}

/* Until corosync has something to say that a dispatch without a budget leaves: its own first view,
 * which comes when the joining has its place in the order. */
static gboolean
wait_for_place (const Seat *seat)
{
  gint64 deadline_us = g_get_monotonic_time () + OPEN_SECONDS * G_USEC_PER_SEC;

  while (!seat->failed && g_get_monotonic_time () < deadline_us)
    {
      wait_and_look ();
      if (!seat->failed && seat->transport->self.node_id != 0 && wait_readable (0))
        return TRUE;
    }
  return FALSE;
}

static void
join (const Command *command)
{
  Seat *seat = g_new0 (Seat, 1);
  gboolean joined;

  seat->number = command->seat;
  seat->transport = corosync_network_new_transport (network);
  seat->reaction = command->reaction;
  seat->answers = g_array_new (FALSE, FALSE, sizeof (Answer));
  g_ptr_array_add (seats, seat);
  seat->inside_call = TRUE;
  joined = transport_join (seat->transport, command->group, &seat_listener, seat, NULL);
  seat->inside_call = FALSE;
  joined = joined && wait_for_place (seat);
  report (seat, (Report){ .result = joined, .id = seat->transport->self });
  if (!joined)
    g_ptr_array_remove (seats, seat);
}

static Seat *
find_seat (guint number)
{
  for (guint i = 0; i < seats->len; i++)
    {
      Seat *seat = seats->pdata[i];

      if (seat->number == number)
        return seat;
    }
  g_assert_not_reached ();
}

/* What is FULL because a group is only just being joined, is tried until it is. */
static void
send_command (const Command *command)
{
  Seat *seat = find_seat (command->seat);
  gboolean directed = command->kind == COMMAND_SEND_TO;
  gint64 wait_us = directed ? LINE_MS * 1000 : OPEN_SECONDS * G_USEC_PER_SEC;
  gint64 deadline_us = g_get_monotonic_time () + (directed || !seat->has_view ? wait_us : 0);
  TransportResult result;

  while ((result = send_now (seat, directed, command->to, command->number, command->size))
             == TRANSPORT_FULL
         && g_get_monotonic_time () < deadline_us)
    wait_and_look ();
  if (result == TRANSPORT_FULL && command->number < NUMBER_MARK)
    seat->told_full = TRUE;
  report (seat, (Report){ .result = (gint32) result });
}

static gboolean
any_answers (void)
{
  for (guint i = 0; i < seats->len; i++)
    {
      Seat *seat = seats->pdata[i];

      if (seat->has_view && !seat->left && !seat->failed)
        send_answers (seat);
      if (seat->answers->len > 0 && !seat->left && !seat->failed)
        return TRUE;
    }
  return FALSE;
}

static void
pump (void)
{
  Report done = { .kind = REPORT_DONE };

  wait_readable (PUMP_WAIT_MS);
  while (corosync_network_dispatch (network, PUMP_EVENTS))
    ;
  done.busy = (guint32) any_answers ();
  put (&done, sizeof done);
}

static void
obey (const Command *command)
{
  Report done = { .kind = REPORT_DONE };

  switch ((CommandKind) command->kind)
    {
    case COMMAND_JOIN:
      join (command);
      break;
    case COMMAND_MULTICAST:
    case COMMAND_SEND_TO:
      send_command (command);
      break;
    case COMMAND_LEAVE:
      leave (find_seat (command->seat));
      put (&done, sizeof done);
      break;
    case COMMAND_STEP:
      corosync_network_dispatch (network, STEP_EVENTS);
      put (&done, sizeof done);
      break;
    case COMMAND_PUMP:
      pump ();
      break;
    }
}

static gboolean
get_command (Command *ret_command)
{
  guint8 *at = (guint8 *) ret_command;
  gsize n_read = 0;

  while (n_read < sizeof *ret_command)
    {
      ssize_t n = read (STDIN_FILENO, at + n_read, sizeof *ret_command - n_read);

      if (n <= 0)
        return FALSE;
      n_read += (gsize) n;
    }
  return TRUE;
}

static void
seat_free (gpointer data)
{
  Seat *seat = data;

  transport_free (seat->transport);
  g_array_unref (seat->answers);
  g_free (seat);
}

int
main (void)
{
  Command command;

  network = corosync_network_new ();
  seats = g_ptr_array_new_with_free_func (seat_free);
  while (get_command (&command))
    obey (&command);
  g_ptr_array_unref (seats);
  corosync_network_free (network);
  return 0;
}
