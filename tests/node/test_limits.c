/* SPDX-License-Identifier: MIT */
/* Bounds: the largest that a client may say fits the group's messages by construction, what is
 * larger never gets there, and a group that is full has no room for one more member. */
#include "core/amqp/field_table.h"
#include "core/amqp/properties.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "core/base/log.h"
#include "tests/node/harness.h"

#define PAYLOAD_MAX (LIMIT_FRAME_MAX - LIMIT_FRAME_OVERHEAD)

/* A table of one value, `length` bytes in all. */
static Buffer *
new_table (gsize length)
{
  ByteWriter writer = byte_writer_init ();
  gsize overhead;

  field_table_put_text (&writer, "x", slice_of_text (""));
  overhead = writer.length;
  byte_writer_clear (&writer);
  writer = byte_writer_init ();
  {
    g_autofree char *text = g_strnfill (length - overhead, 'x');

    field_table_put_text (&writer, "x", slice_of_text (text));
  }
  g_assert_cmpuint (writer.length, ==, length);
  return byte_writer_finish (&writer);
}

static gsize
payload_size (const Method *method)
{
  g_auto (ByteWriter) writer = byte_writer_init ();

  method_encode (PROTOCOL_0_9_1, method, &writer);
  return writer.length;
}

/* With its table as large as a frame can have it, and so much more. */
static void
say_largest (TestClient *client, guint16 channel, Method *method, Slice *table, gsize more)
{
  g_autoptr (Buffer) bytes = new_table (PAYLOAD_MAX - payload_size (method) + more);

  *table = slice_of_buffer (bytes);
  g_assert_cmpuint (payload_size (method), ==, PAYLOAD_MAX + more);
  test_client_method (client, channel, method);
  test_client_flush (client);
}

static void
say_hello (TestClient *client, Harness *harness, gsize more)
{
  static const char response[] = "\0guest\0guest";
  Method method = { .id = METHOD_CONNECTION_START_OK };

  frame_writer_raw (client->writer, slice_new (protocol_header_preferred (), 8, NULL));
  test_client_expect (client, harness, METHOD_CONNECTION_START, NULL);
  method.connection_start_ok.mechanism = slice_of_text ("PLAIN");
  method.connection_start_ok.response = slice_new (response, sizeof response - 1, NULL);
  method.connection_start_ok.locale = slice_of_text ("en_US");
  say_largest (client, 0, &method, &method.connection_start_ok.client_properties, more);
}

static void
open_connection (TestClient *client, Harness *harness)
{
  Method tune_ok = { .id = METHOD_CONNECTION_TUNE_OK };
  Method open = { .id = METHOD_CONNECTION_OPEN };
  Method channel_open = { .id = METHOD_CHANNEL_OPEN };

  test_client_expect (client, harness, METHOD_CONNECTION_TUNE, NULL);
  tune_ok.connection_tune_ok.frame_max = LIMIT_FRAME_MAX;
  tune_ok.connection_tune_ok.channel_max = 100;
  test_client_method (client, 0, &tune_ok);
  open.connection_open.virtual_host = slice_of_text ("/");
  test_client_method (client, 0, &open);
  test_client_expect (client, harness, METHOD_CONNECTION_OPEN_OK, NULL);
  test_client_method (client, 1, &channel_open);
  test_client_expect (client, harness, METHOD_CHANNEL_OPEN_OK, NULL);
}

/* Its header fills a frame, and its body several and nearly one more: an envelope that is nearly
 * full takes a whole frame. */
static void
publish_largest (TestClient *client, const char *queue)
{
  Method publish = { .id = METHOD_BASIC_PUBLISH };
  Properties properties = { .flags = PROPERTY_HEADERS };
  g_auto (ByteWriter) empty = byte_writer_init (), header = byte_writer_init ();
  g_autoptr (Buffer) body = buffer_new (5 * PAYLOAD_MAX - 300);
  g_autoptr (Buffer) table = NULL;
  const Slice slice = slice_of_buffer (body);

  memset (body->bytes, 'x', body->size);
  content_header_encode (&properties, body->size, &empty);
  table = new_table (PAYLOAD_MAX - empty.length);
  properties.headers = slice_of_buffer (table);
  content_header_encode (&properties, body->size, &header);
  g_assert_cmpuint (header.length, ==, PAYLOAD_MAX);
  publish.basic_publish.routing_key = slice_of_text (queue);
  test_client_method (client, 1, &publish);
  frame_writer_content (client->writer, 1, byte_writer_peek (&header), &slice, 1, LIMIT_FRAME_MAX);
  test_client_flush (client);
}

