/* SPDX-License-Identifier: MIT */
/* The main program of every fuzz target in an ordinary build: each file of its corpus, every
 * prefix of it, and the file with any one of its bytes changed, go through the target.
 *
 * A target is a file fuzz_NAME.c that defines LLVMFuzzerTestOneInput (fuzz.h): it parses the
 * bytes, and asserts what must hold of any input. To add one, write that file, put at least one
 * input into corpus/NAME, and add three lines to local.mk:
 *
 *     fuzz_targets += %D%/fuzz_NAME
 *     tests_fuzz_fuzz_NAME_SOURCES = %D%/fuzz_NAME.c $(fuzz_main)
 *     tests_fuzz_fuzz_NAME_LDADD = $(FUZZ_ENGINE) LIBRARIES $(GLIB_LIBS)
 *
 * To look for new inputs, in another build folder:
 *
 *     configure --enable-fuzzing CC=clang && make fuzz && mkdir found
 *     tests/fuzz/fuzz_NAME -max_len=1024 -max_total_time=600 found SOURCE/tests/fuzz/corpus/NAME
 *
 * A crash leaves its input in a file: give it the name of what it shows and put it into the corpus.
 * What is merely interesting is minimised (-merge=1); a corpus stays below about sixty files of a
 * kibibyte. */
#include <glib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

/* In a block of just that size, so that a sanitizer sees a read past its end. */
static void
replay (const guint8 *bytes, gsize size)
{
  g_autofree guint8 *copy = g_malloc (MAX (size, 1));

  if (size > 0)
    memcpy (copy, bytes, size);
  LLVMFuzzerTestOneInput (copy, size);
}

static void
replay_changed (guint8 *bytes, gsize size, gsize at, guint8 value)
{
  guint8 original = bytes[at];

  bytes[at] = value;
  replay (bytes, size);
  bytes[at] = original;
}

static void
test_file (gconstpointer data)
{
  const char *path = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  guint8 *bytes;
  gsize size;

  g_assert_true (g_file_get_contents (path, &contents, &size, &error));
  g_assert_no_error (error);
  bytes = (guint8 *) contents;
  for (gsize length = 0; length <= size; length++)
    replay (bytes, length);
  for (gsize at = 0; at < size; at++)
    {
      replay_changed (bytes, size, at, 0x00);
      replay_changed (bytes, size, at, 0xff);
      for (guint bit = 0; bit < 8; bit++)
        replay_changed (bytes, size, at, bytes[at] ^ (guint8) (1 << bit));
    }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The paths of a folder's files, by name. */
static GPtrArray *
list_files (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, compare_names);
  return paths;
}

int
main (int argc, char **argv)
{
  const char *source = g_getenv ("top_srcdir");
  g_autofree char *program = g_path_get_basename (argv[0]);
  const char *name = program + strlen ("fuzz_");
  g_autofree char *folder = NULL;
  g_autoptr (GPtrArray) paths = NULL;

  g_test_init (&argc, &argv, NULL);
  g_assert (g_str_has_prefix (program, "fuzz_"));
  folder = g_build_filename (source == NULL ? "." : source, "tests", "fuzz", "corpus", name, NULL);
  paths = list_files (folder);
  g_assert (paths->len > 0);
  for (guint i = 0; i < paths->len; i++)
    {
      g_autofree char *file = g_path_get_basename (paths->pdata[i]);
      g_autofree char *test = g_strdup_printf ("/fuzz/%s/%s", name, file);

      g_test_add_data_func (test, paths->pdata[i], test_file);
    }
  return g_test_run ();
}
