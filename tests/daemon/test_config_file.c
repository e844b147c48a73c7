/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "daemon/config_file.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "daemon/daemon_options.h"

#include <glib/gstdio.h>

typedef struct Row
{
  const char *name;
  const char *text;
  const char *error;
} Row;

static const Row wrong_files[] = {
  { "unknown-key", "[consort]\nlsten = 1\n", "f:2:1: unknown key 'lsten', did you mean 'listen'?" },
  { "unknown-key-of-no-kind", "[consort]\nxyzzy = 1\n", "f:2:1: unknown key 'xyzzy'" },
  { "unknown-section", "[consrot]\n", "f:1:2: unknown section 'consrot', did you mean 'consort'?" },
  { "key-twice", "[consort]\nheartbeat = 1\n\nheartbeat = 2\n",
    "f:4:1: key 'heartbeat' was given in line 2 already" },
  { "section-twice", "[users]\na = b\n[consort]\n[users]\n",
    "f:4:2: section 'users' was given in line 1 already" },
  { "user-twice", "[users]\na = b\na = c\n", "f:3:1: user 'a' was given in line 2 already" },
  { "user-without-password", "[users]\na =\n", "f:2:4: user 'a' has no password" },
  { "syntax", "[consort]\nmembers\n", "f:2:1: not '[section]', 'key = value' or '# comment'" },
  { "members-0", "[consort]\n  members = 0\n",
    "f:2:13: members: '0' is not a number of members from 1 to 26" },
  { "members-27", "[consort]\nmembers = 27\n",
    "f:2:11: members: '27' is not a number of members from 1 to 26" },
  { "number-and-comment", "[consort]\nheartbeat = 5 # s\n",
    "f:2:13: heartbeat: '5 # s' is not a number of seconds from 0 to 65535" },
  { "number-missing", "[consort]\nheartbeat =\n",
    "f:2:12: heartbeat: '' is not a number of seconds from 0 to 65535" },
  { "frame-max-small", "[consort]\nframe-max = 4095\n",
    "f:2:13: frame-max: '4095' is not a number of bytes from 4096 to 131072" },
  { "channel-max-0", "[consort]\nchannel-max = 0\n",
    "f:2:15: channel-max: '0' is not a number of channels from 1 to 2047" },
  { "envelope-size-large", "[consort]\nenvelope-size = 524289\n",
    "f:2:17: envelope-size: '524289' is not a number of bytes from 512 to 524288" },
  { "name-with-blank", "[consort]\nname = a b\n",
    "f:2:8: name: 'a b' is not a name of 1 to 64 letters, digits, '.', '_' or '-'" },
  { "cluster-empty", "[consort]\ncluster =\n",
    "f:2:10: cluster: '' is not a name of 1 to 64 letters, digits, '.', '_' or '-'" },
  { "listen-name", "[consort]\nlisten = localhost:5672\n",
    "f:2:10: listen: 'localhost:5672' is not ADDRESS:PORT, such as 127.0.0.1:5672, 0.0.0.0:5672 "
    "or [::1]:5672" },
  { "log-level", "[consort]\nlog-level = warn\n",
    "f:2:13: log-level: 'warn' is not error, warning, notice, info or debug" },
  { "log-level-typo", "[consort]\nlog-level = notcie\n",
    "f:2:13: log-level: 'notcie' is not error, warning, notice, info or debug, did you mean "
    "'notice'?" },
  { "log-format", "[consort]\nlog-format = xml\n",
    "f:2:14: log-format: 'xml' is not text or json" },
  { "follow-votequorum", "[consort]\nfollow-votequorum = true\n",
    "f:2:21: follow-votequorum: 'true' is not yes or no" },
  { "control-empty", "[consort]\ncontrol =\n", "f:2:10: control: the path is empty" },
};

static void
test_wrong_file (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (Settings) settings = settings_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (config_file_parse (settings, "f", slice_of_text (row->text), &error));
  g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_SETTING);
  g_assert_cmpstr (error->message, ==, row->error);
}

