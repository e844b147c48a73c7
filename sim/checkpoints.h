/* SPDX-License-Identifier: MIT */
/* Fingerprints of a run on its way, every so many events. By them two runs are bisected to their
 * first difference: fingerprints roll, so once two checkpoints differ all later ones do.
 *
 * They are kept as the text that is their file, too: a header, then lines of one width, so that
 * bisecting reads but a few of them.
 *
 *     consort-sim checkpoints 1
 *     command consort-sim run --members 3 ...
 *     events 1..18446744073709551615 every 1000
 *     event time_us random time faults order views state clients
 *     00000000000000000000 00000000000000000000 8d59...
 */
#pragma once

#include "sim/fingerprint.h"

typedef struct Checkpoint
{
  guint64 event; /* the last that it knows of; 0: none happened yet */
  gint64 time_us;
  Fingerprint fingerprint;
} Checkpoint;

/* Which events of a run are looked at: from `first` to `last` those whose number `every` divides.
 */
typedef struct EventRange
{
  guint64 first;
  guint64 last;
  guint64 every;
} EventRange;

#define EVENT_RANGE_ALL ((EventRange){ .first = 1, .last = G_MAXUINT64, .every = 1000 })

typedef struct Checkpoints Checkpoints;

/* `command` runs this again. */
Checkpoints *checkpoints_new (const char *command, EventRange range);
void checkpoints_free (Checkpoints *checkpoints);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Checkpoints, checkpoints_free)

/* After each event, and once before the first. Keeps what was before the range, what `every`
 * divides, and by checkpoints_end the last in the range. */
void checkpoints_look (Checkpoints *checkpoints, const Checkpoint *now);
void checkpoints_end (Checkpoints *checkpoints);

const char *checkpoints_text (const Checkpoints *checkpoints, gsize *ret_length);
/* Takes `text`. NULL: SYSTEM_ERROR_MALFORMED or _VERSION. */
Checkpoints *checkpoints_new_take_text (char *text, gsize length, GError **error);

const char *checkpoints_command (const Checkpoints *checkpoints);
EventRange checkpoints_range (const Checkpoints *checkpoints);
gsize checkpoints_count (const Checkpoints *checkpoints);
/* FALSE: SYSTEM_ERROR_MALFORMED. */
gboolean checkpoints_get (const Checkpoints *checkpoints, gsize index, Checkpoint *ret_checkpoint,
                          GError **error);

typedef struct Difference
{
  gboolean found;
  gsize index;    /* of the first checkpoint that differs; their number, if one has no more */
  guint n_looked; /* at so many pairs */
} Difference;

/* Both must be of one range. FALSE: SYSTEM_ERROR_MALFORMED, or _REFUSED. */
gboolean checkpoints_compare (const Checkpoints *a, const Checkpoints *b,
                              Difference *ret_difference, GError **error);
