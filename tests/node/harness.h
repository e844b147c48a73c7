/* SPDX-License-Identifier: MIT */
/* Whole members over the simulated network, and clients that speak to them frame by frame: what
 * the tests of this floor share. Time stands still unless a test moves it. */
#pragma once

#include "core/amqp/frame_reader.h"
#include "core/amqp/frame_writer.h"
#include "core/node/node.h"
#include "transport/sim_network.h"

#define HARNESS_MEMBERS_MAX 8

typedef struct HarnessMember
{
  NodeHost host;
  Node *node; /* NULL: crashed */
  MemberId id;
  struct Harness *harness;
} HarnessMember;

typedef struct Harness
{
  Env env;
  gint64 now_us;
  guint64 n_drawn;
  Trace trace;
  GPtrArray *lines; /* "A handler ...", what was traced since harness_forget_trace */
  SimNetwork *network;
  guint n_members;
  guint expected;       /* of the members to be started */
  ReplyWhen reply_when; /* likewise */
  gsize envelope_fill;  /* likewise; 0: the default */
  HarnessMember members[HARNESS_MEMBERS_MAX];
} Harness;

/* The first `n_started` of `n_members` are started; they are the majority, and all active when this
 * returns. Further members are expected to stay few: `expected` is n_started. */
Harness *harness_new (guint n_members, guint n_started);
/* The same with nobody started, for a test that sets `expected` or `reply_when` first. */
Harness *harness_new_empty (guint n_members, guint expected);
/* Everyone not started yet is, and is active when this returns. */
void harness_start_all (Harness *harness);
void harness_free (Harness *harness);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Harness, harness_free)

void harness_start (Harness *harness, guint index);
void harness_crash (Harness *harness, guint index);
/* And what only it has seen of what it sent is lost. */
void harness_crash_with_suffix (Harness *harness, guint index);
/* Until nothing moves any more, time included. */
void harness_settle (Harness *harness);
/* Gives each member one event. TRUE: there was something to give. */
gboolean harness_step (Harness *harness);
/* All active members at the same position have the same digest, and it is that of their state
 * computed in full. */
void harness_check_digests (Harness *harness);
void harness_forget_trace (Harness *harness);
/* A line that begins so and holds that. */
gboolean harness_traced (const Harness *harness, const char *start, const char *part);

typedef struct TestClient
{
  Client *client;
  Node *node;
  FrameWriter *writer;
  FrameReader reader;
} TestClient;

/* Connected to a member, its handshake done, channel 1 open. */
TestClient *test_client_new (Harness *harness, guint index);
/* Connected, and nothing said yet. */
TestClient *test_client_new_bare (Harness *harness, guint index);
/* A bare one's, up to tune-ok; connection.open comes next. */
void test_client_shake_hands (TestClient *client, Harness *harness);
void test_client_free (TestClient *client);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestClient, test_client_free)

/* Queued; test_client_flush gives them to the member. */
void test_client_method (TestClient *client, guint16 channel, const Method *method);
void test_client_content (TestClient *client, guint16 channel, const char *body);
void test_client_flush (TestClient *client);
/* At once, whatever they are. */
void test_client_bytes (TestClient *client, const void *bytes, gsize length);
/* The next frame the member has for the client; FALSE: none. */
gboolean test_client_next (TestClient *client, Frame *ret_frame, Method *ret_method);
/* Flush, settle, and the next method, which must be this one. */
void test_client_expect (TestClient *client, Harness *harness, MethodId id, Method *ret_method);

void test_client_declare (TestClient *client, Harness *harness, const char *queue);
/* To the default exchange; flushed. */
void test_client_publish (TestClient *client, const char *queue, const char *body);
void test_client_consume (TestClient *client, Harness *harness, const char *queue, const char *tag);