static void
test_every_key (void)
{
  static const char text[] = "[users]\n"
                             "alice = correct horse # battery\n"
                             "bob = b\n"
                             "[consort]\n"
                             "members = 1\n"
                             "name = west-1\n"
                             "cluster = shop\n"
                             "listen = 0.0.0.0:1, [::1]:2\n"
                             "control = /tmp/a b\n"
                             "log-level = debug\n"
                             "log-format = json\n"
                             "heartbeat = 0\n"
                             "frame-max = 4096\n"
                             "channel-max = 9\n"
                             "envelope-size = 1024\n"
                             "reply-when = all\n"
                             "no-quorum-policy = ignore\n"
                             "transport = sim\n"
                             "group = shop-2\n"
                             "expected-members = 1\n"
                             "voters = 7\n"
                             "follow-votequorum = no\n";
  g_autoptr (Settings) settings = settings_new ();
  g_autoptr (GError) error = NULL;
  const NodeUser *users;
  guint n_keys;

  config_file_parse (settings, "f", slice_of_text (text), &error);
  g_assert_no_error (error);
  settings_check (settings, &error);
  g_assert_no_error (error);
  settings_names (&n_keys);
  g_assert_cmpuint (n_keys, ==, 18); /* a new one belongs into this test */
  g_assert_cmpuint (settings->members, ==, 1);
  g_assert_cmpstr (settings->node->name, ==, "west-1");
  g_assert_cmpstr (settings->node->cluster_name, ==, "shop-2");
  g_assert_cmpuint (settings->listen->len, ==, 2);
  g_assert_cmpstr (settings->control, ==, "/tmp/a b");
  g_assert_cmpuint (settings->log_level, ==, LOG_DEBUG);
  g_assert_cmpuint (settings->log_format, ==, LOG_FORMAT_JSON);
  g_assert_cmpuint (settings->node->heartbeat_seconds, ==, 0);
  g_assert_cmpuint (settings->node->frame_max, ==, 4096);
  g_assert_cmpuint (settings->node->channel_max, ==, 9);
  g_assert_cmpuint (settings->node->envelope_fill, ==, 1024);
  g_assert_cmpint (settings->node->reply_when, ==, REPLY_WHEN_ALL);
  g_assert_true (settings->node->ignore_quorum);
  g_assert_cmpint (settings->transport, ==, TRANSPORT_KIND_SIM);
  g_assert_cmpuint (settings->node->expected_members, ==, 1);
  g_assert_cmpuint (settings->node->voters->len, ==, 1);
  g_assert_cmpuint (g_array_index (settings->node->voters, guint32, 0), ==, 7);
  g_assert_false (settings->follow_votequorum);
  g_assert_cmpuint (settings->node->users->len, ==, 2);
  users = (const NodeUser *) (gconstpointer) settings->node->users->data;
  g_assert_cmpstr (users[0].name, ==, "alice");
  g_assert_cmpstr (users[0].password, ==, "correct horse # battery");
}

static void
test_file_that_is_none (void)
{
  g_autoptr (Settings) settings = settings_new ();
  g_autoptr (GError) missing = NULL, directory = NULL;

  g_assert_false (config_file_load (settings, "/nonexistent/f", &missing));
  g_assert_cmpstr (missing->message, ==, "/nonexistent/f: No such file or directory");
  g_assert_false (config_file_load (settings, "/", &directory));
  g_assert_cmpstr (directory->message, ==, "/: Is a directory");
}

static void
test_file_too_large (void)
{
  g_autofree char *text = g_strnfill (LIMIT_CONFIG_FILE + 1, '\n');
  g_autofree char *path = NULL, *expected = NULL;
  g_autoptr (Settings) settings = settings_new ();
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp (NULL, &path, &error);

  g_assert_no_error (error);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, text, LIMIT_CONFIG_FILE, NULL));
  g_assert_true (config_file_load (settings, path, &error));
  g_assert_true (g_file_set_contents (path, text, LIMIT_CONFIG_FILE + 1, NULL));
  g_assert_false (config_file_load (settings, path, &error));
  expected = g_strdup_printf ("%s: larger than 1048576 bytes", path);
  g_assert_cmpstr (error->message, ==, expected);
  g_unlink (path);
}

