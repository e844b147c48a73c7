/* SPDX-License-Identifier: MIT */
/* Faults of clients and of their connections. */
#include "sim/client_ears.h"
#include "sim/fault_parts.h"

static SimClient *
client_of (World *world, const Fault *fault)
{
  for (guint i = 0; i < world->clients->len; i++)
    {
      SimClient *client = world_client (world, i);

      if (g_str_equal (client->name, fault->values.client))
        return client;
    }
  return NULL;
}

/* Or NULL. */
static SimClient *
open_client_of (World *world, const Fault *fault)
{
  SimClient *client = client_of (world, fault);

  return client == NULL || !sim_client_is_open (client) ? NULL : client;
}

gboolean
fault_tear (World *world, const Fault *fault)
{
  SimClient *client = open_client_of (world, fault);

  if (client == NULL)
    return FALSE;
  sim_client_tear (client);
  return TRUE;
}

gboolean
fault_close (World *world, const Fault *fault)
{
  SimClient *client = open_client_of (world, fault);

  if (client == NULL)
    return FALSE;
  sim_client_close (client, FALSE);
  return TRUE;
}

/* What comes from it when it listens again may have been sent long ago. */
static gboolean
set_hearing (World *world, const Fault *fault, ClientHearing hearing)
{
  SimClient *client = open_client_of (world, fault);
  Fault listen = fault_of (FAULT_LISTEN);

  if (client == NULL || sim_client_hearing (client) != CLIENT_HEARS)
    return FALSE;
  checker_delivery_late (world->checker_delivery, client->name, 0);
  sim_client_set_hearing (client, hearing);
  listen.values.client = g_strdup (client->name);
  fault_followed_by (world, fault, listen);
  return TRUE;
}

gboolean
fault_slow_reader (World *world, const Fault *fault)
{
  return set_hearing (world, fault, CLIENT_DOES_NOT_READ);
}

gboolean
fault_silence (World *world, const Fault *fault)
{
  return set_hearing (world, fault, CLIENT_IS_CUT_OFF);
}

gboolean
fault_listen (World *world, const Fault *fault)
{
  SimClient *client = client_of (world, fault);

  if (client == NULL || sim_client_hearing (client) == CLIENT_HEARS)
    return FALSE;
  sim_client_set_hearing (client, CLIENT_HEARS);
  return TRUE;
}

static gboolean
set_habit (World *world, const Fault *fault, ClientHabit habit)
{
  SimClient *client = client_of (world, fault);
  Fault behave = fault_of (FAULT_BEHAVE);

  if (client == NULL || client->habit != HABIT_USUAL)
    return FALSE;
  client->habit = habit;
  behave.values.client = g_strdup (client->name);
  fault_followed_by (world, fault, behave);
  return TRUE;
}

gboolean
fault_ack_nothing (World *world, const Fault *fault)
{
  return set_habit (world, fault, HABIT_SETTLES_NOTHING);
}

gboolean
fault_nack_storm (World *world, const Fault *fault)
{
  return set_habit (world, fault, HABIT_REQUEUES_ALL);
}

gboolean
fault_behave (World *world, const Fault *fault)
{
  SimClient *client = client_of (world, fault);

  if (client == NULL || client->habit == HABIT_USUAL)
    return FALSE;
  client->habit = HABIT_USUAL;
  return TRUE;
}
