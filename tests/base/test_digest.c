/* SPDX-License-Identifier: MIT */
#include "core/base/digest.h"

#define LENGTH_MAX 200

/* Bytes at an odd address too: how they lie must not matter. */
static void
test_is_of_the_bytes_alone (void)
{
  guint8 room[LENGTH_MAX + 8];

  for (gsize length = 0; length <= LENGTH_MAX; length++)
    {
      guint64 first = 0;

      for (gsize offset = 0; offset < 8; offset++)
        {
          guint64 digest;

          for (gsize i = 0; i < length; i++)
            room[offset + i] = (guint8) (i * 7);
          digest = digest_bytes (0, room + offset, length);
          if (offset == 0)
            first = digest;
          g_assert_cmpuint (digest, ==, first);
        }
    }
}

static void
test_every_bit_counts (void)
{
  guint8 bytes[LENGTH_MAX] = { 0 };

  for (gsize length = 1; length <= LENGTH_MAX; length++)
    {
      guint64 before = digest_bytes (0, bytes, length);

      g_assert_cmpuint (before, !=, digest_bytes (0, bytes, length - 1));
      for (gsize bit = 0; bit < 8 * length; bit++)
        {
          bytes[bit / 8] ^= (guint8) (1 << bit % 8);
          g_assert_cmpuint (digest_bytes (0, bytes, length), !=, before);
          bytes[bit / 8] ^= (guint8) (1 << bit % 8);
        }
    }
}

/* Members of one cluster may run on machines of different kinds. */
static void
test_is_the_same_everywhere (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_assert_cmphex (digest_text (0, "Bolero"), ==, G_GUINT64_CONSTANT (0x534930ec49543c5b));
  for (guint i = 0; i < 20; i++)
    g_string_append (text, "ta-tatata ");
  g_assert_cmphex (digest_text (0, text->str), ==, G_GUINT64_CONSTANT (0x5c987255ea1b3d9f));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/digest/is-of-the-bytes-alone", test_is_of_the_bytes_alone);
  g_test_add_func ("/base/digest/every-bit-counts", test_every_bit_counts);
  g_test_add_func ("/base/digest/is-the-same-everywhere", test_is_the_same_everywhere);
  return g_test_run ();
}
