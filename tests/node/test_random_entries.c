/* SPDX-License-Identifier: MIT */
/* A member that says anything in well-formed envelopes: entries of every kind, for connections and
 * sessions that are its own, another's, or nobody's, with frames out of their order. The others
 * take it or leave it, all alike. */
#include "core/amqp/properties.h"
#include "core/node/node_parts.h"
#include "tests/node/harness.h"
#include "tests/node/random_frames.h"

#define N_MEMBERS 3

typedef struct Storm
{
  Harness *harness;
  GRand *random;
  Node *sender;
  ByteWriter *writer;
} Storm;

static gint32
draw (Storm *storm, gint32 n)
{
  return g_rand_int_range (storm->random, 0, n);
}

/* Mostly the sender's own. */
static Incarnation
some_life (Storm *storm)
{
  if (draw (storm, 8) > 0)
    return node_incarnation (storm->sender);
  return node_incarnation (storm->harness->members[draw (storm, N_MEMBERS)].node);
}

static ConnectionId
some_connection (Storm *storm)
{
  return (ConnectionId){ some_life (storm), (guint64) draw (storm, 4) + 1 };
}

static SessionId
some_session (Storm *storm)
{
  return (SessionId){ some_life (storm), (guint64) draw (storm, 8) + 1 };
}

static void
put_opened (Storm *storm)
{
  const ConnectionOpening opening = {
    .id = some_connection (storm),
    .version
    = draw (storm, 10) > 0 ? PROTOCOL_0_9_1 : (ProtocolVersion) draw (storm, N_PROTOCOL_VERSIONS),
    .vhost = slice_of_text (draw (storm, 10) > 0 ? "/" : "none"),
    .user = slice_of_text ("guest"),
    .peer = slice_of_text ("peer"),
    .channel_max = draw (storm, 20) > 0 ? 8 : (guint16) draw (storm, 6),
    .frame_max = LIMIT_FRAME_MIN,
  };

  envelope_put_connection_opened (storm->writer, &opening);
}

/* Mostly one that is not there, on a channel of its own. TRUE: so it was. */
static gboolean
put_session (Storm *storm, SessionId id)
{
  gboolean is_new = session_map_lookup_session (storm->sender->sessions, id) == NULL;
  const SessionOpening opening = {
    .id = id,
    .channel = draw (storm, 20) > 0 ? (guint16) id.counter : (guint16) draw (storm, 6),
    .name_seed = 1,
  };

  if (is_new || draw (storm, 20) == 0)
    envelope_put_session_opened (storm->writer, some_connection (storm), &opening);
  return is_new;
}

static void
put_content_frame (Storm *storm, gsize offset, guint8 type)
{
  g_auto (ByteWriter) payload = byte_writer_init ();
  const Properties properties = { 0 };
  Frame frame = { .type = type, .channel = 1 };

  if (type == FRAME_HEADER)
    content_header_encode (&properties, (guint64) draw (storm, 4), &payload);
  else
    byte_writer_bytes (&payload, "xyz", (gsize) draw (storm, 4));
  frame.payload = byte_writer_peek (&payload);
  envelope_put_frame (storm->writer, offset, &frame);
}

static void
put_method_frame (Storm *storm, gsize offset, const Method *method)
{
  g_auto (ByteWriter) payload = byte_writer_init ();
  Frame frame = { .type = FRAME_METHOD, .channel = 1 };
  Method decoded;

  method_encode (PROTOCOL_0_9_1, method, &payload);
  frame.payload = byte_writer_peek (&payload);
  /* A malformed one would make the whole envelope malformed, which is told apart elsewhere. */
  if (method_decode (PROTOCOL_0_9_1, frame.payload, &decoded, NULL))
    envelope_put_frame (storm->writer, offset, &frame);
}

static void
put_publish (Storm *storm, gsize offset)
{
  Method method = { .id = METHOD_BASIC_PUBLISH };

  method.basic_publish.routing_key = slice_of_text ("a");
  put_method_frame (storm, offset, &method);
  put_content_frame (storm, offset, FRAME_HEADER);
  if (draw (storm, 2) == 0)
    put_content_frame (storm, offset, FRAME_BODY);
}

