/* SPDX-License-Identifier: MIT */
/* Places in the code where something may well fail, or be late, and seldom is. Who tests a member
 * makes it so there, and no promise is the less for it. The daemon has none: then it is one
 * comparison. sim/fault_sites.def lists them. */
#pragma once

#include <glib.h>

typedef struct FaultSites FaultSites;

struct FaultSites
{
  /* TRUE: it fails here now. `site` is its name, a constant. */
  gboolean (*strikes) (FaultSites *sites, const char *site);
};

static inline gboolean
fault_site_strikes (FaultSites *sites, const char *site)
{
  return G_UNLIKELY (sites != NULL) && sites->strikes (sites, site);
}
