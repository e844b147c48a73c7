/* SPDX-License-Identifier: MIT */
#include "core/base/limits.h"
#include "core/broker/queue_segments.h"
#include "tests/broker/fixture.h"

#define MILLION 1000000

/* `count` times the same message, so that its count tells how many places refer to it. */
static QueueSegments *
filled (Message *message, guint count)
{
  QueueSegments *segments = queue_segments_new ();

  for (guint i = 0; i < count; i++)
    queue_segments_append (segments, message_ref (message), FALSE);
  return segments;
}

static void
take (QueueSegments *segments, guint count)
{
  Place place;

  for (guint i = 0; i < count; i++)
    g_assert_true (queue_segments_take_first (segments, TRUE, &place));
}

static void
settle (QueueSegments *segments, guint64 first, guint64 count)
{
  Place was;
  for (guint64 position = first; position < first + count; position++)
    {
      queue_segments_settle (segments, position, &was);
      message_unref (was.message);
    }
}

/* `count` ready ones from position 0 on, and nothing else. */
static void
assert_untouched (const QueueSegments *segments, guint count)
{
  QueueSegmentsIter iter = queue_segments_iter (segments);
  Place place;

  for (guint i = 0; i < count; i++)
    {
      g_assert_true (queue_segments_next (&iter, &place));
      g_assert_cmpuint (place.position, ==, i);
      g_assert_false (place.unacked || place.redelivered);
    }
  g_assert_false (queue_segments_next (&iter, &place));
}

static void
test_capture_takes_references_only (void)
{
  g_autoptr (Message) message = message_of_number (1);
  g_autoptr (QueueSegments) segments = filled (message, MILLION);
  gint64 start = g_get_monotonic_time (), elapsed_us;
  g_autoptr (QueueSegments) capture = queue_segments_capture (segments);
  guint n_segments = queue_segments_count (capture);

  elapsed_us = g_get_monotonic_time () - start;
  g_test_message ("captured %d messages in %u segments, %d us", MILLION, n_segments,
                  (int) elapsed_us);
  g_assert_cmpuint (n_segments, ==, MILLION / LIMIT_SEGMENT_MESSAGES + 1);
  g_assert_cmpuint (message->ref_count, ==, MILLION + 1);
}

static void
test_capture_stays_as_it_was (void)
{
  Place was;
  g_autoptr (Message) message = message_of_number (1);
  QueueSegments *segments = filled (message, 3000);
  g_autoptr (QueueSegments) capture = queue_segments_capture (segments);
  Place place;

  take (segments, 1500);
  settle (segments, 0, 700);
  queue_segments_requeue (segments, 1499, &was);
  queue_segments_append (segments, message_ref (message), TRUE);
  assert_untouched (capture, 3000);
  g_assert_true (queue_segments_peek_unacked (segments, 700, &place));
  queue_segments_free (queue_segments_drop_ready (segments));
  g_assert_true (queue_segments_peek_unacked (segments, 3000, &place));
  assert_untouched (capture, 3000);
  queue_segments_free (segments);
  assert_untouched (capture, 3000);
  g_assert_cmpuint (message->ref_count, ==, 3001);
}

static void
test_queue_stays_as_it_is_without_its_capture (void)
{
  g_autoptr (Message) message = message_of_number (1);
  g_autoptr (QueueSegments) segments = filled (message, 3000);
  QueueSegments *capture = queue_segments_capture (segments);

  while (queue_segments_count (capture) > 0)
    queue_segments_free_some (capture, 1);
  queue_segments_free (capture);
  assert_untouched (segments, 3000);
  g_assert_cmpuint (message->ref_count, ==, 3001);
}

/* What is written while shared is copied once: 512 references, not more. */
static void
test_one_write_copies_one_segment (void)
{
  g_autoptr (Message) message = message_of_number (1);
  g_autoptr (QueueSegments) segments = filled (message, 10000);
  g_autoptr (QueueSegments) capture = queue_segments_capture (segments);

  take (segments, 10);
  g_assert_cmpuint (queue_segments_count (capture), ==, queue_segments_count (segments));
  g_assert_cmpuint (message->ref_count, ==, 10001 + LIMIT_SEGMENT_MESSAGES);
}

