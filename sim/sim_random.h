/* SPDX-License-Identifier: MIT */
/* Random numbers by counting: each is a function of (seed, owner, purpose, index) and of nothing
 * else, so that one draw more in one place moves nothing in any other. */
#pragma once

#include "sim/fingerprint.h"

typedef enum SimPurpose
{
  SIM_PURPOSE_SHAPE,    /* latencies and other settings of the whole run */
  SIM_PURPOSE_ENV,      /* a member's Env */
  SIM_PURPOSE_START,    /* when a member starts */
  SIM_PURPOSE_LINK,     /* latencies between clients and members */
  SIM_PURPOSE_WORKLOAD, /* what a client does */
  SIM_PURPOSE_FAULT,    /* what goes wrong, and when */
  SIM_PURPOSE_SWEEP,    /* how large each run of a sweep is */
  SIM_PURPOSE_SHARES,   /* how often each kind of fault strikes */
  SIM_PURPOSE_SITES     /* whether a place in a member's code fails */
} SimPurpose;

/* The numbers of one owner for one purpose. */
typedef struct SimStream
{
  guint64 key;
  guint64 index;
  Fingerprint *fingerprint; /* of the run, which each draw goes into; NULL: none. Borrowed. */
} SimStream;

SimStream sim_stream (guint64 seed, guint64 owner, SimPurpose purpose);
guint64 sim_stream_u64 (SimStream *stream);
/* 0 <= number < below. */
guint sim_stream_below (SimStream *stream, guint below);
/* Both ends included. */
gint64 sim_stream_between (SimStream *stream, gint64 low, gint64 high);
/* TRUE in `n` of `of` cases. */
gboolean sim_stream_chance (SimStream *stream, guint n, guint of);
