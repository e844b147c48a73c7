/* SPDX-License-Identifier: MIT */
#include "core/base/trace.h"

void
trace_write (Trace *trace, const char *member, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  trace->emit (trace, member, text);
}
