# SPDX-License-Identifier: MIT
# fixture.c: sessions over a broker, without members. client_fixture.c: one client at its edge.
check_LIBRARIES += tests/session/libfixture.a
tests_session_libfixture_a_SOURCES = %D%/client_fixture.c %D%/client_fixture.h %D%/fixture.c \
  %D%/fixture.h
session_test_libs = tests/session/libfixture.a $(node_libs) $(GLIB_LIBS)

session_tests = %D%/test_authentication %D%/test_client %D%/test_client_output \
  %D%/test_content_assembler %D%/test_prefetch %D%/test_reply_gate \
  %D%/test_session_state %D%/test_unacked
check_PROGRAMS += $(session_tests)
TESTS += $(session_tests)
tests_session_test_prefetch_LDADD = $(session_test_libs)
tests_session_test_session_state_LDADD = $(session_test_libs)
tests_session_test_authentication_LDADD = $(session_test_libs)
tests_session_test_content_assembler_LDADD = $(session_test_libs)
tests_session_test_unacked_LDADD = $(session_test_libs)
tests_session_test_client_LDADD = $(session_test_libs)
tests_session_test_client_output_LDADD = $(session_test_libs)
tests_session_test_reply_gate_LDADD = $(session_test_libs)
