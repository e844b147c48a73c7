#!/bin/sh
# SPDX-License-Identifier: MIT
# A thousand members, all checkers on. Each line is a run:
#   members  messages  crashes (each is two changes)  other options
set -u
sim=${top_builddir:-.}/consort-sim
number=0
failed=0
runs='
1000 1000 5 --clients 24 --quiet-clients
1000 1000 5 --clients 24
1000 500 50 --clients 24
1000 100 3 --twice
300 300 50 --partitions 4
'
count=$(printf '%s' "$runs" | grep -c .)
echo "1..$count"
# Not in a pipe: the loop counts.
while read -r members messages crashes options; do
  [ -n "$members" ] || continue
  number=$((number + 1))
  # shellcheck disable=SC2086 # $options is a list
  report=$("$sim" run --limits none --partitions 0 --duration 1000s --members "$members" \
    --messages "$messages" --crashes "$crashes" $options 2> /dev/null)
  status=$?
  name="$members members, $messages messages, $crashes crashes $options"
  if [ $status -eq 0 ]; then
    echo "ok $number - $name"
  else
    echo "not ok $number - $name"
    printf '%s\n' "$report" | sed 's/^/# /'
    failed=1
  fi
done <<END
$runs
END
exit $failed
