/* SPDX-License-Identifier: MIT */
/* When is everything delivered? When every seat has the view it must have in the end, and then
 * every mark that was sent behind everything else. */
#include "tests/transport/corosync_cluster.h"

#define SETTLE_SECONDS 30

typedef gboolean (*Condition) (Cluster *cluster);

static void
pump_until (Cluster *cluster, Condition condition, const char *what)
{
  gint64 deadline_us = g_get_monotonic_time () + SETTLE_SECONDS * G_USEC_PER_SEC;

  while (!condition (cluster))
    {
      if (g_get_monotonic_time () > deadline_us)
        g_error ("after %d seconds still not: %s", SETTLE_SECONDS, what);
      corosync_ask_all (cluster, COMMAND_PUMP);
    }
}

/* The next living seat in the group of `like`; NULL: of any. */
static Seat *
next_seat (const Cluster *cluster, const Seat *like, guint *i)
{
  while (*i < cluster->seats->len)
    {
      Seat *seat = cluster->seats->pdata[(*i)++];

      if (!seat->over && (like == NULL || g_str_equal (seat->group, like->group)))
        return seat;
    }
  return NULL;
}

static gboolean
has_true_view (const Cluster *cluster, const Seat *seat)
{
  guint n_members = 0;
  guint i = 0;
  const Seat *other;

  while ((other = next_seat (cluster, seat, &i)) != NULL)
    {
      gboolean found = FALSE;

      n_members++;
      for (guint j = 0; j < seat->view->len; j++)
        found = found
                || member_id_equal (g_array_index (seat->view, MemberId, j), other->process->name);
      if (!found)
        return FALSE;
    }
  return n_members == seat->view->len;
}

static gboolean
all_have_true_views (Cluster *cluster)
{
  guint i = 0;
  const Seat *seat;

  while ((seat = next_seat (cluster, NULL, &i)) != NULL)
    if (!has_true_view (cluster, seat))
      return FALSE;
  return TRUE;
}

static gboolean
has_mark (const Cluster *cluster, const Seat *seat, const Seat *sender, gboolean directed)
{
  gpointer number
      = g_hash_table_lookup (seat->marks, corosync_mark_key (sender->process, directed));

  return GPOINTER_TO_UINT (number) == cluster->last_mark;
}

static gboolean
all_have_marks (Cluster *cluster)
{
  guint i = 0;
  const Seat *seat, *sender;

  while ((seat = next_seat (cluster, NULL, &i)) != NULL)
    for (guint j = 0; (sender = next_seat (cluster, seat, &j)) != NULL;)
      if (!has_mark (cluster, seat, sender, FALSE))
        return FALSE;
  return TRUE;
}

static gboolean
talks_alone (const Seat *sender, const Seat *seat)
{
  return (sender->answers && sender != seat)
         || g_hash_table_contains (sender->sent_to, seat->process);
}

static gboolean
all_have_directed_marks (Cluster *cluster)
{
  guint i = 0;
  const Seat *seat, *sender;

  while ((seat = next_seat (cluster, NULL, &i)) != NULL)
    for (guint j = 0; (sender = next_seat (cluster, seat, &j)) != NULL;)
      if (talks_alone (sender, seat) && !has_mark (cluster, seat, sender, TRUE))
        return FALSE;
  return TRUE;
}

static gboolean
none_is_busy (Cluster *cluster)
{
  for (guint i = 0; i < cluster->processes->len; i++)
    if (((Process *) cluster->processes->pdata[i])->alive
        && ((Process *) cluster->processes->pdata[i])->busy)
      return FALSE;
  return TRUE;
}

static void
mark (Cluster *cluster, Command command)
{
  const Seat *seat = cluster->seats->pdata[command.seat];

  command.number = cluster->last_mark;
  command.size = MARK_SIZE;
  while (!seat->over && corosync_ask (cluster, seat->process, command).result == TRANSPORT_FULL)
    corosync_ask_all (cluster, COMMAND_PUMP);
}

static void
mark_groups (Cluster *cluster)
{
  guint i = 0;
  const Seat *seat;

  cluster->last_mark++;
  while ((seat = next_seat (cluster, NULL, &i)) != NULL)
    mark (cluster, (Command){ .kind = COMMAND_MULTICAST, .seat = seat->number });
  pump_until (cluster, all_have_marks, "all multicasts are delivered");
}

static void
mark_lines (Cluster *cluster)
{
  guint i = 0;
  const Seat *seat, *sender;

  cluster->last_mark++;
  while ((seat = next_seat (cluster, NULL, &i)) != NULL)
    for (guint j = 0; (sender = next_seat (cluster, seat, &j)) != NULL;)
      if (talks_alone (sender, seat))
        mark (cluster, (Command){ .kind = COMMAND_SEND_TO,
                                  .seat = sender->number,
                                  .to = seat->process->true_name });
  pump_until (cluster, all_have_directed_marks, "all directed messages are delivered");
}

/* What reactions have sent or who has left by itself is found by the second round. */
void
corosync_settle (Cluster *cluster)
{
  for (guint round = 0; round < 2; round++)
    {
      pump_until (cluster, all_have_true_views, "all views are true");
      mark_groups (cluster);
      pump_until (cluster, none_is_busy, "all reactions are sent");
      pump_until (cluster, all_have_true_views, "all views are true");
      mark_lines (cluster);
    }
}
