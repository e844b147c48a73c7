/* SPDX-License-Identifier: MIT */
#include "sim/member_name.h"
#include "sim/sim_options.h"

#include <string.h>

#define LETTERS 26

const char *
member_name_text (guint number, char buffer[MEMBER_NAME_SIZE])
{
  if (number < LETTERS)
    g_snprintf (buffer, MEMBER_NAME_SIZE, "%c", 'A' + (int) number);
  else
    g_snprintf (buffer, MEMBER_NAME_SIZE, "M%u", number);
  return buffer;
}

gboolean
member_name_parse (const char *name, guint *ret_number)
{
  guint64 number;

  if (g_ascii_isupper (name[0]) && name[1] == '\0')
    {
      *ret_number = (guint) (name[0] - 'A');
      return TRUE;
    }
  if (name[0] != 'M' || name[1] == '0'
      || !g_ascii_string_to_unsigned (name + 1, 10, LETTERS, SIM_MEMBERS_MAX - 1, &number, NULL))
    return FALSE;
  *ret_number = (guint) number;
  return TRUE;
}
