#!/bin/sh
# SPDX-License-Identifier: MIT
# consort-sim as a program: its exit statuses, its output, and that its manual page says what its
# help says.
set -u
sim=${top_builddir:-.}/consort-sim
man=${top_srcdir:-.}/doc/man/consort-sim.1
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

# Exit status $1 and a line of output that matches $2, of either stream.
gives() {
  status=$1
  pattern=$2
  shift 2
  output=$("$sim" "$@" 2>&1)
  got=$?
  [ "$got" -eq "$status" ] && printf '%s\n' "$output" | grep -q -e "$pattern" && return 0
  printf 'status %s\n%s\n' "$got" "$output" | sed 's/^/# /'
  return 1
}

options() {
  grep -o -e '--[a-z][a-z-]*' | sort -u
}

# Each line of usage of --help names a command.
commands() {
  "$sim" --help | sed -n 's/^[U ].*consort-sim \([a-z][a-z]*\) .*/\1/p'
}

all_help() {
  "$sim" --help
  for command in $(commands); do "$sim" "$command" --help; done
}

man_has_the_commands_of_help() {
  for command in $(commands); do
    grep -q "^\.B consort-sim $command\$" "$man" && continue
    echo "# $command"
    return 1
  done
}

man_has_the_options_of_help() {
  help=$(all_help | options)
  page=$(sed 's/\\//g' "$man" | options)
  [ "$help" = "$page" ] && return 0
  printf 'help:\n%s\nman:\n%s\n' "$help" "$page" | sed 's/^/# /'
  return 1
}

trace_is_written() {
  file=${TMPDIR:-.}/consort-sim-trace.$$
  "$sim" run --messages 5 --crashes 0 --trace "$file" >/dev/null
  grep -q '^ *[0-9]*us world > phase drain$' "$file" && grep -q '^ *[0-9]*us A > ' "$file"
  status=$?
  rm -f "$file"
  return $status
}

# A scenario with the lines $1 more, in a file whose name is printed.
scenario() {
  file=$temp/test.scenario
  printf '[scenario]\nwhat = a test\nmembers = 1\n[workload]\nmessages = 5\n%b' "$1" > "$file"
  echo "$file"
}

story_is_updated() {
  file=$(scenario '[story]\nonce\n[faults]\npartitions = 0\n')
  gives 1 'the story is another one' run "$file" || return 1
  gives 0 '^verdict pass' run --update "$file" || return 1
  grep -q '^[0-9]*ms A > active$' "$file" && grep -q '^partitions = 0$' "$file" || return 1
  gives 0 '^as expected$' run "$file"
}

temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
checkpoints_of() { # file, options of run...
  file=$1
  shift
  "$sim" run --checkpoints "$file" "$@" >/dev/null
}

# Files of two runs, here of one build with another option, and the commands that diff says.
files_lead_to_the_event() {
  dir=$(mktemp -d) || return 1
  (
    cd "$dir" || exit 1
    checkpoints_of first --messages 20 --crashes 0
    checkpoints_of second --messages 20 --crashes 0 --reply-when self
    "$sim" diff first second >said
    [ $? -eq 5 ] || exit 1
    sed -n 's/^  [AB] *consort-sim /"$sim" /p' said >commands
    . ./commands >/dev/null
    "$sim" diff A B >said.exactly
    [ $? -eq 5 ] && grep -q '^  differs     ' said.exactly &&
      grep -q -e '--events \([0-9]*\)\.\.\1 --trace -$' said.exactly
  )
  status=$?
  [ $status -eq 0 ] || sed 's/^/# /' "$dir"/said*
  rm -rf "$dir"
  return $status
}

scenarios_are_compared() {
  file=${TMPDIR:-.}/consort-sim-diff.$$.scenario
  printf '[scenario]\nmembers = 1\n' >"$file"
  gives 0 '^equal: ' diff "$file" -- --members 1 &&
    gives 5 '^different: first at event [0-9]*$' diff "$file" -- "$file" --messages 77
  status=$?
  rm -f "$file"
  return $status
}

equal_files_are_equal() {
  dir=$(mktemp -d) || return 1
  checkpoints_of "$dir/a" --messages 20
  checkpoints_of "$dir/b" --messages 20
  gives 0 '^equal: [0-9]* events' diff "$dir/a" "$dir/b"
  status=$?
  rm -rf "$dir"
  return $status
}

