/* SPDX-License-Identifier: MIT */
/* What corosync itself moves: processes in one closed process group, libcpg and nothing else.
 *
 *     raw_cpg --group NAME --members N [--send --size BYTES --window N --seconds S]
 *
 * Each waits until the group has so many members. Then those with --send multicast, never more than
 * --window messages that they have not seen delivered themselves, and each prints
 *
 *     MESSAGES/S MB/S P50_US P99_US
 *
 * the former two of what was delivered to it, the latter from its multicast to its own delivery of
 * the message. The others only take what is delivered, and end when the first of all has left. */
#include <corosync/cpg.h>
#include <glib.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Only a hang gets there. */
#define PATIENCE_SECONDS 60
/* Part of the measured time that runs before it. */
#define WARM_UP  0.2
#define RETRY_MS 1

static char *group_name;
static int n_expected = 3, size = 8192, window = 64;
static double seconds = 2;
static gboolean sends;

static const GOptionEntry option_entries[]
    = { { "group", 0, 0, G_OPTION_ARG_STRING, &group_name, "The group", "NAME" },
        { "members", 0, 0, G_OPTION_ARG_INT, &n_expected, "Begin when it has so many (3)", "N" },
        { "send", 0, 0, G_OPTION_ARG_NONE, &sends, "Multicast, and print figures", NULL },
        { "size", 0, 0, G_OPTION_ARG_INT, &size, "Of a message (8192)", "BYTES" },
        { "window", 0, 0, G_OPTION_ARG_INT, &window, "Own messages not yet delivered (64)", "N" },
        { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Measured (2)", "S" },
        { NULL } };

static gboolean all_are_there, one_has_left;
static guint32 own_node_id;
static guint n_unseen; /* own ones */
static guint64 n_delivered;
static GArray *latencies_us; /* of guint32; NULL: not now */

static void
fail (const char *what, int code)
{
  g_printerr ("raw_cpg: %s: %d\n", what, code);
  exit (1);
}

static void
on_deliver (cpg_handle_t cpg, const struct cpg_name *group, uint32_t node_id, uint32_t pid,
            void *bytes, size_t length)
{
  gint64 sent_us;

  (void) cpg;
  (void) group;
  n_delivered++;
  if (!sends || node_id != own_node_id || pid != (guint32) getpid ())
    return;
  if (length != (size_t) size)
    fail ("a message of another size", (int) length);
  n_unseen--;
  memcpy (&sent_us, bytes, sizeof sent_us);
  if (latencies_us != NULL)
    {
      guint32 latency_us = (guint32) (g_get_monotonic_time () - sent_us);

      g_array_append_val (latencies_us, latency_us);
    }
}

static void
on_confchg (cpg_handle_t cpg, const struct cpg_name *group, const struct cpg_address *members,
            size_t n_members, const struct cpg_address *left, size_t n_left,
            const struct cpg_address *joined, size_t n_joined)
{
  (void) cpg;
  (void) group;
  (void) members;
  (void) left;
  (void) joined;
  (void) n_joined;
  if (n_members == (size_t) n_expected)
    all_are_there = TRUE;
  if (n_left > 0)
    one_has_left = TRUE;
}

static void
dispatch (cpg_handle_t cpg, int fd, int timeout_ms)
{
  struct pollfd polled = { fd, POLLIN, 0 };
  cs_error_t code;

  if (poll (&polled, 1, timeout_ms) <= 0)
    return;
  while ((code = cpg_dispatch (cpg, CS_DISPATCH_ONE_NONBLOCKING)) == CS_OK)
    ;
  if (code != CS_ERR_TRY_AGAIN)
    fail ("cpg_dispatch", code);
}

/* TRUE: the window is full; FALSE: corosync is. */
static gboolean
send_what_may_be (cpg_handle_t cpg, guint8 *message)
{
  struct iovec iovec = { message, (size_t) size };

  while (n_unseen < (guint) window)
    {
      gint64 now_us = g_get_monotonic_time ();
      cs_error_t code;

      memcpy (message, &now_us, sizeof now_us);
      code = cpg_mcast_joined (cpg, CPG_TYPE_AGREED, &iovec, 1);
      if (code == CS_ERR_TRY_AGAIN)
        return FALSE;
      if (code != CS_OK)
        fail ("cpg_mcast_joined", code);
      n_unseen++;
    }
  return TRUE;
}

static void
turns_for (cpg_handle_t cpg, int fd, guint8 *message, double duration)
{
  gint64 end_us = g_get_monotonic_time () + (gint64) (duration * 1e6);

  while (g_get_monotonic_time () < end_us)
    dispatch (cpg, fd, send_what_may_be (cpg, message) ? PATIENCE_SECONDS * 1000 : RETRY_MS);
}

static int
compare_latencies (gconstpointer a, gconstpointer b)
{
  guint32 first = *(const guint32 *) a, second = *(const guint32 *) b;

  return (first > second) - (first < second);
}

static void
measure (cpg_handle_t cpg, int fd)
{
  g_autofree guint8 *message = g_malloc0 ((gsize) size);
  g_autoptr (GArray) measured = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint64 before;
  gint64 start_us;
  double rate;

  turns_for (cpg, fd, message, seconds * WARM_UP);
  latencies_us = measured;
  before = n_delivered;
  start_us = g_get_monotonic_time ();
  turns_for (cpg, fd, message, seconds);
  rate = (double) (n_delivered - before) * 1e6 / (double) (g_get_monotonic_time () - start_us);
  latencies_us = NULL;
  if (measured->len == 0)
    fail ("nothing was delivered", 0);
  g_array_sort (measured, compare_latencies);
  g_print ("%.0f %.3f %u %u\n", rate, rate * size / 1e6,
           g_array_index (measured, guint32, measured->len / 2),
           g_array_index (measured, guint32, measured->len * 99 / 100));
  while (n_unseen > 0)
    dispatch (cpg, fd, PATIENCE_SECONDS * 1000);
}

static void
read_options (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("- what corosync itself moves");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, option_entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("raw_cpg: %s\n", error->message);
      exit (2);
    }
  if (group_name == NULL || strlen (group_name) > CPG_MAX_NAME_LENGTH || n_expected < 1
      || size < (int) sizeof (gint64) || window < 1 || seconds <= 0)
    {
      g_printerr (
          "raw_cpg: --group is needed, all numbers are positive, a message holds 8 bytes\n");
      exit (2);
    }
}

int
main (int argc, char **argv)
{
  cpg_callbacks_t callbacks = { .cpg_deliver_fn = on_deliver, .cpg_confchg_fn = on_confchg };
  struct cpg_name group;
  cpg_handle_t cpg;
  cs_error_t code;
  int fd;

  read_options (argc, argv);
  alarm (PATIENCE_SECONDS + (guint) (2 * seconds));
  group.length = (guint32) strlen (group_name);
  memcpy (group.value, group_name, group.length);
  code = cpg_initialize (&cpg, &callbacks);
  if (code != CS_OK)
    fail ("cpg_initialize", code);
  while ((code = cpg_join (cpg, &group)) == CS_ERR_TRY_AGAIN)
    poll (NULL, 0, RETRY_MS);
  if (code != CS_OK || cpg_fd_get (cpg, &fd) != CS_OK || cpg_local_get (cpg, &own_node_id) != CS_OK)
    fail ("cpg_join", code);
  while (!all_are_there)
    dispatch (cpg, fd, PATIENCE_SECONDS * 1000);
  if (sends)
    measure (cpg, fd);
  else
    while (!one_has_left)
      dispatch (cpg, fd, PATIENCE_SECONDS * 1000);
  cpg_finalize (cpg);
  return 0;
}
