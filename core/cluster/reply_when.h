/* SPDX-License-Identifier: MIT */
/* When an answer that promises something may leave for the client (SafeReplyHandler). */
#pragma once

#include <glib.h>

typedef enum ReplyWhen
{
  REPLY_WHEN_MAJORITY, /* a majority of the voters has its cause: no loss of a minority undoes it */
  REPLY_WHEN_SELF,     /* its cause was delivered here: a crash may undo it */
  REPLY_WHEN_ALL       /* every voter that is a full member has it, and they are a majority */
} ReplyWhen;
