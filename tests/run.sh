#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and tests, each stage in a directory of its own beside the sources:
#
#     sh tests/run.sh              make check
#     sh tests/run.sh STAGE...     plain, sanitizers, distcheck, long; in this order
#
# Installs the packages that are missing (tests/packages.sh). Says at the end how many tests passed,
# failed and were skipped in all stages together, and is unsuccessful if any failed. With CI=true a
# skip is a failure too, unless tests/allowed_skips has it with a reason.
set -eu
srcdir=$(cd "$(dirname "$0")/.." && pwd)
cd "$srcdir"
. tests/packages.sh
GLIB32=$srcdir/build-check/glib32
export GLIB32
packages_install build test word32 corosync

jobs=$(nproc)
AM_COLOR_TESTS=no
UBSAN_OPTIONS=print_stacktrace=1
export AM_COLOR_TESTS UBSAN_OPTIONS
mkdir -p build-check
: > build-check/results
broken=0

# Runs a stage; its output goes on and into build-check/NAME.log.
stage() { # name, command...
  name=$1
  shift
  echo "=== $name"
  {
    status=0
    "$@" 2>&1 || status=$?
    echo "$status" > "build-check/$name.status"
  } | tee "build-check/$name.log"
  status=$(cat "build-check/$name.status")
  grep -E '^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): ' "build-check/$name.log" |
    sed "s/^/$name /" >> build-check/results || true
  [ "$status" = 0 ] && return
  find "build-check/$name" -name test-suite.log -exec cat {} + 2> /dev/null || true
  echo "=== $name ended with status $status"
  # A build that broke, or a summary that was never printed, has no failed test to show for it.
  grep -qE "^$name (FAIL|XPASS|ERROR): " build-check/results || broken=$((broken + 1))
}

build() { # name, configure options...
  mkdir -p "build-check/$1" && cd "build-check/$1" && shift &&
    "$srcdir/configure" --quiet --enable-werror "$@" && make -j"$jobs" && cd "$srcdir"
}

check() { # name, target, configure options...
  directory=build-check/$1
  target=$2
  (shift 2 && build "${directory#*/}" "$@") && make -C "$directory" -j"$jobs" "$target"
}

[ $# -gt 0 ] || set -- plain
stage autogen ./autogen.sh
for name in "$@"; do
  case $name in
    plain) stage plain check plain check ;;
    sanitizers) stage sanitizers check sanitizers check --enable-sanitizers CFLAGS='-O1 -g' ;;
    # The archive is whole, and builds without corosync's libraries.
    distcheck)
      stage distcheck check distcheck distcheck --without-cpg
      ;;
    long) stage long check plain check-long ;;
    *)
      echo "run.sh: '$name' is none of plain, sanitizers, distcheck, long" >&2
      exit 2
      ;;
  esac
done

number() { # how many lines of the results match
  grep -cE "$1" build-check/results || true
}

passed=$(number '^[a-z]+ (PASS|XFAIL): ')
failed=$(($(number '^[a-z]+ (FAIL|XPASS|ERROR): ') + broken))
skipped=$(number '^[a-z]+ SKIP: ')

# Lines of allowed_skips: a part of the skip's line | the reason. A reason there must be.
grep '^[^#]' tests/allowed_skips | sed -n 's/^\([^|]*[^| ]\) *| *..*$/\1/p' \
  > build-check/allowed || true
grep -E '^[a-z]+ SKIP: ' build-check/results > build-check/skips || true
grep -vF -f build-check/allowed build-check/skips > build-check/unexpected || true
if [ "${CI:-}" = true ] && [ -s build-check/unexpected ]; then
  echo '=== skipped, and not listed in tests/allowed_skips:'
  cat build-check/unexpected
  unexpected=$(wc -l < build-check/unexpected)
  skipped=$((skipped - unexpected))
  failed=$((failed + unexpected))
fi
grep -E '^[a-z]+ (FAIL|XPASS|ERROR): ' build-check/results || true
if [ $((passed + failed)) = 0 ]; then
  echo '=== no test was run'
  failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
