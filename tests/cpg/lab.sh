#!/bin/sh
# SPDX-License-Identifier: MIT
# Real corosync daemons on one machine, a network namespace each:
#
#     lab.sh start N                 makes N nodes, and starts corosync on each
#     lab.sh wait MEMBERS [NODE...]  until these nodes (all) see so many members
#     lab.sh status                  a line for each node
#     lab.sh exec NODE COMMAND...    becomes COMMAND, a client of that node's corosync
#     lab.sh partition "1 2" "3"     these groups of nodes do not hear each other any more
#     lab.sh isolate NODE            its link is down
#     lab.sh heal                    every node hears every other again
#     lab.sh freeze|thaw NODE        corosync stands still (SIGSTOP), and goes on
#     lab.sh kill NODE               corosync crashes (SIGKILL)
#     lab.sh leave NODE              corosync ends in good order (SIGTERM)
#     lab.sh rejoin NODE             corosync starts again
#     lab.sh log NODE                path of its log
#     lab.sh stop                    ends the daemons, removes everything
#     lab.sh sandbox COMMAND...      COMMAND, which uses the other ones, in namespaces that any user
#                                    may make, and that end with it: so nothing is left behind
#     lab.sh check                   whether all this can be done here; else says why not
#
# Node i has the address $LAB_NET.i. The link of each ends in one switch, itself a namespace with a
# bridge for each part of a partitioned network. corosync's sockets are abstract, so a network
# namespace separates them; its pid file and its state are separated by mounts of its own.
#
# LAB_DIR       where configuration, logs and state are     (a directory below TMPDIR)
# LAB_TRANSPORT udpu or knet                                (udpu)
# LAB_TOKEN     milliseconds; a loss is noticed after 2.2 x (300)
# LAB_NET       network of the nodes, three numbers         (10.99.0)
# LAB_SECONDS   how long `wait` waits                       (30)
set -u
LAB_DIR=${LAB_DIR:-${TMPDIR:-/tmp}/consort-lab.$(id -u)}
LAB_NET=${LAB_NET:-10.99.0}
switch=lab-switch
PATH=/usr/sbin:/sbin:$PATH
export PATH LAB_DIR

die() {
  echo "lab.sh: $*" >&2
  exit 1
}

nodes() {
  if [ -f "$LAB_DIR/nodes" ]; then seq 1 "$(cat "$LAB_DIR/nodes")"; fi
}

on_switch() {
  ip netns exec $switch "$@"
}

exec_on_node() { # node, command...
  netns=lab-$1
  shift
  exec ip netns exec "$netns" "$@"
}

# --- the daemons --------------------------------------------------------------------------------

configuration() { # number of nodes
  echo "totem {"
  echo "  version: 2"
  echo "  cluster_name: lab"
  echo "  transport: ${LAB_TRANSPORT:-udpu}"
  if [ "${LAB_TRANSPORT:-udpu}" = knet ]; then
    echo "  crypto_cipher: none"
    echo "  crypto_hash: none"
  fi
  echo "  ip_version: ipv4"
  echo "  token: ${LAB_TOKEN:-300}"
  echo "  token_coefficient: 0"
  echo "}"
  echo "quorum {"
  echo "  provider: corosync_votequorum"
  echo "}"
  echo "nodelist {"
  for i in $(seq 1 "$1"); do
    echo "  node {"
    echo "    nodeid: $i"
    echo "    name: lab-$i"
    echo "    ring0_addr: $LAB_NET.$i"
    echo "  }"
  done
  echo "}"
  echo "system {"
  echo "  sched_rr: no"
  echo "  priority: 0"
  echo "  move_to_root_cgroup: no"
  echo "}"
  echo "logging {"
  echo "  to_stderr: yes"
  echo "  to_syslog: no"
  echo "  timestamp: hires"
  echo "  blackbox: off"
  echo "}"
}

# Of the node's daemon, if it runs and is ours; else nothing.
daemon_of() { # node
  pid=$(cat "$LAB_DIR/$1/run/corosync.pid" 2> /dev/null) || return 0
  [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = corosync ] || return 0
  [ "$(stat -Lc %i "/proc/$pid/ns/net")" = "$(stat -Lc %i "/run/netns/lab-$1")" ] || return 0
  echo "$pid"
}

wait_for() { # tenths of a second, command...
  tenths=$1
  shift
  until "$@"; do
    [ "$tenths" -gt 0 ] || return 1
    tenths=$((tenths - 1))
    sleep 0.1
  done
}

runs() { # node
  [ -n "$(daemon_of "$1")" ]
}

start_daemon() { # node
  if runs "$1"; then return; fi
  mkdir -p "$LAB_DIR/$1/run" "$LAB_DIR/$1/lib"
  rm -f "$LAB_DIR/$1/run/corosync.pid"
  # `ip netns exec` makes a mount namespace too, so these mounts are the daemon's alone.
  # shellcheck disable=SC2016
  setsid ip netns exec "lab-$1" sh -c '
    mount --bind "$1/$2/lib" /var/lib/corosync && mount --bind "$1/$2/run" /run &&
      exec corosync -f -c "$1/corosync.conf"' lab "$LAB_DIR" "$1" \
    < /dev/null >> "$LAB_DIR/$1/log" 2>&1 &
  wait_for 60 runs "$1" || {
    tail -n 5 "$LAB_DIR/$1/log" >&2
    die "corosync of node $1 did not start"
  }
}

