/* SPDX-License-Identifier: MIT */
#include "transport/sim_ring.h"

/* Totem's and CPG's header of a message. */
#define OVERHEAD 191
/* Of corosync.conf: max_messages, window_size, seqno_unchanged_const. */
#define VISIT_FRAMES    17
#define ROTATION_FRAMES 50
#define IDLE_ROTATIONS  30

SimRing *
sim_ring_new (guint component)
{
  SimRing *ring = g_new0 (SimRing, 1);

  ring->component = component;
  ring->nodes = g_ptr_array_new ();
  ring->stalled_until_us = SIM_NOT_STALLED;
  ring->slowness = 1;
  return ring;
}

void
sim_ring_free (SimRing *ring)
{
  g_ptr_array_unref (ring->nodes);
  g_free (ring);
}

static guint
count_queued (const SimNode *node)
{
  guint count = 0;

  for (const Order *order = node->head; order != NULL; order = order->next)
    count++;
  return count;
}

void
sim_ring_add (SimRing *ring, SimNode *node)
{
  guint place = 0;

  while (place < ring->nodes->len
         && ((const SimNode *) ring->nodes->pdata[place])->node_id < node->node_id)
    place++;
  g_ptr_array_insert (ring->nodes, (gint) place, node);
  node->ring = ring;
  node->component = ring->component;
  node->n_frames = 0;
  ring->n_queued += count_queued (node);
  ring->at = 0;
}

void
sim_ring_remove (SimRing *ring, SimNode *node)
{
  g_ptr_array_remove (ring->nodes, node);
  ring->n_queued -= count_queued (node);
  ring->n_frames -= node->n_frames;
  ring->at = 0;
  node->ring = NULL;
}

void
sim_ring_stall (SimRing *ring, gint64 until_us)
{
  ring->stalled_until_us = MAX (ring->stalled_until_us, until_us);
}

/* --- the token ------------------------------------------------------------------------------- */

static gint64
hop_ns (SimRing *ring, const SimTiming *timing)
{
  if (ring->slowness > 1 && ring->token_ns >= ring->slow_until_us * 1000)
    ring->slowness = 1;
  return timing->ring.hop_ns * ring->slowness;
}

static SimNode *
node_at (const SimRing *ring, guint index)
{
  return ring->nodes->pdata[index % ring->nodes->len];
}

/* The token passes, and nothing is sent there. */
static void
pass (SimRing *ring, guint n_nodes, gint64 hop)
{
  for (guint i = 0; i < MIN (n_nodes, ring->nodes->len) && ring->n_frames > 0; i++)
    {
      SimNode *node = node_at (ring, ring->at + i);

      ring->n_frames -= node->n_frames;
      node->n_frames = 0;
    }
  ring->at = (ring->at + n_nodes) % ring->nodes->len;
  ring->token_ns += n_nodes * hop;
}

/* To where it is now; whoever had something to send would have been visited on the way. */
static void
roll_to (SimRing *ring, const SimTiming *timing, gint64 now_us)
{
  gint64 hop = hop_ns (ring, timing);
  gint64 behind_ns = now_us * 1000 - ring->token_ns;
  gint64 idle_ns = IDLE_ROTATIONS * hop * ring->nodes->len;

  if (behind_ns <= 0)
    return;
  if (ring->n_queued == 0 && behind_ns > idle_ns)
    {
      pass (ring, ring->nodes->len, 0);
      ring->at = 0;
      ring->token_ns = now_us * 1000 + hop;
    }
  else
    pass (ring, (guint) ((behind_ns + hop - 1) / hop), hop);
}

/* How many nodes before one that has something to send; the number of nodes: none has. */
static guint
distance (const SimRing *ring)
{
  guint n = 0;

  while (n < ring->nodes->len
         && (node_at (ring, ring->at + n)->head == NULL || node_at (ring, ring->at + n)->paused))
    n++;
  return n;
}

/* --- what waits ------------------------------------------------------------------------------- */

static gsize
cost_of (const Order *order)
{
  return OVERHEAD + (order->bytes == NULL ? 0 : order->bytes->size);
}

void
sim_node_queue (SimNode *node, Order *order, const SimTiming *timing, gint64 now_us)
{
  SimRing *ring = node->ring;

  if (timing->kind == SIM_TIMING_TOKEN_RING && !sim_ring_is_stalled (ring, now_us))
    roll_to (ring, timing, now_us);
  order->next = NULL;
  if (node->tail == NULL)
    node->head = order;
  else
    node->tail->next = order;
  node->tail = order;
  node->queued += cost_of (order);
  ring->n_queued++;
}

static Order *
take_first (SimNode *node)
{
  Order *order = node->head;

  node->head = order->next;
  if (node->head == NULL)
    node->tail = NULL;
  node->queued -= cost_of (order);
  node->sent = 0;
  node->ring->n_queued--;
  return order;
}

