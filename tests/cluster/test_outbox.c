/* SPDX-License-Identifier: MIT */
#include "core/base/limits.h"
#include "core/cluster/multicast_outbox.h"

/* A transport that keeps what it is given, until it is full. */
typedef struct Shelf
{
  Transport transport;
  GPtrArray *sent; /* of Buffer */
  guint room;
} Shelf;

static gboolean
shelf_join (Transport *transport, const char *group, GError **error)
{
  (void) transport;
  (void) group;
  (void) error;
  return TRUE;
}

static TransportResult
shelf_multicast (Transport *transport, Buffer *message)
{
  Shelf *shelf = (Shelf *) transport;

  if (shelf->sent->len == shelf->room)
    return TRANSPORT_FULL;
  g_ptr_array_add (shelf->sent, buffer_ref (message));
  return TRANSPORT_SENT;
}

static const TransportType shelf_type = {
  .name = "shelf",
  .join = shelf_join,
  .multicast = shelf_multicast,
};

typedef struct Fixture
{
  Shelf shelf;
  MulticastOutbox *outbox;
  guint64 epoch;
} Fixture;

static void
stamp (gpointer user_data, guint64 sequence, EnvelopeHeader *ret_header)
{
  const Fixture *fixture = user_data;

  *ret_header = (EnvelopeHeader){
    .kind = ENVELOPE_ORDERED,
    .incarnation = 1,
    .epoch = { fixture->epoch, 0 },
    .sequence = sequence,
  };
}

static void
sent_one (gpointer user_data, const EnvelopeHeader *header)
{
  Fixture *fixture = user_data;

  g_assert_cmpuint (header->epoch.number, ==, fixture->epoch);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  (void) data;
  fixture->shelf.transport.type = &shelf_type;
  fixture->shelf.transport.joined = TRUE;
  fixture->shelf.sent = g_ptr_array_new_with_free_func ((GDestroyNotify) buffer_unref);
  fixture->shelf.room = 1000000;
  fixture->epoch = 1;
  fixture->outbox = multicast_outbox_new (LIMIT_ENVELOPE_FILL, stamp, sent_one, fixture);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  (void) data;
  multicast_outbox_free (fixture->outbox);
  g_ptr_array_unref (fixture->shelf.sent);
}

static void
put_body (Fixture *fixture, guint64 session, gsize length)
{
  g_autoptr (Buffer) body = buffer_new (length);
  const Frame frame = { FRAME_BODY, 1, slice_of_buffer (body) };

  memset (body->bytes, 'x', length);
  multicast_outbox_frame (fixture->outbox, (SessionId){ 1, session }, PROTOCOL_0_9_1, &frame);
}

static gboolean
flush (Fixture *fixture)
{
  return multicast_outbox_flush (fixture->outbox, &fixture->shelf.transport);
}

static Envelope *
sent (Fixture *fixture, guint index)
{
  Envelope *envelope = envelope_decode (fixture->shelf.sent->pdata[index], 0, NULL);

  g_assert_nonnull (envelope);
  return envelope;
}

/* Many frames of many sessions in one envelope; frames of one session in a row share an entry. */
static void
test_batches (Fixture *fixture, gconstpointer data)
{
  g_autoptr (Envelope) envelope = NULL;

  (void) data;
  put_body (fixture, 1, 10);
  put_body (fixture, 1, 10);
  put_body (fixture, 2, 10);
  put_body (fixture, 1, 10);
  g_assert_false (flush (fixture));
  g_assert_cmpuint (fixture->shelf.sent->len, ==, 1);
  envelope = sent (fixture, 0);
  g_assert_cmpuint (envelope->entries->len, ==, 3);
  g_assert_cmpuint (envelope->frames->len, ==, 4);
}

static void
test_closes_at_its_fill (Fixture *fixture, gconstpointer data)
{
  (void) data;
  for (guint i = 0; i < 100; i++)
    put_body (fixture, 1, 1000);
  flush (fixture);
  g_assert_cmpuint (fixture->shelf.sent->len, >, 10);
  for (guint i = 0; i < fixture->shelf.sent->len; i++)
    g_assert_cmpuint (((Buffer *) fixture->shelf.sent->pdata[i])->size, <,
                      LIMIT_ENVELOPE_FILL + 2000);
}

/* The largest frame there is fits the transport, behind whatever was there. */
static void
test_largest_frame_fits (Fixture *fixture, gconstpointer data)
{
  (void) data;
  put_body (fixture, 1, LIMIT_ENVELOPE_FILL - ENVELOPE_HEADER_SIZE - 40);
  put_body (fixture, 1, LIMIT_FRAME_MAX - LIMIT_FRAME_OVERHEAD);
  g_assert_false (flush (fixture));
  g_assert_cmpuint (((Buffer *) fixture->shelf.sent->pdata[0])->size, <, LIMIT_TRANSPORT_MESSAGE);
}

