/* SPDX-License-Identifier: MIT */
#include "sim/sim_options.h"
#include "core/base/error.h"
#include "core/base/limits.h"

const char sim_options_help[]
    = "  --members N          members of the cluster (default 3)\n"
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
      "  --quiet-clients      clients only publish and consume: no errors, no lost connections\n";

SimOptions
sim_options_default (void)
{
  return (SimOptions){
    .members = 3,
    .seed = 1,
    .messages = 300,
    .clients = 8,
    .duration_us = 10000 * 1000,
    .crashes = 3,
    .partitions = SIM_PARTITIONS_DRAWN,
  };
}

static gboolean
take_limits (Arguments *arguments, SimOptions *options, GError **error)
{
  const char *text = arguments_next (arguments);

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
  const char *text = arguments_next (arguments);

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

  if (!arguments_number (arguments, "--duration-ms", 1, 1000000000, &duration_ms, error))
    return FALSE;
  options->duration_us = (gint64) duration_ms * 1000;
  return TRUE;
}

gboolean
sim_options_take (SimOptions *options, Arguments *arguments, const char *option, GError **error)
{
  if (g_str_equal (option, "--members"))
    return arguments_count (arguments, option, 1, SIM_MEMBERS_MAX, &options->members, error);
  if (g_str_equal (option, "--seed"))
    return arguments_number (arguments, option, 0, G_MAXUINT64, &options->seed, error);
  if (g_str_equal (option, "--messages"))
    return arguments_count (arguments, option, 0, 100000000, &options->messages, error);
  if (g_str_equal (option, "--clients"))
    return arguments_count (arguments, option, 2, SIM_CLIENTS_MAX, &options->clients, error);
  if (g_str_equal (option, "--crashes"))
    return arguments_count (arguments, option, 0, 10000, &options->crashes, error);
  if (g_str_equal (option, "--partitions"))
    return arguments_count (arguments, option, 0, 10000, &options->partitions, error);
  if (g_str_equal (option, "--duration-ms"))
    return take_duration (arguments, options, error);
  if (g_str_equal (option, "--reply-when"))
    return take_reply_when (arguments, options, error);
  if (g_str_equal (option, "--limits"))
    return take_limits (arguments, options, error);
  if (g_str_equal (option, "--allow-total-loss"))
    options->allow_total_loss = TRUE;
  else if (g_str_equal (option, "--quiet-clients"))
    options->quiet_clients = TRUE;
  else
    return FALSE;
  return TRUE;
}

gboolean
sim_options_check (const SimOptions *options, GError **error)
{
  if (options->limits_none || options->members <= LIMIT_GROUP_MEMBERS)
    return TRUE;
  return system_error (error, SYSTEM_ERROR_SETTING,
                       "--members %u is more than corosync's %u: say --limits none",
                       options->members, LIMIT_GROUP_MEMBERS);
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
