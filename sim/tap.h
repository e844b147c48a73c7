/* SPDX-License-Identifier: MIT */
/* A transport that passes everything on and tells the checkers of views and of the order
 * what went by. */
#pragma once

#include "sim/world.h"

/* Takes `inner`. `name` is borrowed for the world's life. */
Transport *tap_new (Transport *inner, World *world, const char *name, MemberId member);
