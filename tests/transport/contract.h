/* SPDX-License-Identifier: MIT */
/* What transport.h promises, one claim a case, to be held against each backend. */
#pragma once

#include "tests/transport/storm.h"

/* Both add "/transport/NAME/..." for a backend. */
void contract_add_storm_claims (const ClusterType *type);
void contract_add_situations (const ClusterType *type);
/* Ends the clusters of the storms, which all claims are held against. */
void contract_end_storms (void);
