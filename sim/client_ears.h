/* SPDX-License-Identifier: MIT */
/* What is between a client and the network: it may not read for a while, or be cut off. What is on
 * its way meanwhile is kept, as by sockets and wires. */
#pragma once

#include "sim/client.h"

typedef struct ClientEars ClientEars;

/* What is between a client and the network. */
typedef enum ClientHearing
{
  CLIENT_HEARS,
  CLIENT_DOES_NOT_READ, /* what is sent to it waits */
  CLIENT_IS_CUT_OFF     /* and what it sends */
} ClientHearing;

ClientEars *client_ears_new (void);
void client_ears_free (ClientEars *ears);

/* All that waited comes when it hears again, each in its order. */
void sim_client_set_hearing (SimClient *client, ClientHearing hearing);
ClientHearing sim_client_hearing (const SimClient *client);
/* For so long it has been heard, and has heard. */
gint64 sim_client_hears_for_us (const SimClient *client);
/* A packet of a link comes to it; or one that it sent is about to arrive. FALSE: not now, but
 * kept. */
gboolean sim_client_may_receive (SimClient *client, gpointer packet);
gboolean sim_client_may_be_heard (SimClient *client, gpointer packet);
