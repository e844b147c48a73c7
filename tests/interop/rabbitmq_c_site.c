/* SPDX-License-Identifier: MIT */
#include "tests/interop/rabbitmq_c_site.h"

#include <amqp_tcp_socket.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static const char *case_name;
static char **addresses;
static guint n_addresses;
/* Connections made so far: each new one goes to the next address. */
static guint turn;
static GPtrArray *open_connections;

const struct timeval patience = { .tv_sec = 20 };

void
site_open (const char *name, char **of_brokers, guint n_brokers)
{
  case_name = name;
  addresses = of_brokers;
  n_addresses = n_brokers;
  open_connections = g_ptr_array_new ();
}

void
site_close (void)
{
  while (open_connections->len > 0)
    disconnect (open_connections->pdata[0]);
  g_ptr_array_unref (open_connections);
}

void
site_first_is_next (void)
{
  turn = 0;
}

const char *
site_case_name (void)
{
  return case_name;
}

amqp_bytes_t
text (const char *string)
{
  return amqp_cstring_bytes (string);
}

const char *
number (guint value)
{
  g_autofree char *string = g_strdup_printf ("%u", value);

  return g_intern_string (string);
}

void
assert_text (amqp_bytes_t got, const char *expected)
{
  g_autofree char *string = g_strndup (got.bytes != NULL ? got.bytes : "", got.len);

  g_assert_cmpstr (string, ==, expected);
}

guint
reply_code (amqp_rpc_reply_t reply)
{
  if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION)
    return 0;
  if (reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD)
    return ((amqp_channel_close_t *) reply.reply.decoded)->reply_code;
  g_assert_cmphex (reply.reply.id, ==, AMQP_CONNECTION_CLOSE_METHOD);
  return ((amqp_connection_close_t *) reply.reply.decoded)->reply_code;
}

void
assert_reply (amqp_rpc_reply_t reply)
{
  g_assert_cmpuint (reply_code (reply), ==, 0);
  if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION)
    g_error ("librabbitmq: %s", amqp_error_string2 (reply.library_error));
  g_assert_cmpint (reply.reply_type, ==, AMQP_RESPONSE_NORMAL);
}

void
assert_done (Connection connection)
{
  assert_reply (amqp_get_rpc_reply (connection));
}

amqp_rpc_reply_t
log_in (const char *vhost, const char *password, Connection *ret_connection)
{
  amqp_table_entry_t capability
      = { .key = text ("consumer_cancel_notify"),
          .value = { .kind = AMQP_FIELD_KIND_BOOLEAN, .value.boolean = 1 } };
  amqp_table_entry_t capabilities
      = { .key = text ("capabilities"),
          .value = { .kind = AMQP_FIELD_KIND_TABLE,
                     .value.table = { .num_entries = 1, .entries = &capability } } };
  amqp_table_t client_properties = { .num_entries = 1, .entries = &capabilities };
  Connection connection = amqp_new_connection ();
  amqp_socket_t *socket = amqp_tcp_socket_new (connection);
  g_auto (GStrv) parts = g_strsplit (addresses[turn++ % n_addresses], ":", 2);

  g_assert_cmpint (amqp_socket_open (socket, parts[0], atoi (parts[1])), ==, AMQP_STATUS_OK);
  g_assert_cmpint (amqp_set_rpc_timeout (connection, &patience), ==, AMQP_STATUS_OK);
  *ret_connection = connection;
  return amqp_login_with_properties (connection, vhost, 0, 131072, 0, &client_properties,
                                     AMQP_SASL_METHOD_PLAIN, "guest", password);
}

Connection
connect_next (void)
{
  Connection connection;

  assert_reply (log_in ("/", "guest", &connection));
  amqp_channel_open (connection, 1);
  assert_done (connection);
  g_ptr_array_add (open_connections, connection);
  return connection;
}

void
drop (Connection connection)
{
  g_ptr_array_remove (open_connections, connection);
  g_assert_cmpint (amqp_destroy_connection (connection), ==, AMQP_STATUS_OK);
}

void
disconnect (Connection connection)
{
  assert_reply (amqp_connection_close (connection, AMQP_REPLY_SUCCESS));
  drop (connection);
}

amqp_rpc_reply_t
declare_passive (Connection connection, const char *queue)
{
  amqp_queue_declare (connection, 1, text (queue), 1, 0, 0, 0, amqp_empty_table);
  return amqp_get_rpc_reply (connection);
}

void
assert_count (Connection connection, const char *queue, guint n_messages, guint n_consumers)
{
  amqp_queue_declare_ok_t *ok
      = amqp_queue_declare (connection, 1, text (queue), 1, 0, 0, 0, amqp_empty_table);

  assert_done (connection);
  g_assert_cmpuint (ok->message_count, ==, n_messages);
  g_assert_cmpuint (ok->consumer_count, ==, n_consumers);
}