claim "a run that keeps all promises is 0" gives 0 '^verdict pass$' run --messages 20
claim "the report has the command that runs it again" \
  gives 0 'again .*consort-sim run --members 4 --seed 9 .*--crashes 1' \
  run --members 4 --seed 9 --messages 20 --crashes 1
claim "twice the same is 0" gives 0 '^verdict pass$' run --messages 20 --twice
claim "total loss is inconclusive, 4" gives 4 'state-survives' \
  run --members 1 --crashes 1 --allow-total-loss
claim "an unknown option is 2, and named" gives 2 "unknown option '--colour'" run --colour
claim "an option without its value is 2" \
  gives 2 "--trace needs the name of a file, or -" run --trace
claim "an unknown command is 2, and what it may mean" \
  gives 2 "'rum' is not a command, did you mean 'run'" rum
claim "an unknown list is 2, and what it may mean" \
  gives 2 "not 'fault', did you mean 'faults'" list fault
claim "one list at a time" gives 2 'list needs one of' list faults checkers
claim "each command has its help" gives 0 '^Usage: consort-sim list faults' list --help
claim "a trace that cannot be written is 2" gives 2 'cannot write the trace' \
  run --trace /nowhere/trace
claim "checkpoints that cannot be written are 2" gives 2 'cannot write the checkpoints' \
  run --messages 20 --checkpoints /nowhere/checkpoints
claim "a range of events is two numbers" gives 2 "--events needs a number or a range as 1\.\." \
  run --events 5..4
claim "a run and its repetition are equal, 0" gives 0 '^equal: [0-9]* events, fingerprint' \
  diff --messages 20
claim "runs that differ are 5, with the event" gives 5 '^different: first at event [0-9]*$' \
  diff --messages 20 --crashes 0 -- --messages 20 --crashes 0 --reply-when self
claim "and with the lines that differ" gives 5 '^  [AB]  *[0-9]*us [A-C] > ' \
  diff --messages 20 --crashes 0 -- --messages 20 --crashes 0 --reply-when self
claim "another seed differs before the first event" gives 5 '^different: before the first event$' \
  diff --messages 20 -- --messages 20 --seed 2
claim "a scenario is compared with what options make of it" scenarios_are_compared
claim "equal files of checkpoints are 0" equal_files_are_equal
claim "other files lead to the first event that differs" files_lead_to_the_event
claim "what is no file of checkpoints is 2" gives 2 'not a file of checkpoints' diff "$man" "$man"
claim "the trace has lines of members and of the world" trace_is_written
claim "faults are listed" gives 0 '^  crash MEMBER' list faults
claim "probes are listed" gives 0 '^merge-hole ' list probes
claim "situations are counted" \
  gives 0 '^  probes .*formed-by-all=1' run --verbose --crashes 0 --partitions 0
claim "checkers are listed" gives 0 '^nothing-lost  *violation' list checkers
claim "keys of scenarios are listed" gives 0 '^  members  *members of the' list keys
claim "a scenario is run, and compared with what it expects" \
  gives 0 '^as expected$' run "$(scenario '[expect]\n')"
claim "one that is not as expected is 1" \
  gives 1 '^not as expected: the verdict is pass' run "$(scenario '[expect]\nverdict = liveness\n')"
claim "an option says what is different, and is part of what runs it again" \
  gives 0 'again .*/test.scenario --messages 7$' run --messages 7 "$(scenario '[expect]\n')"
claim "replay says it in a line" gives 0 'test.scenario: pass$' replay "$(scenario '[expect]\n')"
claim "a mistake in a scenario is 2, with line and column" \
  gives 2 'test.scenario:6:1: .workload. has no key' run "$(scenario 'member = 3\n')"
claim "lint tells what cannot have been meant" \
  gives 0 'warning: .*test.scenario:7:1: this can never' \
  lint "$(scenario '[timeline]\nat 1ms = crash B\n')"
claim "a story is written into its scenario" story_is_updated
claim "the version is told" gives 0 '^consort-sim [0-9]' --version
claim "the manual page has the commands of --help" man_has_the_commands_of_help
claim "the manual page has the options of --help" man_has_the_options_of_help
echo "1..$number"
exit $failed
