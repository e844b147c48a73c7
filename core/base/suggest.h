/* SPDX-License-Identifier: MIT */
/* "Did you mean ...?": the known name that a wrong one was probably meant to be. */
#pragma once

#include <glib.h>

/* The nearest of `known` (the first of equals), by letters missing, added, wrong or swapped;
 * NULL when none is near. */
const char *suggest_name (const char *wrong, const char *const *known, guint n_known);

/* ", did you mean 'listen'?" or "". Yours. */
char *suggest_text (const char *wrong, const char *const *known, guint n_known);
