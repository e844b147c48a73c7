/* SPDX-License-Identifier: MIT */
/* Tells the service manager how we are (sd_notify(3)'s protocol: one datagram). */
#pragma once

/* "READY=1", "STOPPING=1", ... Nothing happens where nobody listens (no NOTIFY_SOCKET). */
void service_notify (const char *state);
