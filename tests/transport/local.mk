# SPDX-License-Identifier: MIT
transport_tests = %D%/test_sim_network %D%/test_transport_contract
check_PROGRAMS += $(transport_tests)
TESTS += $(transport_tests)
transport_test_libs = transport/libtransport_sim.a core/base/libbase.a $(GLIB_LIBS)
tests_transport_test_sim_network_LDADD = $(transport_test_libs)
tests_transport_test_transport_contract_SOURCES = \
  %D%/test_transport_contract.c %D%/sim_cluster.c %D%/situations.c %D%/storm.c %D%/storm.h \
  %D%/transport_under_test.h
tests_transport_test_transport_contract_LDADD = $(transport_test_libs)
