/* SPDX-License-Identifier: MIT */
#include "tests/transport/corosync_cluster.h"
#include "core/base/error.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_NODES 3

/* --- names ------------------------------------------------------------------------------------ */

static MemberId
name_of (const Cluster *cluster, MemberId true_name)
{
  for (guint i = 0; i < cluster->translations->len; i++)
    {
      const Translation *entry = &g_array_index (cluster->translations, Translation, i);

      if (member_id_equal (entry->true_name, true_name))
        return entry->name;
    }
  g_error ("nobody is %u.%u", true_name.node_id, true_name.process_id);
}

static Process *
process_of (const Cluster *cluster, MemberId name)
{
  for (guint i = cluster->processes->len; i-- > 0;)
    {
      Process *process = cluster->processes->pdata[i];

      if (process->alive && member_id_equal (process->name, name))
        return process;
    }
  return NULL;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return member_id_compare (*(const MemberId *) a, *(const MemberId *) b);
}

/* --- processes -------------------------------------------------------------------------------- */

static Process *
process_new (Cluster *cluster, MemberId name)
{
  Process *process = g_new0 (Process, 1);
  g_autofree char *node = g_strdup_printf ("%u", 1 + name.node_id % N_NODES);
  g_autofree char *member
      = g_build_filename (g_getenv ("top_builddir"), "tests", "transport", "corosync_member", NULL);
  const char *argv[] = { g_getenv ("CONSORT_LAB"), "exec", node, member, NULL };
  g_autoptr (GError) error = NULL;

  g_spawn_async_with_pipes (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                            &process->pid, &process->commands, &process->reports, NULL, &error);
  g_assert_no_error (error);
  process->name = name;
  process->alive = TRUE;
  g_ptr_array_add (cluster->processes, process);
  return process;
}

static void
process_end (Process *process, gboolean crash)
{
  int status;

  if (!process->alive)
    return;
  process->alive = FALSE;
  if (crash)
    kill (process->pid, SIGKILL);
  close (process->commands);
  g_assert_cmpint (waitpid (process->pid, &status, 0), ==, process->pid);
  if (!crash)
    g_assert_cmpint (status, ==, 0);
  close (process->reports);
  g_spawn_close_pid (process->pid);
}

static void
process_free (gpointer data)
{
  process_end (data, FALSE);
  g_free (data);
}

static void
get (const Process *process, gpointer bytes, gsize size)
{
  guint8 *at = bytes;

  while (size > 0)
    {
      ssize_t n = read (process->reports, at, size);

      g_assert_cmpint (n, >, 0);
      at += n;
      size -= (gsize) n;
    }
}

static GArray *
get_names (const Cluster *cluster, const Process *process, guint n, gboolean in_order)
{
  GArray *names = g_array_new (FALSE, FALSE, sizeof (MemberId));
  MemberId before = { 0 };

  for (guint i = 0; i < n; i++)
    {
      MemberId true_name, name;

      get (process, &true_name, sizeof true_name);
      if (in_order && i > 0)
        g_assert_cmpint (member_id_compare (before, true_name), <, 0);
      before = true_name;
      name = name_of (cluster, true_name);
      g_array_append_val (names, name);
    }
  g_array_sort (names, compare_names);
  return names;
}

/* --- reports ---------------------------------------------------------------------------------- */

gpointer
corosync_mark_key (const Process *sender, gboolean directed)
{
  return (gpointer) ((const guint8 *) sender + (directed ? 1 : 0));
}

