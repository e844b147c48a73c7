#!/bin/sh
# SPDX-License-Identifier: MIT
# What the pages of doc/ and the README point at is there: links between them, files of the tree,
# and the cases of tests that design-note-map.md names.
set -u
srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$srcdir" || exit 1

# A line for each link or `path` of $1 that leads nowhere.
dead_ends() {
  grep -oE '\]\([^)#:]+\)' "$1" | tr -d ']()' | while read -r link; do
    [ -e "$(dirname "$1")/$link" ] || echo "$1: $link"
  done
  grep -oE '`(core|transport|sim|daemon|tests|doc)/[A-Za-z0-9_./*-]*`' "$1" | tr -d '`' |
    while read -r path; do
      # shellcheck disable=SC2086
      set -- "$1" $path
      [ -e "${2%/}" ] || echo "$1: $path"
    done
}

# Handlers are named without their folder there, cases of tests in parentheses behind their file.
dead_names() {
  grep -oE '`[a-z_]+_handler\.c`' "$1" | tr -d '`' | while read -r file; do
    [ -e "core/handlers/$file" ] || echo "$1: $file"
  done
  grep -oE '`tests/[a-z_/]+\.(c|py)` \([^)]*\)' "$1" | while read -r file cases; do
    file=$(echo "$file" | tr -d '`')
    for name in $(echo "$cases" | grep -oE '`[a-z0-9-]+`' | tr -d '`'); do
      grep -qE "$name|$(echo "$name" | tr - _)" "$file" || echo "$1: $name of $file"
    done
  done
}

count=0
report() { # text, violations
  count=$((count + 1))
  if [ -z "$2" ]; then
    echo "ok $count - $1"
  else
    echo "not ok $count - $1"
    printf '%s\n' "$2" | sed 's/^/# /'
  fi
}

for page in README.md doc/*.md; do
  report "$page points at what is there" "$(dead_ends "$page")"
done
report 'design-note-map.md names what is there' "$(dead_names doc/design-note-map.md)"

temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
bites() { # function, a line that is wrong
  echo "$2" > "$temp/page.md"
  count=$((count + 1))
  if [ -n "$($1 "$temp/page.md")" ]; then
    echo "ok $count - bites: $2"
  else
    echo "not ok $count - bites: $2"
  fi
}
bites dead_ends 'see [there](nowhere.md)'
# shellcheck disable=SC2016
bites dead_ends 'see `core/base/nothing.c`'
# shellcheck disable=SC2016
bites dead_names 'see `imaginary_handler.c`'
# shellcheck disable=SC2016
bites dead_names 'see `tests/interop/test_pika.py` (`no-such-case`)'
echo "1..$count"
