/* SPDX-License-Identifier: MIT */
/* AMQP methods as structs, all expanded from the tables methods_*.def.
 *
 * A decoded method borrows: its strings and tables are slices of the payload. Strings of the
 * wire's "short string" hold at most 255 bytes and no NUL; tables are checked whole when the
 * method is decoded (field_table.h) and kept as their bytes. */
#pragma once

#include "core/amqp/protocol.h"
#include "core/base/byte_writer.h"

/* clang-format off */
#define OCTET(name) guint8 name;
#define SHORT(name) guint16 name;
#define LONG(name) guint32 name;
#define LONG_LONG(name) guint64 name;
#define BIT(name) gboolean name;
#define SHORT_STRING(name) Slice name;
#define LONG_STRING(name) Slice name;
#define TABLE(name) Slice name;
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields)                       \
  typedef struct Struct { char no_fields[0]; fields } Struct;
#include "core/amqp/methods_0_9_1.def"

typedef enum MethodId
{
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields) METHOD_##ID,
#include "core/amqp/methods_0_9_1.def"
  N_METHODS
} MethodId;

typedef struct Method
{
  MethodId id;
  union
  {
#define METHOD(Struct, member, ID, text, class_id, method_id, flags, fields) Struct member;
#include "core/amqp/methods_0_9_1.def"
  };
} Method;
/* clang-format on */

/* The payload of a METHOD frame. Fails with REPLY_SYNTAX_ERROR (502: cut short, bytes left over,
 * a malformed table), REPLY_COMMAND_INVALID (503: a method that only brokers send) or
 * REPLY_NOT_IMPLEMENTED (540: no such class or method in this version). */
gboolean method_decode (ProtocolVersion version, Slice payload, Method *ret_method, GError **error);
/* The same for a client's side: methods that only brokers send are taken, those that only clients
 * send are a 503. */
gboolean method_decode_from_broker (ProtocolVersion version, Slice payload, Method *ret_method,
                                    GError **error);
/* Class id, method id, arguments: the payload of a METHOD frame. */
void method_encode (ProtocolVersion version, const Method *method, ByteWriter *writer);

/* The first four bytes of a payload, for a close's class-id and method-id; zeros if there are not
 * four. */
void method_peek_ids (Slice payload, guint16 *ret_class_id, guint16 *ret_method_id);

/* "basic.publish" */
const char *method_name (MethodId id);
guint16 method_class_id (ProtocolVersion version, MethodId id);
guint16 method_method_id (ProtocolVersion version, MethodId id);
gboolean method_has_content (MethodId id);

/* "basic.publish exchange='' routing-key='q' mandatory=1": for logs and traces. Bits that are not
 * set and reserved fields are left out; of a long string only the length is told, since passwords
 * and the secrets of sessions travel in them. */
void method_print (const Method *method, GString *text);
/* Of the id and all fields, whatever the version. */
guint64 method_digest (const Method *method, guint64 digest);
