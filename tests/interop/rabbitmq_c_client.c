/* SPDX-License-Identifier: MIT */
/* What programs in C do with a broker, through librabbitmq; run by client_cases.py, which says how.
 */
#include "tests/interop/rabbitmq_c_site.h"

#include <stdlib.h>

/* --- queues and exchanges ------------------------------------------------------------------ */

static void
queue_life (void)
{
  const char *queue = filled_queue (QUEUE_PLAIN, 3);
  Connection a = connect_next (), b = connect_next ();
  amqp_queue_purge_ok_t *purged;

  assert_count (a, queue, 3, 0);
  purged = amqp_queue_purge (b, 1, text (queue));
  assert_done (b);
  g_assert_cmpuint (purged->message_count, ==, 3);
  consume (a, queue, FALSE);
  assert_count (b, queue, 0, 1);
  amqp_queue_delete (b, 1, text (queue), 1, 0);
  assert_channel_error (b, amqp_get_rpc_reply (b), 406);
  queue_delete (b, queue);
  assert_channel_error (b, declare_passive (b, queue), 404);
}

static void
exclusive_queue (void)
{
  Connection owner = connect_next (), other = connect_next ();
  const char *queue = queue_new (owner, QUEUE_EXCLUSIVE);

  assert_channel_error (other, declare_passive (other, queue), 405);
  assert_channel_error (other, amqp_basic_get (other, 1, text (queue), 1), 405);
  disconnect (owner);
  assert_channel_error (other, declare_passive (other, queue), 404);
}

static void
auto_delete_queue (void)
{
  Connection a = connect_next (), b = connect_next ();
  const char *queue = queue_new (a, QUEUE_AUTO_DELETE);

  consume (a, queue, FALSE);
  consume (b, queue, FALSE);
  disconnect (a);
  assert_count (b, queue, 0, 1);
  amqp_basic_cancel (b, 1, text ("mine"));
  assert_done (b);
  assert_channel_error (b, declare_passive (b, queue), 404);
}

static void
topic (void)
{
  Connection a = connect_next (), b = connect_next ();
  static const char *const keys[] = { "a", "a.b", "a.b.c", "x.b" };
  static const struct
  {
    const char *pattern;
    const char *matching[G_N_ELEMENTS (keys) + 1];
  } rows[] = {
    { "#", { "a", "a.b", "a.b.c", "x.b" } }, { "*", { "a" } },       { "a.*", { "a.b" } },
    { "a.#", { "a", "a.b", "a.b.c" } },      { "#.c", { "a.b.c" } }, { "*.b", { "a.b", "x.b" } },
  };
  const char *queues[G_N_ELEMENTS (rows)];
  const char *exchange = site_case_name ();

  amqp_exchange_declare (a, 1, text (exchange), text ("topic"), 0, 0, 0, 0, amqp_empty_table);
  assert_done (a);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      queues[i] = queue_new (b, QUEUE_PLAIN);
      amqp_queue_bind (b, 1, text (queues[i]), text (exchange), text (rows[i].pattern),
                       amqp_empty_table);
      assert_done (b);
    }
  select_confirms (a);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    publish (a, exchange, keys[i], text (keys[i]));
  await_confirms (a, G_N_ELEMENTS (keys));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      for (guint k = 0; rows[i].matching[k] != NULL; k++)
        assert_get (b, queues[i], rows[i].matching[k]);
      assert_get (b, queues[i], NULL);
      queue_delete (a, queues[i]);
    }
  amqp_exchange_delete (b, 1, text (exchange), 0);
  assert_done (b);
}

/* --- publishing ----------------------------------------------------------------------------- */

static void
confirms (void)
{
  const char *queue = filled_queue (QUEUE_PLAIN, 200);
  Connection connection = connect_next ();

  for (guint i = 1; i <= 200; i++)
    assert_get (connection, queue, number (i));
  assert_get (connection, queue, NULL);
  queue_delete (connection, queue);
}

static void
mandatory_return (void)
{
  Connection connection = connect_next ();
  amqp_basic_return_t *returned;
  amqp_message_t message;
  amqp_method_t method;

  select_confirms (connection);
  g_assert_cmpint (amqp_basic_publish (connection, 1, text ("amq.direct"), text ("nowhere"), 1, 0,
                                       NULL, text ("lost")),
                   ==, AMQP_STATUS_OK);
  method = next_method (connection);
  g_assert_cmphex (method.id, ==, AMQP_BASIC_RETURN_METHOD);
  returned = method.decoded;
  g_assert_cmpuint (returned->reply_code, ==, 312);
  assert_text (returned->exchange, "amq.direct");
  assert_text (returned->routing_key, "nowhere");
  assert_reply (amqp_read_message (connection, 1, &message, 0));
  assert_text (message.body, "lost");
  amqp_destroy_message (&message);
  await_confirms (connection, 1);
}

