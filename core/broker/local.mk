# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libbroker.a
core_broker_libbroker_a_SOURCES = \
  %D%/binding.c %D%/broker.c %D%/broker.h %D%/broker_digest.c %D%/broker_internal.h \
  %D%/broker_messages.c %D%/broker_state.c %D%/consumer.c %D%/consumer.h %D%/declaration.c \
  %D%/exchange.c \
  %D%/exchange.h %D%/exchange_direct.c %D%/exchange_fanout.c %D%/exchange_topic.c \
  %D%/message.c %D%/message.h %D%/queue.c %D%/queue.h %D%/queue_dispatch.c \
  %D%/queue_segment.c %D%/queue_segment.h \
  %D%/queue_segments.c %D%/queue_segments.h %D%/topic_trie.c %D%/topic_trie.h \
  %D%/vhost.c %D%/vhost.h
