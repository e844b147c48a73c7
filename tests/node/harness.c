/* SPDX-License-Identifier: MIT */
#include "tests/node/harness.h"
#include "core/amqp/properties.h"
#include "core/base/digest.h"

static gint64
harness_now (Env *env)
{
  return ((Harness *) env)->now_us;
}

static guint64
harness_random (Env *env)
{
  return digest_mix (++((Harness *) env)->n_drawn);
}

static void
harness_emit (Trace *trace, const char *member, const char *text)
{
  Harness *harness = (Harness *) ((char *) trace - offsetof (Harness, trace));

  g_ptr_array_add (harness->lines, g_strdup_printf ("%s %s", member, text));
}

static Transport *
new_transport (gpointer user_data)
{
  HarnessMember *member = user_data;

  return sim_network_new_transport (member->harness->network, member->id);
}

void
harness_start (Harness *harness, guint index)
{
  HarnessMember *member = &harness->members[index];
  char name[] = { (char) ('A' + index), '\0' };
  g_autoptr (NodeConfig) config = node_config_new (name);

  g_assert (member->node == NULL);
  config->heartbeat_seconds = 0;
  config->expected_members = harness->expected;
  config->reply_when = harness->reply_when;
  if (harness->envelope_fill > 0)
    config->envelope_fill = harness->envelope_fill;
  member->harness = harness;
  member->id = (MemberId){ index + 1, 1 };
  member->host = (NodeHost){
    .env = &harness->env,
    .trace = &harness->trace,
    .new_transport = new_transport,
    .user_data = member,
  };
  member->node = node_new (config, &member->host);
  node_start (member->node);
}

void
harness_crash (Harness *harness, guint index)
{
  HarnessMember *member = &harness->members[index];

  g_clear_pointer (&member->node, node_free);
  sim_network_crash (harness->network, member->id);
}

Harness *
harness_new_empty (guint n_members, guint expected)
{
  Harness *harness = g_new0 (Harness, 1);
  SimNetworkOptions options = sim_network_options_immediate ();

  harness->env = (Env){ harness_now, harness_random };
  harness->trace = (Trace){ .emit = harness_emit };
  harness->lines = g_ptr_array_new_with_free_func (g_free);
  harness->network = sim_network_new (&options);
  harness->n_members = n_members;
  harness->expected = expected;
  return harness;
}

void
harness_crash_with_suffix (Harness *harness, guint index)
{
  sim_network_lose_suffix (harness->network, harness->members[index].id);
  harness_crash (harness, index);
}

static void
start_some (Harness *harness, guint n_started)
{
  for (guint i = 0; i < n_started; i++)
    if (harness->members[i].node == NULL)
      harness_start (harness, i);
  harness_settle (harness);
  for (guint i = 0; i < n_started; i++)
    g_assert_cmpint (node_state (harness->members[i].node), ==, NODE_ACTIVE);
}

Harness *
harness_new (guint n_members, guint n_started)
{
  Harness *harness = harness_new_empty (n_members, n_members);

  if (n_started < n_members)
    {
      harness_start (harness, 0);
      harness_settle (harness);
      node_form_by_force (harness->members[0].node);
      /* One by one: each takes a seat, and the next one only when that is settled. */
      for (guint i = 2; i < n_started; i++)
        start_some (harness, i);
    }
  start_some (harness, n_started);
  return harness;
}

void
harness_start_all (Harness *harness)
{
  start_some (harness, harness->n_members);
}

void
harness_free (Harness *harness)
{
  for (guint i = 0; i < harness->n_members; i++)
    g_clear_pointer (&harness->members[i].node, node_free);
  sim_network_free (harness->network);
  g_ptr_array_unref (harness->lines);
  g_free (harness);
}

static void
flush_all (Harness *harness)
{
  for (guint i = 0; i < harness->n_members; i++)
    if (harness->members[i].node != NULL)
      {
        node_tick (harness->members[i].node);
        node_flush (harness->members[i].node);
      }
}

