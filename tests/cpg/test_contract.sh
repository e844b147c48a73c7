#!/bin/sh
# SPDX-License-Identifier: MIT
# The transport's contract, held against corosync: three real daemons, members that are processes.
set -u
. "${top_srcdir:?}/tests/cpg/prelude.sh"
in_sandbox "$0"
start_lab 3
"${top_builddir:?}/tests/transport/test_corosync_contract" --tap -k
