# SPDX-License-Identifier: MIT
# One target a parser. In an ordinary build each replays its corpus in `make check`; with
# `configure --enable-fuzzing CC=clang` they are libFuzzer programs, made by `make fuzz`.
# replay_corpus.c says how to run them, and how to add one.
fuzz_targets =

fuzz_targets += %D%/fuzz_broker_state
tests_fuzz_fuzz_broker_state_SOURCES = %D%/fuzz_broker_state.c $(fuzz_main)
tests_fuzz_fuzz_broker_state_LDADD = $(FUZZ_ENGINE) $(broker_test_libs)

fuzz_targets += %D%/fuzz_envelope
tests_fuzz_fuzz_envelope_SOURCES = %D%/fuzz_envelope.c $(fuzz_main)
tests_fuzz_fuzz_envelope_LDADD = $(FUZZ_ENGINE) $(node_libs) $(GLIB_LIBS)

fuzz_targets += %D%/fuzz_field_table
tests_fuzz_fuzz_field_table_SOURCES = %D%/fuzz_field_table.c $(fuzz_main)
tests_fuzz_fuzz_field_table_LDADD = $(FUZZ_ENGINE) $(amqp_test_libs)

fuzz_targets += %D%/fuzz_frame_reader
tests_fuzz_fuzz_frame_reader_SOURCES = %D%/fuzz_frame_reader.c $(fuzz_main)
tests_fuzz_fuzz_frame_reader_LDADD = $(FUZZ_ENGINE) $(amqp_test_libs)

fuzz_targets += %D%/fuzz_keyfile
tests_fuzz_fuzz_keyfile_SOURCES = %D%/fuzz_keyfile.c $(fuzz_main)
tests_fuzz_fuzz_keyfile_LDADD = $(FUZZ_ENGINE) $(base_test_libs)

fuzz_targets += %D%/fuzz_method
tests_fuzz_fuzz_method_SOURCES = %D%/fuzz_method.c $(fuzz_main)
tests_fuzz_fuzz_method_LDADD = $(FUZZ_ENGINE) $(amqp_test_libs)

fuzz_targets += %D%/fuzz_properties
tests_fuzz_fuzz_properties_SOURCES = %D%/fuzz_properties.c $(fuzz_main)
tests_fuzz_fuzz_properties_LDADD = $(FUZZ_ENGINE) $(amqp_test_libs)

fuzz_targets += %D%/fuzz_scenario
tests_fuzz_fuzz_scenario_SOURCES = %D%/fuzz_scenario.c $(fuzz_main)
tests_fuzz_fuzz_scenario_LDADD = $(FUZZ_ENGINE) $(sim_libs)

EXTRA_DIST += %D%/corpus

if FUZZING
fuzz_main = %D%/fuzz.h
noinst_PROGRAMS += $(fuzz_targets)
fuzz: $(fuzz_targets)
else
fuzz_main = %D%/fuzz.h %D%/replay_corpus.c
check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets)
endif
