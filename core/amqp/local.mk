# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libamqp.a
core_amqp_libamqp_a_SOURCES = \
  %D%/content_sequence.c %D%/content_sequence.h %D%/field_table.c %D%/field_table.h \
  %D%/field_table_print.c %D%/frame.c %D%/frame.h %D%/frame_reader.c %D%/frame_reader.h \
  %D%/frame_writer.c %D%/frame_writer.h %D%/method.c %D%/method.h %D%/method_print.c \
  %D%/methods_0_9_1.def %D%/properties.c %D%/properties.h %D%/protocol.c %D%/protocol.h