const char *
queue_new (Connection connection, QueueFlags flags)
{
  static guint n_queues;
  g_autofree char *name = g_strdup_printf ("%s-%d-%u", case_name, getpid (), ++n_queues);

  amqp_queue_declare (connection, 1, text (name), 0, (flags & QUEUE_DURABLE) != 0,
                      (flags & QUEUE_EXCLUSIVE) != 0, (flags & QUEUE_AUTO_DELETE) != 0,
                      amqp_empty_table);
  assert_done (connection);
  return g_intern_string (name);
}

void
queue_delete (Connection connection, const char *queue)
{
  amqp_queue_delete (connection, 1, text (queue), 0, 0);
  assert_done (connection);
}

void
publish (Connection connection, const char *exchange, const char *key, amqp_bytes_t body)
{
  g_assert_cmpint (
      amqp_basic_publish (connection, 1, text (exchange), text (key), 0, 0, NULL, body), ==,
      AMQP_STATUS_OK);
}

amqp_method_t
next_method (Connection connection)
{
  amqp_frame_t frame;

  amqp_maybe_release_buffers (connection);
  g_assert_cmpint (
      amqp_simple_wait_frame_noblock (connection, &frame, (struct timeval *) &patience), ==,
      AMQP_STATUS_OK);
  g_assert_cmpint (frame.frame_type, ==, AMQP_FRAME_METHOD);
  return frame.payload.method;
}

void
select_confirms (Connection connection)
{
  amqp_confirm_select (connection, 1);
  assert_done (connection);
}

void
await_confirms (Connection connection, guint64 count)
{
  guint64 confirmed = 0;

  while (confirmed < count)
    {
      amqp_method_t method = next_method (connection);

      g_assert_cmphex (method.id, ==, AMQP_BASIC_ACK_METHOD);
      confirmed = ((amqp_basic_ack_t *) method.decoded)->delivery_tag;
    }
  g_assert_cmpuint (confirmed, ==, count);
}

const char *
filled_queue (QueueFlags flags, guint count)
{
  Connection connection = connect_next ();
  const char *queue = queue_new (connection, flags);

  select_confirms (connection);
  for (guint i = 1; i <= count; i++)
    publish (connection, "", queue, text (number (i)));
  await_confirms (connection, count);
  disconnect (connection);
  return queue;
}

void
consume (Connection connection, const char *queue, gboolean no_ack)
{
  amqp_basic_consume (connection, 1, text (queue), text ("mine"), 0, no_ack, 0, amqp_empty_table);
  assert_done (connection);
}

guint64
assert_delivery (Connection connection, const char *body, gboolean redelivered)
{
  amqp_envelope_t envelope;
  guint64 tag;

  amqp_maybe_release_buffers (connection);
  assert_reply (amqp_consume_message (connection, &envelope, &patience, 0));
  assert_text (envelope.message.body, body);
  g_assert_cmpint (envelope.redelivered, ==, redelivered);
  assert_text (envelope.consumer_tag, "mine");
  tag = envelope.delivery_tag;
  amqp_destroy_envelope (&envelope);
  return tag;
}

void
assert_deliveries (Connection connection, guint first, guint last, gboolean redelivered)
{
  for (guint i = first; i <= last; i++)
    assert_delivery (connection, number (i), redelivered);
}

gboolean
get (Connection connection, const char *queue, gboolean no_ack, amqp_message_t *ret_message,
     amqp_basic_get_ok_t *ret_ok)
{
  amqp_rpc_reply_t reply = amqp_basic_get (connection, 1, text (queue), no_ack);

  assert_reply (reply);
  if (reply.reply.id == AMQP_BASIC_GET_EMPTY_METHOD)
    return FALSE;
  g_assert_cmphex (reply.reply.id, ==, AMQP_BASIC_GET_OK_METHOD);
  *ret_ok = *(amqp_basic_get_ok_t *) reply.reply.decoded;
  assert_reply (amqp_read_message (connection, 1, ret_message, 0));
  return TRUE;
}

void
assert_get (Connection connection, const char *queue, const char *body)
{
  amqp_message_t message;
  amqp_basic_get_ok_t ok;

  g_assert_cmpint (get (connection, queue, TRUE, &message, &ok), ==, body != NULL);
  if (body == NULL)
    return;
  assert_text (message.body, body);
  amqp_destroy_message (&message);
}

void
assert_channel_error (Connection connection, amqp_rpc_reply_t reply, guint code)
{
  amqp_channel_close_ok_t close_ok = { 0 };

  g_assert_cmpuint (reply_code (reply), ==, code);
  g_assert_cmphex (reply.reply.id, ==, AMQP_CHANNEL_CLOSE_METHOD);
  g_assert_cmpint (amqp_send_method (connection, 1, AMQP_CHANNEL_CLOSE_OK_METHOD, &close_ok), ==,
                   AMQP_STATUS_OK);
  amqp_channel_open (connection, 1);
  assert_done (connection);
}