is_gone() { # pid; a zombie is gone
  [ ! -e "/proc/$1/exe" ]
}

end_daemon() { # node, signal
  pid=$(daemon_of "$1")
  [ -n "$pid" ] || return 0
  kill -s "$2" "$pid"
  kill -s CONT "$pid" 2> /dev/null
  wait_for 100 is_gone "$pid" || kill -s KILL "$pid"
  wait_for 100 is_gone "$pid" || die "corosync of node $1 does not end"
  rm -rf "$LAB_DIR/$1/run/corosync.pid" /dev/shm/qb-"$pid"-*
}

signal_daemon() { # node, signal
  pid=$(daemon_of "$1")
  [ -n "$pid" ] || die "corosync of node $1 does not run"
  kill -s "$2" "$pid"
}

# --- the network --------------------------------------------------------------------------------

make_switch() {
  ip netns add $switch || die "cannot make a network namespace"
  on_switch ip link set lo up
  add_bridge 0
}

add_bridge() { # number
  on_switch ip link add "part$1" type bridge stp_state 0 forward_delay 0
  on_switch ip link set "part$1" up
}

make_node() { # node
  ip netns add "lab-$1"
  ip -n "lab-$1" link set lo up
  # Both ends are made inside: nothing appears in the host's own network.
  ip -n $switch link add "port$1" type veth peer name eth0 netns "lab-$1"
  ip -n "lab-$1" addr add "$LAB_NET.$1/24" dev eth0
  ip -n "lab-$1" link set eth0 up
  plug "$1" 0
}

plug() { # node, bridge
  on_switch ip link set "port$1" master "part$2" up
}

# --- the commands -------------------------------------------------------------------------------

start() { # number of nodes
  [ ! -f "$LAB_DIR/nodes" ] || die "there is a lab in $LAB_DIR already; stop it first"
  mkdir -p "$LAB_DIR"
  configuration "$1" > "$LAB_DIR/corosync.conf"
  echo "$1" > "$LAB_DIR/nodes"
  make_switch
  for i in $(nodes); do make_node "$i"; done
  for i in $(nodes); do start_daemon "$i"; done
}

stop() {
  for i in $(nodes); do end_daemon "$i" TERM; done
  for i in $(nodes); do ip netns del "lab-$i"; done
  ip netns del $switch
  rm -rf "$LAB_DIR"
}

quorum() { # node; nothing while its daemon is down
  timeout 3 ip netns exec "lab-$1" corosync-quorumtool -s 2> /dev/null
}

sees() { # members, node...
  members=$1
  shift
  for i in "$@"; do
    [ "$(quorum "$i" | sed -n 's/^Nodes: *//p')" = "$members" ] || return 1
  done
}

wait_members() { # members, node...
  members=$1
  shift
  # shellcheck disable=SC2046
  [ $# -gt 0 ] || set -- $(nodes)
  wait_for $((${LAB_SECONDS:-30} * 10)) sees "$members" "$@" || {
    status >&2
    die "nodes $* do not all see $members members"
  }
}

status() {
  for i in $(nodes); do
    if runs "$i"; then
      quorum "$i" | awk -v node="$i" '
        /^Nodes:/ { nodes = $2 } /^Ring ID:/ { ring = $3 } /^Quorate:/ { quorate = $2 }
        END { print "node " node ": " nodes " members, ring " ring ", quorate: " quorate }'
    else
      echo "node $i: down"
    fi
  done
}

partition() { # nodes of one part...
  part=0
  for group in "$@"; do
    [ "$part" = 0 ] || add_bridge "$part"
    for i in $group; do plug "$i" "$part"; done
    part=$((part + 1))
  done
}

heal() {
  for i in $(nodes); do plug "$i" 0; done
  on_switch ip -o link show type bridge | sed -n 's/^[0-9]*: \(part[1-9][0-9]*\):.*/\1/p' |
    while read -r bridge; do on_switch ip link del "$bridge"; done
}

sandbox() {
  # shellcheck disable=SC2016
  user="--user --map-root-user"
  [ "$(id -u)" != 0 ] || user= # root needs no other namespace, and has other users in this one
  # shellcheck disable=SC2086
  exec unshare $user --net --mount --pid --fork --kill-child --mount-proc \
    --propagation private sh -c '
    mount -t tmpfs tmpfs /run && mkdir /run/netns && mount -t tmpfs tmpfs /dev/shm &&
      ip link set lo up && "$@"' sandbox "$@"
}

check() {
  for program in corosync corosync-quorumtool ip unshare; do
    command -v $program > /dev/null || die "$program is not installed"
  done
  reason=$("$0" sandbox ip link add lab-check type veth 2>&1) ||
    die "no namespaces for this user: $(echo "$reason" | head -n 1)"
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  start) start "$@" ;;
  stop) stop ;;
  wait) wait_members "$@" ;;
  status) status ;;
  exec) exec_on_node "$@" ;;
  partition) partition "$@" ;;
  isolate) on_switch ip link set "port$1" down ;;
  heal) heal ;;
  freeze) signal_daemon "$1" STOP ;;
  thaw) signal_daemon "$1" CONT ;;
  kill) end_daemon "$1" KILL ;;
  leave) end_daemon "$1" TERM ;;
  rejoin) start_daemon "$1" ;;
  log) echo "$LAB_DIR/$1/log" ;;
  sandbox) sandbox "$@" ;;
  check) check ;;
  *)
    sed -n '3,/^set -u/s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
