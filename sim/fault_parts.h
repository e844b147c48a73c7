/* SPDX-License-Identifier: MIT */
/* The inside of faults.c: how a fault is drawn, whether it may strike, and what it does. */
#pragma once

#include "sim/faults.h"

/* --- whom and how: fault_draw.c -------------------------------------------------------------- */

/* How often that kind strikes in a run that draws. */
guint fault_draw_count (const SimOptions *options, FaultKind kind, SimStream *random);
/* FALSE: there is nobody that it could strike now. Yours. */
gboolean fault_draw (World *world, FaultKind kind, SimStream *random, Fault *ret_fault);
/* NULL: all would be in one part. Yours. */
GArray *fault_draw_parts (World *world, SimStream *random);
/* Parts are numbered as they come, as they are when they are read again. */
void fault_number_parts (GArray *parts);
/* Until a member that it ended comes back; 0: it does not end one. */
gint64 fault_draw_away_us (FaultKind kind, SimStream *random);

/* --- what lasts when the work ends: fault_lasting.c
 * ------------------------------------------------------------------ */

/* Of Fault, for ever, all of them as things are now: a majority stays. Yours; often none. */
GArray *fault_draw_lasting (World *world, SimStream *random);

/* --- whether: fault_rules.c --------------------------------------------------------------------
 */

/* What was promised can still be kept when it has struck. */
gboolean fault_is_fair (World *world, const Fault *fault, gint64 now_us);

/* --- conditions of triggers: fault_condition.c --------------------------------------------------
 */

/* `ret_it`: the member of which it is true, if it is about one. */
gboolean fault_condition_holds (World *world, const Condition *condition, gint *ret_it);
/* The member that is meant; -1: there is none. */
gint fault_find_member (World *world, gint named);

/* --- what happens: fault_apply.c
 * ------------------------------------------------------------------
 */

/* FALSE: it cannot strike as things are; nothing is changed to find out. */
gboolean fault_may_strike (World *world, const Fault *fault);
/* FALSE: it could not strike, and nothing happened. */
gboolean fault_apply (World *world, const Fault *fault);

/* The functions of fault_kinds.def, each for a fault whose members are found. */
typedef gboolean FaultFunction (World *world, const Fault *fault);

FaultFunction fault_crash, fault_suffix_loss, fault_stop, fault_node_down, fault_ghost;
FaultFunction fault_restart, fault_pause, fault_hang, fault_resume, fault_lag, fault_slow,
    fault_catch_up;
FaultFunction fault_partition, fault_isolate, fault_heal;
FaultFunction fault_one_way, fault_non_transitive, fault_majority_ring;
FaultFunction fault_handle_lost, fault_daemon_stop, fault_daemon_up;
FaultFunction fault_spike, fault_stall, fault_full;
FaultFunction fault_flapping, fault_swizzle, fault_cut_off_paused;
FaultFunction fault_crash_several, fault_node_down_several;
FaultFunction fault_newer_version, fault_stranger;
FaultFunction fault_ack_nothing, fault_nack_storm, fault_behave;
FaultFunction fault_tear, fault_close, fault_slow_reader, fault_silence, fault_listen;
FaultFunction fault_clock_jump, fault_clock_drift;
FaultFunction fault_site, fault_site_off;
FaultFunction fault_form_by_force, fault_forget;
FaultFunction fault_mutant;

/* The member that it is about; NULL: there is none of that number. */
SimMember *fault_member (World *world, const Fault *fault);
/* What puts it right follows: when its time is over, or soon if the work is. Takes it. */
void fault_followed_by (World *world, const Fault *fault, Fault take_follower);
