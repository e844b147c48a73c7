/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "daemon/service_notify.h"

#include <glib.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void
service_notify (const char *state)
{
  const char *path = g_getenv ("NOTIFY_SOCKET");
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  gsize length = path == NULL ? 0 : strlen (path);
  int fd;

  if (length == 0 || length >= sizeof address.sun_path)
    return;
  memcpy (address.sun_path, path, length);
  /* '@' stands for the zero byte that begins a name in Linux's abstract space. */
  if (path[0] == '@')
    address.sun_path[0] = '\0';
  fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return;
  sendto (fd, state, strlen (state), MSG_NOSIGNAL, (const struct sockaddr *) &address,
          (socklen_t) (offsetof (struct sockaddr_un, sun_path) + length));
  close (fd);
}
