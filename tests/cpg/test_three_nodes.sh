#!/bin/sh
# SPDX-License-Identifier: MIT
# Three consortd over three corosync daemons: public clients at different nodes, a consortd that is
# killed, a network that is cut, a corosync that dies and one that stands still.
set -u
. "${top_srcdir:?}/tests/cpg/prelude.sh"
clients() {
  command -v amqp-publish > /dev/null || { echo 'amqp-tools is not installed'; return 1; }
  "${PYTHON3:-python3}" -c 'import pika' 2> /dev/null || {
    echo 'python3-pika is not installed'
    return 1
  }
}
if [ "${CONSORT_IN_SANDBOX:-}" != true ]; then
  need lab check
  need clients
  # There is no network in the sandbox to install it from, and `node` is another command there.
  node_program=
  amqplib_why=$(sh "$top_srcdir/tests/interop/install_amqplib.sh" 2>&1) &&
    node_program=$(command -v node)
  NODE_PATH=${top_builddir:?}/tests/interop/npm/node_modules
  export amqplib_why node_program NODE_PATH
  exec timeout -k 10 "${TEST_TIMEOUT:-120}" sh "$top_srcdir/tests/cpg/three_nodes.sh" \
    "${top_builddir:?}" sh "$0"
fi

url=amqp://guest:guest@127.0.0.1
network=${LAB_NET:-10.99.0}
addresses="$network.1:5672 $network.2:5672 $network.3:5672"
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

said() { # node, command...
  timeout 30 "${CONSORT_LAB:?}" exec "$@" 2>&1 || echo "status $?"
}

# "yes" once the command is successful, within ten seconds.
soon() {
  tenths=0
  until "$@"; do
    tenths=$((tenths + 1))
    [ $tenths -lt 100 ] || { echo no; return; }
    sleep 0.1
  done
  echo yes
}

state() { # node
  timeout 5 node "$1" status | sed -n 's/^state  *//p'
}

is_active() { # node...
  for i in "$@"; do [ "$(state "$i")" = active ] || return 1; done
}

is_not_active() { # node
  answer=$(state "$1")
  [ -n "$answer" ] && [ "$answer" != active ]
}

agreement() { # node
  timeout 5 node "$1" status | grep -E '^(state|members|position|digest) '
}

agree() {
  is_active 1 2 3 && [ "$(agreement 1)" = "$(agreement 2)" ] &&
    [ "$(agreement 2)" = "$(agreement 3)" ]
}

# Publishes bodies FIRST to LAST with confirms at a node; prints how many were confirmed.
publish() { # node, queue, first, last
  said "$1" "${PYTHON3:-python3}" -c "
import pika
channel = pika.BlockingConnection(pika.ConnectionParameters('127.0.0.1')).channel()
channel.queue_declare('$2')
channel.confirm_delivery()
for i in range($3, $4 + 1):
    channel.basic_publish('', '$2', str(i).encode())
print($4 - $3 + 1)
"
}

consume() { # node, queue, number of messages
  said "$1" "${PYTHON3:-python3}" -c "
import pika
channel = pika.BlockingConnection(pika.ConnectionParameters('127.0.0.1')).channel()
bodies = []
for method, _, body in channel.consume('$2', inactivity_timeout=10):
    if method is None:
        break
    bodies.append(body.decode())
    channel.basic_ack(method.delivery_tag)
    if len(bodies) == $3:
        break
channel.cancel()
print(' '.join(bodies))
"
}

# All cases of a client program (tests/interop/client_cases.py), whose connections go to the three
# nodes in turn; in the last one node 1 crashes.
cases_hold() { # name, command...
  name=$1
  shift
  for case in $("$@"); do
    # shellcheck disable=SC2086
    is "$name, $case" '' "$(MEMBER_CRASH='node 1 crash' said 1 "$@" "$case" $addresses)"
  done
  node 1 start
  is "after $name all agree" yes "$(soon agree)"
}

cannot() { # name, why
  count=$((count + 1))
  echo "ok $count - $1 # SKIP $2"
}

is 'all agree' yes "$(soon agree)"
is 'amqp-declare-queue at node 1' tools "$(said 1 amqp-declare-queue -u $url -q tools)"
is 'amqp-publish at node 1' '' "$(said 1 amqp-publish -u $url -r tools -b one)"
is 'amqp-get at node 2' one "$(said 2 amqp-get -u $url -q tools)"
is 'amqp-publish at node 3' '' "$(said 3 amqp-publish -u $url -r tools -b two)"
is 'amqp-consume at node 1' two "$(said 1 amqp-consume -u $url -q tools -c 1 cat)"

is 'pika publishes at node 2, confirmed' 100 "$(publish 2 numbers 1 100)"
is 'pika consumes at node 3' "$(seq -s ' ' 1 100)" "$(consume 3 numbers 100)"

if [ -n "$node_program" ]; then
  cases_hold amqplib "$node_program" "$top_srcdir/tests/interop/amqplib_client.js"
else
  cannot amqplib "$amqplib_why"
fi
if [ -x "$top_builddir/tests/interop/rabbitmq_c_client" ]; then
  cases_hold librabbitmq "$top_builddir/tests/interop/rabbitmq_c_client"
else
  cannot librabbitmq 'it was not found by configure'
fi

node 3 crash
is 'while node 3 has crashed: published at node 1' 50 "$(publish 1 crashed 1 50)"
node 3 start
is 'node 3 starts again, and gets the state' yes "$(soon agree)"
is 'what was published meanwhile is consumed at node 3' "$(seq -s ' ' 1 50)" \
  "$(consume 3 crashed 50)"

lab partition '1 2' 3
is 'cut off, node 3 serves nobody' yes "$(soon is_not_active 3)"
is 'the majority goes on' 20 "$(publish 2 cut 1 20)"
lab heal
is 'after the cut all agree' yes "$(soon agree)"
is 'what the majority took is consumed at node 3' "$(seq -s ' ' 1 20)" "$(consume 3 cut 20)"

lab kill 2
is 'without its corosync, node 2 serves nobody' yes "$(soon is_not_active 2)"
is 'the other two go on' 10 "$(publish 1 killed 1 10)"
lab rejoin 2
is 'with a corosync again, node 2 comes back' yes "$(soon agree)"

lab freeze 1
is 'while its corosync stands still, node 1 answers consortctl' active "$(state 1)"
is 'when it has stood still for long, the other two go on' 10 "$(publish 3 frozen 1 10)"
lab thaw 1
is 'when it goes on, all agree' yes "$(soon agree)"
is 'and node 1 has what it missed' "$(seq -s ' ' 1 10)" "$(consume 1 frozen 10)"

node 2 stop
is 'node 2 leaves in good order' yes "$(soon sh -c '! timeout 5 node 2 status 2> /dev/null')"
node 2 start
is 'and all agree in the end' yes "$(soon agree)"

for i in 1 2 3; do node $i stop; done
is 'all stop' yes "$(soon sh -c '! pgrep -x consortd > /dev/null')"
is 'nothing in their logs that should not be there' '' \
  "$(for i in 1 2 3; do node $i log; done |
    grep -E 'Sanitizer|runtime error|CRITICAL|WARNING \*\*')"
echo "1..$count"
