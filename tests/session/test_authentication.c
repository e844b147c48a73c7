/* SPDX-License-Identifier: MIT */
#include "core/session/authentication.h"
#include "core/amqp/field_table.h"

#define BYTES(literal) slice_new ((literal), sizeof (literal) - 1, NULL)

static void
test_plain (void)
{
  static const struct
  {
    const char *bytes;
    gsize length;
    const char *user; /* NULL: refused */
    const char *password;
  } rows[] = {
    { "\0guest\0secret", 13, "guest", "secret" },
    { "somebody\0guest\0secret", 21, "guest", "secret" }, /* an authorization identity */
    { "\0guest\0", 7, "guest", "" },
    { "\0\0", 2, "", "" },
    { "\0guest\0a\0b", 10, "guest", NULL }, /* it is all password: not the text "a" */
    { "\0guest", 6, NULL, NULL },
    { "guest", 5, NULL, NULL },
    { "", 0, NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Slice user, password;
      gboolean is_good
          = authentication_read (slice_of_text ("PLAIN"),
                                 slice_new (rows[i].bytes, rows[i].length, NULL), &user, &password);

      g_assert_cmpint (is_good, ==, rows[i].user != NULL);
      if (!is_good)
        continue;
      g_assert_true (slice_equal_text (user, rows[i].user));
      if (rows[i].password != NULL)
        g_assert_true (slice_equal_text (password, rows[i].password));
      else
        g_assert_true (slice_equal (password, BYTES ("a\0b")));
    }
}

static void
test_amqplain (void)
{
  g_auto (ByteWriter) table = byte_writer_init ();
  g_auto (ByteWriter) half = byte_writer_init ();
  Slice user, password;

  field_table_put_text (&table, "PASSWORD", slice_of_text ("secret"));
  field_table_put_text (&table, "LOGIN", slice_of_text ("guest"));
  g_assert_true (authentication_read (slice_of_text ("AMQPLAIN"), byte_writer_peek (&table), &user,
                                      &password));
  g_assert_true (slice_equal_text (user, "guest"));
  g_assert_true (slice_equal_text (password, "secret"));
  field_table_put_text (&half, "LOGIN", slice_of_text ("guest"));
  g_assert_false (
      authentication_read (slice_of_text ("AMQPLAIN"), byte_writer_peek (&half), &user, &password));
  g_assert_false (
      authentication_read (slice_of_text ("AMQPLAIN"), BYTES ("\x05LOGINS"), &user, &password));
}

static void
test_other_mechanisms (void)
{
  Slice user, password;

  g_assert_false (
      authentication_read (slice_of_text ("EXTERNAL"), BYTES ("\0guest\0guest"), &user, &password));
  g_assert_false (authentication_read ((Slice){ 0 }, BYTES ("\0guest\0guest"), &user, &password));
  g_assert_false (
      authentication_read (slice_of_text ("PLAIN "), BYTES ("\0guest\0guest"), &user, &password));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/session/authentication/plain", test_plain);
  g_test_add_func ("/session/authentication/amqplain", test_amqplain);
  g_test_add_func ("/session/authentication/other-mechanisms", test_other_mechanisms);
  return g_test_run ();
}
