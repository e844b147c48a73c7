/* SPDX-License-Identifier: MIT */
#include "tests/session/fixture.h"
#include "core/amqp/field_table.h"
#include "core/amqp/properties.h"
#include "core/base/limits.h"

static void
write_body (GString *text, const Message *message)
{
  for (guint i = 0; i < message->n_bodies; i++)
    g_string_append_len (text, (const char *) message->bodies[i].bytes,
                         (gssize) message->bodies[i].length);
}

/* basic.deliver as "deliver TAG[!] BODY", all others by their names. */
static void
listen (FrameHandler *handler, SessionFrame *frame)
{
  World *world = handler->context;
  const BasicDeliver *deliver = &frame->method->basic_deliver;

  if (frame->method->id == METHOD_BASIC_DELIVER)
    {
      g_string_append_printf (world->heard, "%u:deliver %" G_GUINT64_FORMAT "%s ",
                              frame->frame.channel, deliver->delivery_tag,
                              deliver->redelivered ? "!" : "");
      write_body (world->heard, frame->content);
    }
  else
    g_string_append_printf (world->heard, "%u:%s", frame->frame.channel,
                            method_name (frame->method->id));
  g_string_append (world->heard, "; ");
}

static const FrameHandlerType ears_type = { .name = "Ears", .handle = listen };

static void
choose_ears (gpointer user_data, Session *session)
{
  World *world = user_data;

  session->send = &world->ears;
}

World *
world_new (void)
{
  World *world = g_new0 (World, 1);

  world->broker = broker_new ();
  world->map = session_map_new (world->broker);
  world->ears = (FrameHandler){ .type = &ears_type, .context = world };
  world->heard = g_string_new (NULL);
  world->map->choose_send = choose_ears;
  world->map->chains = world;
  return world;
}

void
world_free (World *world)
{
  session_map_free (world->map);
  broker_free (world->broker);
  g_string_free (world->heard, TRUE);
  g_free (world);
}

static Connection *
open_connection (World *world, ConnectionId id)
{
  g_auto (ByteWriter) capabilities = byte_writer_init ();
  g_auto (ByteWriter) properties = byte_writer_init ();
  ConnectionOpening opening = {
    .id = id,
    .version = PROTOCOL_0_9_1,
    .vhost = slice_of_text ("/"),
    .user = slice_of_text ("guest"),
    .peer = slice_of_text ("test"),
    .channel_max = 10,
    .frame_max = LIMIT_FRAME_MIN,
  };
  Connection *connection;

  field_table_put_boolean (&capabilities, "consumer_cancel_notify", TRUE);
  field_table_put_table (&properties, "capabilities", byte_writer_peek (&capabilities));
  opening.client_properties = byte_writer_peek (&properties);
  connection = connection_open (world->map, &opening, (MemberId){ 1, 1 }, NULL);
  g_assert_nonnull (connection);
  return connection;
}

Session *
world_session (World *world, guint64 connection_number, guint16 channel)
{
  ConnectionId id = { 1, connection_number };
  Connection *connection = session_map_lookup_connection (world->map, id);
  const SessionOpening opening = {
    .id = { 1, connection_number * 100 + channel },
    .channel = channel,
    .secret = { connection_number, channel },
    .name_seed = connection_number,
  };
  Session *session;

  if (connection == NULL)
    connection = open_connection (world, id);
  session = session_open (connection, &opening, NULL);
  g_assert_nonnull (session);
  session->state = SESSION_OPEN;
  return session;
}

guint
world_apply (Session *session, const Method *method)
{
  g_autoptr (GError) error = NULL;

  if (methods_apply (session, method, NULL, &error))
    return 0;
  g_assert_true (error != NULL && error->domain == REPLY_ERROR);
  return (guint) error->code;
}

void
world_publish (Session *session, const char *queue, const char *body)
{
  g_auto (ByteWriter) header = byte_writer_init ();
  const Properties properties = { 0 };
  const Slice slice = slice_of_text (body);
  g_autoptr (Message) message = NULL;

  content_header_encode (&properties, slice.length, &header);
  message
      = message_new ((Slice){ 0 }, slice_of_text (queue), byte_writer_peek (&header), &slice, 1);
  g_assert_true (methods_basic_published (session, message, FALSE, NULL));
}

void
world_declare (Session *session, const char *queue)
{
  Method method = { .id = METHOD_QUEUE_DECLARE };

  method.queue_declare.queue = slice_of_text (queue);
  method.queue_declare.no_wait = TRUE;
  g_assert_cmpuint (world_apply (session, &method), ==, 0);
}

void
world_consume (Session *session, const char *queue, const char *tag)
{
  Method method = { .id = METHOD_BASIC_CONSUME };

  method.basic_consume.queue = slice_of_text (queue);
  method.basic_consume.consumer_tag = slice_of_text (tag);
  method.basic_consume.no_wait = TRUE;
  g_assert_cmpuint (world_apply (session, &method), ==, 0);
}

guint
world_ack (Session *session, guint64 delivery_tag, gboolean multiple)
{
  Method method = { .id = METHOD_BASIC_ACK };

  method.basic_ack.delivery_tag = delivery_tag;
  method.basic_ack.multiple = multiple;
  return world_apply (session, &method);
}

void
world_forget_heard (World *world)
{
  g_string_truncate (world->heard, 0);
}

void
world_check_digest (World *world)
{
  g_assert_cmphex (session_map_digest (world->map), ==, session_map_digest_in_full (world->map));
  g_assert_cmphex (broker_digest (world->broker), ==, broker_digest_in_full (world->broker));
}
