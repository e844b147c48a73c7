/* SPDX-License-Identifier: MIT */
/* consortd: assemble, run, stop. */
#include "config.h"

#include "core/base/limits.h"
#include "daemon/control_commands.h"
#include "daemon/control_protocol.h"
#include "daemon/daemon_options.h"
#include "daemon/embedded.h"
#include "daemon/log_setup.h"
#include "daemon/service_notify.h"
#include "daemon/signals.h"

#include <stdio.h>
#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define EXIT_CANNOT_SERVE   1
#define EXIT_WRONG_SETTINGS 2

typedef struct Daemon
{
  const Settings *settings;
  GMainLoop *loop;
  Embedded *embedded;
  int exit_status;
} Daemon;

static void
print_what_to_try (const Daemon *daemon)
{
  g_autofree char *first = embedded_member_url (embedded_peek_member (daemon->embedded, 0));
  g_autofree char *second = embedded_member_url (embedded_peek_member (daemon->embedded, 1));
  g_autofree char *control = daemon->settings->control == NULL
                                 ? g_strdup ("")
                                 : g_strdup_printf (" --control %s", daemon->settings->control);

  g_print ("%u members, one broker. What to try next, in another terminal:\n"
           "\n"
           "  amqp-declare-queue --url=%s -q hello\n"
           "  amqp-publish --url=%s -r hello -b 'first'\n"
           "  consortctl%s status\n"
           "  consortctl%s member crash A\n"
           "  amqp-get --url=%s -q hello\n"
           "  consortctl%s member restart A\n"
           "  consortctl%s list queues\n",
           daemon->settings->members, first, first, control, control, second, control, control);
  fflush (stdout);
}

static void
serving (gpointer user_data)
{
  const Daemon *daemon = user_data;

  service_notify ("STATUS=serving");
  if (daemon->settings->members > 1)
    print_what_to_try (daemon);
}

static void
stopped (gpointer user_data)
{
  const Daemon *daemon = user_data;

  g_main_loop_quit (daemon->loop);
}

static void
stop (gpointer user_data)
{
  const Daemon *daemon = user_data;

  log_notice (NULL, "stopping");
  service_notify ("STOPPING=1");
  embedded_stop (daemon->embedded);
}

static void
stop_now (gpointer user_data)
{
  Daemon *daemon = user_data;

  log_warning (NULL, "stopping at once, clients are not told");
  daemon->exit_status = EXIT_CANNOT_SERVE;
  g_main_loop_quit (daemon->loop);
}

/* A shell's soft limit is for programs that use select(2); each client is a descriptor. */
static void
raise_descriptor_limit (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit (RLIMIT_NOFILE, &limit);
}

/* What a burst of messages took is kept for the next one. Else glibc gives the top of the heap back
 * to the kernel, and faults it in again, turn by turn. */
static void
keep_heap (void)
{
#ifdef __GLIBC__
  mallopt (M_TRIM_THRESHOLD, LIMIT_HEAP_KEPT);
  mallopt (M_TOP_PAD, LIMIT_HEAP_STEP);
#endif
}

/* Ready is: clients can connect. Whether this member may serve yet is for its group to say. */
static int
serve (const Settings *settings, GError **error)
{
  static const EmbeddedListener embedded_listener = { .serving = serving, .stopped = stopped };
  static const SignalListener signal_listener = { .stop = stop, .stop_now = stop_now };
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Daemon daemon = { .settings = settings, .loop = loop };
  g_autoptr (Embedded) embedded = embedded_new (settings, NULL, &embedded_listener, &daemon);
  g_autoptr (ControlSocket) control = NULL;
  g_autofree char *control_path
      = settings->control != NULL ? g_strdup (settings->control) : control_default_path ();

  daemon.embedded = embedded;
  log_setup (settings->log_level, settings->log_format);
  raise_descriptor_limit ();
  keep_heap ();
  control = control_socket_new (control_path, embedded_poller (embedded), control_commands_run,
                                embedded, error);
  if (control == NULL || !embedded_start (embedded, error))
    return EXIT_CANNOT_SERVE;
  signals_watch (embedded_poller (embedded), &signal_listener, &daemon);
  service_notify ("READY=1");
  g_main_loop_run (loop);
  signals_unwatch ();
  return daemon.exit_status;
}

int
main (int argc, char **argv)
{
  g_autoptr (Settings) settings = settings_new ();
  g_autoptr (GError) error = NULL;
  OptionsAction action;
  int exit_status = EXIT_WRONG_SETTINGS;

  if (daemon_options_read (argc, argv, settings, &action, &error))
    switch (action)
      {
      case OPTIONS_SERVE:
        exit_status = serve (settings, &error);
        break;
      case OPTIONS_CHECK:
        g_print ("consortd: the settings are good\n");
        exit_status = 0;
        break;
      case OPTIONS_VERSION:
        g_print ("consortd %s\n", PACKAGE_VERSION);
        exit_status = 0;
        break;
      }
  if (error != NULL)
    g_printerr ("consortd: %s\n", error->message);
  return exit_status;
}
