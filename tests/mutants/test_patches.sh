#!/bin/sh
# SPDX-License-Identifier: MIT
# The planted bugs can still be planted: each patch applies to the sources as they are, and says
# what check_mutants.sh needs to know.
set -u
here=$(cd "$(dirname "$0")" && pwd)
srcdir=${top_srcdir:-$(cd "$here/../.." && pwd)}
number=0
failed=0

set -- "$here"/*.patch
echo "1..$#"
for patch in "$@"; do
  number=$((number + 1))
  name=$(basename "$patch" .patch)
  missing=
  for title in What Rule Seeds; do
    sed '/^--- /q' "$patch" | grep -q "^$title: [^ ]" || missing="$missing $title"
  done
  if [ -n "$missing" ]; then
    echo "not ok $number - $name: says$missing"
    failed=1
  elif said=$(patch -d "$srcdir" -p1 -F2 --dry-run <"$patch" 2>&1); then
    echo "ok $number - $name"
  else
    echo "not ok $number - $name: applies"
    echo "$said" | sed 's/^/# /'
    failed=1
  fi
done
exit $failed
