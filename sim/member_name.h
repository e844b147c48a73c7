/* SPDX-License-Identifier: MIT */
/* What members are called: A, B, ... Z, M26, M27, ... by number. */
#pragma once

#include <glib.h>

#define MEMBER_NAME_SIZE 16

/* Writes to `buffer` and returns it. */
const char *member_name_text (guint number, char buffer[MEMBER_NAME_SIZE]);
/* FALSE: no member can have that name. */
gboolean member_name_parse (const char *name, guint *ret_number);
