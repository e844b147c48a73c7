# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libsession.a
core_session_libsession_a_SOURCES = \
  %D%/authentication.c %D%/authentication.h %D%/client.c %D%/client.h %D%/client_answers.h \
  %D%/client_edge.h %D%/client_handshake.c %D%/connection.c %D%/connection.h \
  %D%/content_assembler.c %D%/content_assembler.h %D%/frame_handler.c %D%/frame_handler.h \
  %D%/methods.c %D%/methods.h %D%/methods_basic.c %D%/methods_channel.c %D%/methods_confirm.c \
  %D%/methods_exchange.c %D%/methods_queue.c %D%/reply_gate.c %D%/reply_gate.h %D%/session.c \
  %D%/session.h %D%/session_map.c %D%/session_map.h %D%/subscription.c %D%/unacked.c \
  %D%/unacked.h
