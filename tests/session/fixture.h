/* SPDX-License-Identifier: MIT */
/* Sessions over a broker, without members or a group: methods are applied as if the order had
 * brought them, and what a client would be sent is written down. */
#pragma once

#include "core/base/error.h"
#include "core/broker/vhost.h"
#include "core/session/methods.h"

typedef struct World
{
  Broker *broker;
  SessionMap *map;
  FrameHandler ears;
  GString *heard; /* "CHANNEL:METHOD ...; ", what all clients were sent */
} World;

World *world_new (void);
void world_free (World *world);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (World, world_free)

/* On a connection of that number, which is opened if it is not there. Its client understands
 * basic.cancel. */
Session *world_session (World *world, guint64 connection, guint16 channel);
/* 0, or the reply code of what it brought. The session is not failed. */
guint world_apply (Session *session, const Method *method);
/* To the default exchange. */
void world_publish (Session *session, const char *queue, const char *body);
void world_declare (Session *session, const char *queue);
void world_consume (Session *session, const char *queue, const char *tag);
/* Acknowledged; 0 with `multiple`: all. */
guint world_ack (Session *session, guint64 delivery_tag, gboolean multiple);
/* Exactly this was heard since the last look. */
#define world_assert_heard(world, text)                                                            \
  do                                                                                               \
    {                                                                                              \
      g_assert_cmpstr ((world)->heard->str, ==, (text));                                           \
      g_string_truncate ((world)->heard, 0);                                                       \
    }                                                                                              \
  while (0)
void world_forget_heard (World *world);
/* The digest that is kept is the one of everything. */
void world_check_digest (World *world);
