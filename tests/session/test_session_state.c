/* SPDX-License-Identifier: MIT */
/* The state of connections and sessions as bytes and back: what a newcomer is given. */
#include "core/amqp/properties.h"
#include "tests/session/fixture.h"

static Buffer *
save (World *world)
{
  g_autoptr (StateCodec) codec = state_codec_new_writer ();

  broker_state (codec, world->broker);
  session_map_state (codec, world->map);
  return state_codec_finish (codec);
}

/* NULL: no state. */
static World *
load (Slice bytes)
{
  g_autoptr (StateCodec) codec = state_codec_new_reader (bytes);
  g_autoptr (World) world = world_new ();

  if (!broker_state (codec, world->broker) || !session_map_state (codec, world->map)
      || !state_is_complete (codec))
    return NULL;
  return g_steal_pointer (&world);
}

static World *
copy (World *world)
{
  g_autoptr (Buffer) bytes = save (world);
  g_autoptr (Buffer) again = NULL;
  World *other = load (slice_of_buffer (bytes));

  g_assert_nonnull (other);
  g_assert_cmphex (session_map_digest (other->map), ==, session_map_digest (world->map));
  g_assert_cmphex (broker_digest (other->broker), ==, broker_digest (world->broker));
  world_check_digest (other);
  again = save (other);
  g_assert_true (slice_equal (slice_of_buffer (bytes), slice_of_buffer (again)));
  return other;
}

static Session *
same_session (World *world, const Session *session)
{
  return session_map_lookup_session (world->map, session->id);
}

/* A conversation with something of everything in it: windows, messages of a queue that is gone and
 * of a consumer that is gone, of basic.get, confirms, a name drawn. */
static Session *
converse (World *world)
{
  Session *session = world_session (world, 1, 1);
  Session *other = world_session (world, 2, 3);
  Method method = { .id = METHOD_QUEUE_DELETE };

  world_declare (session, "");
  world_declare (session, "gone");
  world_declare (other, "a");
  world_declare (other, "b");
  session->prefetch_next = 2;
  session->prefetch_channel = 4;
  session->confirming = TRUE;
  world_consume (session, "gone", "g");
  world_consume (session, "a", "t");
  world_consume (session, "b", "u");
  world_consume (other, "a", "t");
  for (guint i = 0; i < 4; i++)
    {
      world_publish (session, "gone", "g");
      world_publish (session, "a", "a");
      world_publish (session, "b", "b");
    }
  method.queue_delete.queue = slice_of_text ("gone");
  g_assert_cmpuint (world_apply (other, &method), ==, 0);
  method = (Method){ .id = METHOD_BASIC_CANCEL };
  method.basic_cancel.consumer_tag = slice_of_text ("u");
  g_assert_cmpuint (world_apply (session, &method), ==, 0);
  method = (Method){ .id = METHOD_BASIC_GET };
  method.basic_get.queue = slice_of_text ("b");
  g_assert_cmpuint (world_apply (other, &method), ==, 0);
  session->last_queue[0] = 'a';
  session_touch (session);
  world_forget_heard (world);
  return session;
}

static void
test_round_trip (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = converse (world);
  g_autoptr (World) other = copy (world);
  Session *twin = same_session (other, session);

  g_assert_cmpuint (twin->unacked.count, ==, session->unacked.count);
  g_assert_cmpuint (twin->unacked.n_of_consumers, ==, session->unacked.n_of_consumers);
  g_assert_cmpstr (twin->last_queue, ==, session->last_queue);
}

/* Whatever comes next is answered alike by the one that was copied and the copy. */
static void
test_goes_on_alike (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = converse (world);
  g_autoptr (World) other = copy (world);
  Session *twins[2] = { session, same_session (other, session) };
  World *worlds[2] = { world, other };

  for (guint i = 0; i < 2; i++)
    {
      world_publish (twins[i], "a", "more");
      g_assert_cmpuint (world_ack (twins[i], 1, FALSE), ==, 0);
      g_assert_cmpuint (world_ack (twins[i], 1, FALSE), ==, REPLY_PRECONDITION_FAILED);
      world_ack (twins[i], 0, TRUE);
      world_declare (twins[i], "");
      session_send_confirms (twins[i]);
    }
  g_assert_cmpint (world->heard->len, >, 20);
  g_assert_cmpstr (worlds[0]->heard->str, ==, worlds[1]->heard->str);
  g_assert_cmpstr (twins[0]->last_queue, ==, twins[1]->last_queue);
  g_assert_cmphex (session_map_digest (world->map), ==, session_map_digest (other->map));
  world_check_digest (other);
}

