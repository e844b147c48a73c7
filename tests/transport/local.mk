# SPDX-License-Identifier: MIT
transport_tests = \
  %D%/test_recordings %D%/test_sim_faults %D%/test_sim_network %D%/test_sim_partition \
  %D%/test_sim_storms %D%/test_sim_timing %D%/test_transport_contract
check_PROGRAMS += $(transport_tests)
TESTS += $(transport_tests)
transport_test_libs = transport/libtransport_sim.a core/base/libbase.a $(GLIB_LIBS)
tests_transport_test_recordings_SOURCES = \
  %D%/test_recordings.c %D%/recording.c %D%/recording.h %D%/recording_replay.c
tests_transport_test_recordings_LDADD = $(transport_test_libs)
transport_recordings = \
  %D%/recordings/all-alone-met-in-steps.txt %D%/recordings/all-alone-sent-between.txt \
  %D%/recordings/all-alone.txt \
  %D%/recordings/blink.txt %D%/recordings/daemon-comes-back-at-once.txt \
  %D%/recordings/daemon-comes-back.txt %D%/recordings/daemon-is-killed.txt \
  %D%/recordings/daemon-stops-unsaid.txt \
  %D%/recordings/daemon-stops.txt %D%/recordings/heal.txt %D%/recordings/join.txt \
  %D%/recordings/kill.txt %D%/recordings/leave-while-apart.txt %D%/recordings/leave.txt \
  %D%/recordings/partition.txt %D%/recordings/pause-back-to-back.txt \
  %D%/recordings/pause-told-late.txt %D%/recordings/pause.txt %D%/recordings/rejoin.txt
EXTRA_DIST += $(transport_recordings)
tests_transport_test_sim_network_LDADD = $(transport_test_libs)
tests_transport_test_sim_partition_SOURCES = \
  %D%/test_sim_partition.c %D%/split_check.c %D%/split_world.c %D%/split_world.h
tests_transport_test_sim_partition_LDADD = $(transport_test_libs)
tests_transport_test_sim_timing_LDADD = $(transport_test_libs)
tests_transport_test_sim_faults_SOURCES = \
  %D%/test_sim_faults.c %D%/split_check.c %D%/split_world.c %D%/split_world.h
tests_transport_test_sim_faults_LDADD = $(transport_test_libs)
tests_transport_test_sim_storms_SOURCES = \
  %D%/test_sim_storms.c %D%/split_check.c %D%/split_world.c %D%/split_world.h
tests_transport_test_sim_storms_LDADD = $(transport_test_libs)
transport_contract = \
  %D%/contract.h %D%/contract_situations.c %D%/contract_storms.c %D%/message.c %D%/storm.c \
  %D%/storm.h %D%/transport_under_test.h
tests_transport_test_transport_contract_SOURCES = \
  %D%/test_transport_contract.c %D%/sim_cluster.c $(transport_contract)
tests_transport_test_transport_contract_LDADD = $(transport_test_libs)

# Over corosync, members are processes. tests/cpg runs it, where corosync can be run.
if WITH_CPG
check_PROGRAMS += \
  %D%/test_corosync_contract %D%/corosync_member %D%/corosync_tape %D%/test_corosync_membership
TESTS += %D%/test_corosync_membership
tests_transport_test_corosync_membership_SOURCES = \
  %D%/test_corosync_membership.c %D%/fake_cpg.c %D%/fake_cpg.h
tests_transport_test_corosync_membership_LDADD = \
  transport/libtransport_cpg.a transport/libtransport_sim.a core/base/libbase.a $(CPG_LIBS) \
  $(GLIB_LIBS)
tests_transport_test_corosync_contract_SOURCES = \
  %D%/test_corosync_contract.c %D%/corosync_cluster.c %D%/corosync_cluster.h \
  %D%/corosync_settle.c %D%/corosync_wire.h $(transport_contract)
tests_transport_test_corosync_contract_LDADD = core/base/libbase.a $(GLIB_LIBS)
tests_transport_corosync_tape_LDADD = \
  transport/libtransport_cpg.a transport/libtransport_sim.a core/base/libbase.a $(CPG_LIBS) \
  $(GLIB_LIBS)
tests_transport_corosync_member_SOURCES = \
  %D%/corosync_member.c %D%/corosync_wire.h %D%/message.c %D%/transport_under_test.h
tests_transport_corosync_member_LDADD = \
  transport/libtransport_cpg.a transport/libtransport_sim.a core/base/libbase.a $(CPG_LIBS) \
  $(GLIB_LIBS)
endif
