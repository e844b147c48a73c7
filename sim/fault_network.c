/* SPDX-License-Identifier: MIT */
/* Faults of the network between the nodes: what is partitioned, and in which order. */
#include "sim/fault_parts.h"
#include "sim/partitions.h"

gboolean
fault_partition (World *world, const Fault *fault)
{
  partitions_set (world->partitions, &fault->values);
  fault_followed_by (world, fault, fault_of (FAULT_HEAL));
  return TRUE;
}

/* A partition of one against all others. */
static Fault
alone (World *world, guint member)
{
  Fault fault = fault_of (FAULT_PARTITION);
  guint part = 1;

  fault.values.parts = g_array_new (FALSE, TRUE, sizeof (guint));
  g_array_set_size (fault.values.parts, world->members->len);
  g_array_index (fault.values.parts, guint, member) = part;
  return fault;
}

gboolean
fault_isolate (World *world, const Fault *fault)
{
  Fault parts;

  if (fault_member (world, fault) == NULL)
    return FALSE;
  parts = alone (world, (guint) fault->values.member);
  partitions_set (world->partitions, &parts.values);
  fault_clear (&parts);
  fault_followed_by (world, fault, fault_of (FAULT_HEAL));
  return TRUE;
}

gboolean
fault_heal (World *world, G_GNUC_UNUSED const Fault *fault)
{
  return partitions_heal (world->partitions);
}

/* --- recipes: nothing happens yet, but is planned ------------------------------------------------
 */

/* Halves that change by one member each time. */
gboolean
fault_flapping (World *world, const Fault *fault)
{
  gint64 now_us = world_now_us (world);
  guint n_times = (guint) CLAMP (fault->values.count, 1, 1000);
  gint64 each_us = fault->values.duration_us / n_times;
  guint n_members = world->members->len;

  for (guint i = 0; i < n_times; i++)
    {
      Fault parts = alone (world, i % n_members);

      for (guint j = 0; j < n_members / 2; j++)
        g_array_index (parts.values.parts, guint, (i + j) % n_members) = 1;
      faults_plan (world->faults, now_us + i * each_us, parts);
      /* Each second time they meet in between. */
      if (i % 2 == 1)
        faults_plan (world->faults, now_us + i * each_us + each_us / 2, fault_of (FAULT_HEAL));
    }
  faults_plan (world->faults, now_us + n_times * each_us, fault_of (FAULT_HEAL));
  return FALSE;
}

/* One after another each is a part of its own; then each comes back to the rest, the last one
 * first. */
gboolean
fault_swizzle (World *world, const Fault *fault)
{
  guint n_members = world->members->len;
  gint64 now_us = world_now_us (world);
  gint64 each_us = fault->values.duration_us / (2 * n_members);

  for (guint i = 1; i < 2 * n_members; i++)
    {
      guint n_alone = i < n_members ? i : 2 * n_members - 1 - i;
      Fault parts = alone (world, 0);

      for (guint j = 0; j < n_members; j++)
        g_array_index (parts.values.parts, guint, j) = j < n_alone ? j + 1 : 0;
      if (n_alone > 0)
        faults_plan (world->faults, now_us + (i - 1) * each_us, parts);
      else
        {
          fault_clear (&parts);
          faults_plan (world->faults, now_us + (i - 1) * each_us, fault_of (FAULT_HEAL));
        }
    }
  return FALSE;
}

/* Not scheduled until the others have cut it off and met it again. */
gboolean
fault_cut_off_paused (World *world, const Fault *fault)
{
  gint64 now_us = world_now_us (world);
  gint64 duration_us = fault->values.duration_us;
  guint member = (guint) fault->values.member;
  Fault pause = fault_of_member (FAULT_PAUSE, member);

  if (fault_member (world, fault) == NULL)
    return FALSE;
  pause.values.duration_us = duration_us;
  faults_plan (world->faults, now_us, pause);
  faults_plan (world->faults, now_us + duration_us / 4, fault_of_member (FAULT_ISOLATE, member));
  faults_plan (world->faults, now_us + duration_us * 3 / 4, fault_of (FAULT_HEAL));
  return FALSE;
}
