/* SPDX-License-Identifier: MIT */
/* A loss is not known when it happens. The token does not come back: the ring stands still, until
 * that and then a consensus of who is left have taken their time; then others form. */
#include "core/base/digest.h"
#include "transport/sim_network_parts.h"

#define PURPOSE_EARLY 5
#define PURPOSE_STEPS 10
/* Of so many meetings of three or more, one goes in two steps. */
#define STEPS_ONE_IN 3

static gboolean
loses (const SimRing *ring)
{
  const SimNode *first = ring->nodes->pdata[0];

  for (guint i = 0; i < ring->nodes->len; i++)
    {
      const SimNode *node = ring->nodes->pdata[i];

      if (node->down || node->wanted != first->wanted)
        return TRUE;
    }
  return FALSE;
}

/* What is on its way may still have its place before the gap, or past it. */
static void
order_some (SimNetwork *network)
{
  gint64 span_us = network->options.timing.us_max;
  guint64 number = digest_combine (network->options.seed, PURPOSE_EARLY);

  if (span_us == 0)
    return;
  number = digest_combine (digest_combine (number, network->n_partitions), 0);
  sim_network_order_early (network, network->time.now_us + (gint64) (number % (guint64) span_us));
}

static void
end_stalls (SimNetwork *network)
{
  for (guint i = 0; i < network->rings->len; i++)
    {
      SimRing *ring = network->rings->pdata[i];

      if (ring->stalled_until_us == G_MAXINT64)
        ring->stalled_until_us = network->time.now_us;
    }
}

void
sim_network_form (SimNetwork *network)
{
  network->form_us = G_MAXINT64;
  if (network->meets_later)
    sim_network_find_wanted (network);
  network->meets_later = FALSE;
  sim_network_divide_logs (network);
  end_stalls (network);
}

/* Of those that meet one stays away at first. */
static void
leave_out (GPtrArray *rings, guint left_out)
{
  const SimRing *first = rings->pdata[left_out == 0 ? 1 : 0];

  for (guint i = 0; i < rings->len; i++)
    {
      const SimRing *ring = rings->pdata[i];

      for (guint j = 0; j < ring->nodes->len; j++)
        ((SimNode *) ring->nodes->pdata[j])->wanted
            = i == left_out ? ring->component : first->component;
    }
}

/* Rings that will be one with that one, which is the first of them; NULL: less than three. */
static GPtrArray *
rings_that_meet (const SimNetwork *network, guint index)
{
  const SimRing *first = network->rings->pdata[index];
  guint wanted = ((const SimNode *) first->nodes->pdata[0])->wanted;
  g_autoptr (GPtrArray) rings = g_ptr_array_new ();

  for (guint i = 0; i < network->rings->len; i++)
    {
      SimRing *ring = network->rings->pdata[i];

      if (((const SimNode *) ring->nodes->pdata[0])->wanted != wanted)
        continue;
      if (i < index)
        return NULL;
      g_ptr_array_add (rings, ring);
    }
  return rings->len < 3 ? NULL : g_steal_pointer (&rings);
}

/* Nobody is lost. Where it takes time to notice that, sides hear of each other one by one. */
static void
meet (SimNetwork *network)
{
  guint64 number = digest_combine (network->options.seed, PURPOSE_STEPS);
  gboolean in_steps = FALSE;

  number = digest_combine (number, network->n_partitions);
  for (guint i = 0; network->options.detection_us > 0 && i < network->rings->len; i++)
    {
      g_autoptr (GPtrArray) rings = rings_that_meet (network, i);

      number = digest_combine (number, i);
      if (rings == NULL || number % STEPS_ONE_IN != 0)
        continue;
      leave_out (rings, (guint) (number / STEPS_ONE_IN % rings->len));
      in_steps = TRUE;
    }
  sim_network_form (network);
  if (!in_steps)
    return;
  network->meets_later = TRUE;
  network->form_us
      = network->time.now_us + 1 + (gint64) (number % (guint64) network->options.detection_us);
}

void
sim_network_hearing_changed (SimNetwork *network, gboolean noticed)
{
  gboolean waits = FALSE, was_waiting = network->form_us != G_MAXINT64;

  g_assert (network->depth == 0);
  /* What was being noticed may be undone by now, or something else be lost too. */
  network->form_us = G_MAXINT64;
  network->meets_later = FALSE;
  sim_network_unfreeze (network);
  network->n_partitions++;
  if (!was_waiting)
    order_some (network);
  sim_network_find_wanted (network);
  if (network->options.detection_us == 0 || noticed)
    {
      sim_network_form (network);
      return;
    }
  end_stalls (network);
  for (guint i = 0; i < network->rings->len; i++)
    {
      SimRing *ring = network->rings->pdata[i];

      if (!loses (ring))
        continue;
      waits = TRUE;
      sim_network_freeze (network, ring);
      sim_ring_stall (ring, G_MAXINT64);
    }
  if (waits)
    network->form_us = network->time.now_us + network->options.detection_us;
  else
    meet (network);
}

gint64
sim_network_forms_us (const SimNetwork *network)
{
  return network->form_us;
}
