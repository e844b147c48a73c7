# SPDX-License-Identifier: MIT
# One idea a line, so that lines can be added side by side.
noinst_LIBRARIES += %D%/libsim.a
sim_libsim_a_SOURCES =
sim_libsim_a_SOURCES += %D%/arguments.c %D%/arguments.h
sim_libsim_a_SOURCES += %D%/checker_agreement.c %D%/checker_agreement.h
sim_libsim_a_SOURCES += %D%/checker_bounds.c %D%/checker_bounds.h
sim_libsim_a_SOURCES += %D%/checker_delivery.c %D%/checker_delivery.h
sim_libsim_a_SOURCES += %D%/checker_liveness.c %D%/checker_liveness.h
sim_libsim_a_SOURCES += %D%/checker_majority.c %D%/checker_majority.h
sim_libsim_a_SOURCES += %D%/checker_order.c %D%/checker_order.h
sim_libsim_a_SOURCES += %D%/checker_queues.c %D%/checker_queues.h
sim_libsim_a_SOURCES += %D%/checker_sessions.c %D%/checker_sessions.h
sim_libsim_a_SOURCES += %D%/checker_view.c %D%/checker_view.h
sim_libsim_a_SOURCES += %D%/client.c %D%/client.h
sim_libsim_a_SOURCES += %D%/clock.c %D%/clock.h
sim_libsim_a_SOURCES += %D%/condition_kinds.def
sim_libsim_a_SOURCES += %D%/fault.c %D%/fault.h
sim_libsim_a_SOURCES += %D%/fault_kinds.def
sim_libsim_a_SOURCES += %D%/faults.c %D%/faults.h
sim_libsim_a_SOURCES += %D%/findings.c %D%/findings.h
sim_libsim_a_SOURCES += %D%/fingerprint.c %D%/fingerprint.h
sim_libsim_a_SOURCES += %D%/link.c %D%/link.h
sim_libsim_a_SOURCES += %D%/look.c %D%/look.h
sim_libsim_a_SOURCES += %D%/member.c %D%/member.h
sim_libsim_a_SOURCES += %D%/member_name.c %D%/member_name.h
sim_libsim_a_SOURCES += %D%/mutant.c %D%/mutant.h
sim_libsim_a_SOURCES += %D%/option_keys.c %D%/option_keys.h
sim_libsim_a_SOURCES += %D%/partitions.c %D%/partitions.h
sim_libsim_a_SOURCES += %D%/phase.c %D%/phase.h
sim_libsim_a_SOURCES += %D%/phrase.c %D%/phrase.h
sim_libsim_a_SOURCES += %D%/scenario.c %D%/scenario.h
sim_libsim_a_SOURCES += %D%/scenario_files.c
sim_libsim_a_SOURCES += %D%/scenario_read.c
sim_libsim_a_SOURCES += %D%/scenario_warnings.c %D%/scenario_warnings.h
sim_libsim_a_SOURCES += %D%/scenario_write.c
sim_libsim_a_SOURCES += %D%/shrink_list.c %D%/shrink_list.h
sim_libsim_a_SOURCES += %D%/shrink_timeline.c %D%/shrink_timeline.h
sim_libsim_a_SOURCES += %D%/sim_env.c %D%/sim_env.h
sim_libsim_a_SOURCES += %D%/sim_options.c %D%/sim_options.h
sim_libsim_a_SOURCES += %D%/sim_random.c %D%/sim_random.h
sim_libsim_a_SOURCES += %D%/sweep.c %D%/sweep.h
sim_libsim_a_SOURCES += %D%/tap.c %D%/tap.h
sim_libsim_a_SOURCES += %D%/timeline.c %D%/timeline.h
sim_libsim_a_SOURCES += %D%/told.h
sim_libsim_a_SOURCES += %D%/trace_writer.c %D%/trace_writer.h
sim_libsim_a_SOURCES += %D%/trigger.c %D%/trigger.h
sim_libsim_a_SOURCES += %D%/units.c %D%/units.h
sim_libsim_a_SOURCES += %D%/workload.c %D%/workload.h
sim_libsim_a_SOURCES += %D%/workload_churn.c
sim_libsim_a_SOURCES += %D%/workload_consumer.c
sim_libsim_a_SOURCES += %D%/workload_publisher.c
sim_libsim_a_SOURCES += %D%/workload_steward.c
sim_libsim_a_SOURCES += %D%/world.c %D%/world.h
sim_libsim_a_SOURCES = \
  %D%/arguments.c %D%/arguments.h \
  %D%/checker_agreement.c %D%/checker_agreement.h \
  %D%/checker_delivery.c %D%/checker_delivery.h \
  %D%/checker_liveness.c %D%/checker_liveness.h \
  %D%/checker_order.c %D%/checker_order.h \
  %D%/checker_queues.c %D%/checker_queues.h \
  %D%/checker_sessions.c %D%/checker_sessions.h \
  %D%/checker_view.c %D%/checker_view.h \
  %D%/client.c %D%/client.h \
  %D%/clock.c %D%/clock.h \
  %D%/condition_kinds.def \
  %D%/fault.c %D%/fault.h \
  %D%/fault_kinds.def \
  %D%/faults.c %D%/faults.h \
  %D%/findings.c %D%/findings.h \
  %D%/fingerprint.c %D%/fingerprint.h \
  %D%/link.c %D%/link.h \
  %D%/look.c %D%/look.h \
  %D%/member.c %D%/member.h \
  %D%/member_name.c %D%/member_name.h \
  %D%/mutant.c %D%/mutant.h \
  %D%/option_keys.c %D%/option_keys.h \
  %D%/partitions.c %D%/partitions.h \
  %D%/phase.c %D%/phase.h \
  %D%/phrase.c %D%/phrase.h \
  %D%/scenario.c %D%/scenario.h \
  %D%/scenario_files.c \
  %D%/scenario_read.c \
  %D%/scenario_warnings.c %D%/scenario_warnings.h \
  %D%/scenario_write.c \
  %D%/shrink_list.c %D%/shrink_list.h \
  %D%/shrink_timeline.c %D%/shrink_timeline.h \
  %D%/sim_env.c %D%/sim_env.h \
  %D%/sim_options.c %D%/sim_options.h \
  %D%/sim_random.c %D%/sim_random.h \
  %D%/sweep.c %D%/sweep.h \
  %D%/tap.c %D%/tap.h \
  %D%/timeline.c %D%/timeline.h \
  %D%/told.h \
  %D%/trace_writer.c %D%/trace_writer.h \
  %D%/trigger.c %D%/trigger.h \
  %D%/units.c %D%/units.h \
  %D%/workload.c %D%/workload.h \
  %D%/workload_churn.c \
  %D%/workload_consumer.c \
  %D%/workload_publisher.c \
  %D%/workload_steward.c \
  %D%/world.c %D%/world.h
sim_libs = %D%/libsim.a $(node_libs) transport/libtransport_sim.a core/base/libbase.a $(GLIB_LIBS)

bin_PROGRAMS += consort-sim
consort_sim_SOURCES =
consort_sim_SOURCES += %D%/command.h
consort_sim_SOURCES += %D%/command_list.c
consort_sim_SOURCES += %D%/command_run.c
consort_sim_SOURCES += %D%/command_sweep.c
consort_sim_SOURCES += %D%/main.c
consort_sim_SOURCES += %D%/report.c %D%/report.h
consort_sim_SOURCES += %D%/sweep_workers.c %D%/sweep_workers.h
consort_sim_LDADD = $(sim_libs)
