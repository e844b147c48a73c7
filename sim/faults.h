/* SPDX-License-Identifier: MIT */
/* The schedule of bad luck: members that end and come back. When it strikes is drawn as a share of
 * the messages, so that a short run has as much of it as a long one. */
#pragma once

#include "sim/world.h"

Faults *faults_new (World *world);
void faults_free (Faults *faults);
/* So many messages were confirmed: what is due is put on the clock. */
void faults_progress (Faults *faults);
/* One is due. */
void faults_strike (Faults *faults);
