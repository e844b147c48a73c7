#!/bin/sh
# SPDX-License-Identifier: MIT
# What a machine can see of doc/style.md, for the whole tree; then each rule is broken in a small
# tree of its own, to see that it is noticed.
set -u
srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
LC_ALL=C
export LC_ALL

# Files that people write, in the tree at $1.
sources() (
  cd "$1" || exit 1
  for file in Makefile.am configure.ac autogen.sh README.md .ci/run; do
    [ ! -f $file ] || echo $file
  done
  find core transport sim daemon tests doc -type f \( -name '*.[ch]' -o -name '*.def' \
    -o -name '*.sh' -o -name '*.py' -o -name '*.js' -o -name '*.mk' -o -name '*.md' \) \
    2>/dev/null | sort
)

# A violation a line, "file:line: rule", for the tree at $1. Words that must not be found are
# put together here, so that this file does not hold them either.
violations() (
  cd "$1" || exit 1
  sources . | xargs -r awk '
    BEGIN {
      unfinished = "(^|[^A-Za-z])(TO" "DO|FIX" "ME|XX" "X)([^A-Za-z]|$)"
      places = "/wo" "rk/|/ro" "ot/|/ho" "me/[a-z]|/tmp/(wt|build)/|[Ii]ss" "ue #"
      owned = "(qb|hdb|cs|cpg|amqp)_[a-z0-9_]+"
      definition = "^" owned " \\(|^[A-Za-z][A-Za-z0-9_ *]*[ *]" owned "( \\(|;| =|\\[)"
    }
    function bad(rule) { print FILENAME ":" FNR ": " rule }
    function end_of_file() {
      if (last != "" && !licensed && last !~ /\.md$/)
        print last ": no SPDX line at the top"
      if (lines > 600 && last !~ /\.md$/)
        print last ": longer than 600 lines"
    }
    FNR == 1 {
      end_of_file()
      last = FILENAME; licensed = 0; body = 0
      c = FILENAME ~ /\.[ch]$/
      make = FILENAME ~ /(\.mk|\.am)$/
      text = FILENAME ~ /\.md$/
      table = FILENAME ~ /\.def$/
    }
    { lines = FNR }
    FNR <= 2 && /SPDX-License-Identifier: MIT/ { licensed = 1 }
    length($0) > 100 && !text && !table { bad("longer than 100 columns") }
    /\t/ && !(make && /^\t/) { bad("a tab") }
    /[ \t]$/ { bad("blanks at the end") }
    $0 ~ unfinished { bad("unfinished") }
    $0 ~ places { bad("a place or a word of one machine") }
    c && $0 ~ definition { bad("a name that begins like a library of others") }
    /^[ \t]*default *:/ && FILENAME ~ /^core\/.*\.c$/ { bad("a default in a switch") }
    c && /^\{$/ { body = FNR }
    c && /^\}$/ && body {
      if (FNR - body - 1 > 70)
        bad("a function longer than 70 lines")
      body = 0
    }
    END { end_of_file() }'
)

# --- TAP ---------------------------------------------------------------------------------------
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

report 'what a machine can see of the style' "$(violations "$srcdir")"

count=$((count + 1))
if command -v clang-format-14 > /dev/null; then
  unformatted=$(cd "$srcdir" && sources . | grep '\.[ch]$' |
    xargs clang-format-14 --dry-run 2>&1 | grep -E 'warning:|error:')
  count=$((count - 1))
  report 'clang-format has nothing to change' "$unformatted"
else
  echo "ok $count - clang-format has nothing to change # SKIP clang-format-14 is not installed"
fi

temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
mkdir -p "$temp/core/base" "$temp/tests"

bites() { # rule, file of the small tree
  count=$((count + 1))
  found=$(violations "$temp")
  rm "$temp/$2"
  if [ "$1" = nothing ] && [ -z "$found" ]; then
    echo "ok $count - takes a good $2"
  elif printf '%s\n' "$found" | grep -qE "^$2:.* $1\$" &&
    [ "$(printf '%s\n' "$found" | wc -l)" -eq 1 ]; then
    echo "ok $count - bites: $1"
  else
    echo "not ok $count - bites: $1"
    printf '%s\n' "$found" | sed 's/^/# /'
  fi
}

spdx='/* SPDX-License-Identifier: MIT */'
c=core/base/example.c
sh=tests/example.sh
printf '%s\nint\nfunction (void)\n{\n  return cpg_join ();\n}\n' "$spdx" > "$temp/$c"
bites nothing $c
echo 'int x;' > "$temp/$c"
bites 'no SPDX line at the top' $c
{ echo "$spdx"; yes '' | head -n 600; } > "$temp/$c"
bites 'longer than 600 lines' $c
printf '%s\n// %0101d\n' "$spdx" 0 > "$temp/$c"
bites 'longer than 100 columns' $c
printf '%s\n\tint x;\n' "$spdx" > "$temp/$c"
bites 'a tab' $c
printf '%s\nint x; \n' "$spdx" > "$temp/$c"
bites 'blanks at the end' $c
printf '%s\n/* TO%s */\n' "$spdx" 'DO: later' > "$temp/$c"
bites unfinished $c
printf '# SPDX-License-Identifier: MIT\ncd /ro%s\n' ot/x > "$temp/$sh"
bites 'a place or a word of one machine' $sh
printf '%s\nint\namqp_open (void)\n' "$spdx" > "$temp/$c"
bites 'a name that begins like a library of others' $c
printf '%s\nstatic int cpg_count = 1;\n' "$spdx" > "$temp/$c"
bites 'a name that begins like a library of others' $c
printf '%s\n  default:\n' "$spdx" > "$temp/$c"
bites 'a default in a switch' $c
{ printf '%s\n{\n' "$spdx"; yes '  x ();' | head -n 71; echo '}'; } > "$temp/$c"
bites 'a function longer than 70 lines' $c
echo "1..$count"
