/* SPDX-License-Identifier: MIT */
/* The AMQP model, kept the same on every member: virtual hosts, and in them exchanges, queues,
 * bindings and messages. No network, no cluster, no clock: each call is a step that every member
 * takes at the same place of the order, with the same outcome.
 *
 * Errors are REPLY_ERROR, with RabbitMQ's texts where clients are known to read them. */
#pragma once

#include "core/broker/exchange.h"
#include "core/broker/queue.h"

typedef struct Broker Broker;

/* With the virtual host "/" and its predeclared exchanges. */
Broker *broker_new (void);
void broker_free (Broker *broker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Broker, broker_free)

/* NULL: none. */
Vhost *broker_lookup_vhost (Broker *broker, Slice name);
/* "/" and so on, in name order. */
NameMap *broker_vhosts (Broker *broker);
/* There must be none of that name. */
Vhost *broker_add_vhost (Broker *broker, Slice name);

/* Deletes the exclusive queues of a connection that is gone. */
void broker_connection_gone (Broker *broker, ConnectionId connection);

/* Sum over everything in the model (not over consumers' owners); kept up to date by every step,
 * so asking costs little. */
guint64 broker_digest (Broker *broker);
/* The same, computed from the model alone: tests hold the two against each other. */
guint64 broker_digest_in_full (Broker *broker);

/* The whole model, both ways; a reader fills a broker that was just made. Consumers are not part
 * of it: their owners describe them afterwards (consumer_state). */
gboolean broker_state (StateCodec *codec, Broker *broker);

/* The same in steps, so that nobody waits for a large model: the structure at once, then what
 * stands in the queues, of which a picture is taken that stays as it is. */
typedef struct BrokerMessages BrokerMessages;

/* All but the messages. */
gboolean broker_structure_state (StateCodec *codec, Broker *broker);
/* What a writer's queues hold now; or, where the structure was just read, what they are to hold. */
BrokerMessages *broker_messages_new (Broker *broker);
/* Some of them, both ways: as many as fit a part of that size, one at least; or those of the part
 * that is there. TRUE: these were the last. */
gboolean broker_messages_state (StateCodec *codec, BrokerMessages *messages, gsize size);
/* The broker it came from, or nobody, may be there still: its memory is given up bit by bit. */
void broker_messages_free_later (BrokerMessages *messages, Broker *broker);
void broker_messages_free (BrokerMessages *messages);

/* Frees at most LIMIT_FREE_PER_EVENT messages of purged and deleted queues. TRUE: there is more. */
gboolean broker_reap (Broker *broker);
/* Lets broker_reap free these: what was purged, what a deleted queue held, a capture that was
 * sent. */
void broker_free_later (Broker *broker, QueueSegments *take_segments);
