/* SPDX-License-Identifier: MIT */
/* One client at its edge; what it asks of its member is written down. */
#pragma once

#include "core/base/limits.h"
#include "core/handlers/handlers.h"
#include "core/session/client_edge.h"

typedef struct ClientFixture
{
  Env env;
  gint64 now_us;
  ClientPort port;
  FrameHandler chain[2];
  gboolean full;
  const char *why_not;
  GString *asked; /* "opening; frame; failed 501; ..." */
  guint64 drained;
  guint n_touched;
  Client *client;
  FrameWriter *writer;
  FrameReader reader;
} ClientFixture;

void client_fixture_set_up (ClientFixture *fixture, gconstpointer data);
void client_fixture_tear_down (ClientFixture *fixture, gconstpointer data);

/* Exactly this was asked since the last look. */
#define assert_asked(fixture, text)                                                                \
  do                                                                                               \
    {                                                                                              \
      g_assert_cmpstr ((fixture)->asked->str, ==, (text));                                         \
      g_string_truncate ((fixture)->asked, 0);                                                     \
    }                                                                                              \
  while (0)

/* What the client sends. */
void give_bytes (ClientFixture *fixture, const void *bytes, gsize length);
void give (ClientFixture *fixture, guint16 channel, const Method *method);
void give_id (ClientFixture *fixture, guint16 channel, MethodId id);
/* Everything that waits is written to the socket; the first frame of it. */
gboolean take (ClientFixture *fixture, Frame *ret_frame);
/* The next frame is this method. */
Method expect (ClientFixture *fixture, MethodId id);
void expect_close (ClientFixture *fixture, guint code);
void expect_nothing (ClientFixture *fixture);

/* Steps of the handshake. start: up to connection.tune. */
void greet (ClientFixture *fixture);
void give_start_ok (ClientFixture *fixture, const char *password);
void give_tune_ok (ClientFixture *fixture, guint16 channel_max, guint32 frame_max);
void start (ClientFixture *fixture);
void open_connection (ClientFixture *fixture);
