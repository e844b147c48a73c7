/* SPDX-License-Identifier: MIT */
/* A member's Env in the simulator: virtual time as its clock shows it, and random numbers that
 * count on over all its lives, so that no incarnation is drawn twice. */
#pragma once

#include "core/base/env.h"
#include "sim/sim_random.h"
#include "transport/sim_network.h"

typedef struct SimEnv
{
  Env env;
  SimNetwork *network; /* borrowed */
  SimStream random;
  gint64 true_us; /* when its clock was last changed, */
  gint64 base_us; /* what it showed then, */
  guint percent;  /* and how fast it runs */
} SimEnv;

void sim_env_init (SimEnv *env, SimNetwork *network, SimStream random);
/* Its clock goes forward at once; or from here on at that share of true speed. */
void sim_env_jump (SimEnv *env, gint64 by_us);
void sim_env_drift (SimEnv *env, guint percent);
/* The true time at which it shows that. */
gint64 sim_env_true_us (const SimEnv *env, gint64 shown_us);
