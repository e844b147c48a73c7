#!/bin/sh
# SPDX-License-Identifier: MIT
# Three corosync daemons and a consortd on each, on one machine, without root: says how to use them,
# and ends all of them when it ends (Ctrl-C, or when the shell it has opened is left).
#
#     sh tests/cpg/three_nodes.sh [BUILD-DIRECTORY]     ./build, or where make was run
#     sh tests/cpg/three_nodes.sh BUILD-DIRECTORY COMMAND...     COMMAND instead of a shell
#
# Debian packages: corosync iproute2 util-linux procps (sh tests/packages.sh corosync).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/lab.sh

if [ "${CONSORT_IN_SANDBOX:-}" != true ]; then
  build=$(cd "${1:-build}" && pwd)
  [ -x "$build/consortd" ] || {
    echo "three_nodes.sh: there is no consortd in $build; build it first" >&2
    exit 1
  }
  [ $# -eq 0 ] || shift
  "$lab" check
  LAB_DIR=$(mktemp -d)
  CONSORT_IN_SANDBOX=true
  export LAB_DIR CONSORT_IN_SANDBOX
  status=0
  "$lab" sandbox sh "$here/three_nodes.sh" "$build" "$@" || status=$?
  rm -rf "$LAB_DIR"
  exit $status
fi

build=$1
shift
"$lab" start 3
"$lab" wait 3

# Commands for the shell: on NODE COMMAND..., node N COMMAND..., and those of the laboratory.
mkdir "$LAB_DIR/bin"
PATH=$LAB_DIR/bin:$build:$PATH
export PATH
cat > "$LAB_DIR/bin/lab" << END
#!/bin/sh
exec "$lab" "\$@"
END
cat > "$LAB_DIR/bin/on" << END
#!/bin/sh
exec "$lab" exec "\$@"
END
cat > "$LAB_DIR/bin/node" << END
#!/bin/sh
node=\$1
shift
files=$LAB_DIR/consortd-\$node
case \$1 in
  start)
    "$lab" exec \$node "$build/consortd" --transport cpg --expected-members 3 --name "n\$node" \\
      --listen 0.0.0.0:5672 --control "\$files.control" < /dev/null > /dev/null 2>> "\$files.log" &
    echo \$! > "\$files.pid"
    ;;
  crash) kill -s KILL "\$(cat "\$files.pid")" ;;
  stop) kill -s TERM "\$(cat "\$files.pid")" ;;
  log) cat "\$files.log" ;;
  *) exec "$build/consortctl" --control "\$files.control" "\$@" ;;
esac
END
chmod +x "$LAB_DIR"/bin/*
for i in 1 2 3; do node $i start; done

serves() { # node
  node "$1" status 2> /dev/null | grep -q '^state  *active'
}

for i in 1 2 3; do
  tenths=0
  until serves $i; do
    tenths=$((tenths + 1))
    [ $tenths -lt 200 ] || {
      node $i log >&2
      echo "three_nodes.sh: consortd on node $i does not serve" >&2
      exit 1
    }
    sleep 0.1
  done
done

if [ $# -gt 0 ]; then
  status=0
  "$@" || status=$?
else
  cat << END
Three nodes, each with corosync and consortd; three members, one broker. In this shell:

  on 1 amqp-declare-queue --url=amqp://127.0.0.1 -q hello     a client on node 1
  on 1 amqp-publish --url=amqp://127.0.0.1 -r hello -b first
  on 2 amqp-get --url=amqp://127.0.0.1 -q hello               one on node 2
  node 1 status          what consortctl says; also: log, crash, stop, start
  lab status             corosync's view; also: partition "1 2" 3, isolate 3, heal,
                         freeze 3, thaw 3, kill 3, rejoin 3
  exit                   ends everything

END
  status=0
  PS1='three nodes> ' sh -i || status=$?
fi
for i in 1 2 3; do node $i stop 2> /dev/null || :; done
wait
"$lab" stop
exit $status
