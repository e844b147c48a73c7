/* SPDX-License-Identifier: MIT */
#include "sim/sim_options.h"
#include "core/base/error.h"
#include "core/base/limits.h"

#include <string.h>

static const char help_text[]
    = "Usage: consort-sim run [OPTION...]\n"
      "       consort-sim diff OPTION... [-- OPTION...]\n"
      "       consort-sim diff FILE FILE\n"
      "       consort-sim list faults|checkers\n"
      "       consort-sim --help | --version\n"
      "\n"
      "Runs a whole Consort cluster and its clients in one process and in virtual time, with\n"
      "everything that happens drawn from one seed, and checks what the clients and the\n"
      "members were promised. The same seed gives the same run and the same fingerprint.\n"
      "\n"
      "Options of run:\n"
      "  --members N          members of the cluster (default 3)\n"
      "  --seed S             the seed, a number (default 1)\n"
      "  --messages M         messages to publish (default 300)\n"
      "  --clients C          clients (default 8, at least 2)\n"
      "  --duration-ms D      virtual time after which nothing new is published (default 10000)\n"
      "  --crashes K          members that end while the clients work (default 3)\n"
      "  --partitions K       times that members are cut off or paused (default: a few, in half\n"
      "                       of the seeds)\n"
      "  --reply-when WHEN    when confirms leave: majority, self or all (default majority)\n"
      "  --limits PROFILE     corosync: at most 128 members and a bounded window;\n"
      "                       none: for more members than that (default corosync)\n"
      "  --allow-total-loss   faults may end the last active member too\n"
      "  --quiet-clients      clients only publish and consume: no errors, no lost connections\n"
      "  --twice              run twice and compare the fingerprints\n"
      "  --trace FILE         write what happens, a line each, to FILE (- for standard output)\n"
      "  --checkpoints FILE   write fingerprints on the run's way to FILE, for diff\n"
      "  --every N            one every N events (default 1000)\n"
      "  --events FIRST..LAST only of these events: trace and checkpoints (default all)\n"
      "  --verbose            count the situations that clients and faults came to\n"
      "\n"
      "diff finds the first event that is not the same in two runs, or in a run and its\n"
      "repetition; with the files of --checkpoints, of two builds for example, how to find it.\n"
      "\n"
      "Exit status: 0 pass, 1 a promise was broken, 2 a mistake in the use of this program,\n"
      "3 something that had to happen did not, 4 inconclusive, 5 the same seed gave another run,\n"
      "or the runs that were compared differ.\n";

const char *
sim_options_help (void)
{
  return help_text;
}

SimOptions
sim_options_default (void)
{
  return (SimOptions){
    .command = SIM_RUN,
    .members = 3,
    .seed = 1,
    .messages = 300,
    .clients = 8,
    .duration_us = 10000 * 1000,
    .crashes = 3,
    .partitions = SIM_PARTITIONS_DRAWN,
    .events = EVENT_RANGE_ALL,
  };
}

typedef struct Arguments
{
  int left;
  char **next;
} Arguments;

static const char *
next_argument (Arguments *arguments)
{
  if (arguments->left == 0)
    return NULL;
  arguments->left--;
  return *arguments->next++;
}

static gboolean
take_number (Arguments *arguments, const char *option, guint64 low, guint64 high,
             guint64 *ret_number, GError **error)
{
  const char *text = next_argument (arguments);
  guint64 number;

  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, low, high, &number, NULL))
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "%s needs a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                         ", not '%s'",
                         option, low, high, text == NULL ? "" : text);
  *ret_number = number;
  return TRUE;
}

static gboolean
take_count (Arguments *arguments, const char *option, guint low, guint high, guint *ret_count,
            GError **error)
{
  guint64 number;

  if (!take_number (arguments, option, low, high, &number, error))
    return FALSE;
  *ret_count = (guint) number;
  return TRUE;
}

