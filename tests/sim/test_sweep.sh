#!/bin/sh
# SPDX-License-Identifier: MIT
# Sweeps as a program: the same table however many processes there are, exit statuses, and what a
# sweep says of runs that do not come to an end.
set -u
sim=${top_builddir:-.}/consort-sim
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
number=0
failed=0

# A TAP line for "$1": TRUE if the rest, a command, is.
claim() {
  number=$((number + 1))
  name=$1
  shift
  if "$@"; then
    echo "ok $number - $name"
  else
    echo "not ok $number - $name"
    failed=1
  fi
}

# Exit status $1 and a line of output that matches $2.
gives() {
  status=$1
  pattern=$2
  shift 2
  "$sim" sweep "$@" > "$temp/out" 2>&1
  got=$?
  [ "$got" -eq "$status" ] && grep -q -e "$pattern" "$temp/out" && return 0
  { echo "status $got"; cat "$temp/out"; } | sed 's/^/# /'
  return 1
}

same_with_two_processes() {
  family='--seeds 1..60 --members 2..5 --messages 40 --reply-when self'
  # shellcheck disable=SC2086 # a list
  "$sim" sweep $family --jobs 1 > "$temp/one" 2> /dev/null
  # shellcheck disable=SC2086
  "$sim" sweep $family --jobs 2 > "$temp/two" 2> /dev/null
  cmp "$temp/one" "$temp/two" && grep -q '^60 runs: ' "$temp/one"
}

# The command that a table has for its first failure comes to the same rule.
first_runs_again() {
  gives 1 '^violation of nothing-lost' --seeds 1..40 --reply-when self || return 1
  again=$(sed -n '/^violation of nothing-lost/,$s/^  again *consort-sim //p' "$temp/out" |
    head -n 1)
  # shellcheck disable=SC2086
  "$sim" $again > "$temp/again"
  [ $? -eq 1 ] && grep -q '^  nothing-lost: ' "$temp/again"
}

interrupted_tells() {
  "$sim" sweep --seeds 1..1000000 --jobs 1 --messages 30 > "$temp/out" 2>&1 &
  sweep=$!
  sleep 1
  kill -TERM $sweep
  wait $sweep
  [ $? -eq 0 ] && grep -q '^[1-9][0-9]* runs: ' "$temp/out" &&
    grep -q '^stopped: 999[0-9]* of 1000000 runs are missing' "$temp/out"
}

echo 1..10
claim 'one process or two: one table' same_with_two_processes
claim 'seeds that keep all promises are 0' gives 0 '^20 runs: 20 pass' --seeds 1..20 --messages 40
claim 'the first failure of a rule runs again' first_runs_again
claim 'inconclusive runs are 4' gives 4 '^5 runs: 0 pass.* 5 inconclusive' --seeds 1..5 \
  --members 1 --crashes 1 --allow-total-loss
claim 'what was never reached is named' gives 0 'never reached .*stepped-down' --seeds 1..5 \
  --messages 40 --partitions 0
claim 'a run that takes too long is 3, with its seed' gives 3 'again .*--seed 8 ' --seeds 8..8 \
  --messages 10000000 --duration 1000s --run-time 1s
claim 'a sweep ends when its time is over' gives 0 '^stopped: ' --seeds 1..100000 --messages 30 \
  --time 1s
claim 'a sweep that is interrupted tells what it has' interrupted_tells
claim 'no seeds are 2' gives 2 "needs the lower seed first, not '9..1'" --seeds 9..1
claim 'a time without a unit is 2' gives 2 "--time needs a time.* not '90'" --time 90
exit $failed