/* The installed example is valid as it is, and with every line that shows a default. */
static void
test_example (void)
{
  g_autofree char *path
      = g_build_filename (g_getenv ("top_srcdir"), "daemon/consort.conf.example", NULL);
  g_autofree char *text = NULL, *all = NULL;
  g_autoptr (GRegex) commented = g_regex_new ("^#(?=[a-z[-]+ =|\\[)", G_REGEX_MULTILINE, 0, NULL);
  g_autoptr (Settings) plain = settings_new (), uncommented = settings_new ();
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  config_file_parse (plain, "f", slice_of_text (text), &error);
  g_assert_no_error (error);
  g_assert_cmpstr (g_array_index (plain->node->users, NodeUser, 0).name, ==, "guest");
  all = g_regex_replace_literal (commented, text, -1, 0, "", 0, &error);
  config_file_parse (uncommented, "f", slice_of_text (all), &error);
  g_assert_no_error (error);
  g_assert_cmpstr (g_array_index (uncommented->node->users, NodeUser, 0).name, ==, "alice");
  g_assert_cmpuint (uncommented->node->heartbeat_seconds, ==, plain->node->heartbeat_seconds);
  g_assert_cmpuint (uncommented->node->frame_max, ==, plain->node->frame_max);
  g_assert_cmpuint (uncommented->node->channel_max, ==, plain->node->channel_max);
  g_assert_cmpuint (uncommented->node->envelope_fill, ==, plain->node->envelope_fill);
  g_assert_cmpstr (uncommented->node->cluster_name, ==, plain->node->cluster_name);
  g_assert_cmpstr (uncommented->node->name, ==, plain->node->name);
  g_assert_cmpuint (uncommented->log_level, ==, plain->log_level);
}

/* --- the command line --------------------------------------------------------------------------
 */

typedef struct CommandLine
{
  const char *name;
  const char *arguments; /* separated by blanks */
  const char *expected;  /* addresses of each member, or the error */
} CommandLine;

static const CommandLine command_lines[] = {
  { "nothing", "", "A 127.0.0.1:5672" },
  { "members", "--members 3", "A 127.0.0.1:5672; B 127.0.0.1:5673; C 127.0.0.1:5674" },
  { "first-port", "--members=2 --listen [::1]:7000", "A [::1]:7000; B [::1]:7001" },
  { "kernel-chooses", "-m 2 -l 127.0.0.1:0", "A 127.0.0.1:0; B 127.0.0.1:0" },
  { "one-for-each", "-m 2 -l 127.0.0.1:9 -l [::1]:8", "A 127.0.0.1:9; B [::1]:8" },
  { "many-for-one", "-n x -l 0.0.0.0:9 -l [::]:9", "x 0.0.0.0:9 [::]:9" },
  { "too-few", "-m 3 -l 127.0.0.1:9 -l [::1]:8",
    "2 addresses for 3 members: give one (the first member's; each next member takes the next "
    "port) or one for each" },
  { "no-ports-left", "-m 3 -l 127.0.0.1:65534", "no 3 ports from 65534 on" },
  { "name-of-many", "-m 3 -n x", "a name is for an only member: 3 members are called A, B, C ..." },
  { "transport-unknown", "-t tcp", "--transport: 'tcp' is not sim or cpg" },
  { "expected-without-others", "-e 3",
    "3 expected members: the other ones can only come over corosync (transport cpg)" },
  { "expected-none", "-e 0", "--expected-members: '0' is not a number of members from 1 to 128" },
  { "group-with-blank", "-g a/b",
    "--group: 'a/b' is not a name of 1 to 64 letters, digits, '.', '_' or '-'" },
#ifdef WITH_CPG
  { "cpg-with-many", "-t cpg -e 3 -m 2", "2 members in one process: that is for transport sim" },
  { "cpg-of-unknown-size", "-t cpg",
    "transport cpg: say how many members the cluster has (expected-members), a majority of them "
    "serves" },
#else
  { "cpg-not-built", "-t cpg",
    "--transport: this consortd was built --without-cpg, it cannot use corosync" },
#endif
  { "bad-value", "--members x", "--members: 'x' is not a number of members from 1 to 26" },
  { "unknown-option", "--lsten 1", "Unknown option --lsten, did you mean '--listen'?" },
  { "no-option", "serve", "what is 'serve'? (see --help)" },
  { "bad-file", "--config /nonexistent/f", "/nonexistent/f: No such file or directory" },
};

