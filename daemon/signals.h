/* SPDX-License-Identifier: MIT */
/* TERM and INT: the first asks for an orderly stop, the second for one at once. PIPE is ignored:
 * a write tells of a closed socket itself. */
#pragma once

#include "daemon/io_poller.h"

typedef struct SignalListener
{
  void (*stop) (gpointer user_data);
  void (*stop_now) (gpointer user_data);
} SignalListener;

/* Called in the poller's turns, until signals_unwatch. All are borrowed. One watch in a process. */
void signals_watch (IoPoller *poller, const SignalListener *listener, gpointer user_data);
void signals_unwatch (void);
