/* SPDX-License-Identifier: MIT */
#include "sim/fault_sites.h"

const char *const fault_site_names[N_FAULT_SITES] = {
#define FAULT_SITE(id, name, what) [FAULT_SITE_##id] = name,
#include "sim/fault_sites.def"
#undef FAULT_SITE
};

const char *const fault_site_sentences[N_FAULT_SITES] = {
#define FAULT_SITE(id, name, what) [FAULT_SITE_##id] = what,
#include "sim/fault_sites.def"
#undef FAULT_SITE
};

/* So that what is late comes at last. */
static gboolean
strikes (FaultSites *base, const char *name)
{
  SimFaultSites *sites = (SimFaultSites *) base;
  guint site = 0;

  if (G_LIKELY (sites->n_on == 0))
    return FALSE;
  while (site < N_FAULT_SITES && !g_str_equal (name, fault_site_names[site]))
    site++;
  g_assert (site < N_FAULT_SITES);
  if (!sites->is_on[site] || !sim_stream_chance (&sites->random, 1, 2))
    return FALSE;
  sites->counts[site]++;
  return TRUE;
}

void
sim_fault_sites_init (SimFaultSites *sites, SimStream random, guint64 *counts)
{
  *sites = (SimFaultSites){ .sites = { strikes }, .random = random, .counts = counts };
}

void
sim_fault_sites_set (SimFaultSites *sites, FaultSite site, gboolean on)
{
  if (sites->is_on[site] == on)
    return;
  sites->is_on[site] = on;
  sites->n_on = on ? sites->n_on + 1 : sites->n_on - 1;
}
