/* SPDX-License-Identifier: MIT */
/* The command line of consortd(8). */
#pragma once

#include "daemon/settings.h"

typedef enum OptionsAction
{
  OPTIONS_SERVE,
  OPTIONS_CHECK, /* say whether the settings are good, and end */
  OPTIONS_VERSION
} OptionsAction;

/* Settings from the file that --config names, then from the options, which override it.
 * SYSTEM_ERROR_SETTING for everything that is wrong with either. --help prints and ends. */
gboolean daemon_options_read (int argc, char **argv, Settings *settings, OptionsAction *ret_action,
                              GError **error);
