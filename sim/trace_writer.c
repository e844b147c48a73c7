/* SPDX-License-Identifier: MIT */
#include "sim/trace_writer.h"

static void
writer_emit (Trace *trace, const char *member, const char *text)
{
  TraceWriter *writer = (TraceWriter *) trace;

  /* Whoever passes trace points on to it listens anyway. */
  if (trace->silent)
    return;
  fprintf (writer->file, "%12" G_GINT64_FORMAT "us %s > %s\n", writer->now_us (writer->user_data),
           member, text);
}

void
trace_writer_init (TraceWriter *writer, FILE *file, gint64 (*now_us) (gpointer user_data),
                   gpointer user_data)
{
  *writer = (TraceWriter){
    .trace.emit = writer_emit,
    .file = file,
    .now_us = now_us,
    .user_data = user_data,
  };
}
