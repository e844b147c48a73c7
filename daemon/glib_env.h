/* SPDX-License-Identifier: MIT */
/* Env of the real world: the monotonic clock and the kernel's random source. */
#pragma once

#include "core/base/env.h"

/* Of static life; there is nothing to free. */
Env *glib_env_get (void);