/* What a client says who is new, so that more than refusals comes of the rest. */
static void
put_beginning (Storm *storm, gsize offset)
{
  Method method = { .id = METHOD_CHANNEL_OPEN };

  put_method_frame (storm, offset, &method);
  method = (Method){ .id = METHOD_QUEUE_DECLARE };
  method.queue_declare.queue = slice_of_text ("a");
  put_method_frame (storm, offset, &method);
  method = (Method){ .id = METHOD_BASIC_CONSUME };
  method.basic_consume.queue = slice_of_text ("a");
  put_method_frame (storm, offset, &method);
}

static void
put_frames (Storm *storm, SessionId id, gboolean is_new)
{
  gsize offset = envelope_put_frames (storm->writer, id, PROTOCOL_0_9_1);
  gint32 n = draw (storm, 6);
  Method method;

  if (is_new)
    put_beginning (storm, offset);
  for (gint32 i = 0; i < n; i++)
    switch (draw (storm, 60))
      {
      case 0:
        put_content_frame (storm, offset, FRAME_HEADER);
        break;
      case 1:
        put_content_frame (storm, offset, FRAME_BODY);
        break;
      case 2:
      case 3:
      case 4:
        method = random_method (storm->random);
        put_method_frame (storm, offset, &method);
        break;
      default:
        put_publish (storm, offset);
        break;
      }
}

static void
put_entry (Storm *storm)
{
  SessionId id;
  g_autoptr (GError) error = NULL;

  switch (draw (storm, 40))
    {
    case 0:
      envelope_put_connection_closed (storm->writer, some_connection (storm));
      break;
    case 1:
      envelope_put_connection_lost (storm->writer, some_connection (storm));
      break;
    case 2:
      reply_error (&error, draw (storm, 2) == 0 ? REPLY_FRAME_ERROR : REPLY_NOT_FOUND, "%s", "no");
      envelope_put_connection_failed (storm->writer, some_connection (storm), error, 1, 2);
      break;
    case 3:
    case 4:
      envelope_put_credit (storm->writer, some_connection (storm), g_rand_int (storm->random));
      break;
    case 5:
    case 6:
    case 7:
      put_opened (storm);
      break;
    case 8:
    case 9:
    case 10:
    case 11:
      id = some_session (storm);
      put_frames (storm, id, put_session (storm, id));
      break;
    default:
      put_frames (storm, some_session (storm), FALSE);
      break;
    }
}

/* TRUE: somebody was given a message. */
static gboolean
run_seed (guint32 seed)
{
  g_autoptr (Harness) harness = harness_new (N_MEMBERS + 1, N_MEMBERS);
  Storm storm = { .harness = harness, .random = g_rand_new_with_seed (seed) };

  for (guint i = 0; i < 300; i++)
    {
      MulticastOutbox *outbox;

      storm.sender = harness->members[draw (&storm, N_MEMBERS)].node;
      outbox = cluster_outbox (storm.sender->cluster);
      for (gint32 n = draw (&storm, 6); n >= 0; n--)
        {
          storm.writer = multicast_outbox_entry (outbox);
          put_entry (&storm);
          multicast_outbox_done (outbox);
        }
      while (harness_step (harness))
        harness_check_digests (harness);
      if (i == 200)
        harness_start (harness, N_MEMBERS);
    }
  harness_settle (harness);
  for (guint i = 0; i <= N_MEMBERS; i++)
    g_assert_cmpint (node_state (harness->members[i].node), ==, NODE_ACTIVE);
  harness_check_digests (harness);
  g_rand_free (storm.random);
  return harness_traced (harness, "A handler Record", "basic.deliver");
}

static void
test_any_entries (void)
{
  guint n_with_deliveries = 0;

  for (guint32 seed = 1; seed <= 20; seed++)
    n_with_deliveries += run_seed (seed) ? 1 : 0;
  g_assert_cmpuint (n_with_deliveries, >, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node/random-entries/members-stay-equal", test_any_entries);
  return g_test_run ();
}
