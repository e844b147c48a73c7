# SPDX-License-Identifier: MIT
amqp_tests = \
  %D%/test_content_sequence %D%/test_field_table %D%/test_frame_reader %D%/test_frame_writer \
  %D%/test_method %D%/test_method_errors %D%/test_properties %D%/test_protocol
check_PROGRAMS += $(amqp_tests)
TESTS += $(amqp_tests)
amqp_test_libs = core/amqp/libamqp.a core/base/libbase.a $(GLIB_LIBS)
tests_amqp_test_content_sequence_LDADD = $(amqp_test_libs)
tests_amqp_test_field_table_LDADD = $(amqp_test_libs)
tests_amqp_test_frame_reader_LDADD = $(amqp_test_libs)
tests_amqp_test_frame_writer_LDADD = $(amqp_test_libs)
tests_amqp_test_method_LDADD = $(amqp_test_libs)
tests_amqp_test_method_errors_LDADD = $(amqp_test_libs)
tests_amqp_test_properties_LDADD = $(amqp_test_libs)
tests_amqp_test_protocol_LDADD = $(amqp_test_libs)

dist_check_SCRIPTS += %D%/check_method_table.py
TESTS += %D%/check_method_table.py
