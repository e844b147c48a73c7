/* SPDX-License-Identifier: MIT */
/* The places of fault_sites.def in one member's code: which of them fail, now and then. */
#pragma once

#include "core/base/fault_site.h"
#include "sim/sim_random.h"

typedef enum FaultSite
{
#define FAULT_SITE(id, name, what) FAULT_SITE_##id,
#include "sim/fault_sites.def"
#undef FAULT_SITE
  N_FAULT_SITES
} FaultSite;

/* By site. */
extern const char *const fault_site_names[N_FAULT_SITES];
extern const char *const fault_site_sentences[N_FAULT_SITES];

typedef struct SimFaultSites
{
  FaultSites sites;
  SimStream random;
  gboolean is_on[N_FAULT_SITES];
  guint n_on;
  guint64 *counts; /* by site: how often it failed */
} SimFaultSites;

/* `counts` is borrowed. */
void sim_fault_sites_init (SimFaultSites *sites, SimStream random, guint64 *counts);
/* From here on it fails in one of two times, or never. */
void sim_fault_sites_set (SimFaultSites *sites, FaultSite site, gboolean on);
