/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "daemon/control_socket.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "daemon/control_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ControlClient
{
  IoWatch watch; /* first: the poller hands it back to us */
  ControlSocket *control;
  char request[LIMIT_CONTROL_REQUEST + 1];
  gsize request_length;
  GString *reply; /* NULL: none under way */
  gsize reply_sent;
  gboolean last; /* closes after this reply */
  GList link;
} ControlClient;

struct ControlSocket
{
  IoWatch watch; /* first: the poller hands it back to us */
  IoPoller *poller;
  ControlHandler handler;
  gpointer user_data;
  char *path;
  int lock_fd;    /* its lock says that the path's daemon lives */
  int reserve_fd; /* given up to let an operator in when the process is out of descriptors */
  GQueue clients; /* of ControlClient, the one silent longest first */
};

static int
open_reserve (void)
{
  return open ("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void
control_client_close (ControlClient *client)
{
  ControlSocket *control = client->control;

  g_queue_unlink (&control->clients, &client->link);
  io_poller_remove (control->poller, &client->watch);
  close (client->watch.fd);
  if (client->reply != NULL)
    g_string_free (client->reply, TRUE);
  g_free (client);
  if (control->reserve_fd < 0)
    control->reserve_fd = open_reserve ();
}

static void
set_wanted (ControlClient *client, IoEvents wanted)
{
  if (client->watch.wanted == wanted)
    return;
  client->watch.wanted = wanted;
  io_poller_modify (client->control->poller, &client->watch);
}

/* FALSE: the client is gone. */
static gboolean
send_reply (ControlClient *client)
{
  gsize left = client->reply->len - client->reply_sent;
  ssize_t n = send (client->watch.fd, client->reply->str + client->reply_sent, left, MSG_NOSIGNAL);

  if (n < 0 && errno != EAGAIN && errno != EINTR)
    return FALSE;
  client->reply_sent += n > 0 ? (gsize) n : 0;
  if (client->reply_sent < client->reply->len)
    {
      set_wanted (client, IO_WRITE);
      return TRUE;
    }
  g_string_free (g_steal_pointer (&client->reply), TRUE);
  set_wanted (client, IO_READ);
  return !client->last;
}

static void
set_reply (ControlClient *client, const char *status, const char *text)
{
  client->reply = g_string_new (NULL);
  g_string_printf (client->reply, "%s %zu\n%s", status, strlen (text), text);
  client->reply_sent = 0;
  client->request_length = 0;
}

static void
refuse (ControlClient *client, const char *why)
{
  g_autofree char *line = g_strdup_printf ("%s\n", why);

  set_reply (client, CONTROL_REFUSED, line);
}

static void
answer (ControlClient *client, char *line)
{
  ControlRequest request = { .json = g_str_has_prefix (line, "json ") };
  char *member = strchr (line, ' ');
  char *command = member == NULL ? NULL : strchr (member + 1, ' ');
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (command == NULL || (!request.json && !g_str_has_prefix (line, "text ")))
    {
      refuse (client, "a request is: text|json MEMBER|* COMMAND...");
      return;
    }
  *command = '\0';
  request.member = g_str_equal (member + 1, "*") ? NULL : member + 1;
  request.command = command + 1;
  text = client->control->handler (client->control->user_data, &request, &error);
  if (text == NULL)
    refuse (client, error->message);
  else if (strlen (text) > LIMIT_CONTROL_REPLY)
    refuse (client, "the answer is too large");
  else
    set_reply (client, CONTROL_OK, text);
}

/* FALSE: the client is gone. */
static gboolean
read_request (ControlClient *client)
{
  ssize_t n = recv (client->watch.fd, client->request + client->request_length,
                    LIMIT_CONTROL_REQUEST - client->request_length, 0);
  char *end;

  if (n <= 0)
    return n < 0 && (errno == EAGAIN || errno == EINTR);
  client->request_length += (gsize) n;
  client->request[client->request_length] = '\0';
  end = memchr (client->request, '\n', client->request_length);
  if (end == NULL && client->request_length < LIMIT_CONTROL_REQUEST)
    return TRUE;
  if (end == NULL || end + 1 != client->request + client->request_length
      || strlen (client->request) != client->request_length)
    {
      client->last = TRUE;
      refuse (client, "a request is one line of text, and the next one waits for its reply");
    }
  else
    {
      *end = '\0';
      answer (client, client->request);
    }
  return send_reply (client);
}

static void
control_client_ready (IoWatch *watch, IoEvents events)
{
  ControlClient *client = (ControlClient *) watch;
  gboolean stays = (events & IO_GONE) == 0;

  g_queue_unlink (&client->control->clients, &client->link);
  g_queue_push_tail_link (&client->control->clients, &client->link);
  if (client->reply != NULL && (events & IO_WRITE) != 0)
    stays = send_reply (client);
  else if (client->reply == NULL && (events & IO_READ) != 0)
    stays = read_request (client);
  if (!stays)
    control_client_close (client);
}

static int
accept_with_reserve (ControlSocket *control)
{
  int fd = accept4 (control->watch.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

  if (fd < 0 && (errno == EMFILE || errno == ENFILE) && control->reserve_fd >= 0)
    {
      close (control->reserve_fd);
      control->reserve_fd = -1;
      fd = accept4 (control->watch.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    }
  return fd;
}

static void
control_socket_ready (IoWatch *watch, IoEvents events)
{
  ControlSocket *control = (ControlSocket *) watch;
  ControlClient *client;
  int fd = accept_with_reserve (control);

  (void) events;
  if (control->clients.length > 0 && (fd < 0 || control->clients.length == LIMIT_CONTROL_CLIENTS))
    control_client_close (control->clients.head->data);
  if (fd < 0)
    return;
  client = g_new0 (ControlClient, 1);
  client->watch = (IoWatch){ .io_ready = control_client_ready, .fd = fd, .wanted = IO_READ };
  client->control = control;
  client->link.data = client;
  g_queue_push_tail_link (&control->clients, &client->link);
  io_poller_add (control->poller, &client->watch);
}

static gboolean
path_error (GError **error, const char *path, const char *why)
{
  return system_error (error, SYSTEM_ERROR_REFUSED, "control socket %s: %s", path, why);
}

/* The lock, not an answer to a connect, tells a living daemon from a dead one: two that start at
 * the same time cannot both get it. The file stays; removing it would free it for a third. */
static gboolean
take_lock (ControlSocket *control, GError **error)
{
  g_autofree char *directory = g_path_get_dirname (control->path);
  g_autofree char *lock_path = g_strconcat (control->path, ".lock", NULL);

  if (g_mkdir_with_parents (directory, 0700) != 0)
    return path_error (error, control->path, g_strerror (errno));
  control->lock_fd = open (lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (control->lock_fd < 0)
    return path_error (error, control->path, g_strerror (errno));
  if (flock (control->lock_fd, LOCK_EX | LOCK_NB) == 0)
    return TRUE;
  return path_error (error, control->path,
                     errno == EWOULDBLOCK
                         ? "another consortd is using it; give this one its own with --control"
                         : g_strerror (errno));
}

static gboolean
bind_and_listen (ControlSocket *control, GError **error)
{
  struct sockaddr_un address;
  GStatBuf found;
  mode_t old_mask;
  gboolean bound;

  if (!control_address (control->path, &address, error))
    return FALSE;
  if (g_lstat (control->path, &found) == 0)
    {
      if (!S_ISSOCK (found.st_mode))
        return path_error (error, control->path, "there is something else");
      unlink (control->path);
    }
  control->watch.fd = socket (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  old_mask = umask (0177);
  bound = control->watch.fd >= 0
          && bind (control->watch.fd, (const struct sockaddr *) &address, sizeof address) == 0;
  umask (old_mask);
  if (bound && listen (control->watch.fd, LIMIT_LISTEN_BACKLOG) == 0)
    return TRUE;
  return path_error (error, control->path, g_strerror (errno));
}

static void
control_socket_release (ControlSocket *control)
{
  if (control->watch.fd >= 0)
    close (control->watch.fd);
  if (control->reserve_fd >= 0)
    close (control->reserve_fd);
  if (control->lock_fd >= 0)
    close (control->lock_fd);
  g_free (control->path);
  g_free (control);
}

ControlSocket *
control_socket_new (const char *path, IoPoller *poller, ControlHandler handler, gpointer user_data,
                    GError **error)
{
  ControlSocket *control = g_new0 (ControlSocket, 1);

  control->watch = (IoWatch){ .io_ready = control_socket_ready, .fd = -1, .wanted = IO_READ };
  control->poller = poller;
  control->handler = handler;
  control->user_data = user_data;
  control->path = g_strdup (path);
  control->lock_fd = -1;
  control->reserve_fd = open_reserve ();
  if (!take_lock (control, error) || !bind_and_listen (control, error))
    {
      control_socket_release (control);
      return NULL;
    }
  io_poller_add (poller, &control->watch);
  return control;
}

void
control_socket_free (ControlSocket *control)
{
  while (control->clients.head != NULL)
    control_client_close (control->clients.head->data);
  io_poller_remove (control->poller, &control->watch);
  unlink (control->path);
  control_socket_release (control);
}