static void
test_empty_segments_go_wherever_they_are (void)
{
  g_autoptr (Message) message = message_of_number (1);
  g_autoptr (QueueSegments) segments = filled (message, 10 * LIMIT_SEGMENT_MESSAGES);
  Place place;

  take (segments, 10 * LIMIT_SEGMENT_MESSAGES);
  g_assert_cmpuint (queue_segments_count (segments), ==, 10);
  settle (segments, 0, LIMIT_SEGMENT_MESSAGES);
  g_assert_cmpuint (queue_segments_count (segments), ==, 9);
  for (guint i = 2; i < 9; i++)
    settle (segments, i * LIMIT_SEGMENT_MESSAGES, LIMIT_SEGMENT_MESSAGES);
  g_assert_cmpuint (queue_segments_count (segments), ==, 2);
  g_assert_true (queue_segments_peek_unacked (segments, LIMIT_SEGMENT_MESSAGES, &place));
  g_assert_true (queue_segments_peek_unacked (segments, 9 * LIMIT_SEGMENT_MESSAGES, &place));
  g_assert_false (queue_segments_peek_unacked (segments, 5 * LIMIT_SEGMENT_MESSAGES, &place));
  settle (segments, 9 * LIMIT_SEGMENT_MESSAGES, LIMIT_SEGMENT_MESSAGES);
  settle (segments, LIMIT_SEGMENT_MESSAGES, LIMIT_SEGMENT_MESSAGES);
  g_assert_cmpuint (queue_segments_count (segments), ==, 0);
  g_assert_cmpuint (queue_segments_append (segments, message_ref (message), FALSE), ==,
                    10 * LIMIT_SEGMENT_MESSAGES);
}

/* A million unacked before the only ready one, a hundred thousand times: it takes for ever if
 * they are looked at each time. */
static void
test_the_first_ready_is_found_at_once (void)
{
  Place was;
  g_autoptr (Message) message = message_of_number (1);
  g_autoptr (QueueSegments) segments = filled (message, MILLION + 1);
  Dice dice = { .seed = 1 };
  Place place;

  take (segments, MILLION);
  for (guint i = 0; i < MILLION / 10; i++)
    {
      guint64 position = dice_throw (&dice, MILLION);

      queue_segments_requeue (segments, position, &was);
      g_assert_true (queue_segments_take_first (segments, TRUE, &place));
      g_assert_cmpuint (place.position, ==, position);
      g_assert_true (place.redelivered);
    }
  g_assert_true (queue_segments_take_first (segments, TRUE, &place));
  g_assert_cmpuint (place.position, ==, MILLION);
}

static void
test_dropping_the_ready_keeps_flags_of_the_rest (void)
{
  Place was;
  g_autoptr (Message) message = message_of_number (1);
  g_autoptr (QueueSegments) segments = filled (message, 1000);
  g_autoptr (QueueSegments) dropped = NULL;
  QueueSegmentsIter iter;
  Place place;

  take (segments, 600);
  queue_segments_requeue (segments, 0, &was);
  queue_segments_requeue (segments, 1, &was);
  take (segments, 1);
  dropped = queue_segments_drop_ready (segments);
  iter = queue_segments_iter (segments);
  for (guint i = 0; queue_segments_next (&iter, &place); i++)
    {
      g_assert_cmpuint (place.position, ==, i == 0 ? 0 : i + 1);
      g_assert_true (place.unacked);
      g_assert_cmpint (place.redelivered, ==, i == 0);
    }
  g_assert_false (queue_segments_take_first (segments, TRUE, &place));
  g_assert_cmpuint (queue_segments_count (segments), ==, 2);
  g_assert_cmpuint (queue_segments_count (dropped), ==, 2);
  g_assert_cmpuint (message->ref_count, ==, 1001);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(claim, test) g_test_add_func ("/broker/queue-segments/" claim, test)
  ADD ("capture-takes-references-only", test_capture_takes_references_only);
  ADD ("capture-stays-as-it-was", test_capture_stays_as_it_was);
  ADD ("queue-stays-as-it-is-without-its-capture", test_queue_stays_as_it_is_without_its_capture);
  ADD ("one-write-copies-one-segment", test_one_write_copies_one_segment);
  ADD ("empty-segments-go-wherever-they-are", test_empty_segments_go_wherever_they_are);
  ADD ("the-first-ready-is-found-at-once", test_the_first_ready_is_found_at_once);
  ADD ("dropping-the-ready-keeps-flags-of-the-rest",
       test_dropping_the_ready_keeps_flags_of_the_rest);
#undef ADD
  return g_test_run ();
}
