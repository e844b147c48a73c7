/* SPDX-License-Identifier: MIT */
#include "daemon/listen_address.h"
#include "core/base/error.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static struct sockaddr_in *
as_v4 (ListenAddress *address)
{
  return (struct sockaddr_in *) (gpointer) &address->socket_address;
}

static struct sockaddr_in6 *
as_v6 (ListenAddress *address)
{
  return (struct sockaddr_in6 *) (gpointer) &address->socket_address;
}

static gboolean
parse_host (const char *host, gboolean bracketed, ListenAddress *address)
{
  if (bracketed)
    {
      as_v6 (address)->sin6_family = AF_INET6;
      address->length = sizeof (struct sockaddr_in6);
      return inet_pton (AF_INET6, host, &as_v6 (address)->sin6_addr) == 1;
    }
  as_v4 (address)->sin_family = AF_INET;
  address->length = sizeof (struct sockaddr_in);
  return inet_pton (AF_INET, host, &as_v4 (address)->sin_addr) == 1;
}

gboolean
listen_address_parse (const char *text, ListenAddress *ret_address, GError **error)
{
  ListenAddress address = { .length = 0 };
  const char *colon = strrchr (text, ':');
  gboolean bracketed = text[0] == '[' && colon != NULL && colon > text && colon[-1] == ']';
  g_autofree char *host = NULL;
  guint64 port;

  if (colon != NULL)
    host = bracketed ? g_strndup (text + 1, (gsize) (colon - text) - 2)
                     : g_strndup (text, (gsize) (colon - text));
  if (host == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXUINT16, &port, NULL)
      || !parse_host (host, bracketed, &address))
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "'%s' is not ADDRESS:PORT, such as 127.0.0.1:5672, 0.0.0.0:5672 or "
                         "[::1]:5672",
                         text);
  listen_address_set_port (&address, (guint) port);
  *ret_address = address;
  return TRUE;
}

char *
listen_address_to_text (const ListenAddress *address)
{
  ListenAddress copy = *address;
  char host[INET6_ADDRSTRLEN] = "?";

  if (copy.socket_address.ss_family == AF_INET6)
    {
      inet_ntop (AF_INET6, &as_v6 (&copy)->sin6_addr, host, sizeof host);
      return g_strdup_printf ("[%s]:%u", host, listen_address_port (address));
    }
  inet_ntop (AF_INET, &as_v4 (&copy)->sin_addr, host, sizeof host);
  return g_strdup_printf ("%s:%u", host, listen_address_port (address));
}

guint
listen_address_port (const ListenAddress *address)
{
  ListenAddress copy = *address;

  return ntohs (copy.socket_address.ss_family == AF_INET6 ? as_v6 (&copy)->sin6_port
                                                          : as_v4 (&copy)->sin_port);
}

void
listen_address_set_port (ListenAddress *address, guint port)
{
  if (address->socket_address.ss_family == AF_INET6)
    as_v6 (address)->sin6_port = htons ((guint16) port);
  else
    as_v4 (address)->sin_port = htons ((guint16) port);
}
