/* SPDX-License-Identifier: MIT */
/* The content header (0-9-1 section 2.3.5.2) and the properties of class basic. They travel as
 * bytes; only what is needed is decoded, when it is. */
#pragma once

#include "core/amqp/protocol.h"
#include "core/base/byte_writer.h"

typedef struct ContentHeader
{
  guint16 class_id;
  guint64 body_size;
  Slice properties; /* flags and values */
} ContentHeader;

/* Checks everything, each property included: REPLY_SYNTAX_ERROR (502). Only class basic has
 * content: another class is REPLY_UNEXPECTED_FRAME (505). */
gboolean content_header_decode (Slice payload, ContentHeader *ret_header, GError **error);

typedef enum PropertyFlag
{
  PROPERTY_CONTENT_TYPE = 1 << 15,
  PROPERTY_CONTENT_ENCODING = 1 << 14,
  PROPERTY_HEADERS = 1 << 13,
  PROPERTY_DELIVERY_MODE = 1 << 12,
  PROPERTY_PRIORITY = 1 << 11,
  PROPERTY_CORRELATION_ID = 1 << 10,
  PROPERTY_REPLY_TO = 1 << 9,
  PROPERTY_EXPIRATION = 1 << 8,
  PROPERTY_MESSAGE_ID = 1 << 7,
  PROPERTY_TIMESTAMP = 1 << 6,
  PROPERTY_TYPE = 1 << 5,
  PROPERTY_USER_ID = 1 << 4,
  PROPERTY_APP_ID = 1 << 3,
  PROPERTY_CLUSTER_ID = 1 << 2 /* real in 0-8 and 0-9, reserved in 0-9-1 */
} PropertyFlag;

typedef struct Properties
{
  guint16 flags; /* which of these are there */
  Slice content_type;
  Slice content_encoding;
  Slice headers; /* a field table */
  guint8 delivery_mode;
  guint8 priority;
  Slice correlation_id;
  Slice reply_to;
  Slice expiration;
  Slice message_id;
  guint64 timestamp;
  Slice type;
  Slice user_id;
  Slice app_id;
  Slice cluster_id;
} Properties;

/* Of a payload that content_header_decode took. */
void properties_decode (Slice properties, Properties *ret_properties);
/* 2 (persistent), or 1 for all else, also where it is not given. Decodes no more than it needs. */
guint8 properties_delivery_mode (Slice properties);
/* A whole HEADER payload of class basic (60). */
void content_header_encode (const Properties *properties, guint64 body_size, ByteWriter *writer);
