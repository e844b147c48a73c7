/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "core/base/suggest.h"
#include "sim/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Command *const commands[] = {
  &command_run,    //
  &command_replay, //
  &command_sweep,  //
  &command_shrink, //
  &command_diff,   //
  &command_lint,   //
  &command_list,
};

int
command_mistake (const GError *error)
{
  fprintf (stderr, "consort-sim: %s\n", error->message);
  return EXIT_USAGE;
}

static int
print_version (void)
{
  printf ("consort-sim %s\n", PACKAGE_VERSION);
  return EXIT_SUCCESS;
}

static int
print_help (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    printf ("%s consort-sim %s %s\n", i == 0 ? "Usage:" : "      ", commands[i]->name,
            commands[i]->arguments);
  printf ("       consort-sim --help | --version\n"
          "\n"
          "Runs a whole Consort cluster and its clients in one process and in virtual time, with\n"
          "everything that happens drawn from one seed, and checks what the clients and the\n"
          "members were promised. The same seed gives the same run and the same fingerprint.\n"
          "\n"
          "Commands (each has --help):\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    printf ("  %-8s %s\n", commands[i]->name, commands[i]->what);
  printf ("\n"
          "Exit status: 0 pass, 1 a promise was broken, 2 a mistake in the use of this program,\n"
          "3 something that had to happen did not, 4 inconclusive, 5 the same seed gave another\n"
          "run, or the runs that were compared differ.\n");
  return EXIT_SUCCESS;
}

static int
print_help_of (const Command *command)
{
  printf ("Usage: consort-sim %s %s\n\n", command->name, command->arguments);
  command->print_help ();
  return EXIT_SUCCESS;
}

static const Command *
find_command (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

static int
be_puzzled (const char *word)
{
  const char *names[G_N_ELEMENTS (commands)];
  g_autofree char *suggestion = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    names[i] = commands[i]->name;
  suggestion = suggest_text (word, names, G_N_ELEMENTS (commands));
  fprintf (stderr, "consort-sim: '%s' is not a command%s (consort-sim --help lists them)\n", word,
           suggestion);
  return EXIT_USAGE;
}

int
main (int argc, char **argv)
{
  Arguments arguments = { argc - 1, argv + 1 };
  const char *word = arguments_next (&arguments);
  const Command *command;

  if (word == NULL)
    word = "";
  if (strcmp (word, "--help") == 0)
    return print_help ();
  if (strcmp (word, "--version") == 0)
    return print_version ();
  command = find_command (word);
  if (command == NULL)
    return be_puzzled (word);
  if (arguments.left > 0 && strcmp (*arguments.next, "--help") == 0)
    return print_help_of (command);
  return command->run (&arguments);
}