gboolean
harness_step (Harness *harness)
{
  flush_all (harness);
  return sim_network_dispatch (harness->network, 1);
}

void
harness_settle (Harness *harness)
{
  /* Long enough for every delay of the membership, short of the handshake's bound. */
  for (guint i = 0; i < 10; i++)
    {
      do
        flush_all (harness);
      while (sim_network_dispatch (harness->network, 1000));
      flush_all (harness);
      harness->now_us += 1000;
    }
}

void
harness_check_digests (Harness *harness)
{
  for (guint i = 0; i < harness->n_members; i++)
    {
      Node *node = harness->members[i].node;

      if (node == NULL || node_state (node) != NODE_ACTIVE)
        continue;
      g_assert_cmphex (node_digest (node), ==, node_digest_in_full (node));
      for (guint j = 0; j < i; j++)
        {
          Node *other = harness->members[j].node;

          if (other != NULL && node_state (other) == NODE_ACTIVE
              && node_position (other) == node_position (node))
            g_assert_cmphex (node_digest (other), ==, node_digest (node));
        }
    }
}

void
harness_forget_trace (Harness *harness)
{
  g_ptr_array_set_size (harness->lines, 0);
}

gboolean
harness_traced (const Harness *harness, const char *start, const char *part)
{
  for (guint i = 0; i < harness->lines->len; i++)
    if (g_str_has_prefix (harness->lines->pdata[i], start)
        && strstr (harness->lines->pdata[i], part) != NULL)
      return TRUE;
  return FALSE;
}

/* --- clients ------------------------------------------------------------------------------------
 */

void
test_client_bytes (TestClient *client, const void *bytes, gsize length)
{
  const guint8 *at = bytes;

  while (length > 0)
    {
      gsize room;
      guint8 *space = client_read_space (client->client, &room);
      gsize count = MIN (room, length);

      memcpy (space, at, count);
      client_bytes_read (client->client, count);
      at += count;
      length -= count;
    }
}

void
test_client_flush (TestClient *client)
{
  Slice slices[64];
  guint n;

  while ((n = frame_writer_peek (client->writer, slices, G_N_ELEMENTS (slices))) > 0)
    {
      gsize count = 0;

      for (guint i = 0; i < n; i++)
        {
          test_client_bytes (client, slices[i].bytes, slices[i].length);
          count += slices[i].length;
        }
      frame_writer_consume (client->writer, count);
    }
}

/* What the member wrote goes into our reader. */
static void
take (TestClient *client)
{
  Slice slice;

  while (client_peek_output (client->client, &slice, 1) > 0)
    {
      gsize room;
      guint8 *space = frame_reader_space (&client->reader, &room);
      gsize count = MIN (room, slice.length);

      memcpy (space, slice.bytes, count);
      frame_reader_filled (&client->reader, count);
      client_output_written (client->client, count);
    }
}

gboolean
test_client_next (TestClient *client, Frame *ret_frame, Method *ret_method)
{
  take (client);
  if (frame_reader_next (&client->reader, ret_frame, NULL) != FRAME_READER_FRAME)
    return FALSE;
  if (ret_frame->type == FRAME_METHOD)
    g_assert_true (
        method_decode_from_broker (PROTOCOL_0_9_1, ret_frame->payload, ret_method, NULL));
  return TRUE;
}

void
test_client_method (TestClient *client, guint16 channel, const Method *method)
{
  frame_writer_method (client->writer, PROTOCOL_0_9_1, channel, method);
}

void
test_client_content (TestClient *client, guint16 channel, const char *body)
{
  g_auto (ByteWriter) header = byte_writer_init ();
  const Properties properties = { .flags = PROPERTY_DELIVERY_MODE, .delivery_mode = 1 };
  const Slice slice = slice_of_text (body);

  content_header_encode (&properties, slice.length, &header);
  frame_writer_content (client->writer, channel, byte_writer_peek (&header), &slice, 1,
                        LIMIT_FRAME_MAX);
}

