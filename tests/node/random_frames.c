/* SPDX-License-Identifier: MIT */
#include "tests/node/random_frames.h"
#include "core/amqp/field_table.h"
#include "core/amqp/properties.h"

/* Few names, so that methods meet. */
static const char *const queues[] = { "a", "b", "c" };
static const char *const exchanges[] = { "", "amq.fanout", "amq.direct", "amq.topic", "x" };
static const char *const types[] = { "fanout", "direct", "topic" };
static const char *const tags[] = { "", "", "", "", "t", "u" };
/* What brokers do not like, or do not have. */
static const char *const others[] = { "", "amq.none", "/", "PLAIN", "\xff\xfe", "%s%n", "*.#.b" };

static const char guest[] = "\0guest\0guest";

#define ONE_OF(random, array)                                                                      \
  slice_of_text ((array)[g_rand_int_range ((random), 0, G_N_ELEMENTS (array))])

static Slice
random_name (GRand *random, const char *field)
{
  if (g_rand_int_range (random, 0, 25) == 0)
    return ONE_OF (random, others);
  if (g_str_equal (field, "exchange"))
    return ONE_OF (random, exchanges);
  if (g_str_equal (field, "type"))
    return ONE_OF (random, types);
  if (g_str_equal (field, "consumer_tag"))
    return ONE_OF (random, tags);
  return ONE_OF (random, queues);
}

static Slice
random_long_string (GRand *random)
{
  return g_rand_int_range (random, 0, 4) == 0 ? random_name (random, "")
                                              : slice_new (guest, sizeof guest - 1, NULL);
}

/* Empty, or { "x": true }, or one that is none. */
static Slice
random_table (GRand *random)
{
  static const char table[] = { 1, 'x', 't', 1 };

  switch (g_rand_int_range (random, 0, 40))
    {
    case 0:
    case 1:
      return slice_new (table, sizeof table, NULL);
    case 2:
      return slice_new (table, sizeof table - 1, NULL);
    default:
      return (Slice){ 0 };
    }
}

static guint64
random_number (GRand *random)
{
  switch (g_rand_int_range (random, 0, 12))
    {
    case 0:
      return G_MAXUINT64;
    case 1:
      return g_rand_int (random);
    default:
      return (guint64) g_rand_int_range (random, 0, 6);
    }
}

/* clang-format off */
#define OCTET(name) m->name = (guint8) random_number (random);
#define SHORT(name) m->name = (guint16) random_number (random);
#define LONG(name)                                                                                 \
  m->name = g_rand_int_range (random, 0, 8) == 0 ? (guint32) random_number (random) : 0;
#define LONG_LONG(name) m->name = random_number (random);
#define BIT(name) m->name = g_rand_int_range (random, 0, 3) == 0;
#define SHORT_STRING(name) m->name = random_name (random, #name);
#define LONG_STRING(name) m->name = random_long_string (random);
#define TABLE(name) m->name = random_table (random);
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
  static void                                                                                      \
  fill_##member (GRand *random G_GNUC_UNUSED, Method *method)                                      \
  {                                                                                                \
    Struct *m G_GNUC_UNUSED = &method->member;                                                     \
    fields                                                                                         \
  }
#include "core/amqp/methods_0_9_1.def"

