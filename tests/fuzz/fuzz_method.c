/* SPDX-License-Identifier: MIT */
/* What is decoded can be encoded, and is the same method when it is decoded again; printing and
 * hashing take whatever was decoded. Input: the payload of a METHOD frame. */
#include "core/amqp/method.h"
#include "core/base/error.h"
#include "tests/fuzz/fuzz.h"

typedef gboolean (*Decode) (ProtocolVersion version, Slice payload, Method *ret_method,
                            GError **error);

static gboolean
try_decode (Decode decode, Slice payload, Method *ret_method)
{
  g_autoptr (GError) error = NULL;
  gboolean is_good = decode (PROTOCOL_0_9_1, payload, ret_method, &error);

  g_assert (is_good == (error == NULL));
  g_assert (is_good || error->domain == REPLY_ERROR);
  g_assert (is_good || error->code == REPLY_SYNTAX_ERROR || error->code == REPLY_COMMAND_INVALID
            || error->code == REPLY_NOT_IMPLEMENTED);
  return is_good;
}

static guint64
check_round_trip (Decode decode, Slice payload, const Method *method)
{
  g_auto (ByteWriter) encoded = byte_writer_init ();
  g_auto (ByteWriter) encoded_again = byte_writer_init ();
  g_autoptr (GString) text = g_string_new (NULL);
  guint64 digest = method_digest (method, 0);
  gboolean is_good;
  Method again;

  method_encode (PROTOCOL_0_9_1, method, &encoded);
  g_assert (encoded.length == payload.length);
  is_good = try_decode (decode, byte_writer_peek (&encoded), &again);
  g_assert (is_good && again.id == method->id);
  g_assert (method_digest (&again, 0) == digest);
  method_encode (PROTOCOL_0_9_1, &again, &encoded_again);
  g_assert (slice_equal (byte_writer_peek (&encoded), byte_writer_peek (&encoded_again)));
  method_print (method, text);
  for (gsize i = 0; i < text->len; i++)
    g_assert (g_ascii_isprint (text->str[i]));
  return digest;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  Slice payload = slice_new (data, size, NULL);
  Method from_client;
  Method from_broker;
  gboolean is_from_client = try_decode (method_decode, payload, &from_client);
  gboolean is_from_broker = try_decode (method_decode_from_broker, payload, &from_broker);
  guint64 client_digest = 0;
  guint64 broker_digest = 0;

  if (is_from_client)
    client_digest = check_round_trip (method_decode, payload, &from_client);
  if (is_from_broker)
    broker_digest = check_round_trip (method_decode_from_broker, payload, &from_broker);
  g_assert (!is_from_client || !is_from_broker || client_digest == broker_digest);
  return 0;
}
