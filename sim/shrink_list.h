/* SPDX-License-Identifier: MIT */
/* Fewer, and rounder: what is left of a list, and of a number, if a test is to go on failing.
 *
 * Whoever tests is given several candidates at a time, the best one first, and may try them side by
 * side: its answer is the number of the first that fails, and so does not depend on how many
 * are tried at once. */
#pragma once

#include <glib.h>

/* `candidates` are GArrays of guint: the elements that are kept, in their order. Returns the number
 * of the first candidate that still fails; candidates->len: none does. */
typedef guint (*ShrinkListTest) (GPtrArray *candidates, gpointer user_data);

/* Candidates in one question. */
#define SHRINK_LIST_BATCH 64

/* Of the elements 0 to `n` - 1, which fail together: a part of which no single element can be left
 * out (delta debugging, Zeller and Hildebrandt 2002, with complements only). Yours. */
GArray *shrink_list (guint n, ShrinkListTest test, gpointer user_data);

/* Numbers less than `number` that are easily read, the least first: 0 1 2 3 5 10 20 30 50 100. A
 * GArray of guint64, from `low` on. Yours. */
GArray *shrink_number (guint64 number, guint64 low);
/* Times near that one that are easily read, the roundest first: of 212431us 200ms, 210ms, 212ms. A
 * GArray of gint64, of none greater than `us` by more than half. Yours. */
GArray *shrink_time (gint64 us);
