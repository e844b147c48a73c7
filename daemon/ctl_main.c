/* SPDX-License-Identifier: MIT */
/* consortctl: one command to a running consortd, its answer to the standard output. */
#include "config.h"

#include "core/base/error.h"
#include "core/base/limits.h"
#include "core/base/suggest.h"
#include "daemon/control_protocol.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define EXIT_REFUSED   1
#define EXIT_USAGE     2
#define EXIT_NO_DAEMON 3
/* Longer than any answer of a daemon that is alive takes. */
#define PATIENCE_SECONDS 10

typedef struct Options
{
  char *control;
  char *member;
  gboolean json;
  gboolean force;
  gboolean yes;
  gboolean version;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->control);
  g_free (options->member);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static const struct
{
  const char *words;
  const char *argument; /* NULL: none */
  const char *help;
} commands[] = {
  { "status", NULL, "each member of the process, its view and its counts" },
  { "health", NULL, "does it serve? Exit status 1, with the reason, if not" },
  { "list queues", NULL, "queues with their messages and consumers" },
  { "list connections", NULL, "clients of the whole cluster, each with its member" },
  { "list sessions", NULL, "channels of the whole cluster" },
  { "list exchanges", NULL, "exchanges and their types" },
  { "list bindings", NULL, "what is routed where" },
  { "drain", "[SECONDS]", "send clients elsewhere, then leave; until undrain or a restart" },
  { "undrain", NULL, "serve again" },
  { "forget", "NODE", "free the seat of a node that will not come back" },
  { "form", NULL, "with --force: begin with what one member holds, the others being lost" },
  { "member crash", "NAME", "end a member as if its process had died" },
  { "member restart", "NAME", "start it again; it gets its state from the others" },
};

static int
complain (int exit_status, const GError *error)
{
  g_printerr ("consortctl: %s\n", error->message);
  return exit_status;
}

/* --- command line ------------------------------------------------------------------------------
 */

static char *
describe_commands (void)
{
  GString *text = g_string_new ("Commands:\n");

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *usage = g_strdup_printf (
          "%s %s", commands[i].words, commands[i].argument != NULL ? commands[i].argument : "");

      g_string_append_printf (text, "  %-22s %s\n", usage, commands[i].help);
    }
  g_string_append_printf (text, "  %-22s %s\n\n", "help", "this text");
  g_string_append (text, "Exit status: 0 done, 1 refused, 2 wrong usage, 3 no consortd there.\n"
                         "See consortctl(1), consortd(8).");
  return g_string_free (text, FALSE);
}

