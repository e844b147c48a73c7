/* SPDX-License-Identifier: MIT */
#include "daemon/daemon_options.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "daemon/config_file.h"

#include <string.h>

/* The options that are settings of the same name, as the command line gave them. */
typedef struct Options
{
  char *members;
  char *transport;
  char *group;
  char *expected_members;
  char **listen;
  char *config;
  char *name;
  char *control;
  char *log_level;
  char *log_format;
  gboolean check;
  gboolean version;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->members);
  g_free (options->transport);
  g_free (options->group);
  g_free (options->expected_members);
  g_strfreev (options->listen);
  g_free (options->config);
  g_free (options->name);
  g_free (options->control);
  g_free (options->log_level);
  g_free (options->log_format);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static const char summary[]
    = "Serves AMQP 0-9-1 clients as one member of a cluster, or as a whole cluster in one\n"
      "process: consortd --members 3";

static const char description[]
    = "Signals: TERM or INT stop in good order, a second one at once.\n"
      "Exit status: 0 stopped, 1 cannot serve, 2 wrong options or settings.\n"
      "See consortd(8), consort.conf(5), consortctl(1).";

/* GLib's own words for an unknown option do not say what was meant. */
static gboolean
explain (const GError *reason, const GOptionEntry *entries, GError **error)
{
  const char *wrong = strstr (reason->message, "--");
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  const char *near = NULL;

  for (; entries->long_name != NULL; entries++)
    g_ptr_array_add (known, (gpointer) entries->long_name);
  if (reason->code == G_OPTION_ERROR_UNKNOWN_OPTION && wrong != NULL)
    near = suggest_name (wrong + 2, (const char *const *) known->pdata, known->len);
  if (near != NULL)
    return system_error (error, SYSTEM_ERROR_SETTING, "%s, did you mean '--%s'?", reason->message,
                         near);
  return system_error (error, SYSTEM_ERROR_SETTING, "%s", reason->message);
}

static gboolean
parse (int argc, char **argv, Options *options, GError **error)
{
  const GOptionEntry entries[] = {
    { "members", 'm', 0, G_OPTION_ARG_STRING, &options->members,
      "Members in this process, called A, B, C ... (1)", "N" },
    { "transport", 't', 0, G_OPTION_ARG_STRING, &options->transport,
      "sim: all members are in this process; cpg: over the corosync of this machine (sim)",
      "sim|cpg" },
    { "group", 'g', 0, G_OPTION_ARG_STRING, &options->group, "The cluster's name (consort)",
      "NAME" },
    { "expected-members", 'e', 0, G_OPTION_ARG_STRING, &options->expected_members,
      "With cpg: members of the cluster, present or not; a majority of them serves", "N" },
    { "listen", 'l', 0, G_OPTION_ARG_STRING_ARRAY, &options->listen,
      "Where clients connect (127.0.0.1:5672; each next member: the next port)", "ADDRESS:PORT" },
    { "config", 'c', 0, G_OPTION_ARG_FILENAME, &options->config,
      "Read settings from FILE; options override them", "FILE" },
    { "name", 'n', 0, G_OPTION_ARG_STRING, &options->name,
      "Name of an only member (A; with cpg, the host's)", "NAME" },
    { "control", 0, 0, G_OPTION_ARG_FILENAME, &options->control,
      "Socket for consortctl ($XDG_RUNTIME_DIR or /run, then consort/control)", "PATH" },
    { "log-level", 0, 0, G_OPTION_ARG_STRING, &options->log_level,
      "error, warning, notice, info or debug (notice)", "LEVEL" },
    { "log-format", 0, 0, G_OPTION_ARG_STRING, &options->log_format, "text or json (text)",
      "FORMAT" },
    { "check", 0, 0, G_OPTION_ARG_NONE, &options->check,
      "Say whether the settings are good, and end", NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, &options->version, "Say the version, and end", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) reason = NULL;

  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &reason))
    return explain (reason, entries, error);
  if (argc > 1)
    return system_error (error, SYSTEM_ERROR_SETTING, "what is '%s'? (see --help)", argv[1]);
  return TRUE;
}

static gboolean
apply (Settings *settings, const char *name, const char *value, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (value == NULL || settings_apply (settings, name, value, &reason))
    return TRUE;
  return system_error (error, SYSTEM_ERROR_SETTING, "--%s: %s", name, reason->message);
}

gboolean
daemon_options_read (int argc, char **argv, Settings *settings, OptionsAction *ret_action,
                     GError **error)
{
  g_auto (Options) options = { .control = NULL };
  g_autofree char *listen = NULL;

  if (!parse (argc, argv, &options, error))
    return FALSE;
  if (options.version)
    {
      *ret_action = OPTIONS_VERSION;
      return TRUE;
    }
  if (options.listen != NULL)
    listen = g_strjoinv (",", options.listen);
  if ((options.config != NULL && !config_file_load (settings, options.config, error))
      || !apply (settings, "members", options.members, error)
      || !apply (settings, "transport", options.transport, error)
      || !apply (settings, "group", options.group, error)
      || !apply (settings, "expected-members", options.expected_members, error)
      || !apply (settings, "listen", listen, error)
      || !apply (settings, "name", options.name, error)
      || !apply (settings, "control", options.control, error)
      || !apply (settings, "log-level", options.log_level, error)
      || !apply (settings, "log-format", options.log_format, error)
      || !settings_check (settings, error))
    return FALSE;
  *ret_action = options.check ? OPTIONS_CHECK : OPTIONS_SERVE;
  return TRUE;
}
