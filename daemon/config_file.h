/* SPDX-License-Identifier: MIT */
/* Settings from a file (consort.conf(5)):
 *
 *   [consort]
 *   name = value       one of settings_names
 *   [users]
 *   name = password    if there is this section, only its users may log in
 *
 * A section, a key or a user that comes twice is an error: the first of two lines far apart is
 * the one that people overlook. */
#pragma once

#include "core/base/slice.h"
#include "daemon/settings.h"

/* SYSTEM_ERROR_SETTING: "FILE:LINE:COLUMN: what is wrong", or "FILE: why it cannot be read". */
gboolean config_file_load (Settings *settings, const char *path, GError **error);
/* The same of a text; `path` is for the errors. */
gboolean config_file_parse (Settings *settings, const char *path, Slice text, GError **error);
