#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of doc/scenarios.md and doc/simulator.md: a block that begins with `# NAME.scenario`
# is that file, and what follows `$ consort-sim ...` is what that prints; a line `...` stands for
# any lines, and `...` at the end of one for any end.
set -u
srcdir=${top_srcdir:-.}
sim=$(cd "${top_builddir:-.}" && pwd)/consort-sim
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
failed=0
number=0

# One step a file in $temp: N.command with N.expected; scenarios under their names.
awk -v dir="$temp" '
  /^    / {
    line = substr($0, 5)
    if (line ~ /^# [a-z-]+\.scenario$/) { file = dir "/" substr(line, 3); print line > file }
    else if (line ~ /^\$ consort-sim /) {
      step = sprintf("%s/%03d", dir, ++n)
      file = step ".expected"
      print substr(line, 15) > (step ".command")
      printf "" > file
    }
    else if (file != "") print line > file
    next
  }
  /^$/ { if (file != "" && file ~ /scenario$/) print "" > file; next }
  { file = "" }' "$srcdir/doc/scenarios.md" "$srcdir/doc/simulator.md"

# Are the lines of $1 as those of $2?
is_as() {
  awk '
    function fits(got, want) {
      if (want ~ /\.\.\.$/)
        return substr(got, 1, length(want) - 3) == substr(want, 1, length(want) - 3)
      return got == want
    }
    FNR == NR { want[++n] = $0; next }
    {
      while (n > at && want[at + 1] == "...") { skip = 1; at++ }
      if (at < n && fits($0, want[at + 1])) { skip = 0; at++ }
      else if (!skip) exit bad = 1
    }
    END {
      while (n > at && want[at + 1] == "...") at++
      exit bad || at < n
    }' "$2" "$1"
}

for command in "$temp"/*.command; do
  number=$((number + 1))
  words=$(cat "$command")
  # shellcheck disable=SC2086
  (cd "$temp" && "$sim" $words 2>&1) > "$temp/output"
  if is_as "$temp/output" "${command%.command}.expected"; then
    echo "ok $number - $words"
  else
    echo "not ok $number - $words"
    sed 's/^/# /' "$temp/output"
    failed=1
  fi
done
echo "1..$number"
exit $failed
