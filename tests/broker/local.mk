# SPDX-License-Identifier: MIT
broker_tests = %D%/test_broker_state %D%/test_dispatch %D%/test_exchanges %D%/test_message \
  %D%/test_queue %D%/test_queue_segments %D%/test_random_steps %D%/test_vhost
check_PROGRAMS += $(broker_tests)
TESTS += $(broker_tests)
broker_test_libs = core/broker/libbroker.a core/amqp/libamqp.a core/base/libbase.a $(GLIB_LIBS)
broker_test_fixture = %D%/fixture.c %D%/fixture.h
broker_random_world = %D%/random_steps.c %D%/random_world.c %D%/random_world.h \
  $(broker_test_fixture)
tests_broker_test_broker_state_SOURCES = %D%/test_broker_state.c $(broker_random_world)
tests_broker_test_broker_state_LDADD = $(broker_test_libs)
tests_broker_test_dispatch_SOURCES = %D%/test_dispatch.c $(broker_test_fixture)
tests_broker_test_dispatch_LDADD = $(broker_test_libs)
tests_broker_test_exchanges_SOURCES = %D%/test_exchanges.c $(broker_test_fixture)
tests_broker_test_exchanges_LDADD = $(broker_test_libs)
tests_broker_test_message_SOURCES = %D%/test_message.c $(broker_test_fixture)
tests_broker_test_message_LDADD = $(broker_test_libs)
tests_broker_test_queue_SOURCES = %D%/test_queue.c $(broker_test_fixture)
tests_broker_test_queue_LDADD = $(broker_test_libs)
tests_broker_test_queue_segments_SOURCES = %D%/test_queue_segments.c $(broker_test_fixture)
tests_broker_test_queue_segments_LDADD = $(broker_test_libs)
tests_broker_test_random_steps_SOURCES = %D%/test_random_steps.c $(broker_random_world)
tests_broker_test_random_steps_LDADD = $(broker_test_libs)
tests_broker_test_vhost_SOURCES = %D%/test_vhost.c $(broker_test_fixture)
tests_broker_test_vhost_LDADD = $(broker_test_libs)
