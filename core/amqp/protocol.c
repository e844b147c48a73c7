/* SPDX-License-Identifier: MIT */
#include "core/amqp/protocol.h"

/* The versions that we speak; the first is the one we prefer. */
static const struct
{
  guint8 header[PROTOCOL_HEADER_SIZE];
  ProtocolVersion version;
} greetings[] = {
  { { 'A', 'M', 'Q', 'P', 0, 0, 9, 1 }, PROTOCOL_0_9_1 },
};

static const char *const version_names[N_PROTOCOL_VERSIONS] = {
  [PROTOCOL_0_8] = "0-8",
  [PROTOCOL_0_9] = "0-9",
  [PROTOCOL_0_9_1] = "0-9-1",
};

gboolean
protocol_header_decode (Slice header, ProtocolVersion *ret_version)
{
  for (guint i = 0; i < G_N_ELEMENTS (greetings); i++)
    if (slice_equal (header, slice_new (greetings[i].header, PROTOCOL_HEADER_SIZE, NULL)))
      {
        *ret_version = greetings[i].version;
        return TRUE;
      }
  return FALSE;
}

const guint8 *
protocol_header_preferred (void)
{
  return greetings[0].header;
}

const char *
protocol_version_name (ProtocolVersion version)
{
  g_assert (version < N_PROTOCOL_VERSIONS);
  return version_names[version];
}
