/* SPDX-License-Identifier: MIT */
/* Looking at a member: a command's text in, an answer's text out; no sockets, no files.
 *
 *   status              the member, its view, its position and digest, counts
 *   list queues         one line a queue
 *   list connections    one line a connection, with its primary
 *   list sessions       one line a session (a channel's lasting self)
 *   list exchanges
 *   list bindings
 *   health              why this member serves; refused with the reason if it does not
 *   forget NODE         that node's voice counts no more
 *   form --force --yes  begin with what this member alone holds
 *
 * What is listed is replicated state: any member gives the same lists at the same position. */
#pragma once

#include "core/node/node.h"

typedef enum ManagementFormat
{
  MANAGEMENT_TEXT, /* a table for people: a header line, columns padded by blanks */
  MANAGEMENT_JSON  /* one JSON value: an object (status) or an array of objects (lists) */
} ManagementFormat;

/* The answer, yours, ending in a line end; NULL with SYSTEM_ERROR_REFUSED for a command that is
 * none of these (the text names those that are), or cannot be done. */
char *management_run (Node *node, const char *command, ManagementFormat format, GError **error);
