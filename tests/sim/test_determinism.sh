#!/bin/sh
# SPDX-License-Identifier: MIT
# The same seed in two processes, with another environment, heap contents and address layout each,
# gives the same run to the last byte that a client received.
set -u
sim=${top_builddir:-.}/consort-sim
number=0
failed=0

# One TAP line: run `$@` twice and compare the reports.
same_twice() {
  number=$((number + 1))
  name=$1
  shift
  first=$(env -i G_DEBUG=fatal-warnings MALLOC_PERTURB_=85 "$sim" run "$@" 2>/dev/null)
  first_status=$?
  second=$(env PADDING="$(printf '%5000s' x)" MALLOC_PERTURB_=170 MALLOC_ARENA_TEST=1 \
    MALLOC_TOP_PAD_=1234567 "$sim" run "$@" 2>/dev/null)
  second_status=$?
  if [ "$first_status" -eq 0 ] && [ "$second_status" -eq 0 ] && [ "$first" = "$second" ] &&
    [ -n "$first" ]; then
    echo "ok $number - $name"
    echo "$first" | sed -n 's/^  fingerprint /# /p'
  else
    echo "not ok $number - $name"
    printf '%s\nstatus %s\n---\n%s\nstatus %s\n' "$first" "$first_status" "$second" \
      "$second_status" | sed 's/^/# /'
    failed=1
  fi
}

echo 1..4
same_twice "3 members" --members 3 --seed 11 --messages 1000
same_twice "7 members, many faults" --members 7 --seed 12 --crashes 12
same_twice "20 members" --members 20 --seed 13 --messages 500
# Toy sizes hide what only shows with many. A sanitized build takes ten times as long.
if grep -q __asan_init "$sim"; then many=150; else many=1000; fi
same_twice "$many members" --members $many --limits none --seed 14 --messages 20 --crashes 2
exit $failed
