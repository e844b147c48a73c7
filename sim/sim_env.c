/* SPDX-License-Identifier: MIT */
#include "sim/sim_env.h"

static gint64
sim_env_now_us (Env *env)
{
  return sim_network_now_us (((SimEnv *) env)->network);
}

static guint64
sim_env_random_u64 (Env *env)
{
  return sim_stream_u64 (&((SimEnv *) env)->random);
}

void
sim_env_init (SimEnv *env, SimNetwork *network, SimStream random)
{
  *env = (SimEnv){
    .env = { .now_us = sim_env_now_us, .random_u64 = sim_env_random_u64 },
    .network = network,
    .random = random,
  };
}
