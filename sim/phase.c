/* SPDX-License-Identifier: MIT */
#include "sim/phase.h"

const char *const phase_names[] = {
  [PHASE_SETUP] = "setup",   [PHASE_WORK] = "work", [PHASE_DRAIN] = "drain",
  [PHASE_SETTLE] = "settle", [PHASE_OVER] = "over",
};
const guint n_phase_names = G_N_ELEMENTS (phase_names);
