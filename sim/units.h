/* SPDX-License-Identifier: MIT */
/* Numbers with their unit, as people write them: 250us, 5ms, 2s; 512B, 64KiB, 1MiB. Printed in the
 * largest unit that is exact. */
#pragma once

#include <glib.h>

/* FALSE: `text` is no such thing. */
gboolean units_parse_duration (const char *text, gint64 *ret_duration_us);
void units_print_duration (gint64 duration_us, GString *text);
/* FALSE: `text` is no such thing, or more than a tebibyte. */
gboolean units_parse_size (const char *text, guint64 *ret_size);
void units_print_size (guint64 size, GString *text);
