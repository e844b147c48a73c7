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

show() { # what did not go well
  sed 's/^/# /' "$@"
  return 1
}

# Exit status $1 and a line of output that matches $2.
gives() {
  status=$1
  pattern=$2
  shift 2
  sim_says "$status" "$pattern" sweep "$@"
}

sim_says() {
  status=$1
  pattern=$2
  shift 2
  "$sim" "$@" > "$temp/out" 2>&1
  got=$?
  [ "$got" -eq "$status" ] && grep -q -e "$pattern" "$temp/out" && return 0
  echo "# status $got"
  show "$temp/out"
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
  again=$(sed -n '/^violation of nothing-lost: [0-9]/,$s/^  again *consort-sim //p' "$temp/out" |
    head -n 1)
  # shellcheck disable=SC2086
  "$sim" $again > "$temp/again"
  [ $? -eq 1 ] && grep -q '^  nothing-lost: ' "$temp/again"
}

# Its only child, by pid; nothing while there is none.
child_of() {
  ps -A -o pid=,ppid= | awk -v parent="$1" '$2 == parent { print $1 }'
}

# Once a second run has begun, the first one is told of.
interrupted_tells() {
  "$sim" sweep --seeds 1..1000000 --jobs 1 --messages 30 > "$temp/out" 2>&1 &
  sweep=$!
  first=
  child=
  while [ -z "$first" ] && kill -0 $sweep; do first=$(child_of $sweep); done
  while [ -z "$child" ] || [ "$child" = "$first" ]; do
    kill -0 $sweep || break
    child=$(child_of $sweep)
  done
  kill -TERM $sweep
  wait $sweep
  [ $? -eq 0 ] && grep -q '^[1-9][0-9]* runs: ' "$temp/out" &&
    grep -q '^stopped: 999[0-9]* of 1000000 runs are missing' "$temp/out"
}

# Of one run that takes long; its process is the only child of the sweep.
killed_is_told() {
  "$sim" sweep --seeds 9 --messages 10000000 --duration 1000s > "$temp/out" 2> /dev/null &
  sweep=$!
  child=
  while [ -z "$child" ] && kill -0 $sweep; do child=$(child_of $sweep); done
  kill -KILL "$child"
  wait $sweep
  [ $? -eq 1 ] && grep -q '^1 runs: 0 pass, 1 violation.* 1 crashed' "$temp/out" &&
    grep -q '^  first  *signal 9' "$temp/out" &&
    grep -q '^  again  *consort-sim run .*--seed 9 ' "$temp/out" || show "$temp/out"
}

# How often a line of scenario $2 matches $1.
lines_of() {
  grep -c -e "$1" "$2"
}

# As many members and faults as $2 and $3 at most in scenario $1, which goes as it expects.
is_small() {
  "$sim" replay "$1" > "$temp/replay" && grep -q ': as before: ' "$temp/replay" || return 1
  members=$(sed -n 's/^members = //p' "$1")
  [ "${members:-3}" -le "$2" ] && [ "$(lines_of '^\(at\|after\|when\) ' "$1")" -le "$3" ]
}

# Confirms that leave at once, and a member that dies with what only it has seen: what a person
# would write of it is two members, a message and a fault.
loss_is_found_saved_and_shrunk() {
  "$sim" sweep --seeds 1..200 --messages 60 --reply-when self --save "$temp/found" --no-shrink \
    > "$temp/out" 2> /dev/null
  [ $? -eq 1 ] && grep -q '^  saved  *.*/found/nothing-lost-[0-9]*.scenario: ' "$temp/out" ||
    show "$temp/out" || return 1
  "$sim" replay "$temp"/found/*.scenario > "$temp/out" || show "$temp/out" || return 1
  "$sim" shrink "$temp"/found/nothing-lost-*.scenario --time 15s --output "$temp/small" \
    2> "$temp/steps" || show "$temp/steps" || return 1
  is_small "$temp/small" 3 4 && grep -q '^rule = nothing-lost$' "$temp/small" ||
    show "$temp/steps" "$temp/small"
}

# The same with a rule of the protocol off, all in one command.
rule_is_found_saved_and_shrunk() {
  "$sim" sweep --seeds 1..3 --rules-off stamp --partitions 6 --messages 60 --save "$temp/rule" \
    > "$temp/out" 2> "$temp/steps"
  [ $? -eq 1 ] && is_small "$(ls "$temp"/rule/*-small.scenario | head -n 1)" 3 4 ||
    show "$temp/out" "$temp/steps"
}

shrunk_by_one_is_as_by_two() {
  for jobs in 1 2; do
    "$sim" shrink "$(ls "$temp"/rule/*[0-9].scenario | head -n 1)" --jobs $jobs --time 10m \
      --output "$temp/by$jobs" 2> /dev/null || return 1
  done
  cmp "$temp/by1" "$temp/by2"
}

echo 1..17
claim 'one process or two: one table' same_with_two_processes
claim 'seeds that keep all promises are 0' gives 0 '^20 runs: 20 pass' --seeds 1..20 --messages 40
claim 'the first failure of a rule runs again' first_runs_again
claim 'inconclusive runs are 4' gives 4 '^5 runs: 0 pass.* 5 inconclusive' --seeds 1..5 \
  --members 1 --crashes 1 --allow-total-loss
claim 'what was never reached is named' gives 0 'never reached .*stepped-down' --seeds 1..5 \
  --messages 40 --partitions 0
claim 'a run that takes too long is 3, with its seed' gives 3 'again .*--seed 8 ' --seeds 8..8 \
  --messages 10000000 --duration 1000s --run-time 1s
claim 'a process that is killed is a violation, with its seed' killed_is_told
claim 'a sweep ends when its time is over' gives 0 '^stopped: ' --seeds 1..100000 --messages 30 \
  --time 1s
claim 'a sweep that is interrupted tells what it has' interrupted_tells
claim 'no seeds are 2' gives 2 "needs the lower seed first, not '9..1'" --seeds 9..1
claim 'a time without a unit is 2' gives 2 "--time needs a time.* not '90'" --time 90
claim 'a scenario is swept over seeds' gives 0 '^5 runs: 5 pass' --seeds 1..5 \
  "${top_srcdir:-.}/tests/scenarios/calm.scenario"
claim 'a loss is found, saved and shrunk' loss_is_found_saved_and_shrunk
claim 'what a rule is for is found, saved and shrunk' rule_is_found_saved_and_shrunk
claim 'one process or two: one result of shrinking' shrunk_by_one_is_as_by_two
claim 'what passes is not shrunk' sim_says 2 'it passes' shrink --messages 20 --crashes 0
claim 'two scenarios are not shrunk' sim_says 2 'shrink takes one scenario' shrink a b
exit $failed
