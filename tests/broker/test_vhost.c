/* SPDX-License-Identifier: MIT */
/* What clients are told, word for word: their own tests look for these texts. */
#include "core/amqp/field_table.h"
#include "tests/broker/fixture.h"

typedef struct Fixture
{
  Broker *broker;
  Vhost *vhost;
  Queue *queue;    /* durable, x-max-length 5 */
  Queue *private;  /* exclusive to CONNECTION */
  Slice arguments; /* x-max-length 5 */
  Buffer *bytes;
} Fixture;

static Buffer *
table_of_integer (const char *name, gint32 value)
{
  g_auto (ByteWriter) writer = byte_writer_init ();

  field_table_put_integer (&writer, name, value);
  return byte_writer_finish (&writer);
}

static void
set_up (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  QueueDeclaration durable = { .name = slice_of_text ("q"), .durable = TRUE };
  QueueDeclaration private = { .name = slice_of_text ("private"), .exclusive = TRUE };

  f->broker = broker_new ();
  f->vhost = root_vhost (f->broker);
  f->bytes = table_of_integer ("x-max-length", 5);
  f->arguments = durable.arguments = slice_of_buffer (f->bytes);
  f->queue = vhost_declare_queue (f->vhost, &durable, CONNECTION, NULL);
  f->private = vhost_declare_queue (f->vhost, &private, CONNECTION, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_cmpuint (broker_digest (f->broker), ==, broker_digest_in_full (f->broker));
  broker_free (f->broker);
  buffer_unref (f->bytes);
}

/* Frees the error. */
static void
expect_error (GError *error, ReplyCode code, const char *message)
{
  g_assert_error (error, REPLY_ERROR, (int) code);
  g_assert_cmpstr (error->message, ==, message);
  g_error_free (error);
}

static void
expect_refused (Fixture *f, const QueueDeclaration *declaration, ConnectionId connection,
                ReplyCode code, const char *message)
{
  GError *error = NULL;

  g_assert_null (vhost_declare_queue (f->vhost, declaration, connection, &error));
  expect_error (error, code, message);
}

#define LOCKED                                                                                     \
  "cannot obtain exclusive access to locked queue '%s' in vhost '/'. It could be originally "      \
  "declared on another connection or the exclusive property value does not match that of the "     \
  "original declaration."

static void
test_same_declaration_is_the_same_queue (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  QueueDeclaration again = { .name = slice_of_text ("q"), .durable = TRUE };
  QueueDeclaration private = { .name = slice_of_text ("private"), .exclusive = TRUE };

  again.arguments = f->arguments;
  g_assert_true (vhost_declare_queue (f->vhost, &again, OTHER_CONNECTION, NULL) == f->queue);
  g_assert_true (vhost_declare_queue (f->vhost, &private, CONNECTION, NULL) == f->private);
}

static void
test_another_declaration_is_refused (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (Buffer) six = table_of_integer ("x-max-length", 6);
  g_autoptr (Buffer) other = table_of_integer ("x-expires", 5);
  QueueDeclaration again
      = { .name = slice_of_text ("q"), .durable = FALSE, .arguments = f->arguments };

  expect_refused (f, &again, CONNECTION, REPLY_PRECONDITION_FAILED,
                  "inequivalent arg 'durable' for queue 'q' in vhost '/': received 'false' but "
                  "current is 'true'");
  again.durable = again.auto_delete = TRUE;
  expect_refused (f, &again, CONNECTION, REPLY_PRECONDITION_FAILED,
                  "inequivalent arg 'auto_delete' for queue 'q' in vhost '/': received 'true' but "
                  "current is 'false'");
  again.auto_delete = FALSE;
  again.arguments = slice_of_buffer (six);
  expect_refused (f, &again, CONNECTION, REPLY_PRECONDITION_FAILED,
                  "inequivalent arg 'x-max-length' for queue 'q' in vhost '/': received '6' but "
                  "current is '5'");
  again.arguments = (Slice){ 0 };
  expect_refused (f, &again, CONNECTION, REPLY_PRECONDITION_FAILED,
                  "inequivalent arg 'x-max-length' for queue 'q' in vhost '/': received none but "
                  "current is the value '5' of type 'signedint'");
  again.arguments = slice_of_buffer (other);
  expect_refused (f, &again, CONNECTION, REPLY_PRECONDITION_FAILED,
                  "inequivalent arg 'x-expires' for queue 'q' in vhost '/': received the value '5' "
                  "of type 'signedint' but current is none");
}

static void
test_exclusive_belongs_to_one_connection (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  QueueDeclaration private = { .name = slice_of_text ("private"), .exclusive = TRUE };
  QueueDeclaration durable
      = { .name = slice_of_text ("q"), .durable = TRUE, .arguments = f->arguments };
  g_autofree char *text = g_strdup_printf (LOCKED, "private");
  g_autofree char *text_q = g_strdup_printf (LOCKED, "q");
  GError *error = NULL;

  expect_refused (f, &private, OTHER_CONNECTION, REPLY_RESOURCE_LOCKED, text);
  g_assert_null (vhost_require_queue (f->vhost, private.name, OTHER_CONNECTION, &error));
  expect_error (error, REPLY_RESOURCE_LOCKED, text);
  g_assert_nonnull (vhost_require_queue (f->vhost, private.name, CONNECTION, NULL));
  private.exclusive = FALSE;
  expect_refused (f, &private, CONNECTION, REPLY_RESOURCE_LOCKED, text);
  durable.exclusive = TRUE;
  expect_refused (f, &durable, CONNECTION, REPLY_RESOURCE_LOCKED, text_q);
}

static void
test_reserved_names (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  QueueDeclaration declaration = { .name = slice_of_text ("amq.gen-1") };
  ExchangeDeclaration exchange
      = { .name = slice_of_text ("amq.mine"), .type = slice_of_text ("direct") };
  GError *error = NULL;

  expect_refused (f, &declaration, CONNECTION, REPLY_ACCESS_REFUSED,
                  "queue name 'amq.gen-1' contains reserved prefix 'amq.*'");
  declaration.server_named = TRUE;
  g_assert_nonnull (vhost_declare_queue (f->vhost, &declaration, CONNECTION, NULL));
  declaration.server_named = FALSE;
  g_assert_nonnull (vhost_declare_queue (f->vhost, &declaration, CONNECTION, NULL));
  g_assert_null (vhost_declare_exchange (f->vhost, &exchange, &error));
  expect_error (error, REPLY_ACCESS_REFUSED,
                "exchange name 'amq.mine' contains reserved prefix 'amq.*'");
}

static void
test_what_is_not_there (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  Slice name = slice_of_text ("none");
  GError *error = NULL;

  g_assert_null (vhost_require_queue (f->vhost, name, CONNECTION, &error));
  expect_error (error, REPLY_NOT_FOUND, "no queue 'none' in vhost '/'");
  error = NULL;
  g_assert_null (vhost_require_exchange (f->vhost, name, &error));
  expect_error (error, REPLY_NOT_FOUND, "no exchange 'none' in vhost '/'");
  error = NULL;
  g_assert_false (vhost_bind_queue (f->vhost, f->queue, name, name, (Slice){ 0 }, &error));
  expect_error (error, REPLY_NOT_FOUND, "no exchange 'none' in vhost '/'");
  g_assert_true (vhost_delete_exchange (f->vhost, name, TRUE, NULL));
}

static void
test_deletion_with_conditions (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TestConsumer) consumer = test_consumer_new ('a', 0, FALSE);
  guint64 n_messages = 42;
  GError *error = NULL;

  publish_number (f->queue, 1);
  g_assert_false (vhost_delete_queue (f->vhost, f->queue, FALSE, TRUE, &n_messages, &error));
  expect_error (error, REPLY_PRECONDITION_FAILED, "queue 'q' in vhost '/' not empty");
  error = NULL;
  queue_add_consumer (f->queue, &consumer->consumer, NULL);
  g_assert_false (vhost_delete_queue (f->vhost, f->queue, TRUE, FALSE, &n_messages, &error));
  expect_error (error, REPLY_PRECONDITION_FAILED, "queue 'q' in vhost '/' in use");
  g_assert_cmpuint (n_messages, ==, 42);
  g_assert_true (vhost_delete_queue (f->vhost, f->queue, FALSE, FALSE, &n_messages, NULL));
  g_assert_cmpuint (n_messages, ==, 1);
  g_assert_cmpstr (consumer->heard->str, ==, " cancelled");
}

