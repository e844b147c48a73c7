/* SPDX-License-Identifier: MIT */
#include "tests/bench/bench_process.h"

#include "tests/bench/bench_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ECHO_BUFFER 65536

static BenchProcess *running[BENCH_MEMBERS_MAX];

static void
now_runs (BenchProcess *process)
{
  guint i = 0;

  while (running[i] != NULL)
    i++;
  g_assert (i < BENCH_MEMBERS_MAX);
  running[i] = process;
}

static void
runs_no_more (const BenchProcess *process)
{
  for (guint i = 0; i < BENCH_MEMBERS_MAX; i++)
    if (running[i] == process)
      running[i] = NULL;
}

/* --- consortd -------------------------------------------------------------------------- */

/* "... B: serves AMQP 0-9-1 on 127.0.0.1:33463": that member's port; 0: another line. A member
 * that is alone in its process is the first, whatever its name. */
static guint16
port_of_line (const char *line, guint members, guint *ret_member)
{
  const char *told = strstr (line, ": serves AMQP 0-9-1 on ");

  *ret_member = 0;
  if (told == NULL || told == line
      || (members > 1 && (told[-1] < 'A' || told[-1] >= 'A' + (int) members)))
    return 0;
  if (members > 1)
    *ret_member = (guint) (told[-1] - 'A');
  return (guint16) strtoul (strrchr (told, ':') + 1, NULL, 10);
}

/* The log so far, with what came since added to it. */
static void
read_log (const BenchProcess *process, GString *log)
{
  struct pollfd polled = { process->log_fd, POLLIN, 0 };
  char bytes[4096];
  gssize length;

  if (poll (&polled, 1, BENCH_PATIENCE_SECONDS * 1000) <= 0)
    bench_fail ("consortd does not serve after %d s:\n%s", BENCH_PATIENCE_SECONDS, log->str);
  length = read (process->log_fd, bytes, sizeof bytes);
  if (length <= 0)
    bench_fail ("consortd ended:\n%s", log->str);
  g_string_append_len (log, bytes, length);
}

static void
wait_until_serving (BenchProcess *process, guint members)
{
  g_autoptr (GString) log = g_string_new (NULL);

  for (guint n_serving = 0; n_serving < members;)
    {
      g_auto (GStrv) lines = NULL;

      read_log (process, log);
      lines = g_strsplit (log->str, "\n", -1);
      n_serving = 0;
      /* Behind the last newline is a line that is not whole yet. */
      for (guint i = 0; lines[i + 1] != NULL; i++)
        {
          guint member;
          guint16 port = port_of_line (lines[i], members, &member);

          if (port == 0)
            continue;
          process->ports[member] = port;
          n_serving++;
        }
    }
}

/* `words` and then the options of every consortd. */
static void
start_consortd (BenchProcess *process, const char *const *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  g_autofree char *directory = g_dir_make_tmp ("consort-bench-XXXXXX", &error);
  g_autofree char *control = NULL;

  if (directory == NULL)
    bench_fail ("%s", error->message);
  control = g_build_filename (directory, "control", NULL);
  for (guint i = 0; words[i] != NULL; i++)
    g_ptr_array_add (command, (gpointer) words[i]);
  g_ptr_array_add (command, (gpointer) "--control");
  g_ptr_array_add (command, control);
  g_ptr_array_add (command, NULL);
  *process = (BenchProcess){ .directory = g_steal_pointer (&directory) };
  if (!g_spawn_async_with_pipes (NULL, (char **) command->pdata, NULL,
                                 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                                 &process->pid, NULL, NULL, &process->log_fd, &error))
    bench_fail ("%s (run this where consortd was built)", error->message);
  now_runs (process);
}

void
bench_process_start_consortd (BenchProcess *process, guint members)
{
  g_autofree char *members_text = g_strdup_printf ("%u", members);
  const char *const words[]
      = { "./consortd", "--members", members_text, "--listen", "127.0.0.1:0", NULL };

  start_consortd (process, words);
  wait_until_serving (process, members);
}

void
bench_process_start_nodes (BenchProcess *processes, const char *lab, const char *consortd,
                           const char *config)
{
  g_autofree char *expected = g_strdup_printf ("%d", BENCH_MEMBERS_MAX);

  for (guint i = 0; i < BENCH_MEMBERS_MAX; i++)
    {
      g_autofree char *node = g_strdup_printf ("%u", i + 1);
      g_autofree char *name = g_strdup_printf ("n%u", i + 1);
      const char *const words[] = {
        lab,      "exec",   node, consortd,   "--transport",  "cpg",      "--expected-members",
        expected, "--name", name, "--listen", "0.0.0.0:5672", "--config", config,
        NULL
      };

      start_consortd (&processes[i], words);
    }
  for (guint i = 0; i < BENCH_MEMBERS_MAX; i++)
    wait_until_serving (&processes[i], 1);
}

