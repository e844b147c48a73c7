/* SPDX-License-Identifier: MIT */
/* Counts how often a run came to each situation of probes.def. Also the trace of all members: what
 * the core reaches is counted, and text goes on to whoever wants it. */
#pragma once

#include "core/base/trace.h"

typedef enum Probe
{
#define PROBE(id, name, what) PROBE_##id,
#include "sim/probes.def"
#undef PROBE
  N_PROBES
} Probe;

typedef struct ProbeInfo
{
  const char *name;
  const char *what;
} ProbeInfo;

extern const ProbeInfo probe_infos[N_PROBES];

#define PROBES_CACHED 64

typedef struct Probes
{
  Trace trace;
  Trace *text; /* NULL: nobody wants it */
  guint64 counts[N_PROBES];
  /* Names of the core are constants: who came by once is found by address. */
  const char *known[PROBES_CACHED];
  guint8 known_as[PROBES_CACHED];
} Probes;

void probes_init (Probes *probes);
/* NULL: nobody. */
void probes_set_text (Probes *probes, Trace *text);

static inline void
probes_reach (Probes *probes, Probe probe)
{
  probes->counts[probe]++;
}

/* "name=count ..." of those that were reached, in the order of the list. Yours. */
char *probes_text (const guint64 *counts);
