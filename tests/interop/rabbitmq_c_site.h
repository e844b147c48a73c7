/* SPDX-License-Identifier: MIT */
/* What the cases of rabbitmq_c_client.c share: the brokers, a case's connections to them, and short
 * words for what cases do all the time. All of it happens on channel 1 of a connection; whatever
 * goes another way than it says here ends the program. */
#pragma once

#include <amqp.h>
#include <glib.h>

typedef amqp_connection_state_t Connection;

typedef enum
{
  QUEUE_PLAIN = 0,
  QUEUE_DURABLE = 1 << 0,
  QUEUE_EXCLUSIVE = 1 << 1,
  QUEUE_AUTO_DELETE = 1 << 2,
} QueueFlags;

/* For what takes milliseconds: only a hang gets there. */
extern const struct timeval patience;

/* One case at HOST:PORT each; its connections go to them in turn. Borrowed until site_close, which
 * disconnects what is still connected. */
void site_open (const char *name, char **of_brokers, guint n_brokers);
void site_close (void);
/* The next connection goes to the first address. */
void site_first_is_next (void);
const char *site_case_name (void);

/* --- connections --------------------------------------------------------------------------- */

/* The answer to the next broker's handshake, whatever it is; the caller destroys the connection.
 * It asks to hear basic.cancel, which librabbitmq does not do by itself. */
amqp_rpc_reply_t log_in (const char *vhost, const char *password, Connection *ret_connection);
Connection connect_next (void);
void disconnect (Connection connection);
/* Without a word: for a connection that was lost. */
void drop (Connection connection);

/* --- answers ------------------------------------------------------------------------------- */

/* The code of channel.close or connection.close; 0: the reply is none of them. */
guint reply_code (amqp_rpc_reply_t reply);
void assert_reply (amqp_rpc_reply_t reply);
/* The same for the last method whose answer librabbitmq returned. */
void assert_done (Connection connection);
/* The channel was closed with this code. The connection lives on, with another channel 1. */
void assert_channel_error (Connection connection, amqp_rpc_reply_t reply, guint code);
/* The next method that comes by itself; valid until the next call. */
amqp_method_t next_method (Connection connection);

/* --- text ---------------------------------------------------------------------------------- */

amqp_bytes_t text (const char *string);
/* Never freed. */
const char *number (guint value);
void assert_text (amqp_bytes_t got, const char *expected);

/* --- queues and messages ------------------------------------------------------------------- */

/* The name of a new queue of this case, never freed. */
const char *queue_new (Connection connection, QueueFlags flags);
/* The same with the messages "1" to "count", each of them confirmed. */
const char *filled_queue (QueueFlags flags, guint count);
void queue_delete (Connection connection, const char *queue);
amqp_rpc_reply_t declare_passive (Connection connection, const char *queue);
void assert_count (Connection connection, const char *queue, guint n_messages, guint n_consumers);

void select_confirms (Connection connection);
void publish (Connection connection, const char *exchange, const char *key, amqp_bytes_t body);
/* Until the broker has answered for the first `count` messages since select_confirms. */
void await_confirms (Connection connection, guint64 count);

/* FALSE: there is no message. */
gboolean get (Connection connection, const char *queue, gboolean no_ack,
              amqp_message_t *ret_message, amqp_basic_get_ok_t *ret_ok);
/* Takes the next message, which has to be this one; NULL: there has to be none. */
void assert_get (Connection connection, const char *queue, const char *body);

/* With the consumer tag "mine". */
void consume (Connection connection, const char *queue, gboolean no_ack);
/* The next delivery has to be this one; returns its tag. */
guint64 assert_delivery (Connection connection, const char *body, gboolean redelivered);
/* The next ones, "first" to "last". */
void assert_deliveries (Connection connection, guint first, guint last, gboolean redelivered);
