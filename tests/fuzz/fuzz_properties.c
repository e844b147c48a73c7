/* SPDX-License-Identifier: MIT */
/* A content header that was taken is the same bytes when it is encoded again, and the short way to
 * its delivery mode agrees with the long one. Input: the payload of a HEADER frame. */
#include "core/amqp/properties.h"
#include "core/base/error.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  Slice payload = slice_new (data, size, NULL);
  g_auto (ByteWriter) encoded = byte_writer_init ();
  g_autoptr (GError) error = NULL;
  ContentHeader header;
  Properties properties;

  if (!content_header_decode (payload, &header, &error))
    {
      g_assert (error->domain == REPLY_ERROR);
      g_assert (error->code == REPLY_SYNTAX_ERROR || error->code == REPLY_UNEXPECTED_FRAME);
      return 0;
    }
  g_assert (error == NULL);
  properties_decode (header.properties, &properties);
  g_assert ((properties_delivery_mode (header.properties) == 2) == (properties.delivery_mode == 2));
  content_header_encode (&properties, header.body_size, &encoded);
  g_assert (slice_equal (payload, byte_writer_peek (&encoded)));
  return 0;
}
