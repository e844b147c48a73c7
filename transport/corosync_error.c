/* SPDX-License-Identifier: MIT */
#include "transport/corosync_error.h"
#include "core/base/error.h"

gboolean
corosync_error (GError **error, cs_error_t code, const char *what)
{
  return system_error (error, SYSTEM_ERROR_TRANSPORT, "%s: %s", what, corosync_error_text (code));
}

gboolean
corosync_error_is_passing (cs_error_t code)
{
  return code == CS_ERR_TRY_AGAIN || code == CS_ERR_LIBRARY || code == CS_ERR_BUSY
         || code == CS_ERR_NO_RESOURCES || code == CS_ERR_QUEUE_FULL;
}

const char *
corosync_error_text (cs_error_t code)
{
  if (code == CS_ERR_LIBRARY)
    return "corosync does not run here, or has ended";
  if (code == CS_ERR_TRY_AGAIN)
    return "corosync is busy";
  if (code == CS_ERR_ACCESS || code == CS_ERR_SECURITY)
    return "corosync does not allow it: this user needs a line in uidgid.d";
  if (code == CS_ERR_EXIST)
    return "this process is a member of that group already";
  return cs_strerror (code);
}
