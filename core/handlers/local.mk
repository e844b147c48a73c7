# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libhandlers.a
core_handlers_libhandlers_a_SOURCES = \
  %D%/chain_builder.c %D%/chain_builder.h %D%/connection_frame_handler.c \
  %D%/connection_send_handler.c %D%/handlers.h %D%/multicast_frame_handler.c \
  %D%/process_frame_handler.c %D%/record_session_handler.c %D%/replicate_out_handler.c \
  %D%/request_response_handler.c %D%/safe_reply_handler.c
