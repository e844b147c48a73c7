/* SPDX-License-Identifier: MIT */
/* Class confirm (RabbitMQ's extension): publisher confirms. */
#include "core/session/methods.h"

gboolean
methods_confirm (Session *session, const Method *method, GError **error)
{
  (void) error;
  session_touch (session);
  session->confirming = TRUE;
  methods_reply (session, METHOD_CONFIRM_SELECT_OK, method->confirm_select.no_wait);
  return TRUE;
}
