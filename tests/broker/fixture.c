/* SPDX-License-Identifier: MIT */
#include "tests/broker/fixture.h"
#include "core/amqp/properties.h"
#include "core/base/digest.h"

Message *
message_of_text (Slice exchange, const char *routing_key, const char *body)
{
  g_auto (ByteWriter) writer = byte_writer_init ();
  Properties properties = { 0 };
  Slice slice = slice_of_text (body);

  content_header_encode (&properties, slice.length, &writer);
  return message_new (exchange, slice_of_text (routing_key), byte_writer_peek (&writer), &slice,
                      slice.length > 0 ? 1 : 0);
}

Message *
message_of_number (guint64 number)
{
  char text[24];

  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, number);
  return message_of_text (slice_of_text (""), "q", text);
}

guint64
message_number (const Message *message)
{
  g_autofree char *text = slice_to_text (message->bodies[0]);

  return g_ascii_strtoull (text, NULL, 10);
}

Vhost *
root_vhost (Broker *broker)
{
  return broker_lookup_vhost (broker, slice_of_text ("/"));
}

Queue *
declare (Vhost *vhost, const char *name)
{
  QueueDeclaration declaration = { .name = slice_of_text (name) };
  g_autoptr (GError) error = NULL;
  Queue *queue = vhost_declare_queue (vhost, &declaration, CONNECTION, &error);

  g_assert_no_error (error);
  return queue;
}

void
publish_number (Queue *queue, guint64 number)
{
  g_autoptr (Message) message = message_of_number (number);

  queue_enqueue (queue, message);
}

static TestConsumer *
test_of (Consumer *consumer)
{
  return (TestConsumer *) consumer;
}

static gboolean
can_take (Consumer *consumer)
{
  TestConsumer *test = test_of (consumer);

  test->n_asked++;
  return test->positions->len < test->window;
}

static void
deliver (Consumer *consumer, guint64 position, Message *message, gboolean redelivered)
{
  TestConsumer *test = test_of (consumer);
  guint64 number = message_number (message);

  if (!consumer->no_ack)
    g_array_append_val (test->positions, position);
  g_string_append_printf (test->heard, " %" G_GUINT64_FORMAT "%s", number, redelivered ? "!" : "");
  if (test->shared != NULL)
    g_string_append_printf (test->shared, " %c:%" G_GUINT64_FORMAT, test->name, number);
}

static void
cancelled (Consumer *consumer)
{
  TestConsumer *test = test_of (consumer);

  g_assert_null (consumer->queue);
  g_string_append (test->heard, " cancelled");
  if (test->shared != NULL)
    g_string_append_printf (test->shared, " %c:cancelled", test->name);
}

TestConsumer *
test_consumer_new (char name, guint window, gboolean no_ack)
{
  static const ConsumerType type
      = { .can_take = can_take, .deliver = deliver, .cancelled = cancelled };
  TestConsumer *test = g_new0 (TestConsumer, 1);

  test->consumer.type = &type;
  test->consumer.identity = (guint64) name;
  test->consumer.no_ack = no_ack;
  test->window = window;
  test->positions = g_array_new (FALSE, FALSE, sizeof (guint64));
  test->heard = g_string_new (NULL);
  test->name = name;
  return test;
}

void
test_consumer_free (TestConsumer *test)
{
  if (test->consumer.queue != NULL)
    queue_remove_consumer (test->consumer.queue, &test->consumer);
  g_array_unref (test->positions);
  g_string_free (test->heard, TRUE);
  g_free (test);
}

guint64
test_consumer_take_position (TestConsumer *test)
{
  guint64 position = g_array_index (test->positions, guint64, 0);

  g_array_remove_index (test->positions, 0);
  return position;
}

guint
dice_throw (Dice *dice, guint sides)
{
  return (guint) (digest_combine (dice->seed, dice->n_thrown++) % sides);
}

static gboolean
words_match (char **pattern, char **key)
{
  if (*pattern == NULL)
    return *key == NULL;
  if (strcmp (*pattern, "#") == 0)
    return words_match (pattern + 1, key) || (*key != NULL && words_match (pattern, key + 1));
  return *key != NULL && (strcmp (*pattern, "*") == 0 || strcmp (*pattern, *key) == 0)
         && words_match (pattern + 1, key + 1);
}

gboolean
topic_matches (const char *pattern, const char *key)
{
  g_auto (GStrv) pattern_words = g_strsplit (pattern, ".", -1);
  g_auto (GStrv) key_words = g_strsplit (key, ".", -1);

  return words_match (pattern_words, key_words);
}
