#!/bin/sh
# SPDX-License-Identifier: MIT
# The same seed is the same run in another build: by the other compiler, which evaluates the
# arguments of a call in another order; with 32 bit, where a pointer, a long and a gsize have
# another size, and a 64-bit number another alignment. Neither is optimized, as the build at hand
# is. Where a run is not the same, diff says which event is the first that differs.
set -u
srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=$(cd "${top_builddir:-.}" && pwd)
sim=$builddir/consort-sim
glib32=${GLIB32:-$srcdir/build-check/glib32}
cc=${CC:-cc}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
number=0
failed=0

# Runs, a line each. The large one costs too much without optimization, but for check-long.
runs='
3 members                 --members 3 --seed 31 --every 1
5 members, many faults    --members 5 --seed 32 --crashes 8 --partitions 5 --every 1
the timing of a ring      --members 5 --seed 33 --crashes 4 --partitions 4 --timing ring-udpu
7 members, many messages  --members 7 --seed 34 --messages 3000 --every 1
20 members                --members 20 --seed 35 --crashes 8 --partitions 2 --every 1
200 members               --members 200 --limits none --seed 36 --messages 20 --crashes 2
'
large='1000 members              --members 1000 --limits none --seed 37 --messages 20 --crashes 2'
if [ "${1:-}" = --large ]; then runs=$large; fi

# consort-sim into $builds/$1, by the compiler $2 with flags $3 and libraries $4. It stays there:
# what has not changed is not built again. What is left of other files or another compiler may not
# fit: then all is.
builds=$builddir/tests/sim/builds
build() {
  build_once "$@" || { rm -rf "$builds/$1" && build_once "$@"; }
}

build_once() {
  mkdir -p "$builds/$1" &&
    MAKEFLAGS='' make -s -C "$builds/$1" -f "$srcdir/tests/sim/other_build.mk" -j"$(nproc)" \
      top_srcdir="$srcdir" top_builddir="$builddir" CC="$2" CFLAGS="$3" LIBS="$4" \
      >"$dir/log" 2>&1
}

ok() {
  number=$((number + 1))
  echo "ok $number - $*"
}

not_ok() { # claim; what was said is on standard input
  number=$((number + 1))
  echo "not ok $number - $1"
  sed 's/^/# /'
  failed=1
}

# The run of $@ here and in the build $1; what is said of it in $dir/said.
same_run() {
  there=$builds/$1/consort-sim
  shift
  rm -f "$dir/here" "$dir/there"
  "$sim" run "$@" --checkpoints "$dir/here" >"$dir/here.report" 2>&1
  "$there" run "$@" --checkpoints "$dir/there" >"$dir/there.report" 2>&1
  "$sim" diff "$dir/here" "$dir/there" >"$dir/said" 2>&1 &&
    cmp "$dir/here.report" "$dir/there.report" >>"$dir/said"
}

report() { # claim, whether it is so
  if [ "$2" -eq 0 ]; then
    ok "$1"
  else
    cat "$dir/said" "$dir/here.report" "$dir/there.report" | not_ok "$1"
  fi
}

# Whatever can be scripted; whether each goes as it expects is not asked here.
compare_scenarios() {
  differs=0
  for file in "$srcdir"/tests/scenarios/*.scenario; do
    same_run "$1" "$file" || { differs=1 && break; }
  done
  report "$2: the scenarios of tests/scenarios" "$differs"
}

# TAP lines for the build in $builds/$1, which $2 names.
compare() {
  while read -r line; do
    [ -n "$line" ] || continue
    name=${line%%  *}
    options=${line#*  }
    # shellcheck disable=SC2086
    same_run "$1" $options
    report "$2: $name" $?
  done <<END
$runs
END
  [ "$runs" = "$large" ] || compare_scenarios "$1" "$2"
}

# Builds it as $1, named $2, with the rest of the arguments of build; then compares.
try() {
  name=$1
  what=$2
  shift 2
  if build "$name" "$@"; then
    compare "$name" "$what"
  else
    not_ok "$what: is built" <"$dir/log"
  fi
}

skip() { # what, reason
  ok "$1 # SKIP $2"
}

other_compiler() {
  if "$cc" --version 2>/dev/null | grep -q clang; then others=gcc; else others='clang-14 clang'; fi
  for other in $others; do
    if command -v "$other" >/dev/null; then
      try other "$other" "$other" "-O0 $(pkg-config --cflags glib-2.0)" \
        "$(pkg-config --libs glib-2.0)"
      return
    fi
  done
  skip 'another compiler' "none of $others is installed"
}

# GLib's static library: then nothing of 32 bit has to be installed but the C library.
word_of_32_bit() {
  library=$(find "$glib32/usr/lib" -name libglib-2.0.a 2>/dev/null)
  if [ -z "$library" ]; then
    skip '32 bit' "no GLib of 32 bit: sh tests/packages.sh word32 unpacks it"
    return
  fi
  flags="-m32 -O0 -I$glib32/usr/include/glib-2.0 -I${library%/*}/glib-2.0/include"
  echo 'int main (void) { return 0; }' >"$dir/try.c"
  # shellcheck disable=SC2086
  if gcc $flags -o "$dir/try" "$dir/try.c" "$library" -lm -pthread 2>/dev/null && "$dir/try"; then
    try word32 '32 bit' gcc "$flags" "$library -lm -pthread"
  else
    skip '32 bit' "gcc -m32 builds nothing that runs here: sh tests/packages.sh word32"
  fi
}

other_compiler
word_of_32_bit
echo "1..$number"
exit $failed
