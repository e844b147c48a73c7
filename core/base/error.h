/* SPDX-License-Identifier: MIT */
/* GError domains.
 *
 * REPLY_ERROR is what a client did wrong, or what is not so with what it asked for: its code is
 * the AMQP reply code (a ReplyCode), its message the reply text without the code's name.
 * SYSTEM_ERROR is what a peer, a file or the group did. "Full", "none" and "would block" are
 * results, not errors. */
#pragma once

#include <glib.h>

typedef enum ReplyCode
{
#define REPLY_CODE(name, code, scope) REPLY_##name = code,
#include "core/base/reply_codes.def"
#undef REPLY_CODE
} ReplyCode;

#define REPLY_ERROR (reply_error_quark ())
GQuark reply_error_quark (void);

/* Fills `error` and returns FALSE, so that a check reads `return reply_error (error, ...)`. */
gboolean reply_error (GError **error, ReplyCode code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* The code's name as the specification spells it, with underscores: "NOT_FOUND". NULL for a
 * number that is none. */
const char *reply_code_name (guint code);
/* TRUE: the connection is closed, not only the channel. */
gboolean reply_code_is_hard (guint code);
/* "NOT_FOUND - no queue 'q' in vhost '/'", the way clients know it, at most 255 bytes, cut
 * between characters. Yours. */
char *reply_error_text (const GError *error);

typedef enum SystemError
{
  SYSTEM_ERROR_MALFORMED,   /* bytes of a peer or a disk that we cannot read */
  SYSTEM_ERROR_VERSION,     /* written by a version that we cannot read */
  SYSTEM_ERROR_OTHER_GROUP, /* a message of another cluster */
  SYSTEM_ERROR_TRANSPORT,   /* the group is gone */
  SYSTEM_ERROR_REFUSED,     /* an operator asked for what cannot be done */
  SYSTEM_ERROR_SETTING      /* a setting or an option is wrong */
} SystemError;

#define SYSTEM_ERROR (system_error_quark ())
GQuark system_error_quark (void);
gboolean system_error (GError **error, SystemError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
