/* SPDX-License-Identifier: MIT */
/* What clients do: exchanges and queues that the steward declares once, publishers and consumers on
 * them, one client that declares and deletes its own, and the messages that travel. */
#pragma once

#include "sim/client.h"

/* --- the queues and how to reach them ----------------------------------------------------- */

extern const DeliveryQueue workload_queues[];
extern const guint n_workload_queues;

typedef struct Route
{
  const char *exchange;
  const char *key;
  guint32 reaches; /* a bit for each of workload_queues */
  gboolean mandatory;
} Route;

extern const Route workload_routes[];
extern const guint n_workload_routes;

/* --- messages ----------------------------------------------------------------------------- */

/* What a body of that publish is made of; `bytes` has room for `size`. */
void workload_fill_body (guint32 number, guint8 *bytes, gsize size);
/* A size: none, small, several frames, rarely large. */
gsize workload_draw_size (SimClient *client);
/* Sends it with basic.publish on channel 1; number 0: nobody's concern. */
void workload_publish (SimClient *client, const Route *route, guint32 number, gsize size);
/* The number that a message says it has, and whether it is whole. */
guint32 workload_read (const Content *content, gboolean *ret_unaltered);

/* --- roles ------------------------------------------------------------------------------------ */

SimClient *workload_publisher_new (World *world, guint number, guint quota);
SimClient *workload_consumer_new (World *world, guint number, guint index, guint n_consumers);
SimClient *workload_churn_new (World *world, guint number);
SimClient *workload_steward_new (World *world, guint number);

/* There is a client of that name in such a run. */
gboolean workload_has_client (const SimOptions *options, const char *name);
/* Makes them all: the steward is the last, and begins. */
void workload_populate (World *world);
/* Sends channel.open for channel 1. */
void workload_open_channel (SimClient *client);
/* TRUE at the work phase in `n` of a thousand cases, unless clients are to be quiet. */
gboolean workload_mischief (SimClient *client, guint n);
/* A channel was closed: says so if the client did not ask for that. `provoked` is the code it
 * provoked, or 0. */
void workload_channel_closed (SimClient *client, const ChannelClose *close, guint provoked);