/* --- the echo ---------------------------------------------------------------------------- */

static void
echo (int listener)
{
  static guint8 bytes[ECHO_BUFFER];
  int fd = accept (listener, NULL, NULL);
  int on = 1;
  gssize length;

  setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  while ((length = read (fd, bytes, sizeof bytes)) > 0)
    for (gssize done = 0, written; done < length; done += written)
      if ((written = write (fd, bytes + done, (gsize) (length - done))) <= 0)
        _exit (1);
  _exit (0);
}

void
bench_process_start_echo (BenchProcess *process)
{
  struct sockaddr_in address
      = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t length = sizeof address;
  int listener = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  if (listener < 0 || bind (listener, (const struct sockaddr *) &address, length) != 0
      || listen (listener, 1) != 0
      || getsockname (listener, (struct sockaddr *) &address, &length) != 0)
    bench_fail ("cannot listen: %s", g_strerror (errno));
  *process = (BenchProcess){ .log_fd = -1, .ports = { ntohs (address.sin_port) } };
  process->pid = fork ();
  if (process->pid == 0)
    echo (listener);
  close (listener);
  if (process->pid < 0)
    bench_fail ("cannot fork: %s", g_strerror (errno));
  now_runs (process);
}

/* --- either ------------------------------------------------------------------------------ */

/* Whoever wrote to the log until its end said something that is worth telling, if anything was
 * wrong. */
static void
stop_consortd (const BenchProcess *process, int status)
{
  g_autoptr (GString) log = g_string_new (NULL);
  char bytes[4096];
  gssize length;

  while ((length = read (process->log_fd, bytes, sizeof bytes)) > 0)
    g_string_append_len (log, bytes, length);
  close (process->log_fd);
  if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    bench_fail ("consortd did not end well:\n%s", log->str);
}

static void
remove_directory (BenchProcess *process)
{
  g_autofree char *control = NULL;

  if (process->directory == NULL)
    return;
  control = g_build_filename (process->directory, "control", NULL);
  unlink (control);
  rmdir (process->directory);
  g_clear_pointer (&process->directory, g_free);
}

void
bench_process_stop (BenchProcess *process)
{
  int status;

  kill (process->pid, SIGTERM);
  while (waitpid (process->pid, &status, 0) < 0 && errno == EINTR)
    ;
  runs_no_more (process);
  remove_directory (process);
  if (process->log_fd >= 0)
    stop_consortd (process, status);
}

void
bench_process_end_all (void)
{
  for (guint i = 0; i < BENCH_MEMBERS_MAX; i++)
    {
      BenchProcess *process = g_steal_pointer (&running[i]);

      if (process == NULL)
        continue;
      kill (process->pid, SIGKILL);
      waitpid (process->pid, NULL, 0);
      remove_directory (process);
    }
}

/* --- what the kernel says ------------------------------------------------------------------- */

/* An empty text where the kernel says nothing. */
static char *
read_proc (pid_t pid, const char *name)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/%s", (int) pid, name);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return g_strdup ("");
  return g_steal_pointer (&text);
}

gint64
bench_process_cpu_us (pid_t pid)
{
  g_autofree char *stat = read_proc (pid, "stat");
  const char *fields = strrchr (stat, ')');
  g_auto (GStrv) words = NULL;
  gint64 ticks;

  if (fields == NULL)
    return 0;
  /* proc(5): behind the name in parentheses come state (3) and more; utime is 14, stime 15. */
  words = g_strsplit (fields + 2, " ", 14);
  if (g_strv_length (words) < 14)
    return 0;
  ticks = g_ascii_strtoll (words[11], NULL, 10) + g_ascii_strtoll (words[12], NULL, 10);
  return ticks * G_USEC_PER_SEC / sysconf (_SC_CLK_TCK);
}

guint64
bench_process_peak_rss_kib (pid_t pid)
{
  g_autofree char *status = read_proc (pid, "status");
  const char *line = strstr (status, "\nVmHWM:");

  return line == NULL ? 0 : g_ascii_strtoull (line + strlen ("\nVmHWM:"), NULL, 10);
}
