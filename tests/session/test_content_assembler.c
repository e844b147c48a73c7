/* SPDX-License-Identifier: MIT */
#include "core/session/content_assembler.h"

typedef struct Fixture
{
  ContentAssembler content;
  ByteWriter header;
  ContentHeader decoded;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  const Properties properties = { 0 };

  content_header_encode (&properties, (guint64) GPOINTER_TO_UINT (data), &fixture->header);
  g_assert_true (
      content_header_decode (byte_writer_peek (&fixture->header), &fixture->decoded, NULL));
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  (void) data;
  content_assembler_clear (&fixture->content);
  byte_writer_clear (&fixture->header);
}

static gboolean
publish (Fixture *fixture)
{
  const BasicPublish method
      = { .exchange = slice_of_text ("x"), .routing_key = slice_of_text ("k") };

  return content_assembler_publish (&fixture->content, &method);
}

static gboolean
header (Fixture *fixture)
{
  return content_assembler_header (&fixture->content, byte_writer_peek (&fixture->header),
                                   message_piece_digest (byte_writer_peek (&fixture->header)),
                                   &fixture->decoded);
}

static gboolean
body (Fixture *fixture, Slice payload)
{
  return content_assembler_body (&fixture->content, payload, message_piece_digest (payload));
}

static void
test_whole_in_one_event (Fixture *fixture, gconstpointer data)
{
  g_autoptr (Message) message = NULL;

  (void) data;
  g_assert_true (publish (fixture));
  g_assert_false (content_assembler_is_whole (&fixture->content));
  g_assert_true (header (fixture));
  g_assert_true (body (fixture, slice_of_text ("abcd")));
  g_assert_false (content_assembler_is_whole (&fixture->content));
  g_assert_true (body (fixture, slice_of_text ("ef")));
  g_assert_true (content_assembler_is_whole (&fixture->content));
  message = content_assembler_take (&fixture->content);
  g_assert_cmpuint (message->body_size, ==, 6);
  g_assert_true (slice_equal_text (message->exchange, "x"));
  g_assert_true (slice_equal_text (message->routing_key, "k"));
  g_assert_true (publish (fixture)); /* ready for the next */
}

/* No bodies at all: whole with its header. */
static void
test_empty_body (Fixture *fixture, gconstpointer data)
{
  g_autoptr (Message) message = NULL;

  (void) data;
  g_assert_true (publish (fixture) && header (fixture));
  g_assert_true (content_assembler_is_whole (&fixture->content));
  message = content_assembler_take (&fixture->content);
  g_assert_cmpuint (message->n_bodies, ==, 0);
}

/* Pieces of events that are over are kept: what they were borrowed from may be gone. */
static void
test_pieces_of_many_events (Fixture *fixture, gconstpointer data)
{
  g_autoptr (Message) message = NULL;

  (void) data;
  g_assert_true (publish (fixture));
  content_assembler_keep (&fixture->content);
  g_assert_true (header (fixture));
  content_assembler_keep (&fixture->content);
  for (guint i = 0; i < 6; i++)
    {
      char octet = (char) ('a' + i);

      g_assert_true (body (fixture, slice_new (&octet, 1, NULL)));
      content_assembler_keep (&fixture->content);
      octet = '?';
    }
  message = content_assembler_take (&fixture->content);
  g_assert_cmpuint (message->n_bodies, ==, 6);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpint (message->bodies[i].bytes[0], ==, 'a' + i);
}

static void
test_refuses_what_is_out_of_order (Fixture *fixture, gconstpointer data)
{
  (void) data;
  g_assert_false (header (fixture));
  g_assert_false (body (fixture, slice_of_text ("a")));
  g_assert_true (publish (fixture));
  g_assert_false (publish (fixture));
  g_assert_false (body (fixture, slice_of_text ("a")));
  g_assert_true (header (fixture));
  g_assert_false (header (fixture));
  g_assert_false (body (fixture, slice_of_text ("1234567")));
}

/* Members whose events are cut alike have equal digests; another byte makes another. */
static void
test_digest_is_of_the_bytes (Fixture *fixture, gconstpointer data)
{
  guint64 digests[2];

  (void) data;
  for (guint i = 0; i < 2; i++)
    {
      content_assembler_clear (&fixture->content);
      g_assert_true (publish (fixture) && header (fixture));
      g_assert_true (body (fixture, slice_of_text (i == 0 ? "abc" : "abd")));
      content_assembler_keep (&fixture->content);
      digests[i] = fixture->content.content_digest;
    }
  g_assert_cmphex (digests[0], !=, digests[1]);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    guint body_size;
    void (*run) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/session/content/whole-in-one-event", 6, test_whole_in_one_event },
    { "/session/content/empty-body", 0, test_empty_body },
    { "/session/content/pieces-of-many-events", 6, test_pieces_of_many_events },
    { "/session/content/refuses-what-is-out-of-order", 6, test_refuses_what_is_out_of_order },
    { "/session/content/digest-is-of-the-bytes", 6, test_digest_is_of_the_bytes },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, GUINT_TO_POINTER (tests[i].body_size), set_up, tests[i].run,
                tear_down);
  return g_test_run ();
}
