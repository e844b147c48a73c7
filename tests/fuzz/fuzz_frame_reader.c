/* SPDX-License-Identifier: MIT */
/* The same frames come out whatever the pieces the stream came in, and what is held of them stays
 * as it was.
 *
 * Input: an octet of options, an octet n, n octets that are sizes of pieces (used in turn), and the
 * stream, which is repeated as often as the options say, so that small inputs fill many buffers. */
#include "core/amqp/frame_reader.h"
#include "core/base/byte_reader.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "tests/fuzz/fuzz.h"

#define OPTION_SMALL_FRAMES 1
#define OPTION_HOLD         2
#define OPTION_REPEAT_SHIFT 2
#define REPEATS             4 /* for each one of the option */

typedef struct Outcome
{
  guint64 digest; /* of the frames */
  guint n_frames;
  FrameReaderResult result;
  int code; /* of the error */
  gsize uncut;
} Outcome;

typedef struct Held
{
  Slice payload;
  guint64 digest;
} Held;

static void
cut_frames (FrameReader *reader, Outcome *outcome, GArray *held)
{
  g_autoptr (GError) error = NULL;
  Frame frame;

  while ((outcome->result = frame_reader_next (reader, &frame, &error)) == FRAME_READER_FRAME)
    {
      Held keep = { .digest = digest_slice (0, frame.payload) };

      g_assert (frame_type_is_known (frame.type));
      g_assert (frame.payload.length <= reader->frame_max - LIMIT_FRAME_OVERHEAD);
      outcome->digest = digest_combine (outcome->digest, frame.type);
      outcome->digest = digest_combine (outcome->digest, frame.channel);
      outcome->digest = digest_combine (outcome->digest, keep.digest);
      outcome->n_frames++;
      if (held != NULL)
        {
          keep.payload = frame.payload;
          buffer_ref (keep.payload.owner);
          g_array_append_val (held, keep);
        }
    }
  g_assert ((error != NULL) == (outcome->result == FRAME_READER_ERROR));
  if (error != NULL)
    {
      g_assert (error->domain == REPLY_ERROR && error->code == REPLY_FRAME_ERROR);
      outcome->code = error->code;
    }
}

static Outcome
read_stream (Slice stream, Slice pieces, guint32 frame_max, GArray *held)
{
  Outcome outcome = { .result = FRAME_READER_NEEDS_MORE };
  FrameReader reader;
  gsize sent = 0;

  frame_reader_init (&reader, frame_max);
  for (gsize turn = 0; sent < stream.length && outcome.result != FRAME_READER_ERROR; turn++)
    {
      gsize piece = pieces.length == 0 ? G_MAXSIZE : (gsize) pieces.bytes[turn % pieces.length] + 1;
      gsize size;
      guint8 *space = frame_reader_space (&reader, &size);
      gsize some = MIN (MIN (size, piece), stream.length - sent);

      g_assert (size >= LIMIT_READ_ROOM);
      memcpy (space, stream.bytes + sent, some);
      frame_reader_filled (&reader, some);
      sent += some;
      cut_frames (&reader, &outcome, held);
    }
  outcome.uncut = reader.end - reader.start;
  frame_reader_clear (&reader);
  return outcome;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  ByteReader input = byte_reader_init (slice_new (data, size, NULL));
  guint8 options = byte_reader_u8 (&input);
  Slice pieces = byte_reader_short_string (&input);
  Slice once = byte_reader_slice (&input, byte_reader_left (&input));
  guint32 frame_max = (options & OPTION_SMALL_FRAMES) != 0 ? LIMIT_FRAME_MIN : LIMIT_FRAME_MAX;
  g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (Held));
  g_auto (ByteWriter) repeated = byte_writer_init ();
  Slice stream;
  Outcome whole;
  Outcome cut;

  if (input.failed)
    return 0;
  for (guint i = 0; i <= (options >> OPTION_REPEAT_SHIFT) * REPEATS; i++)
    byte_writer_slice (&repeated, once);
  stream = byte_writer_peek (&repeated);
  whole = read_stream (stream, (Slice){ 0 }, frame_max, NULL);
  cut = read_stream (stream, pieces, frame_max, (options & OPTION_HOLD) != 0 ? held : NULL);
  g_assert (cut.digest == whole.digest && cut.n_frames == whole.n_frames);
  g_assert (cut.result == whole.result && cut.code == whole.code);
  g_assert (cut.result == FRAME_READER_ERROR || cut.uncut == whole.uncut);
  for (guint i = 0; i < held->len; i++)
    {
      Held *keep = &g_array_index (held, Held, i);

      g_assert (digest_slice (0, keep->payload) == keep->digest);
      slice_release (&keep->payload);
    }
  return 0;
}
