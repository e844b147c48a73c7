#!/bin/sh
# SPDX-License-Identifier: MIT
# Each program's --help and its man page name the same options.
#
# One line a program: PROGRAM MANPAGE
programs='
consortd doc/man/consortd.8
consortctl doc/man/consortctl.1
'
LC_ALL=C; export LC_ALL
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
number=0
status=0

result () # ok|"not ok" TEXT
{
  number=$((number + 1))
  echo "$1 $number - $2"
  test "$1" = ok || status=1
}

echo 1..$(echo "$programs" | grep -c .)
while read -r program page; do
  test -n "$program" || continue
  "$top_builddir/$program" --help >"$scratch/help" 2>&1 || result 'not ok' "$program --help"
  # GLib adds --help itself; nothing but options begins with two hyphens in either text.
  grep -o -e '--[a-z][a-z-]*' "$scratch/help" | sort -u >"$scratch/told"
  sed 's/\\-/-/g' "$top_srcdir/$page" | grep -o '^\\fB--*[a-z].*' \
    | grep -o -e '--[a-z][a-z-]*' | sort -u >"$scratch/written"
  if test -s "$scratch/told" && diff "$scratch/told" "$scratch/written" >"$scratch/diff"; then
    result ok "$program --help and $page name the same options"
  else
    sed 's/^/# /' "$scratch/diff"
    result 'not ok' "$program --help (<) and $page (>) name the same options"
  fi
done <<END
$programs
END
exit $status
