/* SPDX-License-Identifier: MIT */
/* Envelopes of a peer: whatever the bytes, an error or an envelope. Input: what follows the header,
 * its first octet the kind; header and checksum are made here, else nothing would get past them. */
#include "core/base/error.h"
#include "core/cluster/envelope.h"
#include "tests/fuzz/fuzz.h"

#define CLUSTER_ID 7

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (Envelope) envelope = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (Buffer) bytes = NULL;
  EnvelopeHeader header = { .cluster_id = CLUSTER_ID, .incarnation = 1 };

  if (size == 0)
    return 0;
  header.kind = (EnvelopeKind) (data[0] % N_ENVELOPE_KINDS);
  bytes = buffer_new (ENVELOPE_HEADER_SIZE + size - 1);
  memcpy (bytes->bytes + ENVELOPE_HEADER_SIZE, data + 1, size - 1);
  envelope_seal (bytes, &header);
  envelope = envelope_decode (bytes, CLUSTER_ID, &error);
  g_assert ((envelope == NULL) == (error != NULL));
  g_assert (error == NULL || error->domain == SYSTEM_ERROR);
  if (envelope == NULL)
    return 0;
  for (guint i = 0; i < envelope->frames->len; i++)
    {
      const EntryFrame *frame = &g_array_index (envelope->frames, EntryFrame, i);

      if (frame->frame.type == FRAME_METHOD)
        g_assert (frame->method < envelope->methods->len);
    }
  return 0;
}