static void
take_record (Cluster *cluster, Seat *seat, const Report *report)
{
  Record record = {
    .kind = report->record_kind,
    .directed = report->directed != 0,
    .number = report->number,
    .size = report->size,
    .intact = report->intact != 0,
    .inside_call = report->inside_call != 0,
  };

  if (record.kind == RECORD_MESSAGE)
    record.sender = name_of (cluster, report->id);
  if (record.kind == RECORD_FAILED)
    seat->over = TRUE;
  if (record.kind == RECORD_VIEW)
    {
      record.members = get_names (cluster, seat->process, report->n_members, TRUE);
      record.left = get_names (cluster, seat->process, report->n_left, FALSE);
      record.joined = get_names (cluster, seat->process, report->n_joined, FALSE);
      g_array_set_size (seat->view, 0);
      g_array_append_vals (seat->view, record.members->data, record.members->len);
    }
  g_array_append_val (seat->records, record);
}

static void
take_report (Cluster *cluster, const Report *report)
{
  Seat *seat = cluster->seats->pdata[report->seat];

  if (report->kind == REPORT_RECORD)
    take_record (cluster, seat, report);
  else if (report->kind == REPORT_LEFT)
    seat->over = TRUE;
  else
    g_hash_table_insert (seat->marks,
                         corosync_mark_key (process_of (cluster, name_of (cluster, report->id)),
                                            report->directed != 0),
                         GUINT_TO_POINTER (report->number));
}

Report
corosync_ask (Cluster *cluster, Process *process, Command command)
{
  Report report;

  g_assert_cmpint (write (process->commands, &command, sizeof command), ==, sizeof command);
  for (;;)
    {
      get (process, &report, sizeof report);
      if (report.kind == REPORT_DONE)
        return report;
      take_report (cluster, &report);
    }
}

/* --- the test's commands ---------------------------------------------------------------------- */

static void
seat_free (gpointer data)
{
  Seat *seat = data;

  g_array_unref (seat->records);
  g_array_unref (seat->view);
  g_hash_table_unref (seat->sent_to);
  g_hash_table_unref (seat->marks);
  g_free (seat->group);
  g_free (seat);
}

static Cluster *
corosync_new (guint64 seed)
{
  static guint n_clusters;
  Cluster *cluster = g_new0 (Cluster, 1);

  cluster->processes = g_ptr_array_new_with_free_func (process_free);
  cluster->seats = g_ptr_array_new_with_free_func (seat_free);
  cluster->translations = g_array_new (FALSE, FALSE, sizeof (Translation));
  cluster->group_suffix = g_strdup_printf ("-%u-%" G_GUINT64_FORMAT, n_clusters++, seed);
  cluster->last_mark = NUMBER_MARK;
  return cluster;
}

static void
corosync_free (Cluster *cluster)
{
  g_ptr_array_unref (cluster->processes);
  g_ptr_array_unref (cluster->seats);
  g_array_unref (cluster->translations);
  g_free (cluster->group_suffix);
  g_free (cluster);
}

static gboolean
corosync_join (Cluster *cluster, MemberId member, const char *group, Reaction reaction,
               guint *ret_seat, GError **error)
{
  Process *process = process_of (cluster, member);
  Command command = { .kind = COMMAND_JOIN, .seat = cluster->seats->len, .reaction = reaction };
  Seat *seat = g_new0 (Seat, 1);
  Report report;

  if (process == NULL)
    process = process_new (cluster, member);
  *seat = (Seat){ .number = command.seat, .process = process, .group = g_strdup (group) };
  seat->answers = reaction == REACTION_ANSWER;
  seat->records = g_array_new (FALSE, FALSE, sizeof (Record));
  g_array_set_clear_func (seat->records, record_clear);
  seat->view = g_array_new (FALSE, FALSE, sizeof (MemberId));
  seat->sent_to = g_hash_table_new (NULL, NULL);
  seat->marks = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (cluster->seats, seat);
  g_snprintf (command.group, sizeof command.group, "%s%s", group, cluster->group_suffix);
  report = corosync_ask (cluster, process, command);
  if (!report.result)
    {
      g_ptr_array_set_size (cluster->seats, cluster->seats->len - 1);
      return system_error (error, SYSTEM_ERROR_TRANSPORT, "the join was refused");
    }
  if (process->true_name.node_id == 0)
    {
      Translation entry = { .true_name = report.id, .name = member };

      process->true_name = report.id;
      g_array_append_val (cluster->translations, entry);
    }
  *ret_seat = command.seat;
  return TRUE;
}

