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

static gboolean
set_hearing (World *world, const Fault *fault, Deafness deafness)
{
  if (!partitions_set_hearing (world->partitions, deafness, &fault->values))
    return FALSE;
  fault_followed_by (world, fault, fault_of (FAULT_HEAL));
  return TRUE;
}

gboolean
fault_one_way (World *world, const Fault *fault)
{
  return set_hearing (world, fault, DEAF_ONE_WAY);
}

gboolean
fault_non_transitive (World *world, const Fault *fault)
{
  return set_hearing (world, fault, DEAF_BOTH_WAYS);
}

gboolean
fault_majority_ring (World *world, const Fault *fault)
{
  return set_hearing (world, fault, DEAF_IN_A_CIRCLE);
}

gboolean
fault_heal (World *world, G_GNUC_UNUSED const Fault *fault)
{
  return partitions_heal (world->partitions);
}

/* --- recipes: nothing happens yet, but is planned ------------------------------------------------
 *
 * What is drawn here is the seed's, also when a scenario asks for it; what comes of it is recorded
 * one by one. */

gboolean
fault_flapping (World *world, const Fault *fault)
{
  SimStream *random = faults_recipe_random (world->faults);
  gint64 at_us = faults_at_us (world->faults);
  guint n_times = (guint) CLAMP (fault->values.count, 1, 1000);
  gint64 each_us = MAX (fault->values.duration_us / n_times, 2);

  for (guint i = 0; i < n_times; i++)
    {
      Fault parts = fault_of (FAULT_PARTITION);

      parts.values.parts = fault_draw_parts (world, random);
      if (parts.values.parts != NULL)
        faults_plan (world->faults, at_us, parts);
      if (sim_stream_chance (random, 2, 3))
        faults_plan (world->faults, at_us + sim_stream_between (random, 1, each_us),
                     fault_of (FAULT_HEAL));
      at_us += sim_stream_between (random, 1, 2 * each_us);
    }
  faults_plan (world->faults, at_us + each_us, fault_of (FAULT_HEAL));
  return FALSE;
}

static void
shuffle (guint *numbers, guint n_numbers, SimStream *random)
{
  for (guint i = n_numbers; i > 1; i--)
    {
      guint other = sim_stream_below (random, i);
      guint kept = numbers[i - 1];

      numbers[i - 1] = numbers[other];
      numbers[other] = kept;
    }
}

/* One after another each is a part of its own; then each comes back to the rest, in any order. */
gboolean
fault_swizzle (World *world, const Fault *fault)
{
  SimStream *random = faults_recipe_random (world->faults);
  guint n_members = world->members->len;
  gint64 each_us = fault->values.duration_us / (2 * n_members);
  g_autofree guint *order = g_new (guint, n_members);
  Fault parts = alone (world, 0);

  g_array_index (parts.values.parts, guint, 0) = 0;
  for (guint i = 0; i < n_members; i++)
    order[i] = i;
  shuffle (order, n_members, random);
  for (guint i = 0; i < 2 * n_members - 1; i++)
    {
      Fault now;

      if (i == n_members)
        shuffle (order, n_members, random);
      g_array_index (parts.values.parts, guint, order[i % n_members])
          = i < n_members ? order[i] + 1 : 0;
      now = fault_copy (&parts);
      fault_number_parts (now.values.parts);
      faults_plan (world->faults, faults_at_us (world->faults) + i * each_us, now);
    }
  faults_plan (world->faults, faults_at_us (world->faults) + fault->values.duration_us,
               fault_of (FAULT_HEAL));
  fault_clear (&parts);
  return FALSE;
}

/* Not scheduled; the others cut it off meanwhile, and meet it again before or after it goes on. */
gboolean
fault_cut_off_paused (World *world, const Fault *fault)
{
  SimStream *random = faults_recipe_random (world->faults);
  gint64 now_us = faults_at_us (world->faults);
  gint64 duration_us = MAX (fault->values.duration_us, 4);
  guint member = (guint) fault->values.member;
  Fault pause = fault_of_member (FAULT_PAUSE, member);

  if (fault_member (world, fault) == NULL)
    return FALSE;
  pause.values.duration_us = duration_us;
  faults_plan (world->faults, now_us, pause);
  now_us += sim_stream_between (random, 1, duration_us / 4);
  faults_plan (world->faults, now_us, fault_of_member (FAULT_ISOLATE, member));
  faults_plan (world->faults, now_us + sim_stream_between (random, 1, duration_us),
               fault_of (FAULT_HEAL));
  return FALSE;
}
