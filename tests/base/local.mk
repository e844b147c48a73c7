# SPDX-License-Identifier: MIT
base_tests = %D%/test_digest %D%/test_id_map %D%/test_keyfile %D%/test_name_map \
  %D%/test_state_codec
check_PROGRAMS += $(base_tests)
TESTS += $(base_tests)
base_test_libs = core/base/libbase.a $(GLIB_LIBS)
tests_base_test_digest_LDADD = $(base_test_libs)
tests_base_test_id_map_LDADD = $(base_test_libs)
tests_base_test_keyfile_LDADD = $(base_test_libs)
tests_base_test_name_map_LDADD = $(base_test_libs)
tests_base_test_state_codec_LDADD = $(base_test_libs)
