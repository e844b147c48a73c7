#!/bin/sh
# SPDX-License-Identifier: MIT
# Does the benchmark work: every case moves messages, nothing is lost or comes out of order; and
# would it notice?
set -u
bench=tests/bench/bench_cluster
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
cd "${top_builddir:-.}" || exit 1
echo 1..3

result() { # text; the status of the last command decides
  if [ $? -eq 0 ]; then
    echo "ok $1"
  else
    echo "not ok $1"
    sed 's/^/# /' "$output"
  fi
}

$bench --quick > "$output" 2>&1
result '1 - every message of every case came, once and in order'
# A body's size, and a rate behind the names.
rows=$(grep -cE '^(16|1024) +(auto-ack|confirms 1|confirms 1000) +(echo|[13] members?) +[1-9]' \
  "$output")
test "$rows" -eq 16
result '2 - every case moved messages'
! $bench --quick --lose-one > "$output" 2>&1 &&
  grep -q 'message 101 came, 100 was next' "$output"
result '3 - a message that is missing is noticed'
