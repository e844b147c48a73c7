#!/bin/sh
# SPDX-License-Identifier: MIT
# Does the benchmark over corosync work: every case moves messages, nothing is lost or comes out of
# order.
set -u
. "${top_srcdir:?}/tests/cpg/prelude.sh"
need lab check
cd "${top_builddir:?}" || exit 1
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
echo 1..2

result() { # text; the status of the last command decides
  if [ $? -eq 0 ]; then
    echo "ok $1"
  else
    echo "not ok $1"
    sed 's/^/# /' "$output"
  fi
}

timeout -k 10 "${TEST_TIMEOUT:-120}" sh "$top_srcdir/tests/bench/bench_corosync.sh" --quick \
  --only '1024 B' > "$output" 2>&1
result '1 - every message of every case came, once and in order'
# A body's size, a case, and a rate.
test "$(grep -cE '^1024 +(raw CPG|auto-ack|confirms 1)[^/]* {2,}[1-9]' "$output")" -eq 7
result '2 - every case moved messages'
