# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libmanagement.a
core_management_libmanagement_a_SOURCES = \
  %D%/answer_table.c %D%/answer_table.h %D%/management.c %D%/management.h %D%/orders.c %D%/orders.h
