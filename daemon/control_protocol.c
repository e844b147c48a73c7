/* SPDX-License-Identifier: MIT */
#include "daemon/control_protocol.h"
#include "core/base/error.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

char *
control_default_path (void)
{
  return geteuid () == 0 ? g_strdup ("/run/consort/control")
                         : g_build_filename (g_get_user_runtime_dir (), "consort", "control", NULL);
}

gboolean
control_address (const char *path, struct sockaddr_un *ret_address, GError **error)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };

  if (strlen (path) >= sizeof address.sun_path)
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "the control socket's path is longer than %zu bytes: %s",
                         sizeof address.sun_path - 1, path);
  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  *ret_address = address;
  return TRUE;
}
