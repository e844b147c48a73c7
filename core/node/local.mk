# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libnode.a
core_node_libnode_a_SOURCES = \
  %D%/node.c %D%/node.h %D%/node_apply.c %D%/node_client_port.c %D%/node_config.c \
  %D%/node_config.h %D%/node_parts.h %D%/node_state.c

# What a program that holds a member links, top floor first.
node_libs = core/node/libnode.a core/handlers/libhandlers.a core/cluster/libcluster.a \
  core/session/libsession.a core/broker/libbroker.a core/amqp/libamqp.a core/base/libbase.a
