#!/bin/sh
# SPDX-License-Identifier: MIT
# Each NAME.patch here plants a bug as people make them. It is applied to a copy of the sources,
# the simulator of the copy is built, and a sweep has to find the bug: one that gets away means
# that a checker, a fault or a workload is missing. The run that found it passes without the bug.
#
#     make check-mutants                          all
#     sh tests/mutants/check_mutants.sh NAME...   some, in a build directory
#
# Lines before the difference:
#     What: one sentence
#     Rule: what has to be broken, one of these (consort-sim list checkers, or crashed)
#     Seeds: by how many seeds at most
#     Options: of the runs, or a scenario, if they are not the usual ones
set -u
here=$(cd "$(dirname "$0")" && pwd)
srcdir=${top_srcdir:-$(cd "$here/../.." && pwd)}
builddir=$(cd "${top_builddir:-.}" && pwd)
cc=${CC:-cc}
work=$builddir/tests/mutants/work
copy=$work/source
# So many seeds at a time: it ends with the first of them that find it.
batch=20
number=0
failed=0

# The copy is as the sources are; what has not changed is not built again.
renew_copy() {
  (cd "$srcdir" && find core sim transport -name '*.[ch]' -o -name '*.def') | sort >"$work/files"
  (cd "$copy" && find . -type f) | sed 's|^\./||' | sort | comm -13 "$work/files" - |
    while read -r file; do rm "$copy/$file"; done
  while read -r file; do
    cmp -s "$srcdir/$file" "$copy/$file" && continue
    mkdir -p "$copy/${file%/*}" && cp "$srcdir/$file" "$copy/$file"
  done <"$work/files"
}

build() {
  MAKEFLAGS='' make -s -C "$work/build" -f "$srcdir/tests/sim/other_build.mk" -j"$(nproc)" \
    top_srcdir="$copy" top_builddir="$builddir" CC="$cc" \
    CFLAGS="-O1 $(pkg-config --cflags glib-2.0)" LIBS="$(pkg-config --libs glib-2.0)" \
    >"$work/log" 2>&1
}

# What a patch says of itself: file, title.
header() {
  sed -n "/^--- /q; s/^$2: *//p" "$1"
}

# The lines "RULE SEED COMMAND" of what that sweep found, the first seed first.
findings() {
  awk '/^[a-z]+ of / { rule = $3; sub(":", "", rule) }
    /^  again / {
      command = $0
      sub("^  again *consort-sim ", "", command)
      seed = 1
      for (i = 1; i < NF; i++)
        if ($i == "--seed")
          seed = $(i + 1)
      print rule, seed, command
    }' "$work/table" | sort -k2,2n
}

# Sweeps until a rule of $1 is broken, by $2 seeds at most, with the options $3: $rule, $seed and
# $command are those of the run. What else was found is in $others.
sweep() {
  next=1
  others=
  while [ "$next" -le "$2" ]; do
    last=$((next + batch - 1))
    [ "$last" -le "$2" ] || last=$2
    # shellcheck disable=SC2086
    (cd "$srcdir" && "$work/build/consort-sim" sweep $3 --seeds "$next..$last" --no-shrink \
      --run-time 30s) >"$work/table" 2>"$work/log"
    status=$?
    if [ $status -ne 0 ] && [ $status -ne 1 ] && [ $status -ne 3 ] && [ $status -ne 4 ]; then
      return 1
    fi
    findings >"$work/findings"
    while read -r rule seed command; do
      case " $1 " in *" $rule "*) return 0 ;; esac
      others="$others $rule"
    done <"$work/findings"
    next=$((last + 1))
  done
  return 1
}

# Whether that patch is caught; $said is what there is to say of it.
try() {
  if ! patch -d "$copy" -p1 -s -F2 <"$1" >"$work/log" 2>&1; then
    said='does not apply any more: make it anew, the code it changes is another one'
    return 1
  fi
  if ! build; then
    said='is not built'
    return 1
  fi
  wanted=$(header "$1" Rule | tr -d ',')
  seeds=$(header "$1" Seeds)
  : >"$work/log"
  if ! sweep "$wanted" "$seeds" "$(header "$1" Options)"; then
    said="no rule of '$wanted' was broken in $seeds seeds, but:${others:- none}"
    return 1
  fi
  said="$rule at seed $seed"
  # shellcheck disable=SC2086
  (cd "$srcdir" && "$work/without-bug" $command) >"$work/log" 2>&1
  grep -q '^verdict pass' "$work/log" && return 0
  said="$said, but it is so without the bug too: consort-sim $command"
  return 1
}

mkdir -p "$copy" "$work/build" || exit 1
[ $# -gt 0 ] || set -- "$here"/*.patch
echo "1..$#"
renew_copy
if ! build; then
  sed 's/^/# /' "$work/log"
  echo 'Bail out! the copy is not built'
  exit 1
fi
cp "$work/build/consort-sim" "$work/without-bug"
: >"$work/results"
for name in "$@"; do
  number=$((number + 1))
  name=$(basename "$name" .patch)
  began=$(date +%s)
  rule=- seed=-
  if try "$here/$name.patch"; then
    echo "ok $number - $name: $said"
  else
    failed=1
    echo "not ok $number - $name: $said"
    tail -n 20 "$work/log" | sed 's/^/# /'
  fi
  echo "$name $rule $seed $(($(date +%s) - began))" >>"$work/results"
  find "$copy" \( -name '*.rej' -o -name '*.orig' \) -exec rm {} +
  renew_copy
done
awk 'BEGIN { print "# mutant                             rule                     seed  seconds" }
  { printf "# %-34s %-22s %6s %8s\n", $1, $2, $3, $4 }' "$work/results"
exit $failed