static void
test_window_bounds_what_is_under_way (Fixture *fixture, gconstpointer data)
{
  guint n_sent, sequence = 0;

  (void) data;
  for (guint i = 0; i < 2000; i++)
    put_body (fixture, 1, 1000);
  g_assert_true (multicast_outbox_is_full (fixture->outbox));
  flush (fixture);
  n_sent = fixture->shelf.sent->len;
  g_assert_cmpuint (n_sent, <=, LIMIT_OWN_WINDOW / LIMIT_ENVELOPE_FILL);
  flush (fixture);
  g_assert_cmpuint (fixture->shelf.sent->len, ==, n_sent);
  while (!multicast_outbox_is_empty (fixture->outbox))
    {
      g_assert_true (multicast_outbox_delivered (fixture->outbox, sequence++));
      flush (fixture);
    }
  g_assert_cmpuint (sequence, ==, fixture->shelf.sent->len);
  g_assert_false (multicast_outbox_delivered (fixture->outbox, sequence));
}

/* A group that stands still is not given thousands of small envelopes, turn by turn: what follows
 * gathers in full ones, and leaves as soon as it moves again. */
static void
test_gathers_while_the_group_stands_still (Fixture *fixture, gconstpointer data)
{
  guint n_turns = 1000, sequence = 0, n_frames = 0;

  (void) data;
  for (guint i = 0; i < n_turns; i++)
    {
      put_body (fixture, 1, 10);
      g_assert_false (flush (fixture));
    }
  g_assert_cmpuint (fixture->shelf.sent->len, <,
                    LIMIT_OWN_ENVELOPES + n_turns * 100 / LIMIT_ENVELOPE_FILL);
  while (!multicast_outbox_is_empty (fixture->outbox))
    {
      g_assert_true (multicast_outbox_delivered (fixture->outbox, sequence++));
      flush (fixture);
    }
  for (guint i = 0; i < fixture->shelf.sent->len; i++)
    {
      g_autoptr (Envelope) envelope = sent (fixture, i);

      n_frames += envelope->frames->len;
    }
  g_assert_cmpuint (n_frames, ==, n_turns);
}

static void
test_full_transport_loses_nothing (Fixture *fixture, gconstpointer data)
{
  (void) data;
  fixture->shelf.room = 1;
  for (guint i = 0; i < 3; i++)
    put_body (fixture, 1, LIMIT_ENVELOPE_FILL);
  g_assert_true (flush (fixture));
  g_assert_cmpuint (fixture->shelf.sent->len, ==, 1);
  fixture->shelf.room = 10;
  g_assert_false (flush (fixture));
  g_assert_cmpuint (fixture->shelf.sent->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (Envelope) envelope = sent (fixture, i);

      g_assert_cmpuint (envelope->header.sequence, ==, i);
    }
}

/* A view change: what was not seen delivered goes again, in order, before anything new. */
static void
test_resends_its_window_first (Fixture *fixture, gconstpointer data)
{
  static const guint64 sessions[] = { 1, 2, 3, 2, 3, 4 };

  (void) data;
  for (guint64 session = 1; session <= 3; session++)
    {
      put_body (fixture, session, 10);
      flush (fixture);
    }
  g_assert_true (multicast_outbox_delivered (fixture->outbox, 0));
  put_body (fixture, 4, 10);
  fixture->epoch = 2;
  multicast_outbox_resend (fixture->outbox);
  flush (fixture);
  g_assert_cmpuint (fixture->shelf.sent->len, ==, G_N_ELEMENTS (sessions));
  for (guint i = 0; i < G_N_ELEMENTS (sessions); i++)
    {
      g_autoptr (Envelope) envelope = sent (fixture, i);

      g_assert_cmpuint (g_array_index (envelope->entries, Entry, 0).session_id.counter, ==,
                        sessions[i]);
      g_assert_cmpuint (envelope->header.epoch.number, ==, i < 3 ? 1 : 2);
      g_assert_cmpuint (envelope->header.sequence, ==, i % 3);
    }
}

#define ADD(name, function)                                                                        \
  g_test_add ("/cluster/outbox/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("batches", test_batches);
  ADD ("closes-at-its-fill", test_closes_at_its_fill);
  ADD ("largest-frame-fits", test_largest_frame_fits);
  ADD ("window-bounds-what-is-under-way", test_window_bounds_what_is_under_way);
  ADD ("gathers-while-the-group-stands-still", test_gathers_while_the_group_stands_still);
  ADD ("full-transport-loses-nothing", test_full_transport_loses_nothing);
  ADD ("resends-its-window-first", test_resends_its_window_first);
  return g_test_run ();
}
