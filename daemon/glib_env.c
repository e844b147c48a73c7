/* SPDX-License-Identifier: MIT */
#include "daemon/glib_env.h"

#include <errno.h>
#include <sys/random.h>

static gint64
glib_env_now_us (Env *env)
{
  (void) env;
  return g_get_monotonic_time ();
}

/* Without random numbers two lives could get one incarnation, and secrets be guessed: better to
 * end here. The kernel has them once it has booted, and 8 bytes are never handed out in part. */
static guint64
glib_env_random_u64 (Env *env)
{
  guint64 value;
  ssize_t n;

  (void) env;
  do
    n = getrandom (&value, sizeof value, 0);
  while (n < 0 && errno == EINTR);
  if (n != (ssize_t) sizeof value)
    g_error ("getrandom: %s", g_strerror (errno));
  return value;
}

static Env glib_env = { .now_us = glib_env_now_us, .random_u64 = glib_env_random_u64 };

Env *
glib_env_get (void)
{
  return &glib_env;
}