/* All ends, and everything that was unacked and has a queue is ready again. */
static void
test_copy_ends_alike (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = converse (world);
  g_autoptr (World) other = copy (world);

  g_assert_nonnull (session);
  session_map_all_lost (world->map);
  session_map_all_lost (other->map);
  g_assert_cmphex (session_map_digest (other->map), ==, 0);
  g_assert_cmphex (broker_digest (other->broker), ==, broker_digest (world->broker));
  world_check_digest (other);
}

/* Half of a message, at every stage of it. */
static void
test_half_received_content (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = world_session (world, 1, 1);
  g_auto (ByteWriter) bytes = byte_writer_init ();
  const Properties properties = { 0 };
  BasicPublish publish = { .routing_key = slice_of_text ("q"), .mandatory = TRUE };
  Slice first = slice_of_text ("abc"), second = slice_of_text ("def");
  ContentHeader header;

  g_assert_true (content_assembler_publish (&session->content, &publish));
  content_assembler_keep (&session->content);
  session_touch (session);
  world_free (copy (world));
  content_header_encode (&properties, 6, &bytes);
  g_assert_true (content_header_decode (byte_writer_peek (&bytes), &header, NULL));
  g_assert_true (content_assembler_header (&session->content, byte_writer_peek (&bytes),
                                           message_piece_digest (byte_writer_peek (&bytes)),
                                           &header));
  g_assert_true (content_assembler_body (&session->content, first, message_piece_digest (first)));
  content_assembler_keep (&session->content);
  session_touch (session);
  {
    g_autoptr (World) other = copy (world);
    Session *twin = same_session (other, session);
    g_autoptr (Message) message = NULL;

    g_assert_true (content_assembler_body (&twin->content, second, message_piece_digest (second)));
    message = content_assembler_take (&twin->content);
    g_assert_cmpuint (message->body_size, ==, 6);
    g_assert_true (slice_equal_text (message->bodies[0], "abc"));
  }
}

/* A message that two sessions, or none, hold unacked is no state. */
static void
test_every_unacked_message_has_one_holder (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = world_session (world, 1, 1);
  Session *other = world_session (world, 1, 2);
  const UnackedEntry *entry;
  g_autoptr (Buffer) twice = NULL, never = NULL;

  world_declare (session, "q");
  world_consume (session, "q", "t");
  world_publish (session, "q", "1");
  entry = unacked_first (&session->unacked, 1);
  unacked_add (&other->unacked, 1, entry->queue, entry->position, NULL);
  twice = save (world);
  g_assert_null (load (slice_of_buffer (twice)));
  unacked_clear (&session->unacked);
  unacked_clear (&other->unacked);
  never = save (world);
  g_assert_null (load (slice_of_buffer (never)));
}

/* Any bytes lead to a state that holds together, or to none. */
static void
test_any_bytes (void)
{
  g_autoptr (World) world = world_new ();
  Session *session = converse (world);
  g_autoptr (Buffer) bytes = save (world);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  guint n_states = 0;

  g_assert_nonnull (session);
  for (guint i = 0; i < 20000; i++)
    {
      g_autoptr (Buffer) altered = buffer_new_copy (bytes->bytes, bytes->size);
      guint n = (guint) g_rand_int_range (random, 1, 4);
      g_autoptr (World) other = NULL;

      while (n-- > 0)
        altered->bytes[g_rand_int_range (random, 0, (gint32) altered->size)]
            ^= (guint8) (1u << g_rand_int_range (random, 0, 8));
      other = load (slice_of_buffer (altered));
      if (other == NULL)
        continue;
      n_states++;
      world_check_digest (other);
      session_map_all_lost (other->map);
      world_check_digest (other);
    }
  g_assert_cmpuint (n_states, >, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/session/state/round-trip", test_round_trip);
  g_test_add_func ("/session/state/goes-on-alike", test_goes_on_alike);
  g_test_add_func ("/session/state/copy-ends-alike", test_copy_ends_alike);
  g_test_add_func ("/session/state/half-received-content", test_half_received_content);
  g_test_add_func ("/session/state/every-unacked-message-has-one-holder",
                   test_every_unacked_message_has_one_holder);
  g_test_add_func ("/session/state/any-bytes", test_any_bytes);
  return g_test_run ();
}
