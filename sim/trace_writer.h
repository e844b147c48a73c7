/* SPDX-License-Identifier: MIT */
/* A run as text: the members' trace points (core/base/trace.h), one canonical line each:
 *
 *         212000us A > view {A B}, lost C
 */
#pragma once

#include "core/base/trace.h"

#include <stdio.h>

typedef struct TraceWriter
{
  Trace trace;
  FILE *file; /* borrowed */
  gint64 (*now_us) (gpointer user_data);
  gpointer user_data;
} TraceWriter;

void trace_writer_init (TraceWriter *writer, FILE *file, gint64 (*now_us) (gpointer user_data),
                        gpointer user_data);
