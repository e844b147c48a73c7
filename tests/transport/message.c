/* SPDX-License-Identifier: MIT */
#include "tests/transport/transport_under_test.h"

Buffer *
message_new (guint32 number, gsize size)
{
  Buffer *bytes = buffer_new (size);

  g_assert (size >= MESSAGE_SIZE_MIN);
  for (gsize i = 4; i < size; i++)
    bytes->bytes[i] = (guint8) (number + i);
  memcpy (bytes->bytes, &number, sizeof number);
  return bytes;
}

gboolean
message_read (const Buffer *bytes, guint32 *ret_number)
{
  guint32 number;

  if (bytes->size < MESSAGE_SIZE_MIN)
    return FALSE;
  memcpy (&number, bytes->bytes, sizeof number);
  *ret_number = number;
  for (gsize i = 4; i < bytes->size; i++)
    if (bytes->bytes[i] != (guint8) (number + i))
      return FALSE;
  return TRUE;
}

void
record_clear (gpointer data)
{
  Record *record = data;

  g_clear_pointer (&record->members, g_array_unref);
  g_clear_pointer (&record->left, g_array_unref);
  g_clear_pointer (&record->joined, g_array_unref);
}
