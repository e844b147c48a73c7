/* SPDX-License-Identifier: MIT */
#include "core/session/authentication.h"
#include "core/amqp/field_table.h"

/* RFC 4616: authorization identity (we use none), NUL, user, NUL, password. */
static gboolean
read_plain (Slice response, Slice *ret_user, Slice *ret_password)
{
  const guint8 *end = response.bytes + response.length;
  const guint8 *user, *password;

  user = memchr (response.bytes, '\0', response.length);
  if (user == NULL)
    return FALSE;
  user++;
  password = memchr (user, '\0', (gsize) (end - user));
  if (password == NULL)
    return FALSE;
  *ret_user = slice_new (user, (gsize) (password - user), response.owner);
  password++;
  *ret_password = slice_new (password, (gsize) (end - password), response.owner);
  return TRUE;
}

/* A field table without its length: LOGIN and PASSWORD. */
static gboolean
read_amqplain (Slice response, Slice *ret_user, Slice *ret_password)
{
  return field_table_check (response, NULL) && field_table_lookup_text (response, "LOGIN", ret_user)
         && field_table_lookup_text (response, "PASSWORD", ret_password);
}

gboolean
authentication_read (Slice mechanism, Slice response, Slice *ret_user, Slice *ret_password)
{
  Slice user, password;
  gboolean is_good;

  if (response.length == 0)
    return FALSE;
  if (slice_equal_text (mechanism, "PLAIN"))
    is_good = read_plain (response, &user, &password);
  else if (slice_equal_text (mechanism, "AMQPLAIN"))
    is_good = read_amqplain (response, &user, &password);
  else
    return FALSE;
  if (!is_good)
    return FALSE;
  *ret_user = user;
  *ret_password = password;
  return TRUE;
}
