/* SPDX-License-Identifier: MIT */
/* Who hears whom. Totem forms a ring by consensus: all its members have to have heard all others',
 * and that these agree. So a cut in one direction is one in both, and where hearing is not
 * transitive rings that are possible overlap. Which one forms is chance; and as its members go on
 * hearing others that are not in it, they try again and again. CPG shows that as views that come
 * and go, and nothing else. */
#include "core/base/digest.h"
#include "transport/sim_network_parts.h"

#define PURPOSE_CHOICE 7
#define PURPOSE_AGAIN  8

static guint64
draw (const SimNetwork *network, guint64 purpose, guint64 index)
{
  guint64 number = digest_combine (network->options.seed, purpose);

  return digest_combine (digest_combine (number, network->n_choices), index);
}

static gboolean
is_alone (const SimNetwork *network, const SimNode *node)
{
  return node->down || (node->paused && network->options.detection_us > 0);
}

static gboolean
hear_each_other (const SimNetwork *network, const SimNode *a, const SimNode *b)
{
  return a == b
         || (network->hears (a->node_id, b->node_id, network->hears_data)
             && network->hears (b->node_id, a->node_id, network->hears_data));
}

static gint
compare_turns (gconstpointer a, gconstpointer b, gpointer network)
{
  const SimNode *first = *(SimNode *const *) a, *second = *(SimNode *const *) b;
  guint64 of_first = draw (network, PURPOSE_CHOICE, first->node_id);
  guint64 of_second = draw (network, PURPOSE_CHOICE, second->node_id);

  return of_first < of_second ? -1 : of_first > of_second;
}

/* The nodes that may be in one ring with others, in the drawn order in which they are asked. */
static GPtrArray *
asked_nodes (SimNetwork *network)
{
  GPtrArray *nodes = g_ptr_array_new ();

  for (guint i = 0; i < network->nodes->len; i++)
    if (!is_alone (network, network->nodes->pdata[i]))
      g_ptr_array_add (nodes, network->nodes->pdata[i]);
  g_ptr_array_sort_with_data (nodes, compare_turns, network);
  return nodes;
}

static gboolean
hears_all_of (const SimNetwork *network, const SimNode *node, const GPtrArray *nodes, guint ring)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      const SimNode *other = nodes->pdata[i];

      if (other != node && other->wanted == ring && !hear_each_other (network, node, other))
        return FALSE;
    }
  return TRUE;
}

/* Each goes to the first ring all of whose members it hears, else it begins one. A ring is called
 * by the one that began it. */
static void
divide_by_hearing (SimNetwork *network)
{
  g_autoptr (GPtrArray) nodes = asked_nodes (network);
  g_autoptr (GArray) rings = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < nodes->len; i++)
    ((SimNode *) nodes->pdata[i])->wanted = SIM_ALONE;
  for (guint i = 0; i < nodes->len; i++)
    {
      SimNode *node = nodes->pdata[i];

      for (guint j = 0; j < rings->len && node->wanted == SIM_ALONE; j++)
        if (hears_all_of (network, node, nodes, g_array_index (rings, guint, j)))
          node->wanted = g_array_index (rings, guint, j);
      if (node->wanted != SIM_ALONE)
        continue;
      node->wanted = node->node_id;
      g_array_append_val (rings, node->node_id);
    }
}

/* Two that hear each other are in two rings: they will try again. */
static gboolean
may_change (const SimNetwork *network)
{
  for (guint i = 0; i < network->nodes->len; i++)
    for (guint j = 0; j < i; j++)
      {
        const SimNode *a = network->nodes->pdata[i], *b = network->nodes->pdata[j];

        if (a->wanted != b->wanted && !is_alone (network, a) && !is_alone (network, b)
            && hear_each_other (network, a, b))
          return TRUE;
      }
  return FALSE;
}

static void
choose_again (SimNetwork *network)
{
  guint64 span_us = (guint64) (network->choose_us_max - network->choose_us_min);

  if (network->choose_us != G_MAXINT64 || !may_change (network))
    return;
  network->choose_us = network->time.now_us + network->choose_us_min
                       + (gint64) (draw (network, PURPOSE_AGAIN, 0) % (span_us + 1));
}

void
sim_network_find_wanted (SimNetwork *network)
{
  if (network->hears != NULL)
    divide_by_hearing (network);
  for (guint i = 0; i < network->nodes->len; i++)
    {
      SimNode *node = network->nodes->pdata[i];

      if (is_alone (network, node))
        node->wanted = SIM_ALONE | node->node_id;
      else if (network->hears == NULL)
        node->wanted = network->component_of == NULL
                           ? 0
                           : network->component_of (node->node_id, network->component_data);
    }
  if (network->hears != NULL)
    choose_again (network);
}

void
sim_network_choose (SimNetwork *network)
{
  network->n_choices++;
  network->choose_us = G_MAXINT64;
  sim_network_hearing_changed (network, FALSE);
}

void
sim_network_partition (SimNetwork *network, SimComponentOf component_of, gpointer user_data)
{
  network->component_of = component_of;
  network->component_data = user_data;
  network->hears = NULL;
  network->choose_us = G_MAXINT64;
  sim_network_hearing_changed (network, FALSE);
}

void
sim_network_heal (SimNetwork *network)
{
  sim_network_partition (network, NULL, NULL);
}

void
sim_network_set_hearing (SimNetwork *network, SimHears hears, gpointer user_data,
                         gint64 again_us_min, gint64 again_us_max)
{
  g_assert (hears != NULL);
  /* Else a loss would never be noticed. */
  g_assert (again_us_min > network->options.detection_us && again_us_min <= again_us_max);
  network->component_of = NULL;
  network->hears = hears;
  network->hears_data = user_data;
  network->choose_us_min = again_us_min;
  network->choose_us_max = again_us_max;
  sim_network_choose (network);
}
