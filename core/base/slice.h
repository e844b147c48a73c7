/* SPDX-License-Identifier: MIT */
/* Buffer: a counted block of bytes. Slice: some bytes of it, borrowed.
 *
 * Bytes of a client are read into one Buffer, and frames, method fields and bodies are slices of
 * it: nothing is copied on a frame's way. A Slice borrows: it is valid while its Buffer is. To
 * store one beyond the call it came in, slice_hold it, and slice_release it in the end.
 *
 * Counts are not atomic: everything here belongs to one thread. */
#pragma once

#include <glib.h>
#include <string.h>

typedef struct Buffer
{
  guint ref_count;
  gsize size;
  guint8 bytes[];
} Buffer;

typedef struct Slice
{
  const guint8 *bytes; /* may be NULL when length is 0 */
  gsize length;
  Buffer *owner; /* borrowed; NULL: bytes of static life, or of the caller's call */
} Slice;

/* One reference, the caller's. The bytes are not initialised. */
Buffer *buffer_new (gsize size);
Buffer *buffer_new_copy (const void *bytes, gsize length);
Buffer *buffer_ref (Buffer *buffer);
void buffer_unref (Buffer *buffer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Buffer, buffer_unref)

static inline Slice
slice_new (const void *bytes, gsize length, Buffer *owner)
{
  return (Slice){ .bytes = bytes, .length = length, .owner = owner };
}

static inline Slice
slice_of_buffer (Buffer *buffer)
{
  return slice_new (buffer->bytes, buffer->size, buffer);
}

/* `text` has to outlive the slice. */
static inline Slice
slice_of_text (const char *text)
{
  return slice_new (text, strlen (text), NULL);
}

static inline Slice
slice_sub (Slice slice, gsize offset, gsize length)
{
  g_assert (offset <= slice.length && length <= slice.length - offset);
  return slice_new (slice.bytes + offset, length, slice.owner);
}

gboolean slice_equal (Slice a, Slice b);
/* By bytes, then by length: <0, 0, >0. The order of name_map. */
int slice_compare (Slice a, Slice b);
gboolean slice_equal_text (Slice slice, const char *text);
/* Yours, with a final NUL. */
char *slice_to_text (Slice slice);

/* A slice to store: it owns a reference to a Buffer. Bytes that are less than a quarter of
 * their Buffer are copied out, else one small survivor would pin it whole. */
Slice slice_hold (Slice slice);
/* Gives up what slice_hold took, and empties the slice. */
void slice_release (Slice *slice);
