/* SPDX-License-Identifier: MIT */
/* TERM and INT: the first asks for an orderly stop, the second for one at once. PIPE is ignored:
 * a write tells of a closed socket itself. */
#pragma once

#include <glib.h>

typedef struct SignalListener
{
  void (*stop) (gpointer user_data);
  void (*stop_now) (gpointer user_data);
} SignalListener;

/* In the default main context, until signals_unwatch. Both are borrowed. */
void signals_watch (const SignalListener *listener, gpointer user_data);
void signals_unwatch (void);