static char *
describe_members (const Settings *settings)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < settings->members; i++)
    {
      g_autofree char *name = settings_member_name (settings, i);
      g_autoptr (GArray) addresses = settings_member_addresses (settings, i);

      g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", name);
      for (guint j = 0; j < addresses->len; j++)
        {
          g_autofree char *address
              = listen_address_to_text (&g_array_index (addresses, ListenAddress, j));

          g_string_append_printf (text, " %s", address);
        }
    }
  return g_string_free (text, FALSE);
}

static void
test_command_line (gconstpointer data)
{
  const CommandLine *line = data;
  g_autofree char *all = g_strconcat ("consortd ", line->arguments, NULL);
  g_auto (GStrv) argv = g_strsplit (g_strchomp (all), " ", 0);
  /* The parser takes words out of the vector it is given. */
  g_autofree char **words = g_memdup2 (argv, (g_strv_length (argv) + 1) * sizeof *argv);
  g_autoptr (Settings) settings = settings_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *found = NULL;
  OptionsAction action;

  if (daemon_options_read ((int) g_strv_length (argv), words, settings, &action, &error))
    found = describe_members (settings);
  else
    found = g_strdup (error->message);
  g_assert_cmpstr (found, ==, line->expected);
}

static void
test_options_override_the_file (void)
{
  g_autofree char *path = NULL;
  g_autoptr (Settings) settings = settings_new ();
  g_autoptr (GError) error = NULL;
  OptionsAction action;
  int fd = g_file_open_tmp (NULL, &path, &error);
  const char *words[]
      = { "consortd", "--log-level", "info", "--listen", "127.0.0.1:2", "--config", path, NULL };

  g_assert_no_error (error);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path,
                                      "[consort]\nlog-level = debug\nlog-format = json\n"
                                      "listen = 127.0.0.1:1\n",
                                      -1, NULL));
  daemon_options_read (7, (char **) words, settings, &action, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (settings->log_level, ==, LOG_INFO);
  g_assert_cmpuint (settings->log_format, ==, LOG_FORMAT_JSON);
  g_assert_cmpuint (settings->listen->len, ==, 1);
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (wrong_files); i++)
    {
      g_autofree char *path = g_strconcat ("/daemon/config-file/", wrong_files[i].name, NULL);

      g_test_add_data_func (path, &wrong_files[i], test_wrong_file);
    }
  g_test_add_func ("/daemon/config-file/every-key", test_every_key);
  g_test_add_func ("/daemon/config-file/file-that-is-none", test_file_that_is_none);
  g_test_add_func ("/daemon/config-file/file-too-large", test_file_too_large);
  g_test_add_func ("/daemon/config-file/example", test_example);
  for (guint i = 0; i < G_N_ELEMENTS (command_lines); i++)
    {
      g_autofree char *path = g_strconcat ("/daemon/options/", command_lines[i].name, NULL);

      g_test_add_data_func (path, &command_lines[i], test_command_line);
    }
  g_test_add_func ("/daemon/options/override-the-file", test_options_override_the_file);
  return g_test_run ();
}