void
test_client_expect (TestClient *client, Harness *harness, MethodId id, Method *ret_method)
{
  Frame frame;
  Method method;

  test_client_flush (client);
  harness_settle (harness);
  g_assert_true (test_client_next (client, &frame, &method));
  g_assert_cmpint (frame.type, ==, FRAME_METHOD);
  g_assert_cmpstr (method_name (method.id), ==, method_name (id));
  if (ret_method != NULL)
    *ret_method = method;
}

TestClient *
test_client_new_bare (Harness *harness, guint index)
{
  TestClient *client = g_new0 (TestClient, 1);

  client->node = harness->members[index].node;
  client->client = node_client_connected (client->node, "test");
  client->writer = frame_writer_new ();
  frame_reader_init (&client->reader, LIMIT_FRAME_MAX);
  return client;
}

void
test_client_shake_hands (TestClient *client, Harness *harness)
{
  static const char response[] = "\0guest\0guest";
  Method start_ok = { .id = METHOD_CONNECTION_START_OK };
  Method tune_ok = { .id = METHOD_CONNECTION_TUNE_OK };

  frame_writer_raw (client->writer, slice_new (protocol_header_preferred (), 8, NULL));
  test_client_expect (client, harness, METHOD_CONNECTION_START, NULL);
  start_ok.connection_start_ok.mechanism = slice_of_text ("PLAIN");
  start_ok.connection_start_ok.response = slice_new (response, sizeof response - 1, NULL);
  start_ok.connection_start_ok.locale = slice_of_text ("en_US");
  test_client_method (client, 0, &start_ok);
  test_client_expect (client, harness, METHOD_CONNECTION_TUNE, NULL);
  tune_ok.connection_tune_ok.frame_max = LIMIT_FRAME_MAX;
  tune_ok.connection_tune_ok.channel_max = 100;
  test_client_method (client, 0, &tune_ok);
  test_client_flush (client);
}

TestClient *
test_client_new (Harness *harness, guint index)
{
  TestClient *client = test_client_new_bare (harness, index);
  Method open = { .id = METHOD_CONNECTION_OPEN };
  Method channel_open = { .id = METHOD_CHANNEL_OPEN };

  test_client_shake_hands (client, harness);
  open.connection_open.virtual_host = slice_of_text ("/");
  test_client_method (client, 0, &open);
  test_client_expect (client, harness, METHOD_CONNECTION_OPEN_OK, NULL);
  test_client_method (client, 1, &channel_open);
  test_client_expect (client, harness, METHOD_CHANNEL_OPEN_OK, NULL);
  return client;
}

void
test_client_free (TestClient *client)
{
  frame_writer_free (client->writer);
  frame_reader_clear (&client->reader);
  g_free (client);
}

void
test_client_declare (TestClient *client, Harness *harness, const char *queue)
{
  Method method = { .id = METHOD_QUEUE_DECLARE };

  method.queue_declare.queue = slice_of_text (queue);
  test_client_method (client, 1, &method);
  test_client_expect (client, harness, METHOD_QUEUE_DECLARE_OK, NULL);
}

void
test_client_publish (TestClient *client, const char *queue, const char *body)
{
  Method method = { .id = METHOD_BASIC_PUBLISH };

  method.basic_publish.routing_key = slice_of_text (queue);
  test_client_method (client, 1, &method);
  test_client_content (client, 1, body);
  test_client_flush (client);
}

void
test_client_consume (TestClient *client, Harness *harness, const char *queue, const char *tag)
{
  Method method = { .id = METHOD_BASIC_CONSUME };

  method.basic_consume.queue = slice_of_text (queue);
  method.basic_consume.consumer_tag = slice_of_text (tag);
  test_client_method (client, 1, &method);
  test_client_expect (client, harness, METHOD_BASIC_CONSUME_OK, NULL);
}
