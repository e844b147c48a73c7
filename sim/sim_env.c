/* SPDX-License-Identifier: MIT */
#include "sim/sim_env.h"

static gint64
sim_env_now_us (Env *env)
{
  const SimEnv *self = (const SimEnv *) env;
  gint64 passed_us = sim_network_now_us (self->network) - self->true_us;

  /* Within a stretch true time may be before the last change of the clock. */
  return self->base_us + MAX (passed_us, 0) * self->percent / 100;
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
    .percent = 100,
  };
}

/* What it has shown until now stays. */
static void
begin_anew (SimEnv *env)
{
  env->base_us = sim_env_now_us (&env->env);
  env->true_us = sim_network_now_us (env->network);
}

void
sim_env_jump (SimEnv *env, gint64 by_us)
{
  begin_anew (env);
  env->base_us += by_us;
}

void
sim_env_drift (SimEnv *env, guint percent)
{
  begin_anew (env);
  env->percent = percent;
}

gint64
sim_env_true_us (const SimEnv *env, gint64 shown_us)
{
  gint64 left_us = shown_us - env->base_us;

  if (shown_us == ENV_NEVER || left_us <= 0)
    return shown_us == ENV_NEVER ? ENV_NEVER : env->true_us;
  return env->true_us + left_us / env->percent * 100
         + (left_us % env->percent * 100 + env->percent - 1) / env->percent;
}
