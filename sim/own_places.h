/* SPDX-License-Identifier: MIT */
/* Where a member's own multicasts come in relation to the views that it is told: probes for each
 * place that is possible. One membership; what it sends comes back to it in order. */
#pragma once

#include "sim/probes.h"

typedef struct OwnPlaces
{
  Probes *probes; /* borrowed */
  guint64 n_sent;
  guint64 n_heard;
  guint64 n_before_view;  /* that it had sent when it was told its last view */
  guint64 noticing_begin; /* the latest of them that were sent while a loss was being noticed */
  guint64 noticing_end;
  gboolean was_own;  /* what it was told last */
  gboolean was_view; /* likewise */
} OwnPlaces;

/* `noticing`: some loss is not known yet. */
void own_places_sent (OwnPlaces *places, gboolean noticing);
void own_places_heard (OwnPlaces *places, gboolean own);
void own_places_view (OwnPlaces *places);
