#!/bin/sh
# SPDX-License-Identifier: MIT
# bench_corosync in a laboratory of its own (tests/cpg/lab.sh), which any user may make; in the
# build directory:
#
#     sh tests/bench/bench_corosync.sh [OPTION OF bench_corosync...]
#
# LAB_TRANSPORT: udpu, or knet. Exit status 77: cannot be done here; it has said why.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/../cpg/lab.sh

if [ "${CONSORT_IN_SANDBOX:-}" != true ]; then
  [ -x tests/bench/bench_corosync ] || {
    echo "bench_corosync.sh: there is no tests/bench/bench_corosync here (it needs libcpg)" >&2
    exit 77
  }
  "$lab" check || exit 77
  LAB_DIR=$(mktemp -d)
  CONSORT_IN_SANDBOX=true
  # corosync's own default; the laboratory's is for tests of losses.
  LAB_TOKEN=${LAB_TOKEN:-1000}
  export LAB_DIR CONSORT_IN_SANDBOX LAB_TOKEN
  status=0
  "$lab" sandbox sh "$here/bench_corosync.sh" "$@" || status=$?
  rm -rf "$LAB_DIR"
  exit $status
fi

"$lab" start 3
"$lab" wait 3
echo "corosync: ${LAB_TRANSPORT:-udpu}, token $LAB_TOKEN ms"
status=0
"$lab" exec 1 tests/bench/bench_corosync --lab "$lab" "$@" || status=$?
"$lab" stop
exit $status
