/* SPDX-License-Identifier: MIT */
#include "core/base/state_codec.h"

/* Instead of a number: of an object that comes once. */
#define ALONE G_MAXUINT32

struct StateCodec
{
  gboolean reading;
  gboolean alone; /* a reader's: the object that is being made gets no number */
  ByteReader reader;
  ByteWriter writer;
  GHashTable *numbers; /* a writer's: object -> number + 1; looked up, never walked */
  GPtrArray *objects;  /* a reader's: number -> object, borrowed */
};

StateCodec *
state_codec_new_writer (void)
{
  StateCodec *codec = g_new0 (StateCodec, 1);

  codec->writer = byte_writer_init ();
  codec->numbers = g_hash_table_new (NULL, NULL);
  return codec;
}

StateCodec *
state_codec_new_reader (Slice bytes)
{
  StateCodec *codec = g_new0 (StateCodec, 1);

  codec->reading = TRUE;
  codec->reader = byte_reader_init (bytes);
  codec->objects = g_ptr_array_new ();
  return codec;
}

void
state_codec_free (StateCodec *codec)
{
  byte_writer_clear (&codec->writer);
  g_clear_pointer (&codec->numbers, g_hash_table_unref);
  g_clear_pointer (&codec->objects, g_ptr_array_unref);
  g_free (codec);
}

Buffer *
state_codec_finish (StateCodec *codec)
{
  g_assert (!codec->reading);
  return byte_writer_finish (&codec->writer);
}

Buffer *
state_codec_take_part (StateCodec *codec)
{
  g_assert (!codec->reading);
  return byte_writer_finish (&codec->writer);
}

void
state_codec_give_part (StateCodec *codec, Slice bytes)
{
  g_assert (codec->reading && (codec->reader.failed || byte_reader_left (&codec->reader) == 0));
  if (!codec->reader.failed)
    codec->reader = byte_reader_init (bytes);
}

gboolean
state_part_goes_on (const StateCodec *codec, gsize size)
{
  if (codec->reading)
    return !codec->reader.failed && byte_reader_left (&codec->reader) > 0;
  return codec->writer.length < size;
}

gboolean
state_is_reading (const StateCodec *codec)
{
  return codec->reading;
}

gboolean
state_is_good (const StateCodec *codec)
{
  return !codec->reader.failed;
}

gboolean
state_is_complete (const StateCodec *codec)
{
  return byte_reader_is_complete (&codec->reader);
}

void
state_fail (StateCodec *codec)
{
  g_assert (codec->reading);
  codec->reader.failed = TRUE;
}

void
state_u8 (StateCodec *codec, guint8 *value)
{
  if (codec->reading)
    *value = byte_reader_u8 (&codec->reader);
  else
    byte_writer_u8 (&codec->writer, *value);
}

void
state_u16 (StateCodec *codec, guint16 *value)
{
  if (codec->reading)
    *value = byte_reader_u16 (&codec->reader);
  else
    byte_writer_u16 (&codec->writer, *value);
}

void
state_u32 (StateCodec *codec, guint32 *value)
{
  if (codec->reading)
    *value = byte_reader_u32 (&codec->reader);
  else
    byte_writer_u32 (&codec->writer, *value);
}

void
state_u64 (StateCodec *codec, guint64 *value)
{
  if (codec->reading)
    *value = byte_reader_u64 (&codec->reader);
  else
    byte_writer_u64 (&codec->writer, *value);
}

void
state_i64 (StateCodec *codec, gint64 *value)
{
  guint64 bits = (guint64) *value;

  state_u64 (codec, &bits);
  *value = (gint64) bits;
}

void
state_boolean (StateCodec *codec, gboolean *value)
{
  guint8 octet = *value ? 1 : 0;

  state_u8 (codec, &octet);
  if (octet > 1)
    state_fail (codec);
  *value = octet == 1;
}

void
state_text (StateCodec *codec, char **value)
{
  gboolean there = *value != NULL;

  if (codec->reading)
    *value = NULL;
  state_boolean (codec, &there);
  if (!there)
    return;
  if (codec->reading)
    {
      Slice text = byte_reader_long_string (&codec->reader);

      if (state_is_good (codec) && memchr (text.bytes, '\0', text.length) != NULL)
        state_fail (codec);
      if (state_is_good (codec))
        *value = slice_to_text (text);
    }
  else
    byte_writer_long_string (&codec->writer, slice_of_text (*value));
}

void
state_slice (StateCodec *codec, Slice *value)
{
  if (codec->reading)
    *value = slice_hold (byte_reader_long_string (&codec->reader));
  else
    byte_writer_long_string (&codec->writer, *value);
}

void
state_connection_id (StateCodec *codec, ConnectionId *value)
{
  state_u64 (codec, &value->incarnation);
  state_u64 (codec, &value->counter);
}

void
state_session_id (StateCodec *codec, SessionId *value)
{
  state_u64 (codec, &value->incarnation);
  state_u64 (codec, &value->counter);
}

void
state_member_id (StateCodec *codec, MemberId *value)
{
  state_u32 (codec, &value->node_id);
  state_u32 (codec, &value->process_id);
}

guint
state_count (StateCodec *codec, guint count)
{
  guint32 value = count;

  state_u32 (codec, &value);
  if (codec->reading && value > byte_reader_left (&codec->reader))
    state_fail (codec);
  return state_is_good (codec) ? value : 0;
}

void
state_mark (StateCodec *codec, guint32 word)
{
  guint32 value = word;

  state_u32 (codec, &value);
  if (codec->reading && value != word)
    state_fail (codec);
}

void
state_written (StateCodec *codec, Slice bytes)
{
  g_assert (!codec->reading);
  byte_writer_slice (&codec->writer, bytes);
}

gboolean
state_shared (StateCodec *codec, gpointer *object, gboolean alone)
{
  guint32 number;

  if (codec->reading)
    {
      *object = NULL;
      state_u32 (codec, &number);
      if (!state_is_good (codec))
        return FALSE;
      codec->alone = number == ALONE;
      if (codec->alone || number == codec->objects->len)
        return TRUE;
      if (number > codec->objects->len)
        state_fail (codec);
      else
        *object = codec->objects->pdata[number];
      return FALSE;
    }
  if (alone)
    {
      byte_writer_u32 (&codec->writer, ALONE);
      return TRUE;
    }
  number = GPOINTER_TO_UINT (g_hash_table_lookup (codec->numbers, *object));
  if (number > 0)
    {
      byte_writer_u32 (&codec->writer, number - 1);
      return FALSE;
    }
  number = g_hash_table_size (codec->numbers);
  g_hash_table_insert (codec->numbers, *object, GUINT_TO_POINTER (number + 1));
  byte_writer_u32 (&codec->writer, number);
  return TRUE;
}

void
state_shared_made (StateCodec *codec, gpointer object)
{
  g_assert (codec->reading && object != NULL);
  if (!codec->alone)
    g_ptr_array_add (codec->objects, object);
}
