/* SPDX-License-Identifier: MIT */
/* What happened, in order, as canonical text: a line a point, the same in every run with the
 * same ordered events (no addresses, no wall-clock time). The daemon has no trace; the simulator
 * and the tests hang one on a node and read how each frame went.
 *
 * A point's text begins with its kind:
 *   handler NAME      a frame enters a link of a chain
 *   deliver           an envelope is accepted (or refused) at a position
 *   view              the membership changed
 *   ignore            a message of one that is not of our cluster, or of another version
 *   apply             an entry takes effect
 *   send              a frame for a client leaves the member
 *   state             a member's own state changed (idle, joining, active) */
#pragma once

#include <glib.h>

typedef struct Trace Trace;

struct Trace
{
  /* NULL: no text is wanted. */
  void (*emit) (Trace *trace, const char *member, const char *text);
  /* A situation that seldom comes about: its name, a constant. Costs no more than this call.
   * NULL: nobody counts. */
  void (*reached) (Trace *trace, const char *member, const char *situation);
  gboolean silent; /* nobody listens now: nothing is formatted */
};

void trace_write (Trace *trace, const char *member, const char *format, ...) G_GNUC_PRINTF (3, 4);

static inline gboolean
trace_is_heard (const Trace *trace)
{
  return trace != NULL && trace->emit != NULL && !trace->silent;
}

/* Nothing is formatted where there is no trace. */
#define trace_point(trace, member, ...)                                                            \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (G_UNLIKELY (trace_is_heard (trace)))                                                       \
      trace_write ((trace), (member), __VA_ARGS__);                                                \
  }                                                                                                \
  G_STMT_END

/* "Sometimes": so that a sweep can say which situations it never came to (sim/probes.def). */
static inline void
trace_reached (Trace *trace, const char *member, const char *situation)
{
  if (G_UNLIKELY (trace != NULL) && trace->reached != NULL)
    trace->reached (trace, member, situation);
}
