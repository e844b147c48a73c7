/* SPDX-License-Identifier: MIT */
/* A client: a connection that speaks AMQP through the real codec, and comes back to another member
 * when its own is lost. What it is for is its role's business (workload.h). */
#pragma once

#include "core/amqp/method.h"
#include "core/amqp/properties.h"
#include "sim/world.h"

typedef struct ClientRole ClientRole;

/* The content of a method that has one. */
typedef struct Content
{
  Properties properties;
  Slice body;
} Content;

struct ClientRole
{
  const char *name;
  /* connection.open-ok came: no channel is open yet. */
  void (*opened) (SimClient *client);
  /* Of a channel. Borrowed for the call. A channel.close was answered already. */
  void (*method) (SimClient *client, guint16 channel, const Method *method, const Content *content);
  /* The connection, if it was open, is gone; it comes back by itself. */
  void (*lost) (SimClient *client);
  void (*timer) (SimClient *client);
  void (*free) (gpointer role_data);
};

/* How a consumer settles what comes. */
typedef enum ClientHabit
{
  HABIT_USUAL,
  HABIT_SETTLES_NOTHING,
  HABIT_REQUEUES_ALL
} ClientHabit;

struct SimClient
{
  World *world;
  guint number;
  char *name;
  const ClientRole *role;
  gpointer role_data;
  SimStream random;  /* what the role draws */
  guint32 frame_max; /* as tuned */
  ClientHabit habit;
  struct ClientWire *wire;
  struct ClientEars *ears;
};

/* Takes `role_data`. Connects for the first time after `delay_us`. */
SimClient *sim_client_new (World *world, guint number, const ClientRole *role, gpointer role_data,
                           gint64 delay_us);
void sim_client_free (SimClient *client);

/* --- the role's ------------------------------------------------------------------------- */

void sim_client_send (SimClient *client, guint16 channel, const Method *method);
void sim_client_send_content (SimClient *client, guint16 channel, const Method *method,
                              const Properties *properties, Slice body);
/* The role's timer; a sooner or later one takes its place. */
void sim_client_set_timer (SimClient *client, gint64 delay_us);
/* The connection is torn, in the middle of a frame; it comes back by itself. */
void sim_client_tear (SimClient *client);
/* Closes the connection in an orderly way; it comes back by itself unless `for_good`. */
void sim_client_close (SimClient *client, gboolean for_good);
gboolean sim_client_is_closed_for_good (const SimClient *client);
gboolean sim_client_is_open (const SimClient *client);
/* The number of the member that it is, or was last, connected to. */
guint sim_client_member (const SimClient *client);

/* --- the world's ------------------------------------------------------------------------------ */

void sim_client_arrived (SimClient *client, const guint8 *bytes, gsize length);
void sim_client_link_ended (SimClient *client);
void sim_client_timer (SimClient *client, gint64 time_us);
/* NULL: it has none. */
struct Link *sim_client_peek_link (const SimClient *client);
