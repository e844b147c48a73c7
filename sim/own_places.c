/* SPDX-License-Identifier: MIT */
#include "sim/own_places.h"

void
own_places_sent (OwnPlaces *places, gboolean noticing)
{
  if (noticing && places->noticing_end < places->n_sent)
    places->noticing_begin = places->n_sent;
  places->n_sent++;
  if (noticing)
    places->noticing_end = places->n_sent;
}

static void
heard_own (OwnPlaces *places)
{
  guint64 number = places->n_heard++;
  gboolean crossed = number < places->n_before_view;

  if (places->was_view)
    probes_reach (places->probes, crossed ? PROBE_OWN_BEHIND_VIEW : PROBE_OWN_FIRST_IN_VIEW);
  if (crossed && number >= places->noticing_begin && number < places->noticing_end)
    probes_reach (places->probes, PROBE_OWN_WHILE_NOTICING);
}

void
own_places_heard (OwnPlaces *places, gboolean own)
{
  if (own)
    heard_own (places);
  places->was_own = own;
  places->was_view = FALSE;
}

void
own_places_view (OwnPlaces *places)
{
  if (places->was_own)
    probes_reach (places->probes, PROBE_OWN_BEFORE_VIEW);
  places->n_before_view = places->n_sent;
  places->was_own = FALSE;
  places->was_view = TRUE;
}
