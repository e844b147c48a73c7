# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libsim.a
sim_libsim_a_SOURCES = \
  %D%/arguments.c %D%/arguments.h \
  %D%/channel_order.c %D%/channel_order.h \
  %D%/checker_agreement.c %D%/checker_agreement.h \
  %D%/checker_bounds.c %D%/checker_bounds.h \
  %D%/checker_delivery.c %D%/checker_delivery.h \
  %D%/checker_delivery_end.c \
  %D%/checker_delivery_parts.h \
  %D%/checker_liveness.c %D%/checker_liveness.h \
  %D%/checker_majority.c %D%/checker_majority.h \
  %D%/checker_members.c %D%/checker_members.h \
  %D%/checker_order.c %D%/checker_order.h \
  %D%/checker_queues.c %D%/checker_queues.h \
  %D%/checker_sessions.c %D%/checker_sessions.h \
  %D%/checker_tape.c %D%/checker_tape.h \
  %D%/checker_view.c %D%/checker_view.h \
  %D%/checkpoints.c %D%/checkpoints.h \
  %D%/client.c %D%/client.h \
  %D%/client_assembly.c %D%/client_assembly.h \
  %D%/client_ears.c %D%/client_ears.h \
  %D%/clock.c %D%/clock.h \
  %D%/condition_kinds.def \
  %D%/conversation.c %D%/conversation.h \
  %D%/fault.c %D%/fault.h \
  %D%/fault_apply.c \
  %D%/fault_client.c \
  %D%/fault_clock.c \
  %D%/fault_code.c \
  %D%/fault_condition.c \
  %D%/fault_draw.c \
  %D%/fault_kinds.def \
  %D%/fault_lasting.c \
  %D%/fault_member.c \
  %D%/fault_network.c \
  %D%/fault_operator.c \
  %D%/fault_parts.h \
  %D%/fault_rules.c \
  %D%/fault_sites.c %D%/fault_sites.def %D%/fault_sites.h \
  %D%/fault_transport.c \
  %D%/faults.c %D%/faults.h \
  %D%/findings.c %D%/findings.h \
  %D%/fingerprint.c %D%/fingerprint.h \
  %D%/link.c %D%/link.h \
  %D%/look.c %D%/look.h \
  %D%/member.c %D%/member.h \
  %D%/member_faults.c \
  %D%/member_name.c %D%/member_name.h \
  %D%/member_parts.h \
  %D%/member_tape.c \
  %D%/mutant.c %D%/mutant.h \
  %D%/option_keys.c %D%/option_keys.h \
  %D%/order_branch.c %D%/order_branch.h \
  %D%/own_places.c %D%/own_places.h \
  %D%/pace.c %D%/pace.h \
  %D%/partitions.c %D%/partitions.h \
  %D%/phase.c %D%/phase.h \
  %D%/phrase.c %D%/phrase.h \
  %D%/probes.c %D%/probes.def %D%/probes.h \
  %D%/scenario.c %D%/scenario.h \
  %D%/scenario_arguments.c %D%/scenario_arguments.h \
  %D%/scenario_files.c \
  %D%/scenario_play.c %D%/scenario_play.h \
  %D%/scenario_read.c \
  %D%/scenario_warnings.c %D%/scenario_warnings.h \
  %D%/scenario_write.c \
  %D%/shrink.c %D%/shrink.h \
  %D%/shrink_list.c %D%/shrink_list.h \
  %D%/shrink_runs.c %D%/shrink_runs.h \
  %D%/shrink_timeline.c %D%/shrink_timeline.h \
  %D%/sim_env.c %D%/sim_env.h \
  %D%/sim_options.c %D%/sim_options.h \
  %D%/sim_random.c %D%/sim_random.h \
  %D%/stall.c %D%/stall.h \
  %D%/story.c %D%/story.h \
  %D%/sweep.c %D%/sweep.h \
  %D%/sweep_runs.c %D%/sweep_runs.h \
  %D%/tap.c %D%/tap.h \
  %D%/tape.c %D%/tape.h \
  %D%/tape_test.c %D%/tape_test.h \
  %D%/timeline.c %D%/timeline.h \
  %D%/told.h \
  %D%/trace_writer.c %D%/trace_writer.h \
  %D%/trigger.c %D%/trigger.h \
  %D%/unclustered.c %D%/unclustered.h \
  %D%/units.c %D%/units.h \
  %D%/watch.c %D%/watch.h \
  %D%/workload.c %D%/workload.h \
  %D%/workload_churn.c \
  %D%/workload_consumer.c \
  %D%/workload_publisher.c \
  %D%/workload_steward.c \
  %D%/world.c %D%/world.h \
  %D%/world_shape.c
sim_libs = %D%/libsim.a $(node_libs) transport/libtransport_sim.a core/base/libbase.a $(GLIB_LIBS)

bin_PROGRAMS += consort-sim
consort_sim_SOURCES = \
  %D%/command.h \
  %D%/command_diff.c \
  %D%/command_lint.c \
  %D%/command_list.c \
  %D%/command_replay.c \
  %D%/command_run.c \
  %D%/command_shrink.c \
  %D%/command_sweep.c \
  %D%/main.c \
  %D%/report.c %D%/report.h \
  %D%/shrink_runs.c %D%/shrink_runs.h \
  %D%/sweep_runs.c %D%/sweep_runs.h \
  %D%/sweep_workers.c %D%/sweep_workers.h
consort_sim_LDADD = $(sim_libs)