static void (*const fillers[N_METHODS]) (GRand *random, Method *method) = {
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
  [METHOD_##ID] = fill_##member,
#include "core/amqp/methods_0_9_1.def"
};
/* clang-format on */

/* What makes a broker work. */
static const MethodId usual[] = {
  METHOD_QUEUE_DECLARE,   METHOD_QUEUE_DECLARE,  METHOD_QUEUE_DECLARE,    METHOD_QUEUE_BIND,
  METHOD_QUEUE_BIND,      METHOD_QUEUE_UNBIND,   METHOD_QUEUE_DELETE,     METHOD_QUEUE_PURGE,
  METHOD_BASIC_CONSUME,   METHOD_BASIC_CONSUME,  METHOD_BASIC_CONSUME,    METHOD_BASIC_CANCEL,
  METHOD_BASIC_QOS,       METHOD_BASIC_GET,      METHOD_BASIC_GET,        METHOD_BASIC_ACK,
  METHOD_BASIC_ACK,       METHOD_BASIC_ACK,      METHOD_BASIC_NACK,       METHOD_BASIC_NACK,
  METHOD_BASIC_RECOVER,   METHOD_CONFIRM_SELECT, METHOD_EXCHANGE_DECLARE, METHOD_CHANNEL_CLOSE,
  METHOD_EXCHANGE_DELETE,
};

/* A client in its right mind declares a queue much like the others do. */
static void
be_reasonable (GRand *random, Method *method)
{
  gboolean plain = g_rand_int_range (random, 0, 10) > 0;

  if (method->id == METHOD_QUEUE_DECLARE && plain)
    {
      method->queue_declare.passive = FALSE;
      method->queue_declare.exclusive = FALSE;
      method->queue_declare.durable = FALSE;
      method->queue_declare.auto_delete = method->queue_declare.queue.bytes[0] == 'c';
      method->queue_declare.arguments = (Slice){ 0 };
    }
  if (method->id == METHOD_BASIC_CONSUME && plain)
    method->basic_consume.exclusive = FALSE;
  if (method->id == METHOD_BASIC_QOS && plain)
    method->basic_qos.prefetch_size = 0;
  if (method->id == METHOD_BASIC_ACK && plain)
    method->basic_ack = (BasicAck){ .multiple = TRUE };
  if (method->id == METHOD_BASIC_NACK && plain)
    method->basic_nack = (BasicNack){ .multiple = TRUE, .requeue = method->basic_nack.requeue };
  if (method->id == METHOD_EXCHANGE_DECLARE && plain)
    method->exchange_declare.exchange = slice_of_text ("x");
}

Method
random_method (GRand *random)
{
  Method method = { .id = METHOD_BASIC_ACK };

  if (g_rand_int_range (random, 0, 150) > 0)
    method.id = usual[g_rand_int_range (random, 0, G_N_ELEMENTS (usual))];
  else
    method.id = (MethodId) g_rand_int_range (random, 0, N_METHODS);
  fillers[method.id](random, &method);
  be_reasonable (random, &method);
  return method;
}

static void
write_content (GRand *random, FrameWriter *writer, guint16 channel)
{
  g_auto (ByteWriter) header = byte_writer_init ();
  const Properties properties = { .flags = PROPERTY_DELIVERY_MODE, .delivery_mode = 1 };
  static const char zeros[8000];
  Slice body = slice_new (zeros, (gsize) g_rand_int_range (random, 0, 40), NULL);

  if (g_rand_int_range (random, 0, 8) == 0)
    body.length = sizeof zeros;
  content_header_encode (&properties, body.length, &header);
  if (g_rand_int_range (random, 0, 80) == 0) /* not all of it, yet or ever */
    body.length /= 2;
  frame_writer_content (writer, channel, byte_writer_peek (&header), &body, 1, 4096);
}

static void
write_publish (GRand *random, FrameWriter *writer, guint16 channel)
{
  Method method = { .id = METHOD_BASIC_PUBLISH };

  fillers[METHOD_BASIC_PUBLISH](random, &method);
  method.basic_publish.immediate = g_rand_int_range (random, 0, 200) == 0;
  if (g_rand_boolean (random))
    method.basic_publish.exchange = (Slice){ 0 };
  frame_writer_method (writer, PROTOCOL_0_9_1, channel, &method);
  if (g_rand_int_range (random, 0, 200) > 0)
    write_content (random, writer, channel);
}

void
random_frames_write (GRand *random, FrameWriter *writer)
{
  guint16 channel = (guint16) g_rand_int_range (random, 1, 4);
  Method method;

  switch (g_rand_int_range (random, 0, 400))
    {
    case 0:
      channel = (guint16) random_number (random);
      break;
    case 1:
      write_content (random, writer, channel);
      return;
    case 2:
      frame_writer_heartbeat (writer);
      return;
    default:
      break;
    }
  if (g_rand_int_range (random, 0, 3) == 0)
    {
      write_publish (random, writer, channel);
      return;
    }
  method = random_method (random);
  frame_writer_method (writer, PROTOCOL_0_9_1, channel, &method);
}
