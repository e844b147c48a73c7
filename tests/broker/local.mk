# SPDX-License-Identifier: MIT
broker_tests = %D%/test_dispatch %D%/test_queue
check_PROGRAMS += $(broker_tests)
TESTS += $(broker_tests)
broker_test_libs = core/broker/libbroker.a core/amqp/libamqp.a core/base/libbase.a $(GLIB_LIBS)
broker_test_fixture = %D%/fixture.c %D%/fixture.h
tests_broker_test_dispatch_SOURCES = %D%/test_dispatch.c $(broker_test_fixture)
tests_broker_test_dispatch_LDADD = $(broker_test_libs)
tests_broker_test_queue_SOURCES = %D%/test_queue.c $(broker_test_fixture)
tests_broker_test_queue_LDADD = $(broker_test_libs)