static void
properties (void)
{
  Connection a = connect_next (), b = connect_next ();
  const char *queue = queue_new (a, QUEUE_PLAIN);
  amqp_table_entry_t entries[] = {
    { .key = text ("text"),
      .value = { .kind = AMQP_FIELD_KIND_UTF8, .value.bytes = text ("value") } },
    { .key = text ("number"), .value = { .kind = AMQP_FIELD_KIND_I64, .value.i64 = -5 } },
  };
  amqp_basic_properties_t sent = {
    ._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_HEADERS_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG
              | AMQP_BASIC_TIMESTAMP_FLAG | AMQP_BASIC_MESSAGE_ID_FLAG,
    .content_type = text ("text/plain"),
    .headers = { .num_entries = G_N_ELEMENTS (entries), .entries = entries },
    .delivery_mode = 2,
    .timestamp = 1700000000,
    .message_id = text ("id"),
  };
  amqp_message_t message;
  amqp_basic_get_ok_t ok;

  select_confirms (a);
  g_assert_cmpint (
      amqp_basic_publish (a, 1, amqp_empty_bytes, text (queue), 0, 0, &sent, text ("body")), ==,
      AMQP_STATUS_OK);
  await_confirms (a, 1);
  g_assert_true (get (b, queue, TRUE, &message, &ok));
  g_assert_cmphex (message.properties._flags, ==, sent._flags);
  assert_text (message.properties.content_type, "text/plain");
  g_assert_cmpuint (message.properties.delivery_mode, ==, 2);
  g_assert_cmpuint (message.properties.timestamp, ==, 1700000000);
  assert_text (message.properties.message_id, "id");
  g_assert_cmpint (message.properties.headers.num_entries, ==, G_N_ELEMENTS (entries));
  assert_text (message.properties.headers.entries[0].value.value.bytes, "value");
  g_assert_cmpint (message.properties.headers.entries[1].value.value.i64, ==, -5);
  amqp_destroy_message (&message);
  queue_delete (b, queue);
}

static void
large_message (void)
{
  static const gsize sizes[] = { 8 * 1024 * 1024, 0, 131072 - 8, 131072 - 7 };
  g_autofree char *bytes = g_malloc (sizes[0]);
  Connection a = connect_next (), b = connect_next ();
  const char *queue = queue_new (a, QUEUE_PLAIN);

  for (gsize i = 0; i < sizes[0]; i++)
    bytes[i] = (char) (i * 2654435761u >> 16);
  select_confirms (a);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    publish (a, "", queue, (amqp_bytes_t){ .len = sizes[i], .bytes = bytes });
  await_confirms (a, G_N_ELEMENTS (sizes));
  consume (b, queue, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      amqp_envelope_t envelope;

      amqp_maybe_release_buffers (b);
      assert_reply (amqp_consume_message (b, &envelope, &patience, 0));
      g_assert_cmpmem (envelope.message.body.bytes, envelope.message.body.len, bytes, sizes[i]);
      amqp_destroy_envelope (&envelope);
    }
  queue_delete (b, queue);
}

/* --- getting and consuming ------------------------------------------------------------------ */

static void
get_and_give_back (void)
{
  const char *queue = filled_queue (QUEUE_PLAIN, 2);
  Connection a = connect_next (), b = connect_next ();
  amqp_message_t message;
  amqp_basic_get_ok_t ok;

  g_assert_true (get (a, queue, FALSE, &message, &ok));
  assert_text (message.body, "1");
  assert_text (ok.routing_key, queue);
  g_assert_cmpuint (ok.delivery_tag, ==, 1);
  g_assert_cmpuint (ok.message_count, ==, 1);
  g_assert_false (ok.redelivered);
  amqp_destroy_message (&message);
  assert_reply (amqp_channel_close (a, 1, AMQP_REPLY_SUCCESS));
  g_assert_true (get (b, queue, FALSE, &message, &ok));
  assert_text (message.body, "1");
  g_assert_true (ok.redelivered);
  amqp_destroy_message (&message);
  g_assert_cmpint (amqp_basic_ack (b, 1, ok.delivery_tag, 0), ==, AMQP_STATUS_OK);
  assert_get (b, queue, "2");
  assert_get (b, queue, NULL);
  queue_delete (b, queue);
}

