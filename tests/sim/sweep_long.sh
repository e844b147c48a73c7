#!/bin/sh
# SPDX-License-Identifier: MIT
# Many seeds, sizes and shapes of bad luck. Each line is a family of runs:
#   members  messages  crashes  seeds  other options
set -u
sim=${top_builddir:-.}/consort-sim
number=0
failed=0
families='
3 300 3 1..400
5 300 5 1..400
7 300 12 1..200
2 300 3 1..200
4 2000 10 1..50
12 500 10 1..40
3 300 3 1..100 --clients 2
3 300 3 1..100 --clients 30
3 2000 0 1..20 --quiet-clients
100 300 10 1..5
3 300 3 1..1000 --partitions 6
5 300 5 1..500 --partitions 6
7 300 5 1..300 --partitions 6
3 300 3 1..500 --faults all
5 300 5 1..500 --faults all
8 300 8 1..200 --faults all
5 300 5 1..200 --faults all --detection 20ms --sync 2ms
5 300 5 1..100 --faults all --timing ring-knet --detection 30ms
30 200 10 1..10 --faults all
'
count=$(printf '%s' "$families" | grep -c .)
echo "1..$count"
# Not in a pipe: the loop counts.
while read -r members messages crashes seeds options; do
  [ -n "$members" ] || continue
  number=$((number + 1))
  # shellcheck disable=SC2086 # $options is a list
  table=$("$sim" sweep --members "$members" --messages "$messages" --crashes "$crashes" \
    --seeds "$seeds" $options 2> /dev/null)
  status=$?
  name="$members members, $messages messages, $crashes crashes, seeds $seeds $options"
  if [ $status -eq 0 ]; then
    echo "ok $number - $name"
  else
    echo "not ok $number - $name"
    printf '%s\n' "$table" | sed 's/^/# /'
    failed=1
  fi
done <<EOF
$families
EOF
exit $failed
