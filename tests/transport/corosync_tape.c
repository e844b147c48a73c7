/* SPDX-License-Identifier: MIT */
/* A process that is a member, and prints what it is told, a line each, while it multicasts numbers,
 * one every few milliseconds. What it should do it reads, a line each:
 *
 *     join    multicasts as soon as it has a view
 *     quiet   multicasts no more
 *     leave   ends its membership
 *     quit    ends the process in good order, without a leave
 *
 * and what it prints is (members are NODE.PROCESS):
 *
 *     sent NUMBER
 *     message SENDER NUMBER
 *     view REPRESENTATIVE.SEQUENCE MEMBER... [left MEMBER REASON...] [joined MEMBER REASON...]
 *     failed
 *     quorum yes|no */
#include "transport/corosync_network.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BUDGET  100
#define WAIT_MS 5

typedef struct Tape
{
  CorosyncNetwork *network;
  Transport *transport; /* NULL: no membership */
  gboolean has_view;
  gboolean is_over;
  gboolean is_quiet;
  gboolean is_inquorate;
  guint32 last; /* number that was multicast */
  gint64 interval_us;
  gint64 due_us;
} Tape;

static void
print_member (MemberId member)
{
  printf (" %u.%u", member.node_id, member.process_id);
}

static const char *
reason_name (ViewReason reason)
{
  switch (reason)
    {
    case VIEW_REASON_JOIN:
      return "JOIN";
    case VIEW_REASON_LEAVE:
      return "LEAVE";
    case VIEW_REASON_PROCESS_DOWN:
      return "PROCESS_DOWN";
    case VIEW_REASON_NODE_DOWN:
      return "NODE_DOWN";
    case VIEW_REASON_NODE_UP:
      return "NODE_UP";
    }
  g_assert_not_reached ();
}

static void
print_changes (const char *what, const ViewChange *changes, guint n_changes)
{
  if (n_changes > 0)
    printf (" %s", what);
  for (guint i = 0; i < n_changes; i++)
    {
      print_member (changes[i].member);
      printf (" %s", reason_name (changes[i].reason));
    }
}

static void
delivered (G_GNUC_UNUSED gpointer user_data, const TransportMessage *message)
{
  guint32 number;

  g_assert_cmpuint (message->bytes->size, >=, sizeof number);
  memcpy (&number, message->bytes->bytes, sizeof number);
  printf ("message");
  print_member (message->sender);
  printf (" %u\n", number);
}

static void
view_changed (gpointer user_data, const View *view)
{
  Tape *tape = user_data;

  tape->has_view = TRUE;
  printf ("view %u.%" G_GUINT64_FORMAT, view->ring.representative, view->ring.sequence);
  for (guint i = 0; i < view->n_members; i++)
    print_member (view->members[i]);
  print_changes ("left", view->left, view->n_left);
  print_changes ("joined", view->joined, view->n_joined);
  printf ("\n");
}

static void
writable (G_GNUC_UNUSED gpointer user_data)
{
}

static void
failed (gpointer user_data, G_GNUC_UNUSED const GError *error)
{
  Tape *tape = user_data;

  tape->is_over = TRUE;
  printf ("failed\n");
}

static const TransportListener listener = {
  .delivered = delivered,
  .view_changed = view_changed,
  .writable = writable,
  .failed = failed,
};

static void
join (Tape *tape)
{
  g_clear_pointer (&tape->transport, transport_free);
  tape->transport = corosync_network_new_transport (tape->network);
  tape->has_view = tape->is_over = tape->is_quiet = FALSE;
  if (!transport_join (tape->transport, "tape", &listener, tape, NULL))
    exit (1);
}

static void
obey (Tape *tape, const char *command)
{
  if (g_str_equal (command, "join"))
    join (tape);
  else if (g_str_equal (command, "quiet"))
    tape->is_quiet = TRUE;
  else if (g_str_equal (command, "leave"))
    {
      tape->is_over = TRUE;
      transport_leave (tape->transport);
    }
  else
    g_error ("%s?", command);
}

static void
send_what_is_due (Tape *tape)
{
  gint64 now_us = g_get_monotonic_time ();
  guint32 number = tape->last + 1;
  g_autoptr (Buffer) bytes = NULL;

  if (!tape->has_view || tape->is_over || tape->is_quiet || now_us < tape->due_us)
    return;
  tape->due_us = now_us + tape->interval_us;
  bytes = buffer_new_copy (&number, sizeof number);
  if (transport_multicast (tape->transport, bytes) != TRANSPORT_SENT)
    return;
  tape->last = number;
  printf ("sent %u\n", number);
}

static void
look_at_quorum (Tape *tape)
{
  gboolean is_inquorate = corosync_network_is_inquorate (tape->network);

  if (is_inquorate == tape->is_inquorate)
    return;
  tape->is_inquorate = is_inquorate;
  printf ("quorum %s\n", is_inquorate ? "no" : "yes");
}

/* FALSE: it is to end. */
static gboolean
read_command (Tape *tape)
{
  char line[32];

  if (fgets (line, sizeof line, stdin) == NULL)
    return FALSE;
  g_strchomp (line);
  if (g_str_equal (line, "quit"))
    return FALSE;
  obey (tape, line);
  return TRUE;
}

int
main (int argc, char **argv)
{
  Tape tape = { .interval_us = argc > 1 ? 1000 * atoi (argv[1]) : 40000 };
  gboolean goes_on = TRUE;

  tape.network = corosync_network_new ();
  corosync_network_follow_quorum (tape.network);
  setvbuf (stdin, NULL, _IONBF, 0);
  while (goes_on)
    {
      GPollFD ready[] = { { .fd = corosync_network_fd (tape.network), .events = G_IO_IN },
                          { .fd = STDIN_FILENO, .events = G_IO_IN } };

      g_poll (ready, G_N_ELEMENTS (ready), WAIT_MS);
      if (ready[1].revents != 0)
        goes_on = read_command (&tape);
      while (corosync_network_dispatch (tape.network, BUDGET))
        ;
      look_at_quorum (&tape);
      send_what_is_due (&tape);
      fflush (stdout);
    }
  g_clear_pointer (&tape.transport, transport_free);
  corosync_network_free (tape.network);
  return 0;
}
