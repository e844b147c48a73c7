#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line tools of rabbitmq-c: one queue's life at one member, then a publisher and a
# consumer at two members.
set -u
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v amqp-publish > /dev/null; then
  echo '1..0 # SKIP amqp-tools is not installed'
  exit 0
fi
[ -n "${AMQP_PORTS:-}" ] || exec "$PYTHON3" "$here/cluster.py" 3 sh "$0"

# shellcheck disable=SC2086
set -- $AMQP_PORTS
first=amqp://guest:guest@127.0.0.1:$1
shift $(($# > 1))
second=amqp://guest:guest@127.0.0.1:$1
queue=tools-$$
count=0

is() { # text, expected, got
  count=$((count + 1))
  if [ "$2" = "$3" ]; then
    echo "ok $count - $1"
  else
    echo "not ok $count - $1"
    printf '%s\n' "expected: $2" "got: $3" | sed 's/^/# /'
  fi
}

# What a command prints, both streams, and its status where that is not 0.
said() {
  timeout 30 "$@" 2>&1 || echo "status $?"
}

is 'amqp-declare-queue' "$queue" "$(said amqp-declare-queue -u "$first" -q "$queue")"
is 'amqp-publish' '' "$(said amqp-publish -u "$first" -r "$queue" -b one)"
is 'amqp-publish, persistent, with properties' '' \
  "$(said amqp-publish -u "$first" -r "$queue" -p -C text/plain -H 'x-key: value' -b two)"
is 'amqp-get: the oldest' one "$(said amqp-get -u "$first" -q "$queue")"
is 'amqp-get: the next' two "$(said amqp-get -u "$first" -q "$queue")"
is 'amqp-get: nothing is there' 'status 2' "$(said amqp-get -u "$first" -q "$queue")"

is 'publishing line by line' '' "$(printf 'a\nb\nc\n' |
  said amqp-publish -u "$first" -r "$queue" -l)"
is 'amqp-consume at another member' 'a
b
c' "$(said amqp-consume -u "$second" -q "$queue" -c 3 cat)"

is 'publishing to an exchange' '' \
  "$(said amqp-declare-queue -u "$second" -q "$queue-2" > /dev/null &&
    said amqp-publish -u "$second" -e amq.direct -r "$queue-2" -b lost)"
is 'what was bound to nothing is nowhere' 'status 2' "$(said amqp-get -u "$first" -q "$queue-2")"

is 'amqp-delete-queue: no message is left' 0 "$(said amqp-delete-queue -u "$second" -q "$queue")"
said amqp-publish -u "$first" -r "$queue-2" -b left
is 'amqp-delete-queue: one message is left' 1 \
  "$(said amqp-delete-queue -u "$first" -q "$queue-2")"
is 'getting from a queue that is gone' yes \
  "$(said amqp-get -u "$second" -q "$queue" | grep -q '404\|NOT_FOUND' && echo yes)"
echo "1..$count"
