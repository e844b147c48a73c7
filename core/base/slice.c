/* SPDX-License-Identifier: MIT */
#include "core/base/slice.h"

Buffer *
buffer_new (gsize size)
{
  Buffer *buffer = g_malloc (sizeof (Buffer) + size);

  buffer->ref_count = 1;
  buffer->size = size;
  return buffer;
}

Buffer *
buffer_new_copy (const void *bytes, gsize length)
{
  Buffer *buffer = buffer_new (length);

  if (length > 0)
    memcpy (buffer->bytes, bytes, length);
  return buffer;
}

Buffer *
buffer_ref (Buffer *buffer)
{
  g_assert (buffer->ref_count > 0);
  buffer->ref_count++;
  return buffer;
}

void
buffer_unref (Buffer *buffer)
{
  g_assert (buffer->ref_count > 0);
  if (--buffer->ref_count == 0)
    g_free (buffer);
}

gboolean
slice_equal (Slice a, Slice b)
{
  return a.length == b.length && (a.length == 0 || memcmp (a.bytes, b.bytes, a.length) == 0);
}

int
slice_compare (Slice a, Slice b)
{
  gsize common = MIN (a.length, b.length);
  int order = common == 0 ? 0 : memcmp (a.bytes, b.bytes, common);

  if (order != 0)
    return order;
  return a.length < b.length ? -1 : a.length > b.length;
}

gboolean
slice_equal_text (Slice slice, const char *text)
{
  return slice_equal (slice, slice_of_text (text));
}

char *
slice_to_text (Slice slice)
{
  /* g_strndup makes nothing of no bytes. */
  return slice.length == 0 ? g_strdup ("") : g_strndup ((const char *) slice.bytes, slice.length);
}

Slice
slice_hold (Slice slice)
{
  Buffer *copy;

  if (slice.length == 0)
    return (Slice){ 0 };
  if (slice.owner != NULL && slice.length >= slice.owner->size / 4)
    {
      buffer_ref (slice.owner);
      return slice;
    }
  copy = buffer_new_copy (slice.bytes, slice.length);
  return slice_of_buffer (copy);
}

void
slice_release (Slice *slice)
{
  if (slice->owner != NULL)
    buffer_unref (slice->owner);
  *slice = (Slice){ 0 };
}
