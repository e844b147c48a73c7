# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libbase.a
core_base_libbase_a_SOURCES = \
  %D%/byte_reader.h %D%/byte_writer.c %D%/byte_writer.h %D%/digest.c %D%/digest.h %D%/env.h \
  %D%/error.c %D%/error.h %D%/fault_site.h %D%/id_map.c %D%/id_map.h %D%/ids.c %D%/ids.h \
  %D%/keyfile.c %D%/keyfile.h %D%/limits.h \
  %D%/log.c %D%/log.h %D%/name_map.c %D%/name_map.h %D%/reply_codes.def %D%/slice.c %D%/slice.h \
  %D%/state_codec.c %D%/state_codec.h %D%/suggest.c %D%/suggest.h %D%/trace.c %D%/trace.h
