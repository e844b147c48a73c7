/* SPDX-License-Identifier: MIT */
/* Where the log goes: one line an event to the standard error.
 *
 *   text       2026-01-31T12:00:00.123Z notice  A: serves AMQP 0-9-1 on 127.0.0.1:5672
 *   json       {"time": "...", "level": "notice", "member": "A", "text": "..."}
 *   journald   <5>A: serves ...      text, when the standard error is the journal's (it has
 *                                    its own time, and takes the priority from the prefix) */
#pragma once

#include "daemon/settings.h"

void log_setup (LogLevel level, LogFormat format);
