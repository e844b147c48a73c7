/* SPDX-License-Identifier: MIT */
/* What a client says to prove who it is (0-9-1 section 2.2.4): the SASL mechanisms. */
#pragma once

#include "core/base/slice.h"

/* For connection.start: separated by blanks, the preferred one first. */
#define AUTHENTICATION_MECHANISMS "PLAIN AMQPLAIN"

/* The user and password in connection.start-ok's response; both borrow from it. FALSE: another
 * mechanism, or not of its form. */
gboolean authentication_read (Slice mechanism, Slice response, Slice *ret_user,
                              Slice *ret_password);