static TransportResult
corosync_multicast (Cluster *cluster, guint index, guint32 number, gsize size)
{
  Seat *seat = cluster->seats->pdata[index];
  Command command
      = { .kind = COMMAND_MULTICAST, .seat = index, .number = number, .size = (guint32) size };

  if (seat->over)
    return TRANSPORT_GONE;
  return (TransportResult) corosync_ask (cluster, seat->process, command).result;
}

static TransportResult
corosync_send_to (Cluster *cluster, guint index, MemberId to, guint32 number, gsize size)
{
  Seat *seat = cluster->seats->pdata[index];
  Process *target = process_of (cluster, to);
  Command command
      = { .kind = COMMAND_SEND_TO, .seat = index, .number = number, .size = (guint32) size };

  if (seat->over)
    return TRANSPORT_GONE;
  if (target == NULL)
    return TRANSPORT_SENT;
  command.to = target->true_name;
  g_hash_table_add (seat->sent_to, target);
  return (TransportResult) corosync_ask (cluster, seat->process, command).result;
}

/* In its first life in the group: a later one may not be known yet under the same name. */
static gboolean
corosync_knows (Cluster *cluster, guint index, guint other_index)
{
  const Seat *seat = cluster->seats->pdata[index];
  const Seat *other = cluster->seats->pdata[other_index];
  gboolean present = FALSE;

  for (guint i = 0; i < cluster->seats->len; i++)
    {
      const Seat *earlier = cluster->seats->pdata[i];

      if (i != other_index && g_str_equal (earlier->group, other->group)
          && member_id_equal (earlier->process->name, other->process->name))
        return FALSE;
    }
  for (guint i = 0; i < seat->view->len; i++)
    present = present
              || member_id_equal (g_array_index (seat->view, MemberId, i), other->process->name);
  return present;
}

static void
corosync_leave (Cluster *cluster, guint index)
{
  Seat *seat = cluster->seats->pdata[index];

  if (seat->over)
    return;
  seat->over = TRUE;
  corosync_ask (cluster, seat->process, (Command){ .kind = COMMAND_LEAVE, .seat = index });
}

static void
corosync_crash (Cluster *cluster, MemberId member)
{
  Process *process = process_of (cluster, member);

  if (process == NULL)
    return;
  process_end (process, TRUE);
  for (guint i = 0; i < cluster->seats->len; i++)
    {
      Seat *seat = cluster->seats->pdata[i];

      if (seat->process == process)
        seat->over = TRUE;
    }
}

void
corosync_ask_all (Cluster *cluster, CommandKind kind)
{
  for (guint i = 0; i < cluster->processes->len; i++)
    {
      Process *process = cluster->processes->pdata[i];

      if (process->alive)
        process->busy = corosync_ask (cluster, process, (Command){ .kind = kind }).busy != 0;
    }
}

static void
corosync_step (Cluster *cluster)
{
  corosync_ask_all (cluster, COMMAND_STEP);
}

static const GArray *
corosync_records (Cluster *cluster, guint index)
{
  return ((const Seat *) cluster->seats->pdata[index])->records;
}

const ClusterType corosync_cluster = {
  .name = "corosync",
  .n_storms = 5,
  .bounds_window = TRUE,
  .orders_later = FALSE,
  .new = corosync_new,
  .free = corosync_free,
  .join = corosync_join,
  .multicast = corosync_multicast,
  .send_to = corosync_send_to,
  .knows = corosync_knows,
  .leave = corosync_leave,
  .crash = corosync_crash,
  .step = corosync_step,
  .settle = corosync_settle,
  .records = corosync_records,
};
