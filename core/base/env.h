/* SPDX-License-Identifier: MIT */
/* The only way the core meets the outside world. Only the edge (handshakes, heartbeats, the
 * drawing of names and ids, the outbox's retry) may ask it; the replicated model never does:
 * there, only ordered events decide (doc/determinism.md).
 *
 * There are no timer callbacks: whoever owns a node asks it when it wants to be called next
 * (node_next_deadline_us) and calls node_tick then. The daemon answers from the monotonic clock
 * and the kernel's random source, the simulator from virtual time and its seed. */
#pragma once

#include <glib.h>

typedef struct Env Env;

struct Env
{
  /* Monotonic time in microseconds; any origin, never falls. */
  gint64 (*now_us) (Env *env);
  /* 64 random bits, unguessable in the daemon. */
  guint64 (*random_u64) (Env *env);
};

static inline gint64
env_now_us (Env *env)
{
  return env->now_us (env);
}

static inline guint64
env_random_u64 (Env *env)
{
  return env->random_u64 (env);
}

/* A deadline that never comes. */
#define ENV_NEVER G_MAXINT64