static GOptionContext *
new_context (Options *options)
{
  const GOptionEntry entries[] = {
    { "control", 0, 0, G_OPTION_ARG_FILENAME, &options->control,
      "Socket of the consortd ($XDG_RUNTIME_DIR or /run, then consort/control)", "PATH" },
    { "member", 'm', 0, G_OPTION_ARG_STRING, &options->member, "Ask this member (any; status: all)",
      "NAME" },
    { "json", 'j', 0, G_OPTION_ARG_NONE, &options->json, "Answer in JSON", NULL },
    { "force", 0, 0, G_OPTION_ARG_NONE, &options->force, "form: although no majority is here",
      NULL },
    { "yes", 0, 0, G_OPTION_ARG_NONE, &options->yes, "form: what may be lost is understood", NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, &options->version, "Say the version, and end", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = g_option_context_new ("COMMAND");
  g_autofree char *description = describe_commands ();

  g_option_context_set_summary (context, "Looks at a running consortd, and steers its members.");
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  return context;
}

static gboolean
unknown_command (const char *command, GError **error)
{
  const char *known[G_N_ELEMENTS (commands)];
  g_autofree char *suggestion = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    known[i] = commands[i].words;
  suggestion = suggest_text (command, known, G_N_ELEMENTS (known));
  return system_error (error, SYSTEM_ERROR_SETTING, "unknown command '%s'%s (see --help)", command,
                       suggestion);
}

static gboolean
check_command (const char *command, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      gsize length = strlen (commands[i].words);
      const char *rest = command + length;

      if (!g_str_has_prefix (command, commands[i].words) || (*rest != '\0' && *rest != ' '))
        continue;
      if (commands[i].argument != NULL && commands[i].argument[0] != '[' && *rest == '\0')
        return system_error (error, SYSTEM_ERROR_SETTING, "'%s' needs %s", commands[i].words,
                             commands[i].argument);
      if (*rest != '\0' && (commands[i].argument == NULL || strchr (rest + 1, ' ') != NULL))
        return system_error (error, SYSTEM_ERROR_SETTING, "too many words: '%s' takes %s",
                             commands[i].words,
                             commands[i].argument == NULL ? "none" : commands[i].argument);
      return TRUE;
    }
  return unknown_command (command, error);
}

/* One line, as the protocol has it. */
static char *
make_request (const Options *options, const char *command, GError **error)
{
  g_autofree char *request
      = g_strdup_printf ("%s %s %s%s%s\n", options->json ? "json" : "text",
                         options->member != NULL ? options->member : "*", command,
                         options->force ? " --force" : "", options->yes ? " --yes" : "");

  if ((options->force || options->yes) && !g_str_equal (command, "form"))
    system_error (error, SYSTEM_ERROR_SETTING, "--force and --yes are for form");
  else if (options->member != NULL && (options->member[0] == '\0' || strchr (options->member, ' ')))
    system_error (error, SYSTEM_ERROR_SETTING, "'%s' is not a member's name", options->member);
  else if (strlen (request) > LIMIT_CONTROL_REQUEST)
    system_error (error, SYSTEM_ERROR_SETTING, "the command is too long");
  else if (strcspn (request, "\n") != strlen (request) - 1)
    system_error (error, SYSTEM_ERROR_SETTING, "a command is one line");
  else
    return g_steal_pointer (&request);
  return NULL;
}

/* --- the conversation --------------------------------------------------------------------------
 */

/* -1: nobody there. */
static int
connect_to (const char *path, GError **error)
{
  struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
  struct sockaddr_un address;
  int fd;

  if (!control_address (path, &address, error))
    return -1;
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0)
    {
      setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
      if (connect (fd, (const struct sockaddr *) &address, sizeof address) == 0)
        return fd;
    }
  system_error (error, SYSTEM_ERROR_REFUSED,
                errno == ENOENT || errno == ECONNREFUSED ? "no consortd at %s (%s)" : "%s: %s",
                path, g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return -1;
}

static gboolean
send_all (int fd, const char *text, GError **error)
{
  gsize left = strlen (text);

  while (left > 0)
    {
      ssize_t n = send (fd, text, left, MSG_NOSIGNAL);

      if (n < 0 && errno != EINTR)
        return system_error (error, SYSTEM_ERROR_REFUSED, "the consortd does not listen: %s",
                             g_strerror (errno));
      text += MAX (n, 0);
      left -= (gsize) MAX (n, 0);
    }
  return TRUE;
}

/* TRUE: the reply is whole in `reply`; its text begins at *ret_text. */
static gboolean
parse_reply (const GString *reply, gboolean *ret_ok, const char **ret_text)
{
  const char *end = memchr (reply->str, '\n', reply->len);
  char status[CONTROL_STATUS_SIZE];
  const char *space;
  guint64 length;

  if (end == NULL || end - reply->str >= CONTROL_STATUS_SIZE)
    return FALSE;
  g_strlcpy (status, reply->str, (gsize) (end - reply->str) + 1);
  space = strchr (status, ' ');
  if (space == NULL
      || !g_ascii_string_to_unsigned (space + 1, 10, 0, LIMIT_CONTROL_REPLY, &length, NULL)
      || reply->len - (gsize) (end + 1 - reply->str) != length)
    return FALSE;
  *ret_ok = g_str_has_prefix (status, CONTROL_OK " ");
  *ret_text = end + 1;
  return TRUE;
}

static gboolean
receive_reply (int fd, GString *reply, gboolean *ret_ok, const char **ret_text, GError **error)
{
  char bytes[LIMIT_READ_BUFFER];

  while (!parse_reply (reply, ret_ok, ret_text))
    {
      ssize_t n = recv (fd, bytes, sizeof bytes, 0);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0 || reply->len > LIMIT_CONTROL_REPLY + CONTROL_STATUS_SIZE)
        return system_error (error, SYSTEM_ERROR_REFUSED, "the consortd did not answer: %s",
                             n == 0            ? "it hung up"
                             : errno == EAGAIN ? "it is too slow"
                                               : g_strerror (errno));
      g_string_append_len (reply, bytes, n);
    }
  return TRUE;
}

static int
converse (int fd, const char *request, GError **error)
{
  g_autoptr (GString) reply = g_string_new (NULL);
  const char *text;
  gboolean ok;

  if (!send_all (fd, request, error) || !receive_reply (fd, reply, &ok, &text, error))
    return EXIT_REFUSED;
  if (!ok)
    {
      g_printerr ("consortctl: %s", text);
      return EXIT_REFUSED;
    }
  if (fputs (text, stdout) < 0 || fflush (stdout) != 0)
    {
      system_error (error, SYSTEM_ERROR_REFUSED, "cannot write the answer: %s", g_strerror (errno));
      return EXIT_REFUSED;
    }
  return 0;
}

static int
run (const Options *options, const char *command)
{
  g_autofree char *path
      = options->control != NULL ? g_strdup (options->control) : control_default_path ();
  g_autofree char *request = NULL;
  g_autoptr (GError) error = NULL;
  int fd, exit_status;

  if (!check_command (command, &error)
      || (request = make_request (options, command, &error)) == NULL)
    return complain (EXIT_USAGE, error);
  fd = connect_to (path, &error);
  if (fd < 0)
    return complain (EXIT_NO_DAEMON, error);
  exit_status = converse (fd, request, &error);
  close (fd);
  return error == NULL ? exit_status : complain (exit_status, error);
}

int
main (int argc, char **argv)
{
  g_auto (Options) options = { .control = NULL };
  g_autoptr (GOptionContext) context = new_context (&options);
  g_autoptr (GError) error = NULL;
  g_autofree char *command = NULL;

  if (!g_option_context_parse (context, &argc, &argv, &error))
    return complain (EXIT_USAGE, error);
  if (options.version)
    {
      g_print ("consortctl %s\n", PACKAGE_VERSION);
      return 0;
    }
  command = g_strjoinv (" ", argv + 1);
  if (argc < 2 || g_str_equal (command, "help"))
    {
      g_autofree char *help = g_option_context_get_help (context, TRUE, NULL);

      if (argc < 2)
        g_printerr ("%s", help);
      else
        g_print ("%s", help);
      return argc < 2 ? EXIT_USAGE : 0;
    }
  return run (&options, command);
}