static void
expect_exchange_refused (Fixture *f, const ExchangeDeclaration *declaration, ReplyCode code,
                         const char *message)
{
  GError *error = NULL;

  g_assert_null (vhost_declare_exchange (f->vhost, declaration, &error));
  expect_error (error, code, message);
}

static void
test_exchange_declarations (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  ExchangeDeclaration declaration
      = { .name = slice_of_text ("x"), .type = slice_of_text ("direct"), .internal = TRUE };
  Exchange *exchange = vhost_declare_exchange (f->vhost, &declaration, NULL);

  g_assert_nonnull (exchange);
  g_assert_true (vhost_declare_exchange (f->vhost, &declaration, NULL) == exchange);
  declaration.type = slice_of_text ("fanout");
  expect_exchange_refused (f, &declaration, REPLY_PRECONDITION_FAILED,
                           "inequivalent arg 'type' for exchange 'x' in vhost '/': received "
                           "'fanout' but current is 'direct'");
  declaration.type = slice_of_text ("direct");
  declaration.internal = FALSE;
  expect_exchange_refused (f, &declaration, REPLY_PRECONDITION_FAILED,
                           "inequivalent arg 'internal' for exchange 'x' in vhost '/': received "
                           "'false' but current is 'true'");
  declaration.type = slice_of_text ("x-weather");
  expect_exchange_refused (f, &declaration, REPLY_COMMAND_INVALID,
                           "unknown exchange type 'x-weather'");
  declaration.name = slice_of_text ("");
  expect_exchange_refused (f, &declaration, REPLY_ACCESS_REFUSED,
                           "operation not permitted on the default exchange");
}

