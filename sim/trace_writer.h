/* SPDX-License-Identifier: MIT */
/* A run as text, and a run as one number.
 *
 * The text is made of the members' trace points (core/base/trace.h), one canonical line each:
 *
 *         212000us A > view {A B}, lost C
 *
 * The number is a fingerprint of 128 bits over what the run consisted of: two independent rolling
 * hashes. It is the same in another process, build or machine, with or without the text. */
#pragma once

#include "core/base/trace.h"

#include <stdio.h>

typedef struct Fingerprint
{
  guint64 a;
  guint64 b;
} Fingerprint;

void fingerprint_add (Fingerprint *fingerprint, guint64 value);
void fingerprint_add_bytes (Fingerprint *fingerprint, const void *bytes, gsize length);
/* 32 hexadecimal digits and a NUL into `text`, which it returns. */
#define FINGERPRINT_TEXT_SIZE 33
const char *fingerprint_text (const Fingerprint *fingerprint, char *text);

typedef struct TraceWriter
{
  Trace trace;
  FILE *file; /* borrowed */
  gint64 (*now_us) (gpointer user_data);
  gpointer user_data;
} TraceWriter;

void trace_writer_init (TraceWriter *writer, FILE *file, gint64 (*now_us) (gpointer user_data),
                        gpointer user_data);