static gboolean
take_limits (Arguments *arguments, SimOptions *options, GError **error)
{
  const char *text = next_argument (arguments);

  if (g_strcmp0 (text, "corosync") != 0 && g_strcmp0 (text, "none") != 0)
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "--limits needs 'corosync' or 'none', not '%s'", text == NULL ? "" : text);
  options->limits_none = g_str_equal (text, "none");
  return TRUE;
}

static const char *const reply_whens[] = {
  [REPLY_WHEN_MAJORITY] = "majority",
  [REPLY_WHEN_SELF] = "self",
  [REPLY_WHEN_ALL] = "all",
};

static gboolean
take_reply_when (Arguments *arguments, SimOptions *options, GError **error)
{
  const char *text = next_argument (arguments);

  for (guint i = 0; i < G_N_ELEMENTS (reply_whens); i++)
    if (g_strcmp0 (text, reply_whens[i]) == 0)
      {
        options->reply_when = (ReplyWhen) i;
        return TRUE;
      }
  return system_error (error, SYSTEM_ERROR_SETTING,
                       "--reply-when needs 'majority', 'self' or 'all', not '%s'",
                       text == NULL ? "" : text);
}

static gboolean
take_duration (Arguments *arguments, SimOptions *options, GError **error)
{
  guint64 duration_ms;

  if (!take_number (arguments, "--duration-ms", 1, 1000000000, &duration_ms, error))
    return FALSE;
  options->duration_us = (gint64) duration_ms * 1000;
  return TRUE;
}

static gboolean
take_trace (Arguments *arguments, SimOptions *options, GError **error)
{
  options->trace = next_argument (arguments);
  if (options->trace == NULL)
    return system_error (error, SYSTEM_ERROR_SETTING, "--trace needs the name of a file, or -");
  return TRUE;
}

static gboolean
take_checkpoints (Arguments *arguments, SimOptions *options, GError **error)
{
  options->checkpoints = next_argument (arguments);
  if (options->checkpoints == NULL)
    return system_error (error, SYSTEM_ERROR_SETTING, "--checkpoints needs the name of a file");
  return TRUE;
}

static gboolean
take_events (Arguments *arguments, SimOptions *options, GError **error)
{
  const char *text = next_argument (arguments);
  g_auto (GStrv) ends = g_strsplit (text == NULL ? "" : text, "..", 2);
  guint64 first, last;

  if (g_strv_length (ends) != 2
      || !g_ascii_string_to_unsigned (ends[0], 10, 1, G_MAXUINT64, &first, NULL)
      || !g_ascii_string_to_unsigned (ends[1], 10, first, G_MAXUINT64, &last, NULL))
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "--events needs two numbers from 1 on, as in 100..200, not '%s'",
                         text == NULL ? "" : text);
  options->events.first = first;
  options->events.last = last;
  return TRUE;
}

static gboolean
take_option (Arguments *arguments, const char *option, SimOptions *options, GError **error)
{
  if (g_str_equal (option, "--members"))
    return take_count (arguments, option, 1, SIM_MEMBERS_MAX, &options->members, error);
  if (g_str_equal (option, "--seed"))
    return take_number (arguments, option, 0, G_MAXUINT64, &options->seed, error);
  if (g_str_equal (option, "--messages"))
    return take_count (arguments, option, 0, 100000000, &options->messages, error);
  if (g_str_equal (option, "--clients"))
    return take_count (arguments, option, 2, SIM_CLIENTS_MAX, &options->clients, error);
  if (g_str_equal (option, "--crashes"))
    return take_count (arguments, option, 0, 10000, &options->crashes, error);
  if (g_str_equal (option, "--partitions"))
    return take_count (arguments, option, 0, 10000, &options->partitions, error);
  if (g_str_equal (option, "--duration-ms"))
    return take_duration (arguments, options, error);
  if (g_str_equal (option, "--reply-when"))
    return take_reply_when (arguments, options, error);
  if (g_str_equal (option, "--limits"))
    return take_limits (arguments, options, error);
  if (g_str_equal (option, "--trace"))
    return take_trace (arguments, options, error);
  if (g_str_equal (option, "--checkpoints"))
    return take_checkpoints (arguments, options, error);
  if (g_str_equal (option, "--events"))
    return take_events (arguments, options, error);
  if (g_str_equal (option, "--every"))
    return take_number (arguments, option, 1, G_MAXUINT64, &options->events.every, error);
  if (g_str_equal (option, "--allow-total-loss"))
    options->allow_total_loss = TRUE;
  else if (g_str_equal (option, "--quiet-clients"))
    options->quiet_clients = TRUE;
  else if (g_str_equal (option, "--twice"))
    options->twice = TRUE;
  else if (g_str_equal (option, "--verbose"))
    options->verbose = TRUE;
  else
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "unknown option '%s' (consort-sim --help lists them)", option);
  return TRUE;
}