static void
acks (void)
{
  const char *queue = filled_queue (QUEUE_PLAIN, 6);
  Connection a = connect_next (), b = connect_next ();

  consume (a, queue, FALSE);
  assert_deliveries (a, 1, 6, FALSE);
  g_assert_cmpint (amqp_basic_ack (a, 1, 2, 1), ==, AMQP_STATUS_OK);
  g_assert_cmpint (amqp_basic_reject (a, 1, 3, 0), ==, AMQP_STATUS_OK);
  g_assert_cmpint (amqp_basic_nack (a, 1, 4, 0, 1), ==, AMQP_STATUS_OK);
  g_assert_cmpuint (assert_delivery (a, "4", TRUE), ==, 7);
  g_assert_cmpint (amqp_basic_ack (a, 1, 5, 0), ==, AMQP_STATUS_OK);
  disconnect (a);
  assert_get (b, queue, "4");
  assert_get (b, queue, "6");
  assert_get (b, queue, NULL);
  queue_delete (b, queue);
}

static void
prefetch (void)
{
  const char *queue = filled_queue (QUEUE_PLAIN, 10);
  Connection a = connect_next (), b = connect_next ();

  amqp_basic_qos (a, 1, 0, 3, 0);
  assert_done (a);
  consume (a, queue, FALSE);
  assert_deliveries (a, 1, 3, FALSE);
  assert_count (b, queue, 7, 1);
  g_assert_cmpint (amqp_basic_ack (a, 1, 2, 1), ==, AMQP_STATUS_OK);
  assert_deliveries (a, 4, 5, FALSE);
  assert_count (b, queue, 5, 1);
  queue_delete (b, queue);
}

static void
cancel (void)
{
  const char *queue = filled_queue (QUEUE_PLAIN, 1);
  Connection a = connect_next (), b = connect_next ();

  consume (a, queue, TRUE);
  assert_delivery (a, "1", FALSE);
  amqp_basic_cancel (a, 1, text ("mine"));
  assert_done (a);
  select_confirms (b);
  publish (b, "", queue, text ("later"));
  await_confirms (b, 1);
  assert_count (a, queue, 1, 0);
  queue_delete (a, queue);
}

static void
cancelled_by_broker (void)
{
  Connection a = connect_next (), b = connect_next ();
  const char *queue = queue_new (a, QUEUE_PLAIN);
  amqp_method_t method;

  consume (b, queue, TRUE);
  queue_delete (a, queue);
  method = next_method (b);
  g_assert_cmphex (method.id, ==, AMQP_BASIC_CANCEL_METHOD);
  assert_text (((amqp_basic_cancel_t *) method.decoded)->consumer_tag, "mine");
}

/* --- errors and ends ------------------------------------------------------------------------ */

static amqp_rpc_reply_t
bind_to_nothing (Connection connection, const char *queue)
{
  amqp_queue_bind (connection, 1, text (queue), text ("none"), text (""), amqp_empty_table);
  return amqp_get_rpc_reply (connection);
}

static amqp_rpc_reply_t
get_from_nothing (Connection connection, const char *queue G_GNUC_UNUSED)
{
  return amqp_basic_get (connection, 1, text ("none"), 1);
}

static amqp_rpc_reply_t
consume_from_nothing (Connection connection, const char *queue G_GNUC_UNUSED)
{
  amqp_basic_consume (connection, 1, text ("none"), text (""), 0, 0, 0, amqp_empty_table);
  return amqp_get_rpc_reply (connection);
}

/* What has no answer is followed by something that has one. */
static amqp_rpc_reply_t
publish_to_nothing (Connection connection, const char *queue G_GNUC_UNUSED)
{
  publish (connection, "none", "", text ("x"));
  amqp_basic_qos (connection, 1, 0, 0, 0);
  return amqp_get_rpc_reply (connection);
}

static amqp_rpc_reply_t
ack_of_nothing (Connection connection, const char *queue G_GNUC_UNUSED)
{
  g_assert_cmpint (amqp_basic_ack (connection, 1, 99, 0), ==, AMQP_STATUS_OK);
  amqp_basic_qos (connection, 1, 0, 0, 0);
  return amqp_get_rpc_reply (connection);
}

