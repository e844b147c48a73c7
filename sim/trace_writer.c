/* SPDX-License-Identifier: MIT */
#include "sim/trace_writer.h"
#include "core/base/digest.h"

/* The second hash is another one altogether (multiply, rotate, add): what cancels out in the
 * first does not in it. */
void
fingerprint_add (Fingerprint *fingerprint, guint64 value)
{
  guint64 b = fingerprint->b ^ (value * G_GUINT64_CONSTANT (0x87c37b91114253d5));

  fingerprint->a = digest_combine (fingerprint->a, value);
  b = b << 31 | b >> 33;
  fingerprint->b = b * 5 + G_GUINT64_CONSTANT (0x52dce729da3ed7b5);
}

void
fingerprint_add_bytes (Fingerprint *fingerprint, const void *bytes, gsize length)
{
  fingerprint_add (fingerprint, digest_bytes (0, bytes, length));
  fingerprint_add (fingerprint, digest_bytes (1, bytes, length));
}

const char *
fingerprint_text (const Fingerprint *fingerprint, char *text)
{
  g_snprintf (text, FINGERPRINT_TEXT_SIZE, "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
              digest_mix (fingerprint->a), digest_mix (fingerprint->b));
  return text;
}

static void
writer_emit (Trace *trace, const char *member, const char *text)
{
  TraceWriter *writer = (TraceWriter *) trace;

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