static gboolean
parse_run (Arguments *arguments, SimOptions *ret_options, GError **error)
{
  SimOptions options = sim_options_default ();

  while (arguments->left > 0)
    if (!take_option (arguments, next_argument (arguments), &options, error))
      return FALSE;
  if (!options.limits_none && options.members > LIMIT_GROUP_MEMBERS)
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "--members %u is more than corosync's %u: say --limits none",
                         options.members, LIMIT_GROUP_MEMBERS);
  *ret_options = options;
  return TRUE;
}

gboolean
sim_options_parse_run (int argc, char **argv, SimOptions *ret_options, GError **error)
{
  Arguments arguments = { argc, argv };

  return parse_run (&arguments, ret_options, error);
}

static gboolean
parse_list (Arguments *arguments, SimOptions *ret_options, GError **error)
{
  const char *what = next_argument (arguments);

  if (arguments->left > 0 || (g_strcmp0 (what, "faults") != 0 && g_strcmp0 (what, "checkers") != 0))
    return system_error (error, SYSTEM_ERROR_SETTING, "list needs 'faults' or 'checkers', not '%s'",
                         what == NULL ? "" : what);
  *ret_options = sim_options_default ();
  ret_options->command = g_str_equal (what, "faults") ? SIM_LIST_FAULTS : SIM_LIST_CHECKERS;
  return TRUE;
}

gboolean
sim_options_parse (int argc, char **argv, SimOptions *ret_options, GError **error)
{
  Arguments arguments = { argc, argv };
  const char *command = next_argument (&arguments);

  if (g_strcmp0 (command, "run") == 0)
    return parse_run (&arguments, ret_options, error);
  if (g_strcmp0 (command, "list") == 0)
    return parse_list (&arguments, ret_options, error);
  if (g_strcmp0 (command, "--help") != 0 && g_strcmp0 (command, "--version") != 0)
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "expected run, diff, list, --help or --version, not '%s'",
                         command == NULL ? "" : command);
  *ret_options = sim_options_default ();
  ret_options->command = g_str_equal (command, "--help") ? SIM_HELP : SIM_VERSION;
  return TRUE;
}

char *
sim_options_command (const SimOptions *options)
{
  g_autofree char *partitions = options->partitions == SIM_PARTITIONS_DRAWN
                                    ? g_strdup ("")
                                    : g_strdup_printf (" --partitions %u", options->partitions);

  return g_strdup_printf (
      "consort-sim run --members %u --seed %" G_GUINT64_FORMAT
      " --messages %u --clients %u --duration-ms %" G_GINT64_FORMAT
      " --crashes %u%s --limits %s%s%s%s%s",
      options->members, options->seed, options->messages, options->clients,
      options->duration_us / 1000, options->crashes, partitions,
      options->limits_none ? "none" : "corosync",
      options->reply_when == REPLY_WHEN_MAJORITY ? "" : " --reply-when ",
      options->reply_when == REPLY_WHEN_MAJORITY ? "" : reply_whens[options->reply_when],
      options->allow_total_loss ? " --allow-total-loss" : "",
      options->quiet_clients ? " --quiet-clients" : "");
}