static amqp_rpc_reply_t
declare_otherwise (Connection connection, const char *queue)
{
  amqp_queue_declare (connection, 1, text (queue), 0, 1, 0, 0, amqp_empty_table);
  return amqp_get_rpc_reply (connection);
}

static amqp_rpc_reply_t
delete_if_empty (Connection connection, const char *queue)
{
  amqp_queue_delete (connection, 1, text (queue), 0, 1);
  return amqp_get_rpc_reply (connection);
}

static void
channel_errors (void)
{
  static const struct
  {
    guint code;
    amqp_rpc_reply_t (*act) (Connection connection, const char *queue);
  } rows[] = {
    { 404, bind_to_nothing },    { 404, get_from_nothing }, { 404, consume_from_nothing },
    { 404, publish_to_nothing }, { 406, ack_of_nothing },   { 406, declare_otherwise },
    { 406, delete_if_empty },
  };
  const char *queue = filled_queue (QUEUE_PLAIN, 1);
  Connection connection = connect_next ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_channel_error (connection, rows[i].act (connection, queue), rows[i].code);
  queue_delete (connection, queue);
}

static void
refused (void)
{
  Connection connection;

  g_assert_cmpuint (reply_code (log_in ("/", "wrong", &connection)), ==, 403);
  amqp_destroy_connection (connection);
  g_assert_cmpuint (reply_code (log_in ("none", "guest", &connection)), ==, 530);
  amqp_destroy_connection (connection);
}

static void
connection_close (void)
{
  const char *queue = filled_queue (QUEUE_PLAIN, 2);
  Connection a = connect_next (), b = connect_next ();

  consume (a, queue, FALSE);
  assert_deliveries (a, 1, 2, FALSE);
  disconnect (a);
  assert_count (b, queue, 2, 0);
  assert_get (b, queue, "1");
  assert_get (b, queue, "2");
  queue_delete (b, queue);
}

/* A consumer's member ends under it: what was confirmed is at the next one, what was not
 * acknowledged is delivered again. */
static void
member_crashes (void)
{
  const char *queue = filled_queue (QUEUE_DURABLE, 20);
  Connection doomed, again;
  amqp_envelope_t envelope;

  site_first_is_next ();
  doomed = connect_next ();
  amqp_basic_qos (doomed, 1, 0, 5, 0);
  assert_done (doomed);
  consume (doomed, queue, FALSE);
  assert_deliveries (doomed, 1, 5, FALSE);
  g_assert_cmpint (amqp_basic_ack (doomed, 1, 5, 1), ==, AMQP_STATUS_OK);
  assert_deliveries (doomed, 6, 10, FALSE);
  g_assert_cmpint (system (g_getenv ("MEMBER_CRASH")), ==, 0);
  amqp_maybe_release_buffers (doomed);
  g_assert_cmpint (amqp_consume_message (doomed, &envelope, &patience, 0).library_error, !=,
                   AMQP_STATUS_TIMEOUT);
  drop (doomed);
  again = connect_next ();
  consume (again, queue, TRUE);
  assert_deliveries (again, 6, 10, TRUE);
  assert_deliveries (again, 11, 20, FALSE);
  queue_delete (again, queue);
}

/* --- running --------------------------------------------------------------------------------- */

static const struct
{
  const char *name;
  void (*run) (void);
} cases[] = {
  { "queue-life", queue_life },
  { "exclusive-queue", exclusive_queue },
  { "auto-delete-queue", auto_delete_queue },
  { "topic", topic },
  { "confirms", confirms },
  { "mandatory-return", mandatory_return },
  { "properties", properties },
  { "large-message", large_message },
  { "get-and-give-back", get_and_give_back },
  { "acks", acks },
  { "prefetch", prefetch },
  { "cancel", cancel },
  { "cancelled-by-broker", cancelled_by_broker },
  { "channel-errors", channel_errors },
  { "refused", refused },
  { "connection-close", connection_close },
  { "member-crashes", member_crashes },
};

int
main (int argc, char **argv)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (argc == 1)
      g_print ("%s\n", cases[i].name);
    else if (g_str_equal (cases[i].name, argv[1]))
      {
        site_open (argv[1], argv + 2, (guint) argc - 2);
        cases[i].run ();
        site_close ();
        return EXIT_SUCCESS;
      }
  return argc == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
