/* SPDX-License-Identifier: MIT */
/* What is to go wrong in a run: what the timeline says, what the seed draws, and what puts right
 * again what went wrong. Whatever strikes is noted in a chronicle, which is a timeline itself: a
 * run of it alone, with nothing drawn, is the same run.
 *
 * For that, what did not strike leaves no trace: a fault that is due is no event of the clock, it
 * strikes between two steps of the world, and what is planned is due behind every step that has
 * begun. */
#pragma once

#include "sim/timeline.h"
#include "sim/world.h"

Faults *faults_new (World *world);
void faults_free (Faults *faults);

/* Before the step that begins at `step_us`: is one due? An order of that time goes first, an event
 * of the clock does not. */
gboolean faults_are_due (const Faults *faults, gint64 order_us, gint64 clock_us);
/* The one that is due. TRUE: it struck. */
gboolean faults_strike (Faults *faults);
/* After a step that began at `step_us`: triggers, and what the seed draws. */
void faults_look (Faults *faults, gint64 step_us);

/* At that time, but behind every step that has begun. Takes it. */
void faults_plan (Faults *faults, gint64 at_us, Fault take_fault);
/* When what strikes now does. */
gint64 faults_at_us (const Faults *faults);
/* What a recipe draws. */
SimStream *faults_recipe_random (Faults *faults);
/* A member's restart is to come. */
gboolean faults_restart_is_planned (const Faults *faults, guint member);
/* All is published and confirmed: has all struck that was scripted? Then what lasts is drawn: it
 * strikes when the work is over. */
gboolean faults_let_work_end (Faults *faults);
/* The work is over: nothing is drawn any more, and all is put right but what is for ever. */
void faults_end_work (Faults *faults);

/* What struck, at which time. */
const Timeline *faults_peek_chronicle (const Faults *faults);
/* What was scripted and could not strike when it was due. */
const Timeline *faults_peek_missed (const Faults *faults);
