/* SPDX-License-Identifier: MIT */
/* Messages, consumers and queues for the tests of the broker model. */
#pragma once

#include "core/base/error.h"
#include "core/broker/vhost.h"

#define CONNECTION       ((ConnectionId){ 1, 1 })
#define OTHER_CONNECTION ((ConnectionId){ 1, 2 })

/* With this text as body. */
Message *message_of_text (Slice exchange, const char *routing_key, const char *body);
/* With `number` as body, to the default exchange. */
Message *message_of_number (guint64 number);
guint64 message_number (const Message *message);

Vhost *root_vhost (Broker *broker);
Queue *declare (Vhost *vhost, const char *name);
void publish_number (Queue *queue, guint64 number);

/* Takes up to `window` messages that it has not settled; writes what happens into its text:
 * " NUMBER" or " NUMBER!" (redelivered), " cancelled". */
typedef struct TestConsumer
{
  Consumer consumer;
  guint window;
  guint n_asked;
  GArray *positions; /* guint64: delivered and not settled, if it acknowledges */
  GString *heard;
  GString *shared; /* may be NULL: where several consumers write "NAME:NUMBER" in common */
  char name;
} TestConsumer;

TestConsumer *test_consumer_new (char name, guint window, gboolean no_ack);
void test_consumer_free (TestConsumer *test);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestConsumer, test_consumer_free)

/* The first of its unsettled positions, which is no longer among them. */
guint64 test_consumer_take_position (TestConsumer *test);

/* A seeded stream of numbers. */
typedef struct Dice
{
  guint64 seed;
  guint64 n_thrown;
} Dice;

/* 0 ... sides - 1 */
guint dice_throw (Dice *dice, guint sides);

/* The rule of topic exchanges, word by word and in no hurry. */
gboolean topic_matches (const char *pattern, const char *key);
