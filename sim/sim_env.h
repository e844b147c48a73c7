/* SPDX-License-Identifier: MIT */
/* A member's Env in the simulator: virtual time, and random numbers that count on over all its
 * lives, so that no incarnation is drawn twice. */
#pragma once

#include "core/base/env.h"
#include "sim/sim_random.h"
#include "transport/sim_network.h"

typedef struct SimEnv
{
  Env env;
  SimNetwork *network; /* borrowed */
  SimStream random;
} SimEnv;

void sim_env_init (SimEnv *env, SimNetwork *network, SimStream random);
