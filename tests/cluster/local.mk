# SPDX-License-Identifier: MIT
cluster_tests = \
  %D%/test_envelope %D%/test_envelope_frames %D%/test_member_rows %D%/test_outbox \
  %D%/test_membership %D%/test_operators %D%/test_quorum
check_PROGRAMS += $(cluster_tests)
TESTS += $(cluster_tests)
tests_cluster_test_envelope_LDADD = $(node_libs) $(GLIB_LIBS)
tests_cluster_test_envelope_frames_LDADD = $(node_libs) $(GLIB_LIBS)
tests_cluster_test_member_rows_LDADD = $(node_libs) $(GLIB_LIBS)
tests_cluster_test_outbox_LDADD = $(node_libs) transport/libtransport_sim.a core/base/libbase.a \
  $(GLIB_LIBS)
# Membership is seen at whole members.
tests_cluster_test_membership_LDADD = $(node_test_libs)
tests_cluster_test_operators_LDADD = core/management/libmanagement.a $(node_test_libs)
tests_cluster_test_quorum_LDADD = $(node_test_libs)