static void
test_predeclared_exchanges_stay (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const names[] = { "amq.direct", "amq.fanout", "amq.topic" };
  ExchangeDeclaration declaration
      = { .name = slice_of_text ("amq.topic"), .type = slice_of_text ("topic"), .durable = TRUE };
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *text
          = g_strdup_printf ("deletion of system exchange '%s' in vhost '/' not allowed", names[i]);

      error = NULL;
      g_assert_false (vhost_delete_exchange (f->vhost, slice_of_text (names[i]), FALSE, &error));
      expect_error (error, REPLY_ACCESS_REFUSED, text);
    }
  g_assert_nonnull (vhost_declare_exchange (f->vhost, &declaration, NULL));
}

static void
test_default_exchange_is_not_wired (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  const char *text = "operation not permitted on the default exchange";
  Slice none = slice_of_text (""), key = slice_of_text ("key");
  GError *error = NULL;

  g_assert_false (vhost_bind_queue (f->vhost, f->queue, none, key, none, &error));
  expect_error (error, REPLY_ACCESS_REFUSED, text);
  error = NULL;
  g_assert_false (vhost_unbind_queue (f->vhost, f->queue, none, key, none, &error));
  expect_error (error, REPLY_ACCESS_REFUSED, text);
  error = NULL;
  g_assert_false (vhost_delete_exchange (f->vhost, none, FALSE, &error));
  expect_error (error, REPLY_ACCESS_REFUSED, text);
}

static void
test_used_exchange_is_kept_if_asked (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  ExchangeDeclaration declaration
      = { .name = slice_of_text ("x"), .type = slice_of_text ("topic") };
  Slice key = slice_of_text ("a.*");
  GError *error = NULL;

  vhost_declare_exchange (f->vhost, &declaration, NULL);
  vhost_bind_queue (f->vhost, f->queue, declaration.name, key, f->arguments, NULL);
  g_assert_false (vhost_delete_exchange (f->vhost, declaration.name, TRUE, &error));
  expect_error (error, REPLY_PRECONDITION_FAILED, "exchange 'x' in vhost '/' in use");
  g_assert_true (vhost_delete_exchange (f->vhost, declaration.name, FALSE, NULL));
  g_assert_null (vhost_lookup_exchange (f->vhost, declaration.name));
  g_assert_cmpuint (f->queue->bindings->len, ==, 0);
}

static void
test_a_lost_connection_takes_its_queues (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  QueueDeclaration other = { .name = slice_of_text ("other"), .exclusive = TRUE };
  QueueDeclaration second = { .name = slice_of_text ("a second"), .exclusive = TRUE };

  vhost_declare_queue (f->vhost, &other, OTHER_CONNECTION, NULL);
  vhost_declare_queue (f->vhost, &second, CONNECTION, NULL);
  broker_connection_gone (f->broker, CONNECTION);
  broker_connection_gone (f->broker, CONNECTION);
  g_assert_null (vhost_lookup_queue (f->vhost, slice_of_text ("private")));
  g_assert_null (vhost_lookup_queue (f->vhost, second.name));
  g_assert_nonnull (vhost_lookup_queue (f->vhost, other.name));
  g_assert_nonnull (vhost_lookup_queue (f->vhost, slice_of_text ("q")));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(claim, test) g_test_add ("/broker/vhost/" claim, Fixture, NULL, set_up, test, tear_down)
  ADD ("same-declaration-is-the-same-queue", test_same_declaration_is_the_same_queue);
  ADD ("another-declaration-is-refused", test_another_declaration_is_refused);
  ADD ("exclusive-belongs-to-one-connection", test_exclusive_belongs_to_one_connection);
  ADD ("reserved-names", test_reserved_names);
  ADD ("what-is-not-there", test_what_is_not_there);
  ADD ("deletion-with-conditions", test_deletion_with_conditions);
  ADD ("exchange-declarations", test_exchange_declarations);
  ADD ("predeclared-exchanges-stay", test_predeclared_exchanges_stay);
  ADD ("default-exchange-is-not-wired", test_default_exchange_is_not_wired);
  ADD ("used-exchange-is-kept-if-asked", test_used_exchange_is_kept_if_asked);
  ADD ("a-lost-connection-takes-its-queues", test_a_lost_connection_takes_its_queues);
#undef ADD
  return g_test_run ();
}