void
sim_node_drop (SimNode *node, const SimMembership *from, GFunc order_free)
{
  Order *kept = NULL, *last = NULL;
  gboolean first = TRUE;

  while (node->head != NULL)
    {
      gsize sent = node->sent;
      Order *order = take_first (node);

      if (from == NULL || order->from == from)
        {
          order_free (order, NULL);
          first = FALSE;
          continue;
        }
      if (last == NULL)
        kept = order;
      else
        last->next = order;
      last = order;
      if (first)
        node->sent = sent;
      first = FALSE;
      order->next = NULL;
    }
  node->head = kept;
  node->tail = last;
  for (const Order *order = kept; order != NULL; order = order->next)
    {
      node->queued += cost_of (order);
      node->ring->n_queued++;
    }
}

static gint64
ceil_us (gint64 ns)
{
  return (ns + 999) / 1000;
}

gint64
sim_ring_next_us (SimRing *ring, const SimTiming *timing)
{
  guint n_passed;

  if (ring->n_queued == 0 || ring->stalled_until_us == G_MAXINT64)
    return G_MAXINT64;
  if (timing->kind != SIM_TIMING_TOKEN_RING)
    return ring->stalled_until_us == SIM_NOT_STALLED ? G_MAXINT64 : ring->stalled_until_us;
  n_passed = distance (ring);
  if (n_passed == ring->nodes->len)
    return G_MAXINT64;
  if (ring->token_ns < ring->stalled_until_us * 1000)
    return ring->stalled_until_us;
  return ceil_us (ring->token_ns + n_passed * hop_ns (ring, timing));
}

/* The token is here. */
static void
visit (SimRing *ring, const SimTiming *timing, SimOrdered ordered, gpointer user_data)
{
  const SimTokenRing *of = &timing->ring;
  SimNode *node = node_at (ring, ring->at);
  guint others = ring->n_frames - node->n_frames;
  gsize room
      = (gsize) MIN (VISIT_FRAMES, ROTATION_FRAMES - MIN (others, ROTATION_FRAMES)) * of->frame;
  gsize used = 0;

  while (node->head != NULL && used < room)
    {
      gsize rest = cost_of (node->head) - node->sent;

      if (rest > room - used)
        {
          node->sent += room - used;
          used = room;
          break;
        }
      used += rest;
      ordered (take_first (node),
               ceil_us (ring->token_ns
                        + (gint64) ((used + of->packet - 1) / of->packet) * of->packet_ns),
               user_data);
    }
  node->n_frames = (guint) ((used + of->frame - 1) / of->frame);
  ring->n_frames = others + node->n_frames;
  ring->token_ns
      += hop_ns (ring, timing) + (gint64) ((used + of->packet - 1) / of->packet) * of->packet_ns;
  ring->at = (ring->at + 1) % ring->nodes->len;
}

static int
compare_arrivals (gconstpointer a, gconstpointer b)
{
  const Order *first = *(Order *const *) a, *second = *(Order *const *) b;

  return first->arrival < second->arrival ? -1 : first->arrival > second->arrival;
}

/* As their daemons got them. */
static void
release (GPtrArray *nodes, gint64 now_us, SimOrdered ordered, gpointer user_data)
{
  g_autoptr (GPtrArray) orders = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    {
      SimNode *node = nodes->pdata[i];

      while (node->head != NULL && !node->paused)
        g_ptr_array_add (orders, take_first (node));
    }
  g_ptr_array_sort (orders, compare_arrivals);
  for (guint i = 0; i < orders->len; i++)
    ordered (orders->pdata[i], now_us, user_data);
}

void
sim_ring_order (SimRing *ring, const SimTiming *timing, gint64 now_us, SimOrdered ordered,
                gpointer user_data)
{
  if (timing->kind != SIM_TIMING_TOKEN_RING)
    {
      ring->stalled_until_us = SIM_NOT_STALLED;
      release (ring->nodes, now_us, ordered, user_data);
      return;
    }
  if (ring->token_ns < ring->stalled_until_us * 1000)
    {
      pass (ring, ring->nodes->len, 0);
      ring->at = 0;
      ring->token_ns = ring->stalled_until_us * 1000;
    }
  ring->stalled_until_us = SIM_NOT_STALLED;
  if (ceil_us (ring->token_ns + distance (ring) * hop_ns (ring, timing)) > now_us)
    return;
  pass (ring, distance (ring), hop_ns (ring, timing));
  visit (ring, timing, ordered, user_data);
}

void
sim_node_flush (SimNode *node, gint64 now_us, SimOrdered ordered, gpointer user_data)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  g_ptr_array_add (nodes, node);
  release (nodes, now_us, ordered, user_data);
}

void
sim_node_release (SimNode *node, const SimTiming *timing, gint64 now_us, SimOrdered ordered,
                  gpointer user_data)
{
  if (sim_ring_is_stalled (node->ring, now_us))
    return;
  if (timing->kind == SIM_TIMING_TOKEN_RING)
    roll_to (node->ring, timing, now_us);
  else
    sim_node_flush (node, now_us, ordered, user_data);
}
