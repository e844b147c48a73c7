/* SPDX-License-Identifier: MIT */
/* A broker under random steps of every kind, beside a model of it as plain as can be: arrays that
 * are searched from the front. Every delivery, count and flag is held against the model at once. */
#pragma once

#include "core/broker/broker_internal.h"
#include "tests/broker/fixture.h"

#define N_QUEUES    6
#define N_EXCHANGES 6
#define N_PLAYERS   7

/* The one that is declared as auto-delete now and then. */
#define AUTO_EXCHANGE_NAME "auto"

typedef struct RandomWorld RandomWorld;

/* What the model knows of one message. */
typedef struct Entry
{
  guint64 position;
  guint64 number;
  gboolean unacked;
  gboolean redelivered;
} Entry;

typedef struct ModelQueue
{
  char name[4];
  Queue *queue; /* borrowed; NULL: not declared */
  guint64 life; /* counts the declarations of this name */
  guint64 next_position;
  GArray *entries; /* of Entry, by position */
  GPtrArray *line; /* of Player: those who will be asked, in this order */
} ModelQueue;

/* A consumer. */
typedef struct Player
{
  Consumer consumer;
  RandomWorld *world;
  ModelQueue *on; /* NULL: on none */
  guint64 stint;  /* counts how often it was put on a queue */
  guint window;
  guint n_unacked; /* of this stint */
} Player;

/* A message that somebody has and has not settled. */
typedef struct Debt
{
  Queue *queue; /* a reference: the queue may be deleted meanwhile */
  ModelQueue *of;
  guint64 life;
  guint64 position;
  Player *player; /* NULL: it was got */
  guint64 stint;
} Debt;

/* A binding. */
typedef struct Wire
{
  guint exchange;
  guint queue;
  guint key;
} Wire;

struct RandomWorld
{
  Dice dice;
  Broker *broker;
  Vhost *vhost;
  ModelQueue queues[N_QUEUES];
  Player players[N_PLAYERS];
  GArray *debts;
  GArray *wires;
  gboolean auto_exchange_exists;
  guint64 n_published;
  guint64 history;        /* hash of all deliveries and of the digest after each step */
  QueueSegments *capture; /* NULL: none. Shares segments with some queue */
};

RandomWorld *random_world_new (guint64 seed);
void random_world_free (RandomWorld *world);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomWorld, random_world_free)

/* (random_steps.c) */
void random_world_step (RandomWorld *world);
/* Holds all of the broker against the model, and the digest against its sum from nothing. */
void random_world_check (RandomWorld *world);
/* The broker as bytes: its own state and that of the consumers. */
Buffer *random_world_write (RandomWorld *world);
/* Goes on with a new broker that was given the state of the old one. */
void random_world_move (RandomWorld *world);

/* --- between the two files */
extern const ConsumerType player_type;
guint model_queue_count (const ModelQueue *q, gboolean unacked);
