#!/bin/sh
# SPDX-License-Identifier: MIT
# The same seed in two processes is the same run, event by event, to the last byte that a client
# received: with other contents and another layout of the heap, other addresses, another
# environment, directory, locale and command line. Where it is not, diff says which event is the
# first that differs.
set -u
sim=$(cd "${top_builddir:-.}" && pwd)/consort-sim
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
number=0
failed=0

skip() { # claim, reason
  number=$((number + 1))
  echo "ok $number - $1 # SKIP $2"
}

# Runs consort-sim with $options into $dir/$1.*, by the command that the rest begins.
run_into() {
  into=$dir/$1
  shift
  # shellcheck disable=SC2086
  "$@" run $options --checkpoints "$into" >"$into.report" 2>"$into.errors"
  echo $? >"$into.status"
}

# A TAP line: the run in $dir/$2 is the one in $dir/$3.
is_the_same() {
  number=$((number + 1))
  if "$sim" diff "$dir/$2" "$dir/$3" >"$dir/said" 2>&1 &&
    cmp "$dir/$2.report" "$dir/$3.report" >>"$dir/said" 2>&1 &&
    cmp "$dir/$2.status" "$dir/$3.status" >>"$dir/said" 2>&1; then
    echo "ok $number - $1"
  else
    echo "not ok $number - $1"
    cat "$dir/said" "$dir/$2.report" "$dir/$3.report" "$dir/$3.errors" | sed 's/^/# /'
    failed=1
  fi
}

same_in() { # claim, command...
  claim=$1
  shift
  run_into other "$@" "$sim"
  is_the_same "$claim" few other
}

same_by_setarch() { # claim, option of setarch
  if setarch "$2" true 2>/dev/null; then
    same_in "$1" setarch "$2"
  else
    skip "$1" "setarch $2 is not allowed here, or not there"
  fi
}

# Toy sizes hide what only shows with many. They take a while: both at once, behind the others. A
# sanitized build takes ten times as long.
if grep -q __asan_init "$sim"; then many=150; else many=1000; fi
options="--members $many --limits none --seed 14 --messages 20 --crashes 2"
run_into many env -i MALLOC_PERTURB_=85 "$sim" &
first=$!
run_into as_many env "PADDING=$(printf '%50000s' x)" MALLOC_PERTURB_=170 MALLOC_ARENA_MAX=1 \
  MALLOC_TOP_PAD_=1234567 G_SLICE=always-malloc "$sim" &
second=$!

faults='--messages 500 --crashes 6 --partitions 4 --every 1'
options="--members 5 --seed 21 $faults"
run_into few env -i "$sim"
sed -n 's/^  \(members\|fingerprint\) */# \1 /p' "$dir/few.report"
same_in 'in the same surroundings' env -i
same_in 'new memory is filled, with one byte' env MALLOC_PERTURB_=85
same_in 'new memory is filled, with another byte' env MALLOC_PERTURB_=170
same_in 'large blocks are elsewhere' env MALLOC_MMAP_THRESHOLD_=4096 MALLOC_TOP_PAD_=1234567 \
  MALLOC_ARENA_MAX=1
same_in 'freed memory is not taken again at once' env GLIBC_TUNABLES=glibc.malloc.tcache_count=0
same_in 'slices come from malloc' env G_SLICE=always-malloc
same_by_setarch 'addresses are not drawn' --addr-no-randomize
same_by_setarch 'addresses have another layout' --addr-compat-layout
same_in 'the environment is large' env "PADDING=$(printf '%100000s' x)"
same_in 'another language and time zone' env LC_ALL=C.UTF-8 LANGUAGE=tr TZ=Asia/Kathmandu
# shellcheck disable=SC2016
same_in 'another directory' sh -c 'cd / && exec "$@"' sh
options="--seed 1 --members 1000 --limits none --limits corosync $options"
run_into other env -i "$sim"
is_the_same 'a longer command line' few other
options="--members 5 --seed 21 $faults --trace /dev/null"
same_in 'a trace is written' env -i

# Rare situations take more seeds.
in_two_surroundings() { # claim
  run_into one env -i MALLOC_PERTURB_=85 "$sim"
  run_into two env MALLOC_PERTURB_=170 MALLOC_MMAP_THRESHOLD_=4096 G_SLICE=always-malloc "$sim"
  is_the_same "$1" one two
}

for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  options="--members $((3 + seed % 7)) --seed $seed $faults"
  in_two_surroundings "seed $seed"
done
options='--members 20 --seed 13 --messages 300 --crashes 8 --partitions 2 --every 10'
in_two_surroundings '20 members'
wait $first $second
is_the_same "$many members" many as_many
echo "1..$number"
exit $failed
