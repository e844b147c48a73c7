/* SPDX-License-Identifier: MIT */
/* What the broker does on each method that a client sends on a channel: one file per AMQP class,
 * one function per method. They run on every member at the method's place of the order. */
#pragma once

#include "core/session/session.h"

/* FALSE with a REPLY_ERROR: what closes the channel or the connection. A function may also close
 * the session (channel.close), which is then gone. */
typedef gboolean (*MethodFunction) (Session *session, const Method *method, GError **error);

gboolean methods_channel (Session *session, const Method *method, GError **error);
gboolean methods_exchange (Session *session, const Method *method, GError **error);
gboolean methods_queue (Session *session, const Method *method, GError **error);
gboolean methods_basic (Session *session, const Method *method, GError **error);
gboolean methods_confirm (Session *session, const Method *method, GError **error);
gboolean methods_access (Session *session, const Method *method, GError **error);

/* A message is whole: the second half of basic.publish. */
gboolean methods_basic_published (Session *session, Message *message, gboolean mandatory,
                                  GError **error);

/* `content` NULL: it comes in frames of its own. */
gboolean methods_basic_publish (Session *session, const BasicPublish *publish, Message *content,
                                GError **error);

/* Any method, by its class. `content` is of a publish whose content came with it; else NULL. */
gboolean methods_apply (Session *session, const Method *method, Message *content, GError **error);

/* An "-ok" without arguments, unless the client asked not to wait for it. */
void methods_reply (Session *session, MethodId id, gboolean no_wait);
/* Any "-ok"; one that speaks of something durable promises that it is there, or gone. */
void methods_reply_about (Session *session, const Method *reply, gboolean no_wait,
                          gboolean is_durable);
/* An empty name means the queue last declared on the channel (0-9-1, queue-name in class queue);
 * 404 if there is none. */
gboolean methods_queue_name (const Session *session, Slice name, Slice *ret_name, GError **error);
/* The queue of that name, or the last declared one: 404 if it is not there, 405 if it is another
 * connection's. */
Queue *methods_require_queue (const Session *session, Slice name, GError **error);
/* 540 for a method of an understood class that we do not carry out. */
gboolean methods_refuse (const Method *method, GError **error);
