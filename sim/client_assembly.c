/* SPDX-License-Identifier: MIT */
#include "sim/client_assembly.h"

void
client_assembly_clear (ClientAssembly *assembly)
{
  slice_release (&assembly->method);
  slice_release (&assembly->header);
  g_byte_array_set_size (assembly->body, 0);
  assembly->under_way = FALSE;
  assembly->has_header = FALSE;
}