/* The transport asserts that it fits. */
static void
test_largest_frames_fit (gconstpointer data)
{
  g_autoptr (Harness) harness = harness_new_empty (2, 2);
  g_autoptr (TestClient) client = NULL;
  Method declare = { .id = METHOD_QUEUE_DECLARE }, get = { .id = METHOD_BASIC_GET };

  harness->envelope_fill = GPOINTER_TO_UINT (data);
  harness_start_all (harness);
  client = test_client_new_bare (harness, 0);
  say_hello (client, harness, 0);
  open_connection (client, harness);
  declare.queue_declare.queue = slice_of_text ("q");
  say_largest (client, 1, &declare, &declare.queue_declare.arguments, 0);
  test_client_expect (client, harness, METHOD_QUEUE_DECLARE_OK, NULL);
  publish_largest (client, "q");
  get.basic_get.queue = slice_of_text ("q");
  get.basic_get.no_ack = TRUE;
  test_client_method (client, 1, &get);
  test_client_expect (client, harness, METHOD_BASIC_GET_OK, NULL);
  harness_check_digests (harness);
}

/* It ends before it is cut into frames. */
static void
test_larger_frames_are_refused (void)
{
  g_autoptr (Harness) harness = harness_new (1, 1);
  g_autoptr (TestClient) client = test_client_new (harness, 0);
  Method declare = { .id = METHOD_QUEUE_DECLARE }, close;

  declare.queue_declare.queue = slice_of_text ("q");
  say_largest (client, 1, &declare, &declare.queue_declare.arguments, 1);
  test_client_expect (client, harness, METHOD_CONNECTION_CLOSE, &close);
  g_assert_cmpuint (close.connection_close.reply_code, ==, REPLY_FRAME_ERROR);
}

/* --- members ---------------------------------------------------------------------------------- */

static void
keep_warning (LogLevel level, const char *member, const char *text, gpointer user_data)
{
  GString *kept = user_data;

  if (level == LOG_WARNING)
    g_string_append_printf (kept, "%s: %s\n", member, text);
}

/* It says why, harms nobody, and comes into the group as soon as there is room. */
static void
test_one_member_too_many (void)
{
  g_autoptr (Harness) harness = harness_new_empty (3, 2);
  g_autoptr (GString) warnings = g_string_new ("");
  SimNetworkOptions options = sim_network_options_immediate ();

  options.members_max = 2;
  sim_network_free (harness->network);
  harness->network = sim_network_new (&options);
  log_set_sink (keep_warning, warnings);
  harness_start (harness, 0);
  harness_start (harness, 1);
  harness_settle (harness);
  harness_start (harness, 2);
  harness_settle (harness);
  g_assert_cmpstr (warnings->str, ==,
                   "C: cannot join group consort: group 'consort' is full: it has 2 members "
                   "already\n");
  g_assert_cmpint (node_state (harness->members[0].node), ==, NODE_ACTIVE);
  g_assert_cmpint (node_state (harness->members[2].node), ==, NODE_OUTSIDE);
  harness_crash (harness, 1);
  harness->now_us += LIMIT_HELLO_REPEAT_US;
  harness_settle (harness);
  log_set_sink (NULL, NULL);
  /* In the group; in the cluster B holds its seat (doc/decisions/seats.md). */
  g_assert_cmpint (node_state (harness->members[2].node), ==, NODE_IDLE);
  harness_check_digests (harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/node/limits/largest-frames-fit", GUINT_TO_POINTER (LIMIT_ENVELOPE_FILL),
                        test_largest_frames_fit);
  g_test_add_data_func ("/node/limits/largest-frames-fit-the-largest-envelopes",
                        GUINT_TO_POINTER (LIMIT_ENVELOPE_FILL_MAX), test_largest_frames_fit);
  g_test_add_data_func ("/node/limits/largest-frames-fit-the-smallest-envelopes",
                        GUINT_TO_POINTER (LIMIT_ENVELOPE_FILL_MIN), test_largest_frames_fit);
  g_test_add_func ("/node/limits/larger-frames-are-refused", test_larger_frames_are_refused);
  g_test_add_func ("/node/limits/one-member-too-many", test_one_member_too_many);
  return g_test_run ();
}
