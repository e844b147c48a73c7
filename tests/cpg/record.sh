#!/bin/sh
# SPDX-License-Identifier: MIT
# Records anew what real corosync daemons tell (record.py), into the directory that is named:
#
#     top_srcdir=. top_builddir=build tests/cpg/record.sh tests/transport/recordings [SITUATION...]
set -u
. "${top_srcdir:?}/tests/cpg/prelude.sh"
RECORD_TO=${RECORD_TO:-$*}
export RECORD_TO
TEST_TIMEOUT=300
in_sandbox "$0"
start_lab 3
# shellcheck disable=SC2086
exec "${PYTHON:-python3}" "$top_srcdir/tests/cpg/record.py" $RECORD_TO
